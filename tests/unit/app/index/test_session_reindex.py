"""Long sessions leave the index and return in steps, also with interruptions in between."""

from pathlib import Path

import pytest

from app.host import Host
from app.index import session_reindex
from app.index.indexer import Indexer
from tests.unit.app.shelf import Shelf

TURNS = 2 * session_reindex.AT_ONCE + 20


def said(shelf: Shelf) -> None:
    shelf.say(*[f"turn {number} about the quarry" for number in range(TURNS)])
    shelf.sync()


def moved(shelf: Shelf, steps: int) -> None:
    for _ in range(steps):
        shelf.do(shelf.store.write(lambda connection: session_reindex.step(connection, Indexer().messages_stored)))


def chunks(shelf: Shelf) -> int:
    return int(shelf.rows("SELECT count(*) FROM chunks WHERE kind = 'message'")[0][0])


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_a_forgotten_one_leaves_though_cut_off(vault: Path, steps: int) -> None:
    shelf = Shelf(vault)
    said(shelf)
    shelf.forget("s")
    moved(shelf, steps)
    assert shelf.check() == []
    shelf.close()
    again = Shelf(vault)
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
def test_a_restored_one_comes_back_from_wherever_it_was(shelf: Shelf, left: int, back: int) -> None:
    said(shelf)
    passages = shelf.passages()
    entry = shelf.forget("s")
    moved(shelf, left)
    shelf.undo(entry)
    moved(shelf, back)
    assert shelf.check() == []
    shelf.sync()
    assert chunks(shelf) == TURNS
    assert shelf.passages() == passages
    assert shelf.wrong_vectors() == []
    assert shelf.check() == []


def test_turns_may_be_said_while_it_comes_back(shelf: Shelf) -> None:
    said(shelf)
    shelf.undo(shelf.forget("s"))
    moved(shelf, 2)
    shelf.say("one more about the quarry")
    shelf.sync()
    assert chunks(shelf) == TURNS + 1
    assert shelf.check() == []


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
