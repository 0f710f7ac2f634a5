"""What tools answered is found by its words, and gets no vector."""

import apsw

from app.index.vectors.vector_repo import drop_tool_vectors
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.vault_harness import VaultHarness

LONG = "marrowfat peas and a long listing of files, " * 60


def append(vault_harness: VaultHarness) -> None:
    turns = [
        NewMessage("user", "Which peas are sown?"),
        NewMessage("tool", "marrowfat peas", tool_name="Read"),
        NewMessage("tool", LONG, tool_name="Bash"),
        NewMessage("assistant", "The green ones."),
    ]
    vault_harness.do(vault_harness.sessions.append(turns, "s", NewSession(), "person", owner=None))
    vault_harness.sync()


def test_tool_output_has_words_and_no_vector(vault_harness: VaultHarness) -> None:
    append(vault_harness)

    embedded = "SELECT seq_start, seq_end FROM chunks WHERE id IN (SELECT rowid FROM vectors_1_rowids)"
    spans = set(vault_harness.rows(embedded))
    assert {(1, 1), (4, 4)} <= spans
    assert not spans & {(2, 2), (3, 3)}
    assert vault_harness.rows("SELECT count(*) FROM pending_vectors") == [(0,)]
    found = vault_harness.rows(
        "SELECT c.seq_start FROM chunks_fts f JOIN chunks c ON c.id = f.rowid WHERE chunks_fts MATCH 'marrowfat'"
    )
    assert {2, 3} <= {seq for (seq,) in found}
    assert vault_harness.wrong_vectors() == []


def test_vectors_that_older_versions_made_are_dropped_in_steps(vault_harness: VaultHarness) -> None:
    append(vault_harness)
    shape = next(iter(vault_harness.vectors().values()))
    old = vault_harness.rows("SELECT id FROM chunks WHERE role = 'tool' AND kind = 'message'")

    def make(connection: apsw.Connection) -> None:
        for (chunk,) in old:
            connection.execute("INSERT INTO vectors_1 (chunk_id, embedding) VALUES (?, vec_int8(?))", (chunk, shape))
        connection.execute("INSERT INTO meta (key, value) VALUES ('index.drop_tool_vectors', '0')")

    vault_harness.do(vault_harness.store.write(make))
    steps = [
        vault_harness.do(vault_harness.store.write(lambda connection: drop_tool_vectors(connection, 1)))
        for _ in range(3)
    ]
    assert steps == [True, True, False]
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.rows("SELECT 1 FROM meta WHERE key = 'index.drop_tool_vectors'") == []
