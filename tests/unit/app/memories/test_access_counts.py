"""Accesses are counted off the read path: no version, no history, no index, and nothing lost but by a crash."""

import asyncio
import contextlib

import pytest

from app.errors import DiskFullError
from app.memories.access_counts import BATCH, MAX_WAITING, AccessCounter
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


def counts(harness: MemoryHarness) -> dict[str, int]:
    return dict(harness.rows("SELECT id, access_count FROM memories WHERE access_count > 0"))


@pytest.fixture
def counter(harness: MemoryHarness) -> AccessCounter:
    """Return a counter that writes when told to."""
    return AccessCounter(harness.store, harness.clock, pause_s=3600)


def test_counts_are_written_together_and_change_nothing_else(harness: MemoryHarness, counter: AccessCounter) -> None:
    note, other = harness.save("one"), harness.save("two")
    history, stored = harness.rows("SELECT count(*) FROM memory_history"), harness.index.stored
    counter.count([note.id, note.id, "note-unknown"])
    harness.clock.ms += 1000
    counter.count([note.id])
    assert counts(harness) == {}
    harness.do(counter.flush())
    after = harness.get(note.id)
    assert (after.access_count, after.version) == (3, 1)
    assert after.last_accessed is not None
    assert after.last_accessed.timestamp() * 1000 == harness.clock.ms
    assert after == note
    assert harness.get(other.id).access_count == 0
    assert (harness.rows("SELECT count(*) FROM memory_history"), harness.index.stored) == (history, stored)


def test_undo_sees_no_change_and_keeps_the_count(harness: MemoryHarness, counter: AccessCounter) -> None:
    note = harness.save("one")
    harness.do(harness.service.update(EVERYTHING, note.id, 1, content="two"))
    counter.count([note.id])
    harness.do(counter.flush())
    harness.undo(harness.do(harness.undoing.history(EVERYTHING, note.id, 1))[0].id)
    assert (harness.get(note.id).content, harness.get(note.id).access_count) == ("one", 1)


def test_a_full_batch_is_written_at_once(harness: MemoryHarness, counter: AccessCounter) -> None:
    notes = [harness.save(str(number)).id for number in range(3)]

    async def work() -> None:
        task = asyncio.create_task(counter.run())
        counter.count([*notes, *(f"note-{number}" for number in range(BATCH))])
        async with asyncio.timeout(30):
            while counter.waiting:
                await asyncio.sleep(0.001)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    harness.do(work())
    assert counts(harness) == dict.fromkeys(notes, 1)


def test_what_cannot_be_written_waits_and_is_told(
    harness: MemoryHarness, counter: AccessCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = harness.save("one")

    async def refuse(_work: object) -> None:
        raise DiskFullError("The disk is full.")

    counter.count([note.id])
    with monkeypatch.context() as patched:
        patched.setattr(harness.store, "write", refuse)
        harness.do(counter.flush())
        counter.count([note.id])
    assert len(counter.failures) == 1
    harness.do(counter.flush())
    assert counts(harness) == {note.id: 2}
    assert counter.failures == ()


def test_no_more_is_held_than_fits(counter: AccessCounter) -> None:
    counter.count(f"note-{number}" for number in range(MAX_WAITING + 10))
    assert counter.waiting == MAX_WAITING
