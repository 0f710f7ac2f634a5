"""Chunks follow turns and memories within the transaction that changes them."""

import pytest

from app.index.searchable_text import MAX_CHUNK_CHARACTERS
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness


def found(vault_harness: VaultHarness, words: str) -> list[tuple[str, int]]:
    return vault_harness.rows(
        "SELECT c.kind, c.seq_start FROM chunks_fts f JOIN chunks c ON c.id = f.rowid WHERE chunks_fts MATCH ?", words
    )


def test_a_turn_is_one_chunk_found_at_once(vault_harness: VaultHarness) -> None:
    vault_harness.say("the swallows left", "for the south")
    assert found(vault_harness, "swallows") == [("message", 1)]
    assert vault_harness.rows("SELECT role, store, text FROM chunk_texts ORDER BY id") == [
        ("user", "private", "the swallows left"),
        ("user", "private", "for the south"),
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u00a0\u2003\u2028", "\x0b\x0c\x1c\x85"])
def test_a_turn_without_words_has_no_chunk_and_is_not_missed(vault_harness: VaultHarness, text: str) -> None:
    vault_harness.say(text)
    assert vault_harness.rows("SELECT count(*) FROM chunks") == [(0,)]
    vault_harness.sync()
    assert vault_harness.check() == []


def test_words_of_tool_calls_are_found(vault_harness: VaultHarness) -> None:
    call = [{"name": "look_up", "arguments": {"place": "Utrecht", "deep": [{"er": "canals"}]}}]
    turn = NewMessage("assistant", "", tool_calls=call)
    vault_harness.do(vault_harness.sessions.append([turn], "s", NewSession(), "person", owner=None))
    assert found(vault_harness, "canals") == found(vault_harness, "utrecht") == [("message", 1)]
    vault_harness.sync()
    assert vault_harness.check() == []


def test_a_huge_turn_is_indexed_by_its_beginning(vault_harness: VaultHarness) -> None:
    vault_harness.say("start " + "x" * MAX_CHUNK_CHARACTERS + " end")
    assert found(vault_harness, "start") == [("message", 1)]
    assert vault_harness.rows("SELECT max(length(text)) FROM chunk_texts") == [(MAX_CHUNK_CHARACTERS,)]


def test_a_long_note_is_found_by_its_title_in_each_piece(vault_harness: VaultHarness) -> None:
    note = vault_harness.save("word " * 1_000, title="Mulberry")
    pieces = found(vault_harness, "mulberry")
    assert len(pieces) > 5
    assert sorted(number for _, number in pieces) == list(range(len(pieces)))
    vault_harness.do(vault_harness.memories.update(EVERYTHING, note.id, note.version, content="short"))
    assert found(vault_harness, "word") == []
    assert found(vault_harness, "mulberry") == [("memory", 0)]


def test_what_is_rolled_back_is_not_indexed(vault_harness: VaultHarness) -> None:
    vault_harness.say("one")
    with pytest.raises(Exception, match="not greater"):
        vault_harness.do(
            vault_harness.sessions.append(
                [NewMessage("user", "two"), NewMessage("user", "three", seq=1)],
                "s",
                NewSession(),
                "me",
                owner=None,
            )
        )
    assert vault_harness.rows("SELECT count(*) FROM chunks") == [(1,)]
    assert vault_harness.check() == []


def test_a_memory_is_found_by_its_files_and_people(vault_harness: VaultHarness) -> None:
    fields = {"files": ("src/importer/reader.py",), "people": ("Priya Raman",)}
    vault_harness.save("It reads 64 KiB at once.", kind="observation", **fields)
    for words in ("reader", "importer", '"reader py"', "priya", '"src importer reader py"'):
        assert found(vault_harness, words) == [("memory", 0)]
    vault_harness.sync()
    assert vault_harness.check() == vault_harness.wrong_vectors() == []
