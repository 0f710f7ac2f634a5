"""Long sessions leave the index and return in steps, also with interruptions in between."""

from pathlib import Path

import pytest

from app.host import Host
from app.index import session_reindex
from app.index.indexer import Indexer
from tests.unit.app.vault_harness import VaultHarness

TURNS = 2 * session_reindex.AT_ONCE + 20


def said(vault_harness: VaultHarness) -> None:
    vault_harness.say(*[f"turn {number} about the quarry" for number in range(TURNS)])
    vault_harness.sync()


def moved(vault_harness: VaultHarness, steps: int) -> None:
    for _ in range(steps):
        vault_harness.do(
            vault_harness.store.write(lambda connection: session_reindex.step(connection, Indexer().messages_stored))
        )


def chunks(vault_harness: VaultHarness) -> int:
    return int(vault_harness.rows("SELECT count(*) FROM chunks WHERE kind = 'message'")[0][0])


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_a_forgotten_one_leaves_though_cut_off(vault: Path, steps: int) -> None:
    vault_harness = VaultHarness(vault)
    said(vault_harness)
    vault_harness.forget("s")
    moved(vault_harness, steps)
    assert vault_harness.check() == []
    vault_harness.close()
    again = VaultHarness(vault)
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
    vault_harness.undo(vault_harness.forget("s"))
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
