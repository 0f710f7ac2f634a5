"""Columns of chunks agree with the database after insertions and deletions."""

import apsw
import numpy as np
import pytest

from app.index.columns import chunk_columns as module
from app.index.columns.chunk_columns import ChunkColumns, last_chunk, place_keys
from app.index.columns.index_cache import IndexCache
from tests.unit.app.vault_harness import VaultHarness

_ROWS = (
    "SELECT id, kind, role, store, coalesce(memory_id, session_id), iif(kind = 'memory', 0, seq_start),"
    " iif(kind = 'passage', seq_end - seq_start, 0), created_at"
)


def read(vault_harness: VaultHarness, index_cache: IndexCache) -> ChunkColumns:
    return vault_harness.do(
        vault_harness.store.read(lambda connection: index_cache.columns(connection, last_chunk(connection)))
    )


def knows_all(vault_harness: VaultHarness, index_cache: IndexCache) -> bool:
    def work(connection: apsw.Connection) -> bool:
        return index_cache.columns(connection, last_chunk(connection)).is_up_to_date(connection)

    return vault_harness.do(vault_harness.store.read(work))


def seen(columns: ChunkColumns, ids: list[int]) -> list[tuple[object, ...]]:
    sorts = [columns.types[number] for number in columns.sort[ids]]
    owners = [columns.name(number) for number in columns.owner[ids].tolist()]
    is_turn = columns.owner[ids] > 0
    firsts = (columns.first[ids] * is_turn).tolist()
    columns = (firsts, (columns.more[ids] * is_turn).tolist(), columns.created[ids].tolist())
    rows = zip(ids, sorts, owners, *columns, strict=True)
    return [(chunk, sort.kind, sort.role, sort.store, owner, *rest) for chunk, sort, owner, *rest in rows]


@pytest.mark.parametrize("most_new", [-1, 1_000])
def test_what_comes_later_is_added(vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, most_new: int) -> None:
    monkeypatch.setattr(module, "_MAX_NEW", most_new)
    index_cache = IndexCache()
    for number in range(3):
        vault_harness.say("a heron", "a grebe " * 400, session=f"s{number % 2}")
        vault_harness.save(f"teal {number} " + "word " * 400, store="shared")
        vault_harness.sync()
        columns = read(vault_harness, index_cache)
        rows = vault_harness.rows(f"{_ROWS} FROM chunks ORDER BY id")
        assert seen(columns, [row[0] for row in rows]) == rows
        assert np.flatnonzero(columns.exists).tolist() == [row[0] for row in rows] or number
        targets = vault_harness.rows("SELECT id, session_id || '#' || seq_start FROM chunks WHERE kind = 'message'")
        assert [columns.target(chunk) for chunk, _ in targets] == [target for _, target in targets]


def test_it_knows_when_something_went_and_finds_out_what(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHECKS", 3)
    index_cache = IndexCache()
    vault_harness.say("one", "two", "three")
    assert knows_all(vault_harness, index_cache)
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute("DELETE FROM chunks WHERE id = 2"))
    )
    assert not knows_all(vault_harness, index_cache)
    assert not knows_all(vault_harness, index_cache)
    vault_harness.say("four")
    for _ in range(3):
        knows_all(vault_harness, index_cache)
    assert knows_all(vault_harness, index_cache)
    assert np.flatnonzero(read(vault_harness, index_cache).exists).tolist() == [1, 3, 4]


def test_turns_that_follow_each_other_have_keys_that_do(vault_harness: VaultHarness) -> None:
    owner, far = np.array([1, 1, 2, -1]), 1 << 53
    assert np.diff(place_keys(owner, np.array([far - 1, far, 1, -1])))[0] == 1
    assert len(set(place_keys(owner, np.array([1, 2, 1, -1])).tolist())) == 4
    vault_harness.say("one", session="s")
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute(f"UPDATE messages SET seq = {far}"))
    )
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute(f"UPDATE chunks SET seq_start = {far}"))
    )
    assert read(vault_harness, IndexCache()).target(1) == f"s#{far}"
