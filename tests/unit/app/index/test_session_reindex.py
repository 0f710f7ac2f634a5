"""Sessions leave the index and return in steps, also with interruptions in between."""

import asyncio
from pathlib import Path

import apsw
import pytest

from app.core.clock import DAY_MS
from app.host import Host
from app.index import rebuild, repo, session_reindex
from app.index.generations import generation_repo
from app.index.indexer import Indexer
from app.index.vectors import vector_repo
from tests.unit.app.vault_harness import VaultHarness

TURNS = 2 * session_reindex.AT_ONCE + 20


def said(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number} about the quarry" for number in range(TURNS)])
    vault_harness.sync()


def moved(vault_harness: VaultHarness, steps: int) -> None:
    for _ in range(steps):
        vault_harness.do(
            vault_harness.store.write(
                lambda connection: session_reindex.step(
                    connection, Indexer().messages_stored, vault_harness.clock.now_ms()
                )
            )
        )


def chunks(vault_harness: VaultHarness) -> int:
    return int(vault_harness.rows("SELECT count(*) FROM chunks WHERE kind = 'message'")[0][0])


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_a_forgotten_one_leaves_though_cut_off(vault: Path, steps: int) -> None:
    vault_harness = VaultHarness(vault)
    said(vault_harness)
    vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    moved(vault_harness, steps)
    assert vault_harness.check() == []
    vault_harness.close()
    again = VaultHarness(vault)
    again.clock.ms += session_reindex.GRACE_MS
    try:
        again.sync()
        assert again.rows("SELECT count(*) FROM chunks") == [(0,)]
        assert again.vectors() == {}
        assert again.rows("SELECT 1 FROM session_moves") == []
        assert again.check() == []
    finally:
        again.close()


@pytest.mark.parametrize("left", [0, 1, 2, 20])
@pytest.mark.parametrize("back", [0, 1, 2, 20])
def test_a_restored_one_comes_back_from_wherever_it_was(vault_harness: VaultHarness, left: int, back: int) -> None:
    said(vault_harness)
    passages = vault_harness.passages()
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    moved(vault_harness, left)
    vault_harness.undo(entry)
    moved(vault_harness, back)
    assert vault_harness.check() == []
    vault_harness.sync()
    assert chunks(vault_harness) == TURNS
    assert vault_harness.passages() == passages
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_turns_may_be_said_while_it_comes_back(vault_harness: VaultHarness) -> None:
    said(vault_harness)
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    moved(vault_harness, 1)
    vault_harness.undo(entry)
    moved(vault_harness, 2)
    vault_harness.say("one more about the quarry")
    vault_harness.sync()
    assert chunks(vault_harness) == TURNS + 1
    assert vault_harness.check() == []


def test_what_is_on_its_way_out_is_found_no_more(host: Host) -> None:
    turns = [{"role": "user", "content": f"turn {number} about the quarry"} for number in range(TURNS)]
    host.ask("session.append", session="s", messages=turns)
    host.ask("note.save", content="The quarry is closed.")
    host.ask("vault.settle")
    forgotten = host.call("session.forget", {"session": "s"}).result().changes
    assert forgotten is not None
    for legs in (["words"], ["vector"], None):
        found = host.ask("memory.search", query="quarry", legs=legs)
        assert {hit.kind for hit in found.hits} == {"note"}
    host.ask("memory.undo", history_ids=list(forgotten.history_ids))
    host.ask("vault.settle")
    assert len(host.ask("memory.search", query="quarry", legs=["words"], limit=100).hits) == 100


def entries(vault_harness: VaultHarness) -> list[tuple[int, str]]:
    return vault_harness.rows("SELECT id, text FROM chunk_texts ORDER BY id")


def test_undo_within_the_grace_period_leaves_every_entry_as_it_was(vault: Path) -> None:
    vault_harness = VaultHarness(vault)
    said(vault_harness)
    before, vectors = entries(vault_harness), vault_harness.vectors()
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS - 1
    vault_harness.sync()
    vault_harness.close()
    again = VaultHarness(vault)
    try:
        again.sync()
        assert entries(again) == before
        again.undo(entry)
        assert again.rows("SELECT 1 FROM session_moves") == []
        again.sync()
        assert entries(again) == before
        assert again.vectors() == vectors
        assert again.embedder.texts == 0
        assert again.check() == []
    finally:
        again.close()


def test_short_ones_come_back_as_they_were_weeks_later(vault_harness: VaultHarness) -> None:
    for session in ("s", "t", "u"):
        vault_harness.say(*[f"turn {number} about the quarry" for number in range(5)], session=session)
    vault_harness.sync()
    before, texts = entries(vault_harness), vault_harness.embedder.texts
    forgotten = [vault_harness.forget(session) for session in ("s", "t")]
    vault_harness.clock.ms += 29 * DAY_MS
    vault_harness.sync()
    assert vault_harness.check() == []
    vault_harness.undo(*forgotten)
    vault_harness.sync()
    assert entries(vault_harness) == before
    assert vault_harness.embedder.texts == texts
    assert vault_harness.check() == []


def test_a_short_one_leaves_at_once_where_very_many_are_hidden(vault_harness: VaultHarness) -> None:
    for session in ("s", "t"):
        vault_harness.say("about the quarry", session=session)
    vault_harness.sync()
    others = [f"other-{number}" for number in range(session_reindex.MOST_HIDDEN - 1)]

    def hide_others(connection: apsw.Connection) -> None:
        sql = "INSERT INTO sessions (id, created_at, updated_at, first_seen, forgotten_at) VALUES (?, 0, 0, 0, ?)"
        connection.executemany(sql, [(name, vault_harness.clock.ms) for name in others])
        for name in others:
            session_reindex.hide(connection, name)

    vault_harness.do(vault_harness.store.write(hide_others))
    entry = vault_harness.forget("s")
    assert chunks(vault_harness) == 2
    last = vault_harness.forget("t")
    assert chunks(vault_harness) == 1
    vault_harness.undo(entry, last)
    vault_harness.sync()
    assert chunks(vault_harness) == 2
    assert vault_harness.wrong_vectors() == []


@pytest.mark.parametrize("back", [0, 1, 2, 20])
def test_one_forgotten_again_while_it_comes_back_loses_nothing(vault_harness: VaultHarness, back: int) -> None:
    said(vault_harness)
    passages = vault_harness.passages()
    entry = vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS
    vault_harness.sync()
    vault_harness.undo(entry)
    moved(vault_harness, back)
    vault_harness.undo(vault_harness.forget("s"))
    vault_harness.sync()
    assert chunks(vault_harness) == TURNS
    assert vault_harness.passages() == passages
    assert vault_harness.check() == []


@pytest.mark.parametrize("steps", [0, 1])
def test_one_forgotten_during_a_rebuild_comes_back_whole(vault_harness: VaultHarness, steps: int) -> None:
    said(vault_harness)
    position = vault_harness.do(vault_harness.store.write(rebuild.begin))
    for _ in range(steps):
        following, _ = vault_harness.do(vault_harness.store.write(rebuild.next_step(position)))
        assert following is not None
        position = following
    entry = vault_harness.forget("s")
    left: rebuild.RebuildPosition | None = position
    while left is not None:
        left, _ = vault_harness.do(vault_harness.store.write(rebuild.next_step(left)))
    vault_harness.undo(entry)
    vault_harness.sync()
    assert chunks(vault_harness) == TURNS
    assert vault_harness.check() == []


def test_hidden_texts_are_not_embedded(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number} about the quarry" for number in range(TURNS)])
    entry = vault_harness.forget("s")
    vault_harness.sync()
    assert vault_harness.embedder.texts == 0
    generation = vector_repo.Generation(1, vault_harness.embedder.identity.dimensions)

    def unsent(connection: apsw.Connection) -> int:
        texts, _ = generation_repo.chunks_without_vector(connection, generation, 0, TURNS, may_send=True)
        return len(texts) + repo.pending_count(connection)

    assert vault_harness.do(vault_harness.store.read(repo.pending_count)) == 0
    vault_harness.undo(entry)
    assert vault_harness.do(vault_harness.store.read(repo.pending_count)) > 0
    vault_harness.sync()
    assert len(vault_harness.vectors()) == TURNS
    vault_harness.forget("s")
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute("DELETE FROM vectors_1").fetchall())
    )
    assert vault_harness.do(vault_harness.store.read(unsent)) == 0


def test_the_worker_begins_when_the_grace_period_ends(vault_harness: VaultHarness) -> None:
    said(vault_harness)
    vault_harness.forget("s")
    vault_harness.clock.ms += session_reindex.GRACE_MS - 20

    async def until_gone() -> None:
        worker = vault_harness.syncing()
        task = asyncio.create_task(worker.run())
        await worker.wait_idle()
        vault_harness.clock.ms += 20  # nobody wakes the worker
        async with asyncio.timeout(60):
            while await vault_harness.store.read(lambda connection: connection.execute("SELECT 1 FROM chunks").get):
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    vault_harness.do(until_gone())
