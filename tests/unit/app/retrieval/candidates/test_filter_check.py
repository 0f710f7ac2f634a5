"""Filter checks by columns agree with the database."""

from dataclasses import replace
from typing import Any

import apsw
import numpy as np
import pytest

from app.core.stores import STORES
from app.index.columns.index_cache import IndexCache
from app.index.generations import generation_repo
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filter_only import filter_only
from app.retrieval.candidates.filters import ChunkFilter, build_filter, with_word_filter
from app.retrieval.candidates.vectors import nearest_chunks
from app.retrieval.model import Query
from app.retrieval.query.parser import parse
from app.retrieval.snapshot import take_snapshot
from tests.unit.app.vault_harness import VaultHarness

QUERIES = [
    ("", ()),
    ("kinds", ("message",)),
    ("kinds", ("Note", "fact")),
    ("kinds", ("episode", "note")),
    ("roles", ("user",)),
    ("stores", ("shared", "private")),
    ("excluded", (("kind", "message"),)),
    ("excluded", (("role", "USER"), ("store", "shared"))),
]


def reported(vault_harness: VaultHarness, index_cache: IndexCache, where: ChunkFilter) -> list[int]:
    def work(connection: apsw.Connection) -> list[int]:
        snapshot = take_snapshot(connection, index_cache)
        ids = np.arange(1, len(snapshot.columns.owner))
        found: list[int] = ids[passes_filter(snapshot, ids, where)].tolist()
        return found

    return vault_harness.do(vault_harness.store.read(work))


_ONE_MEMORY = "(SELECT id FROM memories WHERE store = 'shared')"
CHANGES = (
    ("DELETE FROM chunks WHERE id = 2",),
    ("INSERT INTO session_moves VALUES ('t', 1, 0)",),
    (
        f"INSERT INTO meta SELECT 'chunks:' || id, '' FROM memories WHERE id = {_ONE_MEMORY}",
        f"UPDATE memories SET valid_until = 1 WHERE id = {_ONE_MEMORY}",
    ),
)


def run(vault_harness: VaultHarness, sql: str) -> None:
    vault_harness.do(vault_harness.store.write(lambda connection: connection.execute(sql)))


@pytest.fixture
def various(vault_harness: VaultHarness) -> VaultHarness:
    vault_harness.say("a heron", "a grebe", "long " * 2_000)
    vault_harness.say("a teal", session="t")
    for number, store in enumerate(STORES):
        vault_harness.save(f"note {number}", store=store)
    vault_harness.sync()
    return vault_harness


def test_a_search_without_words_lists_nothing_that_is_being_removed(various: VaultHarness) -> None:
    kept = IndexCache()

    def listed(connection: apsw.Connection) -> list[str]:
        found = filter_only(take_snapshot(connection, kept), build_filter(Query(""), STORES), None)
        return sorted(item.target for item in found.shown(0, 100))

    everything = various.do(various.store.read(listed))
    assert "t#1" in everything
    for change in CHANGES[1:]:
        for statement in change:
            run(various, statement)
    left = various.do(various.store.read(listed))
    assert len(left) == len(everything) - 2
    assert "t#1" not in left


@pytest.mark.parametrize(("name", "values"), QUERIES)
@pytest.mark.parametrize("stores", [STORES, ("private",), ("shared",), ()])
def test_both_say_the_same(various: VaultHarness, name: str, values: tuple[str, ...], stores: tuple[str, ...]) -> None:
    index_cache = IndexCache()
    query: Any = replace(Query(""), **({name: values} if name else {}))
    where = build_filter(query, stores)
    assert where.is_by_type
    for change in ("", "DELETE FROM chunks WHERE id = 2", "INSERT INTO session_moves VALUES ('t', 1, 0)"):
        if change:
            run(various, change)
        assert reported(various, index_cache, where) == reported(
            various, IndexCache(), replace(where, is_by_type=False, is_restrictive=True)
        )


@pytest.mark.parametrize("text", ["-session:t", "session:t", "after:2001", "before:2001", "role:user -kind:note"])
@pytest.mark.parametrize("stores", [STORES, ("shared",)])
def test_what_is_known_of_operators_is_what_the_database_says(
    various: VaultHarness, text: str, stores: tuple[str, ...]
) -> None:
    query = parse(text, 0)
    where = build_filter(query, stores)
    kept = IndexCache()
    for change in ("", *CHANGES):
        for statement in change:
            run(various, statement)
        exact = various.do(various.store.read(lambda connection: with_mask(take_snapshot(connection, kept), where)))
        assert exact.is_exact
        assert reported(various, kept, exact) == reported(various, kept, replace(where, is_by_type=False))
    assert not with_word_filter(exact, '"a"', None).is_exact


def test_chunks_that_came_after_the_search_began_are_none(various: VaultHarness) -> None:
    query, kept = parse("role:user", 0), IndexCache()
    where = build_filter(query, STORES)
    found = various.do(various.store.read(lambda connection: with_mask(take_snapshot(connection, kept), where)))
    exact = replace(found, is_exact=True)
    before = reported(various, kept, exact)
    various.say("one more", session="later")
    various.sync()
    assert reported(various, kept, exact) == before


def test_what_asks_for_more_than_the_sort_is_left_to_the_database() -> None:
    more = [Query("", tags=("a",)), Query("", since=1), Query("", kinds=("note",), excluded=(("agent", "x"),))]
    assert not any(build_filter(query, STORES).is_by_type for query in more)
    where = build_filter(Query("", kinds=("note",)), STORES)
    assert with_word_filter(where, None, None).is_by_type
    assert not with_word_filter(where, '"a"', None).is_by_type


def test_a_search_by_vectors_in_the_database_skips_what_is_hidden(various: VaultHarness) -> None:
    kept = IndexCache()
    run(various, "INSERT INTO session_moves VALUES ('s', 1, 0)")

    def nearest_of(connection: apsw.Connection) -> list[str]:
        snapshot, row = take_snapshot(connection, kept), generation_repo.active_generation(connection)
        assert row is not None
        vector = various.embedder.embed_query("a heron").tobytes()
        where = with_mask(snapshot, build_filter(Query(""), STORES))
        found = nearest_chunks(snapshot, row.generation, vector, where, 2)
        return [snapshot.columns.target(chunk).partition("#")[0] for chunk in found.ids.tolist()]

    owners = various.do(various.store.read(nearest_of))
    assert len(owners) == 2
    assert "s" not in owners
