"""Search pipeline: where the vectors fail, words answer with a note."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import pytest

from app.core.stop_signal import StopSignal
from app.core.stores import STORES
from app.errors import CancelledByPersonError, InternalError, KeepsakeError, ModelUnavailableError
from app.index.columns import chunk_columns
from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.index_cache import IndexCache
from app.index.vectors.ann_cache import AnnCache
from app.index.vectors.vector_repo import Generation
from app.retrieval import service
from app.retrieval.candidates.vectors import vectors_by_id
from app.retrieval.model import Found
from app.retrieval.pipeline import run_search, search_outside_index
from app.retrieval.query.parser import parse
from app.retrieval.recipes import find_recipe
from app.retrieval.request import Request, SearchResult, Stopwatch, VectorQuery, VectorsFailedError
from app.retrieval.service import SearchService
from app.store.vector_bytes import decode
from app.trace.trace import Trace
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

_LIMIT_S = 0.5
_LONG = "WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT max(x) FROM n"


def query_text(vault_harness: VaultHarness, text: str, vector_query: VectorQuery | None) -> SearchResult:
    chosen = find_recipe("learned")
    request = Request(parse(text, 0), chosen, chosen.legs, STORES, 0, 20, None, IndexCache)
    return vault_harness.do(
        vault_harness.store.read(lambda connection: run_search(connection, request, vector_query, Stopwatch()))
    )


def closed(_text: str) -> bytes:
    raise ModelUnavailableError("The model was closed.")


@pytest.mark.parametrize(
    ("vector", "generation", "kind"),
    [
        (closed, Generation(1, 256), ModelUnavailableError),
        (lambda _: bytes(1024), Generation(77, 256), InternalError),  # no such table
        (lambda _: bytes(12), Generation(1, 256), InternalError),  # not as wide
    ],
)
def test_vector_failures_differ_from_others(
    vault_harness: VaultHarness, vector: Callable[[str], bytes], generation: Generation, kind: type[KeepsakeError]
) -> None:
    vault_harness.say("a grey heron")
    vault_harness.sync()
    with pytest.raises(VectorsFailedError) as caught:
        query_text(vault_harness, "heron", VectorQuery(generation, vector, None))
    assert isinstance(caught.value.fault, kind)
    given = query_text(vault_harness, "heron", None)
    assert [hit.id for hit in given.found.hits] == ["s#1"]
    assert given.found.legs == ("words",)


def test_words_answer_where_the_embedder_fails(vault_harness: VaultHarness) -> None:
    vault_harness.say("a grey heron")
    sync = vault_harness.sync()
    search = SearchService(vault_harness.store, sync, Trace(None), vault_harness.clock)
    assert vault_harness.do(search.search(EVERYTHING, "heron")).legs == ("words", "vector")
    vault_harness.embedder.fails = "The model is gone."
    found = vault_harness.do(search.search(EVERYTHING, "heron"))
    assert [hit.id for hit in found.hits] == ["s#1"]
    assert found.legs == ("words",)
    assert any("The model is gone." in note for note in found.notes)
    assert found.milliseconds.keys() == {"parse", "candidates", "hits"}


@pytest.mark.parametrize("recipe", ["learned", "balanced", "tri", "vector"])
def test_a_search_that_nobody_waits_for_ends_at_the_next_stage(vault_harness: VaultHarness, recipe: str) -> None:
    vault_harness.say("a grey heron", "a teal")
    vault_harness.sync()
    stop, requested = StopSignal(), list[str]()

    def vector(text: str) -> bytes:
        requested.append(text)
        stop.set()
        return vault_harness.embedder.embed_query(text).tobytes()

    chosen, watch = find_recipe(recipe), Stopwatch()
    generation = Generation(1, vault_harness.embedder.identity.dimensions)
    request = Request(parse("heron", 0), chosen, chosen.legs, STORES, 0, 20, None, IndexCache, stop=stop)
    searching = vault_harness.store.read(
        lambda connection: run_search(connection, request, VectorQuery(generation, vector, None), watch)
    )
    with pytest.raises(CancelledByPersonError):
        vault_harness.do(searching)
    assert (requested, watch.laps) == (["heron"], {})


def test_a_cancelled_search_stops_its_statement_and_the_next_one_runs(vault_harness: VaultHarness) -> None:
    vault_harness.say("a grey heron")
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    begun, ended = threading.Event(), threading.Event()

    def endless(connection: apsw.Connection, request: Request, _: VectorQuery | None) -> object:
        begun.set()
        try:
            return connection.execute(_LONG.replace("100000", "1e12")).get
        finally:
            assert request.stop.is_set
            ended.set()

    async def overtaken() -> Found:
        first = asyncio.create_task(search.run_with_search_inputs(parse("heron", 0), "words", STORES, endless))
        await asyncio.to_thread(begun.wait)
        first.cancel()
        result = await search.search(EVERYTHING, "heron")
        assert await asyncio.to_thread(ended.wait, 5)
        assert first.cancelled()
        return result

    assert [hit.id for hit in vault_harness.do(overtaken()).hits] == ["s#1"]


def test_a_search_of_former_texts_ends_between_them(vault_harness: VaultHarness) -> None:
    memory, moment = vault_harness.save("a grey heron"), vault_harness.clock.now_ms()
    vault_harness.clock.ms += 1_000
    vault_harness.do(vault_harness.memories.update(EVERYTHING, memory.id, memory.version, content="a teal"))
    recipe = find_recipe("words")
    request = Request(parse("heron", 0), recipe, ["words"], STORES, 0, 20, None, IndexCache, as_of_ms=moment)

    def search(connection: apsw.Connection) -> Found:
        return search_outside_index(connection, request)

    assert [hit.id for hit in vault_harness.do(vault_harness.store.read(search)).hits] == [memory.id]
    request.stop.set()
    with pytest.raises(CancelledByPersonError):
        vault_harness.do(vault_harness.store.read(search))


def test_caches_can_be_cleared(vault_harness: VaultHarness) -> None:
    vault_harness.say("a grey heron")
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    before = vault_harness.do(search.search(EVERYTHING, "heron"))
    search.clear_caches()
    assert vault_harness.do(search.search(EVERYTHING, "heron")).hits == before.hits


@pytest.mark.parametrize(("least", "read"), [(0, 1), (100, 0)])
def test_columns_are_read_before_the_first_search(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, least: int, read: int
) -> None:
    vault_harness.say("a grey heron")
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    monkeypatch.setattr(service, "WARM_LEAST", least)
    reading, times = chunk_columns._extended, list[int]()

    def counted(connection: apsw.Connection, known: ChunkColumns, last: int) -> ChunkColumns:
        times.append(last)
        return reading(connection, known, last)

    monkeypatch.setattr(chunk_columns, "_extended", counted)
    vault_harness.do(search.warm())
    assert len(times) == read
    assert [hit.id for hit in vault_harness.do(search.search(EVERYTHING, "heron")).hits] == ["s#1"]
    assert len(times) == 1


def test_the_first_search_waits_for_what_takes_longer_than_a_search_may(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault_harness.say("a grey heron")
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    reading, times = chunk_columns._extended, list[int]()

    def slow(connection: apsw.Connection, known: ChunkColumns, last: int) -> ChunkColumns:
        times.append(last)
        begun = time.monotonic()
        while time.monotonic() - begun < 2 * _LIMIT_S:
            connection.execute(_LONG).fetchall()
        return reading(connection, known, last)

    async def both() -> list[Found]:
        given_up = asyncio.create_task(search.search(EVERYTHING, "teal"))
        await asyncio.sleep(0)
        given_up.cancel()
        return list(await asyncio.gather(search.search(EVERYTHING, "heron"), search.search(EVERYTHING, "grey")))

    monkeypatch.setattr(chunk_columns, "_extended", slow)
    monkeypatch.setattr(vault_harness.store, "_read_limit_s", _LIMIT_S)
    found = vault_harness.do(both())
    assert [[hit.id for hit in one.hits] for one in found] == [["s#1"], ["s#1"]]
    assert len(times) == 1


def test_a_failed_background_read_is_repeated(vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    vault_harness.say("a grey heron")
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    reading, failing = chunk_columns._extended, [True]

    def once(connection: apsw.Connection, known: ChunkColumns, last: int) -> ChunkColumns:
        if failing and failing.pop():
            raise apsw.BusyError("locked")
        return reading(connection, known, last)

    async def given_up() -> list[str]:
        first = asyncio.create_task(search.search(EVERYTHING, "heron"))
        while failing:
            await asyncio.sleep(0)
            if search._loading is not None:
                first.cancel()
        assert search._loading is not None
        await asyncio.wait([first, search._loading])  # a search that joins the failing read fails with it
        return [hit.id for hit in (await search.search(EVERYTHING, "heron")).hits]

    monkeypatch.setattr(chunk_columns, "_extended", once)
    assert vault_harness.do(given_up()) == ["s#1"]


def test_where_it_cannot_be_read_beforehand_the_search_says_why(vault_harness: VaultHarness) -> None:
    search = SearchService(vault_harness.store, vault_harness.sync(), Trace(None), vault_harness.clock)
    vault_harness.store.close()
    vault_harness.do(search.warm())
    with pytest.raises(KeepsakeError):
        vault_harness.do(search.search(EVERYTHING, "heron"))


def test_vectors_are_read_by_chunk_in_any_order(vault_harness: VaultHarness) -> None:
    vault_harness.say("a grey heron", "two oaks")
    vault_harness.sync()

    def work(connection: apsw.Connection) -> tuple[list[bytes], list[list[float]]]:
        sql = "SELECT embedding FROM vectors_1 ORDER BY chunk_id"
        stored = [bytes(row[0]) for row in connection.execute(sql)]
        ids = [int(row[0]) for row in connection.execute("SELECT chunk_id FROM vectors_1 ORDER BY chunk_id")]
        requested = np.array([ids[1], 999, ids[0], ids[1]])
        return stored, vectors_by_id(connection, Generation(1, len(stored[0])), requested).tolist()

    stored, (one, nothing, other, again) = vault_harness.do(vault_harness.store.read(work))
    assert [other, one] == decode(stored, len(one)).tolist()
    assert again == one
    assert not any(nothing)


def test_vectors_that_only_their_look_up_still_knows_are_a_failure(vault_harness: VaultHarness, vault: Path) -> None:
    vault_harness.say("a grey heron", "two oaks")
    vault_harness.sync()
    ann_cache, generation = AnnCache(vault, least=1), Generation(1, vault_harness.embedder.identity.dimensions)
    vault_harness.do(vault_harness.store.read(lambda connection: ann_cache.refresh(connection, generation)))
    vault_harness.do(vault_harness.store.write(lambda connection: connection.execute("DROP TABLE vectors_1") and None))
    vector_query = VectorQuery(generation, lambda text: vault_harness.embedder.embed_query(text).tobytes(), ann_cache)
    assert query_text(vault_harness, "heron", vector_query).found.legs == ("words", "vector")
    with pytest.raises(VectorsFailedError):
        query_text(vault_harness, "Hi. I saw the heron. What next?", vector_query)
