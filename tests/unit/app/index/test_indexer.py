"""Chunks follow turns and memories within the transaction that changes them."""

import pytest

from app.core.text import content_hash
from app.index.searchable_text import MAX_CHUNK_CHARACTERS
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.shelf import Shelf


def found(shelf: Shelf, words: str) -> list[tuple[str, int]]:
    return shelf.rows(
        "SELECT c.kind, c.seq_start FROM chunks_fts f JOIN chunks c ON c.id = f.rowid WHERE chunks_fts MATCH ?", words
    )


def test_a_turn_is_one_chunk_found_at_once(shelf: Shelf) -> None:
    shelf.say("the swallows left", "for the south")
    assert found(shelf, "swallows") == [("message", 1)]
    assert shelf.rows("SELECT role, store, content_hash FROM chunks ORDER BY id") == [
        ("user", "private", content_hash("the swallows left")),
        ("user", "private", content_hash("for the south")),
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u00a0\u2003\u2028", "\x0b\x0c\x1c\x85"])
def test_a_turn_without_words_has_no_chunk_and_is_not_missed(shelf: Shelf, text: str) -> None:
    shelf.say(text)
    assert shelf.rows("SELECT count(*) FROM chunks") == [(0,)]
    shelf.sync()
    assert shelf.check() == []


def test_words_of_tool_calls_are_found(shelf: Shelf) -> None:
    call = [{"name": "look_up", "arguments": {"place": "Utrecht", "deep": [{"er": "canals"}]}}]
    turn = NewMessage("assistant", "", tool_calls=call)
    shelf.do(shelf.sessions.append([turn], "s", NewSession(), "person"))
    assert found(shelf, "canals") == found(shelf, "utrecht") == [("message", 1)]
    shelf.sync()
    assert shelf.check() == []


def test_a_huge_turn_is_indexed_by_its_beginning(shelf: Shelf) -> None:
    shelf.say("start " + "x" * MAX_CHUNK_CHARACTERS + " end")
    assert found(shelf, "start") == [("message", 1)]
    assert shelf.rows("SELECT max(length(text)) FROM chunks") == [(MAX_CHUNK_CHARACTERS,)]


def test_a_long_note_is_found_by_its_title_in_each_piece(shelf: Shelf) -> None:
    note = shelf.save("word " * 1_000, title="Mulberry")
    pieces = found(shelf, "mulberry")
    assert len(pieces) > 5
    assert sorted(number for _, number in pieces) == list(range(len(pieces)))
    shelf.do(shelf.memories.update(note.id, note.version, content="short"))
    assert found(shelf, "word") == []
    assert found(shelf, "mulberry") == [("memory", 0)]


def test_what_is_rolled_back_is_not_indexed(shelf: Shelf) -> None:
    shelf.say("one")
    with pytest.raises(Exception, match="not greater"):
        shelf.do(
            shelf.sessions.append(
                [NewMessage("user", "two"), NewMessage("user", "three", seq=1)], "s", NewSession(), "me"
            )
        )
    assert shelf.rows("SELECT count(*) FROM chunks") == [(1,)]
    assert shelf.check() == []
