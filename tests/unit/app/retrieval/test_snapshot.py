"""A snapshot shows the index as its connection sees it."""

import apsw

from app.index.columns.index_cache import IndexCache
from app.retrieval.snapshot import SearchSnapshot, take_snapshot
from tests.unit.app.vault_harness import VaultHarness


def taken(vault_harness: VaultHarness, index_cache: IndexCache) -> SearchSnapshot:
    def work(connection: apsw.Connection) -> SearchSnapshot:
        return take_snapshot(connection, index_cache)

    return vault_harness.do(vault_harness.store.read(work))


def test_an_empty_index_has_no_chunks(vault_harness: VaultHarness) -> None:
    snapshot = taken(vault_harness, IndexCache())
    assert snapshot.last_chunk == 0
    assert not snapshot.columns.exists.any()


def test_a_later_snapshot_has_the_chunks_that_were_added(vault_harness: VaultHarness) -> None:
    index_cache = IndexCache()
    vault_harness.say("a heron")
    before = taken(vault_harness, index_cache)
    vault_harness.say("a grebe", "a teal")
    after = taken(vault_harness, index_cache)
    assert before.last_chunk < after.last_chunk
    for snapshot in (before, after):
        assert snapshot.columns.target(snapshot.last_chunk) == f"s#{snapshot.columns.exists.sum()}"
