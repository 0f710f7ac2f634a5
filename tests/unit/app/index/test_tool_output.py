"""What tools answered is found by its words, and gets no vector."""

import apsw

from app.index.vectors.vector_repo import drop_tool_vectors
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.shelf import Shelf

LONG = "marrowfat peas and a long listing of files, " * 60


def append(shelf: Shelf) -> None:
    turns = [
        NewMessage("user", "Which peas are sown?"),
        NewMessage("tool", "marrowfat peas", tool_name="Read"),
        NewMessage("tool", LONG, tool_name="Bash"),
        NewMessage("assistant", "The green ones."),
    ]
    shelf.do(shelf.sessions.append(turns, "s", NewSession(), "person"))
    shelf.sync()


def test_tool_output_has_words_and_no_vector(shelf: Shelf) -> None:
    append(shelf)

    with_vector = {
        text for (text,) in shelf.rows("SELECT text FROM chunks WHERE id IN (SELECT rowid FROM vectors_1_rowids)")
    }
    assert {"Which peas are sown?", "The green ones."} <= with_vector
    assert not any(text.startswith("marrowfat") or "listing" in text for text in with_vector)
    assert shelf.rows("SELECT count(*) FROM pending_vectors") == [(0,)]
    found = shelf.rows(
        "SELECT c.seq_start FROM chunks_fts f JOIN chunks c ON c.id = f.rowid WHERE f.text MATCH 'marrowfat'"
    )
    assert {2, 3} <= {seq for (seq,) in found}
    assert shelf.wrong_vectors() == []


def test_vectors_that_older_versions_made_are_dropped_in_steps(shelf: Shelf) -> None:
    append(shelf)
    shape = next(iter(shelf.vectors().values()))
    old = shelf.rows("SELECT id FROM chunks WHERE role = 'tool' AND kind = 'message'")

    def make(connection: apsw.Connection) -> None:
        for (chunk,) in old:
            connection.execute("INSERT INTO vectors_1 (chunk_id, embedding) VALUES (?, ?)", (chunk, shape))
        connection.execute("INSERT INTO meta (key, value) VALUES ('index.drop_tool_vectors', '0')")

    shelf.do(shelf.store.write(make))
    steps = [shelf.do(shelf.store.write(lambda connection: drop_tool_vectors(connection, 1))) for _ in range(3)]
    assert steps == [True, True, False]
    assert shelf.wrong_vectors() == []
    assert shelf.rows("SELECT 1 FROM meta WHERE key = 'index.drop_tool_vectors'") == []
