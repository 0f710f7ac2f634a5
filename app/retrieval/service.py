"""Search: parse, gather candidates by words and by vector side by side, fuse, and explain each hit."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeVar

import apsw

from app.core.clock import Clock, to_ms
from app.core.stores import STORES
from app.core.text import storable
from app.embed.reranker import Reranker
from app.errors import InputError, KeepsakeError, ModelUnavailableError
from app.index.generations.active import ActiveEmbedding
from app.index.repo import chunk_count
from app.index.worker import IndexWorker
from app.retrieval.archive_search import search_unindexed, unindexed_of
from app.retrieval.candidates.phrase_relaxation import has_phrases, relax_phrases
from app.retrieval.candidates.phrase_relaxation import phrase_notes as of_missing
from app.retrieval.historical_search import PastSearch, search_past
from app.retrieval.model import Found, Leg, OperatorHelp, Query, Term
from app.retrieval.pipeline import run_search
from app.retrieval.query.parser import operators, parse
from app.retrieval.ranking.cross_encoder_stage import CrossEncoderStage
from app.retrieval.ranking.recipe_settings import reweighted
from app.retrieval.ranking.recipes import DEFAULT, Recipe
from app.retrieval.ranking.recipes import find_recipe as recipe_named
from app.retrieval.ranking.speaker_names import SpeakerNameCache
from app.retrieval.request import Request, SearchResult, Stopwatch, VectorQuery, VectorsFailedError
from app.retrieval.serial_executor import SearchQueue, serialized
from app.store.store import Store
from app.trace.trace import Trace

if TYPE_CHECKING:
    from app.index.columns.index_cache import IndexCache

T = TypeVar("T")

MAX_LIMIT = 1_000
FALLBACK = "balanced"  # where the weights of "learned" are missing
NO_MEANING = "Search by meaning was left out: "
WARM_LEAST = 5_000
"""With fewer chunks the first search has little to read."""
_KNOWING_LIMIT_S = 600.0
_OPENING_S = 2.0  # so long a search waits for an embedder that is being opened
_QUICK = frozenset({"static", "hashed"})
"""Embedders that look words up; others take long enough to be waited for beside the database."""


class SearchService:
    """Finds turns and durable items.

    Args:
        store: The vault's database.
        sync: Knows the embedder and its vectors.
        trace: Told how long each stage took.
        clock: What "today" is.
        vectors: False where vectors are switched off.
        tune: Gives a recipe the weights that the settings say.
        reranker: Reads the first results again and puts them in order.
    """

    def __init__(
        self,
        store: Store,
        sync: IndexWorker,
        trace: Trace,
        clock: Clock,
        *,
        vectors: bool = True,
        tune: Callable[[Recipe], Recipe] | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._store = store
        self._sync = sync
        self._trace = trace
        self._clock = clock
        self._vectors = vectors
        self._kept: IndexCache | None = None
        self._knowing: asyncio.Future[None] | None = None
        self.turns = SearchQueue()
        self._tune = tune or (lambda recipe: recipe)
        self._has_ranker = False
        self._reranking = CrossEncoderStage(store, reranker)
        self._speakers = SpeakerNameCache(store)

    def parse(self, text: str) -> Query:
        """Return how ``text`` is understood."""
        return parse(storable(text)[0], self._clock.now_ms())

    @staticmethod
    def operators() -> list[OperatorHelp]:
        """Return the operators of the query language."""
        return list(operators())

    @serialized
    async def search(
        self,
        text: str | Query,
        *,
        limit: int = 20,
        offset: int = 0,
        recipe: str = DEFAULT,
        legs: Sequence[Leg] | None = None,
        per_session: int | None = None,
        stores: Sequence[str] = STORES,
        as_of: datetime | None = None,
        is_aside: bool = False,
        over: ActiveEmbedding | None = None,
        weights: tuple[float | None, float | None] = (None, None),
        embedding: Sequence[float] | None = None,
    ) -> Found:
        """Find what ``text`` asks for, or asked for at ``as_of``; see the operation ``memory.search``.

        With ``is_aside`` nobody asked: the text is of a conversation or memory. It is not sent to a remote service that
        private texts must not reach, and no reranker is waited for. With ``over`` these vectors are compared, one by
        one, whichever serve. ``weights`` of meaning and of words win over the recipe's own, and ``embedding`` is
        compared in place of the text's vector.

        Raises:
            InputError: The recipe is unknown, or a number is out of bounds.
        """
        if not (0 < limit <= MAX_LIMIT and offset >= 0 and (per_session is None or per_session > 0)):
            raise InputError(f"'limit' must be 1 to {MAX_LIMIT}, 'offset' 0 or more, 'per_session' 1 or more.")
        tuned = self._tune(recipe_named(recipe))
        chosen, spared = await self._usable(tuned if weights == (None, None) else reweighted(tuned, *weights))
        watch = Stopwatch()
        query = self.parse(text) if isinstance(text, str) else text
        watch.lap("parse")
        if query.matches_nothing:
            return Found(query, chosen.name, (), notes=query.hints, milliseconds=watch.laps)
        if as_of is not None:
            moment = PastSearch(to_ms(as_of), stores, limit, offset, per_session)
            return await self._store.read(partial(_search_past, query=query, moment=moment))
        if (place := unindexed_of(query)) is not None:
            work = partial(search_unindexed, place=place, query=query, limit=limit, offset=offset, stores=stores)
            return await self._store.read(work)
        if is_aside and self._sync.generations.keeps_private(over):
            legs = ("words", "entity")
        wanted = [leg for leg in chosen.legs if legs is None or leg in legs]
        found_only = legs is not None and not is_aside
        request = Request(
            query, chosen, wanted, stores, offset, limit, per_session, self._index_cache, found_only, embedding
        )
        ask = partial(self._answer, watch=watch, over=over)
        given, notes = await (ask(request) if is_aside else self._reranking.answer(request, ask))
        self._tell(chosen, query, given, watch)
        found = given.found
        said = (*query.hints, *of_missing(found.relaxed), *spared, *notes, *found.notes)
        return replace(found, notes=said, milliseconds=watch.laps)

    async def _answer(
        self, request: Request, watch: Stopwatch, over: ActiveEmbedding | None
    ) -> tuple[SearchResult, tuple[str, ...]]:
        """Search, by words alone where the vectors fail; with what to say of that."""
        await self._know()
        try:
            meaning = await self._meaning(request, over)
            return await self._store.read(partial(run_search, request=request, meaning=meaning, watch=watch)), ()
        except VectorsFailedError as error:
            self._trace.event("search.fallback", leg="vector", error=error.fault.code)
            given = await self._store.read(partial(run_search, request=request, meaning=None, watch=watch))
            return given, (NO_MEANING + error.fault.message,)

    @serialized
    async def aside(
        self,
        query: Query,
        recipe: str,
        stores: Sequence[str],
        work: "Callable[[apsw.Connection, Request, VectorQuery | None], T]",
    ) -> T:
        """Do ``work`` on a reader with what a search for ``query`` needs, which nobody asked; see ``search``.

        Where the vectors fail it is done once more without them.

        Raises:
            InputError: The recipe is unknown.
        """
        chosen, _ = await self._usable(self._tune(recipe_named(recipe)))
        wanted = [leg for leg in chosen.legs if leg != "vector" or not self._sync.generations.keeps_private()]
        request = Request(query, chosen, wanted, stores, 0, 1, None, self._index_cache)
        await self._know()
        try:
            meaning = await self._meaning(request, None)
            if meaning is not None:  # what is looked for more than once is made a vector once
                meaning = replace(meaning, vector=lru_cache(maxsize=1)(meaning.vector))
            return await self._store.read(lambda connection: work(connection, request, meaning))
        except VectorsFailedError as error:
            self._trace.event("search.fallback", leg="vector", error=error.fault.code)
            return await self._store.read(lambda connection: work(connection, request, None))

    async def _meaning(self, request: Request, over: ActiveEmbedding | None) -> VectorQuery | None:
        terms = [term.text for term in request.query.terms if not term.excluded]
        if not (self._vectors and terms and "vector" in request.wanted):
            return None
        try:
            serving = over or await self._sync.serving(_OPENING_S)
            ann_cache = None if over else self._sync.ann_cache()
            count = 0 if ann_cache is None else ann_cache.count()
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        is_contextual = serving.embedder.identity.provider not in _QUICK
        if request.embedding is not None:
            given = _as_vector(request.embedding, serving.generation.dimensions)
            return VectorQuery(serving.generation, lambda _: given, ann_cache, count, is_contextual)
        try:
            embed = serving.embedder.embed_query
            if is_contextual:
                vector = await asyncio.to_thread(embed, await self.meant(" ".join(terms), serving))
                return VectorQuery(serving.generation, lambda _: vector.tobytes(), ann_cache, count, is_contextual=True)
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        return VectorQuery(serving.generation, lambda text: embed(text).tobytes(), ann_cache, count)

    async def meant(self, text: str, serving: ActiveEmbedding) -> str:
        """Return what of a question ``serving`` turns into a vector.

        Raises:
            KeepsakeError: The vault cannot be read.
        """
        is_quick = serving.embedder.identity.provider in _QUICK
        return text if is_quick else await self._speakers.without(text)

    def _tell(self, chosen: Recipe, query: Query, given: SearchResult, watch: Stopwatch) -> None:
        """Keep how a search went in the trace: counts and times."""
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

    async def _usable(self, chosen: Recipe) -> tuple[Recipe, tuple[str, ...]]:
        """Return ``chosen``, or what stands in for it where its weights are missing, with the reason."""
        if chosen.fusion != "learned" or self._has_ranker:
            return chosen, ()
        try:
            await asyncio.to_thread(_load_ranker)
        except ModelUnavailableError as error:
            self._trace.event("search.fallback", recipe=FALLBACK, error=error.code)
            return self._tune(recipe_named(FALLBACK)), (error.message,)
        self._has_ranker = True
        return chosen, ()

    async def warm(self) -> None:
        """Read what is known of all chunks, which takes seconds of a million, so that no search need wait for it."""
        try:
            if await self._store.read(chunk_count, is_background=True) >= WARM_LEAST:
                await self._know(is_background=True)
                know = partial(_know_words, index_cache=self._index_cache)
                await self._store.read(know, limit_s=_KNOWING_LIMIT_S, is_background=True)
        except KeepsakeError as error:  # the first search reads it, or says why not
            self._trace.event("search.fallback", error=error.code)

    async def _know(self, *, is_background: bool = False) -> None:
        """Wait until what is known of all chunks was read: of a million that may take longer than a search may."""
        reading = self._knowing
        # Nobody may have waited any more when it failed: then it begins anew.
        if reading is None or (reading.done() and (reading.cancelled() or reading.exception())):
            know = partial(_know_chunks, index_cache=self._index_cache)
            read = self._store.read(know, limit_s=_KNOWING_LIMIT_S, is_background=is_background)
            reading = self._knowing = asyncio.ensure_future(read)
        await asyncio.shield(reading)  # whoever types on gives up a search, not what the next one needs

    def forget_words(self) -> None:
        """Let go of what is kept of words that were asked for and of names; it is read again when it is needed."""
        self._kept = self._knowing = None
        self._speakers.forget()

    def _index_cache(self) -> "IndexCache":
        from app.index.columns.index_cache import IndexCache  # noqa: PLC0415  (numpy waits for the first search)

        kept = self._kept = self._kept or IndexCache()
        return kept


def _search_past(connection: apsw.Connection, query: Query, moment: PastSearch) -> Found:
    """Search the past; a phrase that stood nowhere then is searched by its words, as it was then."""

    def stood(term: Term) -> bool:
        alone = replace(moment, limit=1, offset=0)
        return bool(search_past(connection, Query(term.text, (term,)), alone).candidates)

    missing: tuple[str, ...] = ()
    if has_phrases(query):
        query, missing = relax_phrases(query, stood)
    found = search_past(connection, query, moment)
    return replace(found, notes=(*found.notes, *of_missing(missing)), relaxed=missing)


def _know_chunks(connection: apsw.Connection, index_cache: "Callable[[], IndexCache]") -> None:
    from app.index.columns.chunk_lengths import last_chunk  # noqa: PLC0415  (numpy waits)

    index_cache().columns(connection, last_chunk(connection))


def _know_words(connection: apsw.Connection, index_cache: "Callable[[], IndexCache]") -> None:
    from app.retrieval.warmup import preload_frequent_words  # noqa: PLC0415  (numpy waits)

    preload_frequent_words(connection, index_cache())


def _as_vector(embedding: Sequence[float], dimensions: int) -> bytes:
    """Return a caller's vector as the index has its own: of length 1, float32 little-endian.

    Raises:
        InputError: It has another number of dimensions, or no direction.
    """
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    vector = np.array(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if len(vector) != dimensions or not 0 < length < math.inf:
        raise InputError(
            f"'query_embedding' must be {dimensions} finite numbers, not all 0, by the model of the index.",
            field="query_embedding",
            allowed=dimensions,
        )
    return (vector / length).astype("<f4").tobytes()


def _load_ranker() -> None:
    from app.retrieval.ranking.linear_ranker import load_ranker  # noqa: PLC0415

    load_ranker()
