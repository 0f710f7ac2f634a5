"""Conditions as SQL, and the candidates each leg gathers."""

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.stores import STORES
from app.embed.hashed_embedder import DIMENSIONS, HashedEmbedder
from app.index.columns.index_cache import IndexCache
from app.index.vectors.vector_repo import Generation
from app.retrieval.candidates.filter_only import filter_only
from app.retrieval.candidates.filters import ChunkFilter, build_filter, with_word_filter
from app.retrieval.candidates.retrievers import lexical_by_fts5
from app.retrieval.candidates.scored_chunks import ScoredChunks
from app.retrieval.candidates.vectors import nearest_chunks
from app.retrieval.model import Query, RankedCandidate
from app.retrieval.snapshot import take_snapshot
from tests.unit.app.vault_harness import VaultHarness

NAMES = ("tag", "kind", "session", "agent", "entity", "role", "is", "store")


def allowed(connection: apsw.Connection, where: ChunkFilter) -> list[object]:
    return connection.execute(f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values).fetchall()


def worded(connection: apsw.Connection, where: ChunkFilter) -> ScoredChunks:
    return lexical_by_fts5(take_snapshot(connection, IndexCache()), '"words"', where, 10)


def query(**fields: object) -> Query:
    return Query("", **fields)  # type: ignore[arg-type]


@given(
    tags=st.lists(st.text(max_size=8), max_size=3),
    sessions=st.lists(st.text(max_size=8), max_size=3),
    states=st.lists(st.sampled_from(["pinned", "archived", "superseded", "pending", "nonsense"]), max_size=3),
    stores=st.lists(st.sampled_from(STORES), max_size=3, unique=True),
    since=st.none() | st.integers(0, 1 << 40),
)
def test_there_is_a_value_for_each_mark(
    tags: list[str], sessions: list[str], states: list[str], stores: list[str], since: int | None
) -> None:
    query_text = query(tags=tuple(tags), sessions=tuple(sessions), states=tuple(states), since=since)
    made = build_filter(query_text, stores)
    assert made.sql.count("?") == len(made.values)
    sees_all = set(stores) >= set(STORES)
    assert made.is_restrictive == bool(tags or sessions or states or since is not None or not sees_all)
    more = with_word_filter(made, '"a"', '"b"')
    assert more.sql.count("?") == len(more.values)
    assert more.is_restrictive


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_is_sound_sql_wanted_or_not(vault_harness: VaultHarness, name: str) -> None:
    vault_harness.say("words")
    for value in ("x", "' OR 1=1 --", "%", ""):
        where = build_filter(query(excluded=((name, value),)), STORES)
        vault_harness.do(vault_harness.store.read(lambda connection, where=where: allowed(connection, where)))


def test_no_store_no_candidates(vault_harness: VaultHarness) -> None:
    vault_harness.say("words")
    for stores, count in (((), 0), (("shared", "social"), 0), (STORES, 1)):
        where = build_filter(query(), stores)
        for read in (allowed, worded):
            found = vault_harness.do(
                vault_harness.store.read(lambda connection, where=where, read=read: read(connection, where))  # type: ignore[misc]
            )
            assert len(found) == count


def test_the_nearest_are_those_of_numpy(vault_harness: VaultHarness) -> None:
    texts = [f"turn {number}" for number in range(60)]
    vault_harness.say(*texts)
    vault_harness.sync()
    query_text = HashedEmbedder().embed_query("turn 17")
    where = build_filter(query(), STORES)

    def nearest(vector: bytes, depth: int = 5) -> list[tuple[str, float]]:
        def near(connection: apsw.Connection) -> ScoredChunks:
            snapshot = take_snapshot(connection, IndexCache())
            return nearest_chunks(snapshot, Generation(1, DIMENSIONS), vector, where, depth)

        found = vault_harness.do(vault_harness.store.read(near)).one_per_target()
        return list(zip(found.targets, found.values.tolist(), strict=True))

    cosines = HashedEmbedder().embed(texts) @ query_text
    best = [f"s#{place + 1}" for place in np.argsort(-cosines)[:5]]
    found = nearest(query_text.tobytes())
    assert [target for target, _ in found] == best
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)
    assert nearest(np.zeros(DIMENSIONS, dtype=np.float32).tobytes()) == []


def test_newest_first_and_one_of_each(vault_harness: VaultHarness) -> None:
    vault_harness.say("first")
    vault_harness.clock.ms += 1_000
    vault_harness.say("long " * 500)
    vault_harness.clock.ms += 1_000
    note = vault_harness.save("word " * 500, title="Note")
    vault_harness.sync()
    where = build_filter(query(), STORES)

    def newest(connection: apsw.Connection) -> list[RankedCandidate]:
        return filter_only(take_snapshot(connection, IndexCache()), where, None).shown(0, 100)

    found = vault_harness.do(vault_harness.store.read(newest))
    assert [item.target for item in found] == [note.id, "s#2", "s#1"]
