"""Inserted chunks are found by their words and wait for a vector where they get one."""

import apsw
import pytest

from app.index.repo import Chunk, insert_chunks
from app.index.vectors.vector_repo import HAS_VECTOR
from tests.unit.app.vault_harness import VaultHarness

CHUNKS = [
    Chunk("message", "a heron", "", 1, session_id="s", seq_start=1, seq_end=1, role="user"),
    Chunk("message", "a tool's heron", "", 1, session_id="s", seq_start=2, seq_end=2, role="tool"),
    Chunk("passage", "two herons", "", 1, session_id="s", seq_start=1, seq_end=2),
    Chunk("passage", "part of a heron", "", 1, session_id="s", seq_start=3, seq_end=3),
    Chunk("memory", "a noted heron", "", 1, memory_id="m", role="note"),
]


@pytest.fixture
def filled(vault_harness: VaultHarness) -> VaultHarness:
    vault_harness.do(vault_harness.store.write(lambda connection: insert_chunks(connection, CHUNKS[:2])))
    vault_harness.do(vault_harness.store.write(lambda connection: insert_chunks(connection, CHUNKS[2:])))
    vault_harness.do(vault_harness.store.write(lambda connection: insert_chunks(connection, ())))
    return vault_harness


def test_words_are_indexed_and_vectors_are_queued(filled: VaultHarness) -> None:
    ids = [row[0] for row in filled.rows("SELECT id FROM chunks ORDER BY id")]
    assert len(ids) == len(CHUNKS)
    assert [row[0] for row in filled.rows("SELECT rowid FROM chunks_fts('heron') ORDER BY rowid")] == ids
    expected = filled.rows(f"SELECT id FROM chunks WHERE {HAS_VECTOR} ORDER BY id")
    assert filled.rows("SELECT chunk_id FROM pending_vectors ORDER BY chunk_id") == expected
    assert len(expected) == 3


def test_the_word_index_agrees_with_the_chunks(filled: VaultHarness) -> None:
    def check(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM chunks WHERE id = 2")
        insert_chunks(connection, CHUNKS[:1])
        connection.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")

    filled.do(filled.store.write(check))
