"""Search service: parse, retrieve, rank and explain hits."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from app.core.access import Access
from app.core.clock import Clock, to_ms
from app.core.process.lazy_module import LazyModule
from app.core.text import storable
from app.core.text_rules.project_name import clean_name
from app.errors import InputError, KeepsakeError, ModelUnavailableError
from app.index.generations.active import ActiveEmbedding
from app.index.repo import chunk_count
from app.index.worker import IndexWorker
from app.retrieval.candidates.phrase_relaxation import phrase_notes
from app.retrieval.model import Found, Leg, MonthCount, OperatorHelp, Query
from app.retrieval.query.parser import operators, parse
from app.retrieval.query_embedding import QueryEmbedding
from app.retrieval.ranking.recipe_settings import reweighted
from app.retrieval.ranking.reranking_stage import HitScorer, RerankingStage
from app.retrieval.recipes import DEFAULT, Recipe, find_recipe
from app.retrieval.request import (
    Request,
    SearchResult,
    Stopwatch,
    VectorQuery,
    VectorsFailedError,
)
from app.retrieval.serial_executor import SearchQueue, serialized
from app.sentence import Sentence
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    import apsw

    from app.index.columns import index_cache
    from app.index.columns.index_cache import IndexCache
    from app.retrieval import pipeline, snapshot, warmup
    from app.retrieval.ranking import linear_ranker
    from app.retrieval.results import month_counts
    from app.retrieval.snapshot import SearchSnapshot
else:
    # These load numpy, which takes a tenth of a second: they are first used on a thread that reads the database.
    index_cache = LazyModule("app.index.columns.index_cache")
    linear_ranker = LazyModule("app.retrieval.ranking.linear_ranker")
    month_counts = LazyModule("app.retrieval.results.month_counts")
    pipeline = LazyModule("app.retrieval.pipeline")
    snapshot = LazyModule("app.retrieval.snapshot")
    warmup = LazyModule("app.retrieval.warmup")

T = TypeVar("T")
SearchWork = Callable[["apsw.Connection", Request, VectorQuery | None], T]
"""Work of a search on a reader: connection, request and vector search."""

MAX_LIMIT = 1_000
FALLBACK = "balanced"  # where the weights of "learned" are missing
NO_MEANING = "Search by meaning was left out: "
WARM_LEAST = 5_000
"""With fewer chunks the first search is fast enough without it."""
_LOADING_LIMIT_S = 600.0


class SearchService:
    """Search of messages and memories.

    Args:
        store: The vault's database.
        index_worker: Provides the embedder and its vectors.
        trace: Receives the duration of each stage.
        clock: Current time.
        vectors: False where vectors are switched off.
        tune: Applies the settings to a recipe.
        scorers: Models that rerank the first hits.
    """

    def __init__(
        self,
        store: Store,
        index_worker: IndexWorker,
        trace: Trace,
        clock: Clock,
        *,
        vectors: bool = True,
        tune: Callable[[Recipe], Recipe] | None = None,
        scorers: Sequence[HitScorer] = (),
    ) -> None:
        self._store = store
        self._index_worker = index_worker
        self._trace = trace
        self._clock = clock
        self._opened_cache: IndexCache | None = None
        self._loading: asyncio.Future[None] | None = None
        self.queue = SearchQueue()
        self.embedding = QueryEmbedding(store, index_worker, is_enabled=vectors)
        self._configure = tune or (lambda recipe: recipe)
        self._has_ranker = False
        self._reranking = RerankingStage(scorers)

    def parse(self, text: str) -> Query:
        """Return the parsed query of ``text``."""
        return parse(storable(text)[0], self._clock.now_ms())

    @staticmethod
    def operators() -> list[OperatorHelp]:
        """Return the operators of the query language."""
        return list(operators())

    @serialized
    async def search(
        self,
        access: Access,
        text: str | Query,
        *,
        limit: int = 20,
        offset: int = 0,
        recipe: str = DEFAULT,
        legs: Sequence[Leg] | None = None,
        per_session: int | None = None,
        as_of: datetime | None = None,
        is_internal: bool = False,
        active_embedding: ActiveEmbedding | None = None,
        weights: tuple[float | None, float | None] = (None, None),
        embedding: Sequence[float] | None = None,
        needs_meaning: bool = False,
        project: str = "",
    ) -> Found:
        """Find what ``text`` asks for; see the operation ``memory.search``.

        An internal search (``is_internal``) takes its text from a session or memory, not from a person. The text is not
        sent to a remote service that private texts must not reach, and no reranker is used. ``active_embedding``
        replaces the active vectors, which are then compared one by one. ``weights`` of vectors and of words override
        the recipe's own, and ``embedding`` replaces the vector of the text. With ``needs_meaning``, vectors that say
        nothing about meaning are left out. What is of ``project`` is preferred by the learned ranking.

        Raises:
            InputError: The recipe is unknown, or a number is out of bounds.
        """
        if not (0 < limit <= MAX_LIMIT and offset >= 0 and (per_session is None or per_session > 0)):
            raise InputError(
                Sentence("'limit' must be 1 to {most}, 'offset' 0 or more, 'per_session' 1 or more.", most=MAX_LIMIT)
            )
        tuned = self._configure(find_recipe(recipe))
        chosen, spared = await self._usable_recipe(tuned if weights == (None, None) else reweighted(tuned, *weights))
        watch = Stopwatch()
        query = self.parse(text) if isinstance(text, str) else text
        watch.lap("parse")
        if query.matches_nothing:
            return Found(query, chosen.name, (), notes=query.hints, milliseconds=watch.laps)
        if is_internal and self._index_worker.generations.keeps_private(active_embedding):
            legs = ("words", "entity")
        wanted = [leg for leg in chosen.legs if legs is None or leg in legs]
        found_only, name, stores = legs is not None and not is_internal, clean_name(project), access.stores
        pages, at = (offset, limit, per_session), None if as_of is None else to_ms(as_of)
        request = Request(query, chosen, wanted, stores, *pages, self._index_cache, found_only, embedding, at, name)
        if request.is_outside_index:
            return await self._store.read(
                lambda connection: pipeline.search_outside_index(connection, request), stop=request.stop
            )
        ask = partial(
            self._read_with_vectors,
            work=lambda connection, request, vectors: pipeline.run_search(connection, request, vectors, watch),
            active_embedding=active_embedding,
            needs_meaning=needs_meaning,
        )
        answer, notes = await (ask(request) if is_internal else self._reranking.answer(request, ask))
        self._trace_search(chosen, query, answer, watch)
        sentences = (*query.hints, *phrase_notes(answer.found.relaxed), *spared, *notes, *answer.found.notes)
        return replace(answer.found, notes=sentences, milliseconds=watch.laps)

    @serialized
    async def months(self, access: Access, text: str) -> list[MonthCount]:
        """Return how many texts of each month match; see the operation ``memory.months``."""
        query = self.parse(text)
        if query.matches_nothing or query.asks_unindexed:
            return []
        await self._ensure_columns()
        return await self._store.read(
            lambda connection: month_counts.count_months(self._snapshot(connection), query, access.stores)
        )

    @serialized
    async def run_with_search_inputs(
        self,
        query: Query,
        recipe: str,
        stores: Sequence[str],
        work: "SearchWork[T]",
        project: str = "",
    ) -> T:
        """Run ``work`` on a reader with the request and vectors of an internal search.

        The search prefers ``project``. If the vectors fail, the work is repeated without them.

        Raises:
            InputError: The recipe is unknown.
        """
        chosen, _ = await self._usable_recipe(self._configure(find_recipe(recipe)))
        wanted = [leg for leg in chosen.legs if leg != "vector" or not self._index_worker.generations.keeps_private()]
        request = Request(query, chosen, wanted, stores, 0, 1, None, self._index_cache, project=clean_name(project))
        result, _ = await self._read_with_vectors(request, work)
        return result

    async def _read_with_vectors(
        self,
        request: Request,
        work: "SearchWork[T]",
        active_embedding: ActiveEmbedding | None = None,
        *,
        needs_meaning: bool = False,
    ) -> tuple[T, tuple[str, ...]]:
        """Run ``work`` on a reader with vectors, and again without them where they fail.

        Returns:
            The result, and notes about vectors that failed.
        """
        await self._ensure_columns()
        try:
            vector_query = await self.embedding.vector_query(request, active_embedding, needs_meaning=needs_meaning)
            return await self._store.read(
                lambda connection: work(connection, request, vector_query), stop=request.stop
            ), ()
        except VectorsFailedError as error:
            self._trace.event("search.fallback", leg="vector", error=error.fault.code)
            result = await self._store.read(lambda connection: work(connection, request, None), stop=request.stop)
            return result, (Sentence("Search by meaning was left out: {why}", why=error.fault.sentence),)

    def _trace_search(self, chosen: Recipe, query: Query, given: SearchResult, watch: Stopwatch) -> None:
        """Trace the counts and times of a search."""
        self._trace.event(
            "search",
            recipe=chosen.name,
            terms=len(query.terms),
            **{f"{leg}_candidates": count for leg, count in given.counts.items()},
            ranked=given.found.candidates,
            shown=len(given.found.hits),
            **{f"{stage}_ms": round(ms, 2) for stage, ms in watch.laps.items()},
            ms=round(watch.total(), 2),
        )

    async def _usable_recipe(self, chosen: Recipe) -> tuple[Recipe, tuple[str, ...]]:
        """Return ``chosen``, or its fallback with a note where the ranker's weights are missing."""
        if chosen.fusion != "learned" or self._has_ranker:
            return chosen, ()
        try:
            await asyncio.to_thread(_load_ranker)
        except ModelUnavailableError as error:
            self._trace.event("search.fallback", recipe=FALLBACK, error=error.code)
            return self._configure(find_recipe(FALLBACK)), (error.sentence,)
        self._has_ranker = True
        return chosen, ()

    async def warm(self) -> None:
        """Load the chunk columns and frequent words in the background, before the first search."""
        try:
            if await self._store.read(chunk_count, is_background=True) >= WARM_LEAST:
                await self._ensure_columns(is_background=True)
                await self._store.read(
                    lambda connection: warmup.preload_frequent_words(self._snapshot(connection)),
                    limit_s=_LOADING_LIMIT_S,
                    is_background=True,
                )
        except KeepsakeError as error:  # the first search reads it, or says why not
            self._trace.event("search.fallback", error=error.code)

    async def _ensure_columns(self, *, is_background: bool = False) -> None:
        """Wait until the chunk columns are loaded, which may take longer than a search may."""
        reading = self._loading
        # A failed or cancelled read starts again with the next search.
        if reading is None or (reading.done() and (reading.cancelled() or reading.exception())):
            read = self._store.read(
                lambda connection: pipeline.load_columns(connection, self._index_cache()),
                limit_s=_LOADING_LIMIT_S,
                is_background=is_background,
            )
            reading = self._loading = asyncio.ensure_future(read)
            # Where it fails and no search waits any more, such as when the vault closes, nobody need hear of it.
            reading.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        await asyncio.shield(reading)  # a cancelled search does not cancel the read for the next one

    def clear_caches(self) -> None:
        """Clear the caches of chunks, words and speaker names."""
        self._opened_cache = self._loading = None
        self.embedding.clear()

    def _snapshot(self, connection: "apsw.Connection") -> "SearchSnapshot":
        return snapshot.take_snapshot(connection, self._index_cache())

    def _index_cache(self) -> "IndexCache":
        kept = self._opened_cache = self._opened_cache or index_cache.IndexCache()
        return kept


def _load_ranker() -> None:
    linear_ranker.load_ranker()
