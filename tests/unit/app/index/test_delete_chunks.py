"""Deleted chunks leave no words, lengths, queued vectors or vectors of any generation."""

from functools import partial
from typing import Any

import pytest

from app.index import repo
from tests.unit.app.index.index_harness import IndexHarness, change

TABLES = ("chunks", "chunk_lengths", "vectors_1", "vectors_2")


def left(harness: IndexHarness) -> dict[str, int]:
    rows = harness.vault_harness.rows
    counts = {table: rows(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}
    return counts | {"words": rows("SELECT count(*) FROM chunks_fts('turn')")[0][0]}


def delete(harness: IndexHarness, work: Any) -> dict[str, int]:
    removed: dict[str, int] = harness.vault_harness.do(harness.vault_harness.store.write(work))
    return removed


@pytest.mark.parametrize("limit", [None, 30])
def test_of_a_session(harness: IndexHarness, limit: int | None) -> None:
    harness.vault_harness.save("a note on the next turn", session_id="s")
    harness.run(change(harness, "new"))
    before = left(harness)
    assert before["vectors_1"] == before["vectors_2"] == 101
    chunks = before["chunks"] - 1 if limit is None else limit  # the note stays
    removed = delete(harness, partial(repo.delete_of_session, session_id="s", limit=limit))
    assert removed["chunks"] == chunks
    after = left(harness)
    assert removed["vectors"] == sum(before[table] - after[table] for table in ("vectors_1", "vectors_2")) > 0
    assert {before[name] - after[name] for name in ("chunks", "chunk_lengths", "words")} == {chunks}
    delete(harness, partial(repo.delete_of_session, session_id="s"))
    assert set(left(harness).values()) == {1}
    assert delete(harness, partial(repo.delete_of_session, session_id="s")) == {}


def test_of_a_memory_that_waits_for_its_vector(harness: IndexHarness) -> None:
    note = harness.vault_harness.save("a note on the next turn")
    removed = delete(harness, partial(repo.delete_of_memory, memory_id=note.id))
    assert removed == {"chunks": 1, "vectors": 0}
    assert harness.vault_harness.rows("SELECT * FROM pending_vectors") == []
