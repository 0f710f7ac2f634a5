"""Search pipeline: retrieve, rank and build hits in one read of the database."""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import apsw

from app.errors import InternalError, KeepsakeError
from app.index import repo
from app.retrieval.candidates.depths import F, Legs, array_legs, leg_depths
from app.retrieval.candidates.entity_retriever import EntityMentions
from app.retrieval.candidates.filters import ChunkFilter, build_filter, with_word_filter
from app.retrieval.candidates.list_retrievers import (
    cached_lexical_candidates,
    first_depth,
    lexical_candidates,
    vector_candidates,
)
from app.retrieval.candidates.model import Candidate
from app.retrieval.candidates.phrase_relaxation import has_phrases, missing_word_notes, relax_missing_phrases
from app.retrieval.candidates.prefetch import PREFETCH_FROM, PrefetchedNeighbours
from app.retrieval.candidates.signal_retrievers import add_signal_retrievers
from app.retrieval.model import FacetCount, Found, Hit, Leg
from app.retrieval.query.match_expression import atoms, excluded_expression, match_expression
from app.retrieval.ranking.fused_ranking import fuse_candidates, limit_per_session
from app.retrieval.request import Request, SearchResult, Stopwatch, VectorQuery, VectorsFailedError
from app.retrieval.results.hits import build_hits, candidate_rows, count_facets, count_facets_of_chunks
from app.retrieval.results.model import RankedCandidate
from app.store.sqlite_errors import from_sqlite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.index_cache import IndexCache
    from app.retrieval.candidates.filter_only import FilterOnlyResult
    from app.retrieval.ranking.linear_ranker import RankedChunks, Vectors

MAX_DEPTH = 4_096  # most neighbours that sqlite-vec returns, so paging ends there
_FILLING = "{count} texts are not yet indexed for search by meaning."


@dataclass(frozen=True, slots=True)
class _Order:
    """Ranked candidates, and the results of each retriever.

    ``ranking`` holds them for the learned recipe, and ``filter_only`` for a query without words.
    """

    ranked: list[RankedCandidate]
    found: Mapping[Leg, Sized]
    ranking: "RankedChunks | None" = None
    filter_only: "FilterOnlyResult | None" = None


def run_search(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None, watch: Stopwatch
) -> SearchResult:
    """Run a search on one connection.

    Args:
        connection: A read connection.
        request: The search request.
        vector_query: Vector search; ``None`` skips it.
        watch: Stopwatch of the stages.

    Raises:
        VectorsFailedError: Vector search failed.
    """
    missing: tuple[str, ...] = ()
    if has_phrases(request.query):
        query, missing = relax_missing_phrases(connection, request.query, request.stores)
        request = replace(request, query=query)
    where = chunk_filter(connection, request)
    pipeline = SearchPipeline(connection, request, where, vector_query)
    order = pipeline.order()
    notes: tuple[str, ...] = ()
    if "words" in order.found and not len(order.found["words"]):
        notes = missing_word_notes(connection, request.query, request.stores)
    # Only callers who may read every store learn how much is pending.
    if "vector" in order.found and where.sees_all and (pending := repo.pending_count(connection)):
        notes += (_FILLING.format(count=pending),)
    watch.lap("candidates")
    hits, facets, count = _shown(connection, request, order, pipeline.index_cache)
    found = Found(request.query, request.recipe.name, hits, facets, count, tuple(order.found), notes, {}, missing)
    watch.lap("hits")
    return SearchResult(found, {leg: len(items) for leg, items in order.found.items()})


def _shown(
    connection: apsw.Connection, request: Request, order: "_Order", index_cache: "Callable[[], IndexCache]"
) -> tuple[tuple[Hit, ...], tuple[FacetCount, ...], int]:
    """Return the hits to show, and the facets and number of all candidates."""
    if (filter_only := order.filter_only) is not None:
        some = filter_only.shown(request.offset, request.last)
        rows = candidate_rows(connection, [item.chunk_id for item in some])
        facets = count_facets_of_chunks(connection, filter_only.columns, filter_only.ids, index_cache().agents)
        return build_hits(connection, some, rows, request.query, labelled=True), facets, len(filter_only)
    if order.ranking is not None:
        kept = order.ranking.spread(request.per_session, found_only=request.found_only)
        shown = order.ranking.shown(kept[request.offset : request.last])
        rows = candidate_rows(connection, [item.chunk_id for item in shown])
        facets = count_facets_of_chunks(
            connection, order.ranking.found.columns, order.ranking.ids[kept], index_cache().agents
        )
        return build_hits(connection, shown, rows, request.query, labelled=True), facets, len(kept)
    ranked = limit_per_session(order.ranked, request.per_session)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    hits = build_hits(connection, ranked[request.offset : request.last], rows, request.query, labelled=True)
    return hits, count_facets(rows), len(ranked)


def chunk_filter(connection: apsw.Connection, request: Request) -> ChunkFilter:
    """Return the filter of a request, with a mask where operators restrict it."""
    where = build_filter(request.query, request.stores)
    if not where.is_restrictive or all(term.excluded for term in request.query.terms):
        return where
    from app.retrieval.candidates.filter_mask import filter_mask  # noqa: PLC0415  (numpy waits for the first search)

    found = filter_mask(connection, request.query, request.stores, request.index_cache())
    return replace(where, mask=found.mask, is_exact=found.is_exact)


class SearchPipeline:
    """Retrieval and ranking of one request."""

    def __init__(
        self, connection: apsw.Connection, request: Request, where: ChunkFilter, vector_query: VectorQuery | None
    ) -> None:
        self._connection = connection
        self._request = request
        self._query = request.query
        self._where = where
        self._vector_query = vector_query
        # One cache for the whole search, since the service may clear its own meanwhile.
        self.index_cache = cache(request.index_cache)

    def order(self) -> _Order:
        """Return the candidates, best first."""
        recipe, wanted = self._request.recipe, self._request.wanted
        if all(term.excluded for term in self._query.terms):
            return _Order([], {}, filter_only=self._filter_only())
        if recipe.fusion == "learned" and "words" in wanted:
            return self._learned()
        depth = min(max(recipe.depth, self._request.last), MAX_DEPTH)
        ann_cache = partial(vector_candidates, index_cache=self.index_cache())
        plain = self.retrieve(
            Legs(lexical_candidates, cached_lexical_candidates, ann_cache, list[Candidate], depth, depth)
        )
        if mentions := self.mentions(depth):
            plain["entity"] = mentions
        plain = add_signal_retrievers(self._connection, plain, recipe, self._where, wanted)
        return _Order(fuse_candidates(plain, recipe), plain)

    def _filter_only(self) -> "FilterOnlyResult":
        from app.retrieval.candidates.filter_only import FilterOnlyResult  # noqa: PLC0415  (numpy waits for the first search)

        request = self._request
        return FilterOnlyResult(self._connection, self._query, request.stores, self.index_cache(), request.per_session)

    def _learned(self) -> _Order:
        # Imported here, so that numpy loads with the first search and not in the event loop.
        from app.retrieval.ranking.linear_ranker import load_ranker, rank_with_context  # noqa: PLC0415

        last, index_cache = self._request.last, self.index_cache()
        deep = self.retrieve(array_legs(*leg_depths(last), index_cache))
        weights = load_ranker().weights(
            deep, is_contextual=self._vector_query is not None and self._vector_query.is_contextual
        )
        mentions = self.mentions(self._request.recipe.depth)
        ranking = rank_with_context(
            self._connection,
            self._query,
            self._filter_with_terms(),
            deep,
            weights,
            last,
            index_cache,
            self.vectors(deep),
            mentions,
        )
        found: dict[Leg, Sized] = {**deep}
        return _Order([], found | ({"entity": mentions} if mentions else {}), ranking)

    def mentions(self, depth: int) -> list[Candidate]:
        """Return candidates that mention the entities named in the query, where the recipe uses them."""
        if "entity" not in self._request.wanted:
            return []
        mentions = EntityMentions(self._query, self._request.stores, self._request.recipe.mentions)
        return mentions.find(self._connection, self._filter_with_terms(), depth)

    def vectors(self, found: Mapping[Leg, object]) -> "Vectors | None":
        """Return a function that reads the vectors of chunks, ``None`` without vector search.

        The function raises ``VectorsFailedError`` where they cannot be read.
        """
        if "vector" not in found or self._vector_query is None:
            return None
        from app.retrieval.candidates.array_retrievers import vectors_by_id  # noqa: PLC0415  (numpy waits for the first search)

        generation = self._vector_query.generation

        def read(ids: "NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
            try:
                return vectors_by_id(self._connection, generation, ids)
            except apsw.Error as error:
                raise _failed(error) from error

        return read

    def retrieve(self, retrievers: Legs[F]) -> dict[Leg, F]:
        """Return the results of each wanted retriever, best first.

        Raises:
            VectorsFailedError: Vector search failed.
        """
        found: dict[Leg, F] = {}
        wanted, vector_query = self._request.wanted, self._vector_query
        if vector_query is not None and vector_query.count >= PREFETCH_FROM and {"words", "vector"} <= {*wanted}:
            vector_query = self._with_prefetch(vector_query, first_depth(retrievers.vector_depth))
        for leg in wanted:
            if leg == "words":
                words = self._lexical(retrievers)
                found[leg] = retrievers.none() if words is None else words
            elif leg == "vector" and vector_query is not None:
                found[leg] = self._vectors_near(retrievers, vector_query)
        return found

    def _with_prefetch(self, vector_query: VectorQuery, k: int) -> VectorQuery:
        """Return ``vector_query`` with its nearest ``k`` neighbours being prefetched."""
        if vector_query.ann_cache is None:
            return vector_query
        try:
            vector = vector_query.vector(self._query_text())
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        ann_cache = PrefetchedNeighbours(
            vector_query.ann_cache, vector_query.generation, vector, k, self._filter_with_terms().mask
        )
        return replace(vector_query, vector=lambda _: vector, ann_cache=ann_cache)

    def _query_text(self) -> str:
        return " ".join(term.text for term in self._query.terms if not term.excluded)

    def _lexical(self, retrievers: Legs[F]) -> F | None:
        match = match_expression(self._query, need_phrases=True)
        if match is None:
            return None
        if any(term.phrase and not term.excluded for term in self._query.terms):
            # Few texts match a phrase, so FTS5 scores them fast enough.
            return retrievers.words(self._connection, match=match, where=self._where, depth=retrievers.words_depth)
        return retrievers.many(
            self._connection,
            index_cache=self.index_cache(),
            atoms=atoms(self._query),
            unwanted=excluded_expression(self._query),
            where=self._where,
            depth=retrievers.words_depth,
        )

    def _vectors_near(self, retrievers: Legs[F], vector_query: VectorQuery) -> F:
        look = partial(
            retrievers.vector, self._connection, where=self._filter_with_terms(), depth=retrievers.vector_depth
        )
        try:
            return look(
                generation=vector_query.generation,
                vector=vector_query.vector(self._query_text()),
                ann_cache=vector_query.ann_cache,
            )
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        except apsw.Error as error:
            raise _failed(error) from error

    def _filter_with_terms(self) -> ChunkFilter:
        """Return the filter narrowed by the query's phrases and excluded words."""
        phrases = [term for term in self._query.terms if term.phrase and not term.excluded]
        return with_word_filter(self._where, match_expression(phrases, "all"), excluded_expression(self._query))


def _failed(error: apsw.Error) -> VectorsFailedError:
    fault = from_sqlite(error) or InternalError(f"The vectors cannot be read ({type(error).__name__}).")
    return VectorsFailedError(fault)
