"""One search on one connection: what the legs find, ranked and made hits, all of one snapshot and in one go."""

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

MAX_DEPTH = 4_096  # neighbours at most that sqlite-vec gives; whoever pages on finds nothing more
_FILLING = "{count} texts are not yet indexed for search by meaning."


@dataclass(frozen=True, slots=True)
class _Order:
    """The candidates, best first, and what each leg found.

    ``ranking`` has them where one was made, and ``browsed`` where operators alone ask.
    """

    ranked: list[RankedCandidate]
    found: Mapping[Leg, Sized]
    ranking: "RankedChunks | None" = None
    browsed: "FilterOnlyResult | None" = None


def run_search(
    connection: apsw.Connection, request: Request, meaning: VectorQuery | None, watch: Stopwatch
) -> SearchResult:
    """Search.

    Args:
        connection: A reader.
        request: What is searched.
        meaning: The vectors; ``None`` leaves their leg out.
        watch: Told when a stage ends.

    Raises:
        VectorsFailedError: The vector leg failed.
    """
    missing: tuple[str, ...] = ()
    if has_phrases(request.query):
        query, missing = relax_missing_phrases(connection, request.query, request.stores)
        request = replace(request, query=query)
    where = chunk_filter(connection, request)
    answering = SearchPipeline(connection, request, where, meaning)
    order = answering.order()
    notes: tuple[str, ...] = ()
    if "words" in order.found and not len(order.found["words"]):
        notes = missing_word_notes(connection, request.query, request.stores)
    # How much waits is said to whoever may know of all of it.
    if "vector" in order.found and where.sees_all and (pending := repo.pending_count(connection)):
        notes += (_FILLING.format(count=pending),)
    watch.lap("candidates")
    hits, facets, count = _shown(connection, request, order, answering.index_cache)
    found = Found(request.query, request.recipe.name, hits, facets, count, tuple(order.found), notes, {}, missing)
    watch.lap("hits")
    return SearchResult(found, {leg: len(items) for leg, items in order.found.items()})


def _shown(
    connection: apsw.Connection, request: Request, order: "_Order", index_cache: "Callable[[], IndexCache]"
) -> tuple[tuple[Hit, ...], tuple[FacetCount, ...], int]:
    """Return the hits shown, and the facets and number of all candidates."""
    if (browsed := order.browsed) is not None:
        some = browsed.shown(request.offset, request.last)
        rows = candidate_rows(connection, [item.chunk_id for item in some])
        facets = count_facets_of_chunks(connection, browsed.columns, browsed.ids, index_cache().agents)
        return build_hits(connection, some, rows, request.query, labelled=True), facets, len(browsed)
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
    """Return what a chunk must satisfy, with which ones may where operators ask for it."""
    where = build_filter(request.query, request.stores)
    if not where.narrows or all(term.excluded for term in request.query.terms):
        return where
    from app.retrieval.candidates.filter_mask import filter_mask  # noqa: PLC0415  (numpy waits for the first search)

    found = filter_mask(connection, request.query, request.stores, request.index_cache())
    return replace(where, mask=found.mask, is_exact=found.is_exact)


class SearchPipeline:
    """Gathers candidates and puts them in order."""

    def __init__(
        self, connection: apsw.Connection, request: Request, where: ChunkFilter, meaning: VectorQuery | None
    ) -> None:
        self._connection = connection
        self._request = request
        self._query = request.query
        self._where = where
        self._meaning = meaning
        # One for the whole of a search: what is kept may be let go meanwhile.
        self.index_cache = cache(request.index_cache)

    def order(self) -> _Order:
        """Return the candidates, best first."""
        recipe, wanted = self._request.recipe, self._request.wanted
        if all(term.excluded for term in self._query.terms):
            return _Order([], {}, browsed=self._browsed())
        if recipe.fusion == "learned" and "words" in wanted:
            return self._learned()
        depth = min(max(recipe.depth, self._request.last), MAX_DEPTH)
        near = partial(vector_candidates, index_cache=self.index_cache())
        plain = self.gathered(Legs(lexical_candidates, cached_lexical_candidates, near, list[Candidate], depth, depth))
        if mentioned := self.mentioned(depth):
            plain["entity"] = mentioned
        plain = add_signal_retrievers(self._connection, plain, recipe, self._where, wanted)
        return _Order(fuse_candidates(plain, recipe), plain)

    def _browsed(self) -> "FilterOnlyResult":
        from app.retrieval.candidates.filter_only import FilterOnlyResult  # noqa: PLC0415  (numpy waits for the first search)

        request = self._request
        return FilterOnlyResult(self._connection, self._query, request.stores, self.index_cache(), request.per_session)

    def _learned(self) -> _Order:
        # Here, for numpy waits for the first search and does not hold up the loop.
        from app.retrieval.ranking.linear_ranker import load_ranker, rank_with_context  # noqa: PLC0415

        last, index_cache = self._request.last, self.index_cache()
        deep = self.gathered(array_legs(*leg_depths(last), index_cache))
        weights = load_ranker().weights(deep, is_contextual=self._meaning is not None and self._meaning.is_contextual)
        mentioned = self.mentioned(self._request.recipe.depth)
        ranking = rank_with_context(
            self._connection,
            self._query,
            self._demanded(),
            deep,
            weights,
            last,
            index_cache,
            self.vectors(deep),
            mentioned,
        )
        found: dict[Leg, Sized] = {**deep}
        return _Order([], found | ({"entity": mentioned} if mentioned else {}), ranking)

    def mentioned(self, depth: int) -> list[Candidate]:
        """Return what mentions the entities that the query names, where the recipe asks for it."""
        if "entity" not in self._request.wanted:
            return []
        mentions = EntityMentions(self._query, self._request.stores, self._request.recipe.mentions)
        return mentions.find(self._connection, self._demanded(), depth)

    def vectors(self, found: Mapping[Leg, object]) -> "Vectors | None":
        """Return what gives the vectors of chunks; ``None`` where the vector leg was not asked.

        What is returned raises ``VectorsFailedError`` where they cannot be read.
        """
        if "vector" not in found or self._meaning is None:
            return None
        from app.retrieval.candidates.array_retrievers import vectors_by_id  # noqa: PLC0415  (numpy waits for the first search)

        generation = self._meaning.generation

        def read(ids: "NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
            try:
                return vectors_by_id(self._connection, generation, ids)
            except apsw.Error as error:
                raise _failed(error) from error

        return read

    def gathered(self, reads: Legs[F]) -> dict[Leg, F]:
        """Return what each wanted leg finds, best first.

        Raises:
            VectorsFailedError: The vector leg failed.
        """
        found: dict[Leg, F] = {}
        wanted, meaning = self._request.wanted, self._meaning
        if meaning is not None and meaning.count >= PREFETCH_FROM and {"words", "vector"} <= {*wanted}:
            meaning = self._begun(meaning, first_depth(reads.vector_depth))
        for leg in wanted:
            if leg == "words":
                words = self._words(reads)
                found[leg] = reads.none() if words is None else words
            elif leg == "vector" and meaning is not None:
                found[leg] = self._near(reads, meaning)
        return found

    def _begun(self, meaning: VectorQuery, k: int) -> VectorQuery:
        """Return ``meaning`` looking for the nearest ``k`` already, while the words are looked for."""
        if meaning.ann_cache is None:
            return meaning
        try:
            vector = meaning.vector(self._asked())
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        near = PrefetchedNeighbours(meaning.ann_cache, meaning.generation, vector, k, self._demanded().mask)
        return replace(meaning, vector=lambda _: vector, ann_cache=near)

    def _asked(self) -> str:
        return " ".join(term.text for term in self._query.terms if not term.excluded)

    def _words(self, reads: Legs[F]) -> F | None:
        match = match_expression(self._query, need_phrases=True)
        if match is None:
            return None
        if any(term.phrase and not term.excluded for term in self._query.terms):
            # A phrase leaves little to score.
            return reads.words(self._connection, match=match, where=self._where, depth=reads.words_depth)
        return reads.many(
            self._connection,
            index_cache=self.index_cache(),
            atoms=atoms(self._query),
            unwanted=excluded_expression(self._query),
            where=self._where,
            depth=reads.words_depth,
        )

    def _near(self, reads: Legs[F], meaning: VectorQuery) -> F:
        look = partial(reads.vector, self._connection, where=self._demanded(), depth=reads.vector_depth)
        try:
            return look(
                generation=meaning.generation, vector=meaning.vector(self._asked()), ann_cache=meaning.ann_cache
            )
        except KeepsakeError as error:
            raise VectorsFailedError(error) from error
        except apsw.Error as error:
            raise _failed(error) from error

    def _demanded(self) -> ChunkFilter:
        """Return the conditions with what the query's phrases and excluded words demand."""
        phrases = [term for term in self._query.terms if term.phrase and not term.excluded]
        return with_word_filter(self._where, match_expression(phrases, "all"), excluded_expression(self._query))


def _failed(error: apsw.Error) -> VectorsFailedError:
    fault = from_sqlite(error) or InternalError(f"The vectors cannot be read ({type(error).__name__}).")
    return VectorsFailedError(fault)
