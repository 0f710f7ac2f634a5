"""Passages and vectors wait while much is written, and are made afterwards, also by another process."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import apsw
import pytest

from app.index import worker
from app.index.worker import IndexWorker
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.vault_harness import VaultHarness

_TURNS = 30
_A_WHILE_S = 3 * worker.PAUSE_S


async def _write(vault_harness: VaultHarness, sync: IndexWorker) -> None:
    messages = [NewMessage("user", f"heron number {number}") for number in range(_TURNS)]
    await vault_harness.sessions.append(messages, "s", NewSession(), "person", owner=None)
    sync.wake()


def _run(vault_harness: VaultHarness, sync: IndexWorker, work: Coroutine[Any, Any, None]) -> None:
    async def running() -> None:
        task = asyncio.create_task(sync.run())
        try:
            await work
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    vault_harness.do(running())


async def _found(vault_harness: VaultHarness) -> tuple[int, int, int]:
    """Return how many messages are found by a word, and how many passages and vectors there are."""

    def count(connection: apsw.Connection) -> tuple[int, int, int]:
        found = "SELECT count(*) FROM chunks_fts('heron') f JOIN chunks c ON c.id = f.rowid WHERE c.kind = 'message'"
        passages = "SELECT count(*) FROM chunks WHERE kind = 'passage'"
        vectors = (
            "SELECT count(*) FROM chunks WHERE kind = 'message' AND id NOT IN (SELECT chunk_id FROM pending_vectors)"
        )
        first, second, third = (connection.execute(sql).get for sql in (found, passages, vectors))
        return first, second, third

    return await vault_harness.store.read(count)


async def _is_waiting(sync: IndexWorker) -> bool:
    try:
        async with asyncio.timeout(_A_WHILE_S):
            await sync.wait_quiet()
    except TimeoutError:
        return True
    return False


def test_words_are_found_while_the_rest_waits(vault_harness: VaultHarness) -> None:
    sync = vault_harness.syncing()

    async def work() -> None:
        with sync.delayed():
            await _write(vault_harness, sync)
            assert await _is_waiting(sync)
            assert await _found(vault_harness) == (_TURNS, 0, 0)
        await sync.wait_quiet()
        messages, passages, vectors = await _found(vault_harness)
        assert (messages, vectors) == (_TURNS, _TURNS)
        assert passages

    _run(vault_harness, sync, work())
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_whoever_awaits_the_index_need_not_wait_for_the_end(vault_harness: VaultHarness) -> None:
    sync = vault_harness.syncing()

    async def work() -> None:
        with sync.delayed():
            await _write(vault_harness, sync)
            await sync.wait_idle()
            assert (await _found(vault_harness))[2] == _TURNS

    _run(vault_harness, sync, work())


def test_a_delay_ends_by_itself(vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "LONGEST_DELAY_S", 0.0)
    sync = vault_harness.syncing()

    async def work() -> None:
        with sync.delayed():
            await _write(vault_harness, sync)
            await sync.wait_quiet()
            assert (await _found(vault_harness))[2] == _TURNS

    _run(vault_harness, sync, work())


def test_the_outer_of_two_delays_counts(vault_harness: VaultHarness) -> None:
    sync = vault_harness.syncing()

    async def work() -> None:
        with sync.delayed():
            with sync.delayed():
                await _write(vault_harness, sync)
            assert await _is_waiting(sync)
        await sync.wait_quiet()

    _run(vault_harness, sync, work())


def test_what_waited_when_the_process_ended_is_done_at_the_next_start(vault_harness: VaultHarness) -> None:
    sync = vault_harness.syncing()

    async def work() -> None:
        with sync.delayed():
            await _write(vault_harness, sync)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        _run(vault_harness, sync, work())
    assert vault_harness.passages() == []
    vault_harness.sync()
    assert vault_harness.passages()
    assert vault_harness.do(_found(vault_harness))[2] == _TURNS
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []
