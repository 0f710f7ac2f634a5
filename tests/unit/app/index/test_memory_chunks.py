"""Chunks of memories, whose texts stand once, in the memory."""

import pytest

from app.index.chunk_texts import read_texts
from app.index.chunking import SIZE, pieces
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

# Several chunks, with characters of one to four bytes.
CONTENT = "\n\n".join(f"Lörem {number}: 东京 the heron 🦩 stood in the reeds." for number in range(60))


def parts(vault_harness: VaultHarness) -> list[bool]:
    """Return of each chunk whether its text is a part of the memory."""
    rows = vault_harness.rows("SELECT own_text = '' AND content_start > 0 FROM chunks ORDER BY seq_start")
    return [bool(row[0]) for row in rows]


def texts(vault_harness: VaultHarness) -> list[str]:
    return [row[0] for row in vault_harness.rows("SELECT text FROM chunk_texts ORDER BY seq_start")]


def expected(title: str, content: str) -> list[str]:
    head = f"{title}\n" if title else ""
    cut = [piece.text for piece in pieces(head + content)]
    return [cut[0], *(head + text for text in cut[1:])]


@pytest.mark.parametrize("title", ["", "Birds of 东京"])
def test_a_text_that_the_memory_has_is_not_stored_again(vault_harness: VaultHarness, title: str) -> None:
    vault_harness.save(CONTENT, title=title)
    assert len(texts(vault_harness)) > 3
    assert all(parts(vault_harness))
    assert texts(vault_harness) == expected(title, CONTENT)
    vault_harness.sync()
    assert vault_harness.wrong_vectors() == vault_harness.check() == []


def test_what_is_not_in_the_content_is_stored(vault_harness: VaultHarness) -> None:
    vault_harness.save("x " * SIZE, kind="fact", category="people", key="marta")
    assert parts(vault_harness)[0]
    assert not parts(vault_harness)[-1]
    assert texts(vault_harness)[-1].endswith("people marta")
    assert vault_harness.check() == []


def test_texts_that_are_read_together_are_those_of_each(vault_harness: VaultHarness) -> None:
    vault_harness.save(CONTENT, title="Birds of 东京")
    vault_harness.save(CONTENT.upper(), title="")
    vault_harness.save("x " * SIZE, kind="fact", category="people", key="marta")
    vault_harness.say("Some words 🦩", "and others")
    rows = vault_harness.rows("SELECT id, text FROM chunk_texts")
    read = vault_harness.do(
        vault_harness.store.read(lambda connection: read_texts(connection, [*range(100)], 2 * SIZE))
    )
    assert read == dict(rows)
    begun = vault_harness.do(
        vault_harness.store.read(lambda connection: read_texts(connection, [row[0] for row in rows[-2:]], 4))
    )
    assert list(begun.values()) == ["Some", "and "]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memories SET title = 'Cranes'",
        "UPDATE memories SET content = 'nothing of it'",
        "UPDATE memories SET title = '', content = 'nothing of it'",
        "DELETE FROM memories",
    ],
)
def test_a_chunk_keeps_its_text_when_the_memory_changes(vault_harness: VaultHarness, change: str) -> None:
    vault_harness.save(CONTENT, title="Herons")
    before = texts(vault_harness)
    vault_harness.do(vault_harness.store.write(lambda connection: connection.execute(change).fetchall()))
    assert texts(vault_harness) == before
    vault_harness.do(vault_harness.store.write(lambda connection: connection.execute("DELETE FROM chunks").fetchall()))
    assert vault_harness.rows("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'heron OR cranes'") == [(0,)]


def test_words_of_former_states_are_found_no_more(vault_harness: VaultHarness) -> None:
    note = vault_harness.save(CONTENT, title="Herons")
    note = vault_harness.do(vault_harness.memories.update(EVERYTHING, note.id, note.version, title="Cranes")).value
    assert texts(vault_harness) == expected("Cranes", CONTENT)
    assert vault_harness.check() == []
    changed = CONTENT.replace("reeds", "meadow")
    vault_harness.do(vault_harness.memories.update(EVERYTHING, note.id, note.version, content=changed))
    assert all(parts(vault_harness))
    assert texts(vault_harness) == expected("Cranes", changed)
    assert vault_harness.check() == []
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, note.id))
    assert texts(vault_harness) == vault_harness.check() == []


def test_a_very_long_content_is_not_read_for_each_of_its_parts(vault_harness: VaultHarness) -> None:
    content = " ".join(f"heron{number}" for number in range(30_000))
    vault_harness.save(content, title="Herons")
    vault_harness.sync()
    assert not any(parts(vault_harness))
    assert texts(vault_harness) == expected("Herons", content)
