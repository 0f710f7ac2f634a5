"""Upgrade of a vault whose index has the texts of memories a second time."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.core.paths import migrations
from app.index.chunking import pieces
from app.store.connection import open_writer
from app.store.store import DATABASE, Store
from tests.helpers.earlier_vaults import vault_before

CONTENT = "\n\n".join(f"Lörem {number}: 东京 the heron 🦩 stood in the reeds." for number in range(60))
NOTES = {
    "note-plain": ("", CONTENT),
    "note-titled": ("Birds of 东京", CONTENT),
    "note-twice": ("Again", "the same words again\n\n" * 200),
    "note-zero": ("Zero", f"before\0after {CONTENT}"),
    "note-huge": ("Huge", " ".join(f"heron{number}" for number in range(30_000))),
}
FORMER = "Herons\nA text that the note had before"


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Return a vault of the schema before, with notes and their chunks."""
    with vault_before("texts_of_memories", tmp_path / "older") as connection:
        for note, (title, content) in NOTES.items():
            _note(connection, note, title, content)
        _chunk(connection, "note-titled", 99, FORMER)
        connection.execute(
            "INSERT INTO chunks_fts (rowid, text, grams) SELECT id, text, grams FROM chunks;"
            "INSERT INTO chunk_lengths (chunk_id, words) SELECT id, 1 FROM chunks"
        )
    return tmp_path / "older"


def _note(connection: apsw.Connection, note: str, title: str, content: str) -> None:
    connection.execute(
        "INSERT INTO memories (id, kind, title, content, content_hash, created_at, updated_at)"
        " VALUES (?, 'note', ?, ?, 'x', 1, 1)",
        (note, title, content),
    )
    head = f"{title}\n" if title else ""
    for number, piece in enumerate(pieces(head + content)):
        _chunk(connection, note, number, piece.text if number == 0 else head + piece.text)


def _chunk(connection: apsw.Connection, note: str, number: int, text: str) -> None:
    connection.execute(
        "INSERT INTO chunks (kind, memory_id, seq_start, seq_end, role, text, content_hash, created_at)"
        " VALUES ('memory', ?, ?, ?, 'note', ?, 'x', 1)",
        (note, number, number, text),
    )


def test_texts_and_words_stay_and_stand_once(older: Path) -> None:
    with closing(apsw.Connection(str(older / DATABASE))) as connection:
        before = connection.execute("SELECT id, text FROM chunks").fetchall()
    Store.open(older, migrations()).close()
    with closing(open_writer(older / DATABASE)) as connection:
        assert connection.execute("SELECT id, text FROM chunk_texts").fetchall() == before
        own = "SELECT DISTINCT memory_id FROM chunks WHERE content_start IS NULL ORDER BY 1"
        assert [row[0] for row in connection.execute(own)] == ["note-huge", "note-titled"]
        own = "SELECT own_text FROM chunks WHERE memory_id = 'note-titled' AND content_start IS NULL"
        assert connection.execute(own).fetchall() == [(FORMER,)]
        connection.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
        connection.execute("DELETE FROM chunks")
        assert connection.execute("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'heron OR again'").get == 0
