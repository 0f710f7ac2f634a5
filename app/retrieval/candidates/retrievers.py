"""Retrievers of a search: each returns chunks as arrays of ids and scores, best first."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Protocol

import apsw
import numpy as np

from app.errors import InternalError, KeepsakeError
from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.entity_retriever import EntityMentions
from app.retrieval.candidates.filters import SINGLE, ChunkFilter, with_word_filter
from app.retrieval.candidates.lexical import best_matches, find_matches
from app.retrieval.candidates.scored_chunks import ScoredChunks, concatenated_chunks, empty_chunks, scored_rows
from app.retrieval.candidates.vectors import PrefetchedNeighbours, first_depth, nearest_chunks
from app.retrieval.model import Leg, Term
from app.retrieval.query.match_expression import atoms, excluded_expression, match_expression, search_terms
from app.retrieval.request import Request, VectorQuery, VectorsFailedError
from app.retrieval.snapshot import SearchSnapshot
from app.sentence import Sentence
from app.store.sqlite_errors import from_sqlite

MARKED: Final = 0.5
"""Messages above this importance were marked by a person or agent."""

PREFETCH_FROM: Final = 100_000
"""With fewer vectors, starting a thread takes as long as it saves."""
_IS_MESSAGE: Final = "c.kind = 'message'"


@dataclass(frozen=True)
class RetrieverInput:
    """Input of the retrievers of one search.

    Args:
        snapshot: The index.
        request: The search request.
        where: Filter by the operators.
        vector_query: Vector search; ``None`` skips it.
    """

    snapshot: SearchSnapshot
    request: Request
    where: ChunkFilter
    vector_query: VectorQuery | None

    @property
    def columns(self) -> ChunkColumns:
        """Return the columns of all chunks."""
        return self.snapshot.columns

    @cached_property
    def where_with_words(self) -> ChunkFilter:
        """Return the filter narrowed by the query's phrases and excluded words."""
        query = self.request.query
        phrases = [term for term in query.terms if term.phrase and not term.excluded]
        return with_word_filter(self.where, match_expression(phrases, "all"), excluded_expression(query))

    @cached_property
    def terms(self) -> Sequence[Term]:
        """Return the terms to search for; see ``search_terms``."""
        return search_terms(self.request.query)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Results of the retrievers.

    Args:
        given: What the retrievers read.
        found: Results by retriever; none for a query without words.
    """

    given: RetrieverInput
    found: Mapping[Leg, ScoredChunks]

    def of(self, leg: Leg) -> ScoredChunks:
        """Return the results of a retriever, none where it did not run."""
        chunks = self.found.get(leg)
        return empty_chunks(self.given.columns) if chunks is None else chunks


class Retriever(Protocol):
    """A way to find chunks."""

    def __call__(self, given: RetrieverInput, depth: int) -> ScoredChunks:
        """Return at most ``depth`` chunks that satisfy the filter, best first."""


def retrieve_lexical(given: RetrieverInput, depth: int) -> ScoredChunks:
    """Return the chunks that match the query's words, best BM25 first."""
    query, takes_passages = given.request.query, given.request.is_learned
    match = match_expression(query, need_phrases=True)
    if match is None:
        return empty_chunks(given.columns)
    if any(term.phrase and not term.excluded for term in query.terms):
        # Few texts match a phrase, so FTS5 scores them fast enough.
        where = given.where.sql if takes_passages else f"{SINGLE} AND {given.where.sql}"
        return lexical_by_fts5(given.snapshot, match, replace(given.where, sql=where), depth)
    matches = find_matches(given.snapshot, atoms(query))
    single = None
    if not takes_passages:  # only the learned ranking can use passages of several messages
        columns = given.columns
        is_passage = [chunk_type.kind == "passage" for chunk_type in columns.types]
        single = (columns.more == 0) | ~columns.where(slice(None), is_passage)
    matching = best_matches(given.snapshot, matches, excluded_expression(query), given.where, depth, single)
    return ScoredChunks(given.columns, *matching, matches)


def lexical_by_fts5(snapshot: SearchSnapshot, match: str, where: ChunkFilter, depth: int) -> ScoredChunks:
    """Return the chunks that match an FTS expression, scored by FTS5 itself, best BM25 first."""
    rows = snapshot.connection.execute(
        "SELECT c.id, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    return scored_rows(snapshot.columns, rows)


def retrieve_nearest(given: RetrieverInput, depth: int) -> ScoredChunks:
    """Return the chunks whose vectors are nearest to the query's, best cosine first.

    Raises:
        VectorsFailedError: The query cannot be embedded, or the vectors cannot be read.
    """
    vector_query = given.vector_query
    if vector_query is None:
        return empty_chunks(given.columns)
    try:
        chunks = nearest_chunks(
            given.snapshot,
            vector_query.generation,
            vector_query.vector(given.request.query.words),
            given.where_with_words,
            depth,
            vector_query.ann_cache,
        )
    except KeepsakeError as error:
        raise VectorsFailedError(error) from error
    except apsw.Error as error:
        raise vectors_failed(error) from error
    few = given.request.recipe.few
    if few is None:
        return chunks
    of_messages = ~chunks.columns.of_kind(chunks.ids, "memory")
    return chunks.at(of_messages & (chunks.values > few.similarity)).one_per_target().at(slice(few.relevant))


def vectors_failed(error: apsw.Error) -> VectorsFailedError:
    """Return the failure of vector search for an error of the database."""
    fault = from_sqlite(error) or InternalError(
        Sentence("The vectors cannot be read ({error}).", error=type(error).__name__)
    )
    return VectorsFailedError(fault)


def retrieve_mentions(given: RetrieverInput, depth: int) -> ScoredChunks:
    """Return the chunks that mention entities which the query names, by number of entities."""
    mentions = EntityMentions(given.request.query, given.request.stores, given.request.recipe.mentions)
    return scored_rows(given.columns, mentions.find(given.snapshot.connection, given.where_with_words, depth))


def retrieve_latest(given: RetrieverInput, depth: int) -> ScoredChunks:
    """Return the latest messages, scored by time in milliseconds UTC."""
    # The plus makes SQLite use the index by time, which has this order.
    rows = given.snapshot.connection.execute(
        f"SELECT c.id, c.created_at FROM chunks c WHERE +{_IS_MESSAGE} AND {given.where.sql}"
        " ORDER BY c.created_at DESC, c.id DESC LIMIT ?",
        (*given.where.values, depth),
    )
    return scored_rows(given.columns, rows)


def retrieve_salient(given: RetrieverInput, depth: int) -> ScoredChunks:
    """Return messages of the recipe's least importance or more, the latest among equals first."""
    least = given.request.recipe.few.importance if given.request.recipe.few is not None else MARKED
    # Repeats the condition of the partial index, so that SQLite uses it.
    marked = "AND m.importance > 0.5" if least > MARKED else ""
    rows = given.snapshot.connection.execute(
        "SELECT c.id, m.importance FROM messages m CROSS JOIN chunks c"
        f" ON c.session_id = m.session_id AND {_IS_MESSAGE} AND c.seq_start = m.seq"
        f" WHERE m.importance >= ? {marked} AND {given.where.sql}"
        " ORDER BY m.importance DESC, c.created_at DESC, c.id DESC LIMIT ?",
        (least, *given.where.values, depth),
    )
    return scored_rows(given.columns, rows)


RETRIEVERS: Final[Mapping[Leg, Retriever]] = MappingProxyType(
    {
        "words": retrieve_lexical,
        "vector": retrieve_nearest,
        "entity": retrieve_mentions,
        "salient": retrieve_salient,
        "recent": retrieve_latest,
    }
)


def retrieve(given: RetrieverInput, depths: Mapping[Leg, int]) -> Retrieved:
    """Return the results of each retriever that the request wants.

    Retrievers that rescore the results of others run after them.

    Raises:
        VectorsFailedError: Vector search failed.
    """
    wanted = given.request.wanted
    if given.vector_query is None:
        wanted = [leg for leg in wanted if leg != "vector"]
    elif {"words", "vector"} <= {*wanted} and given.vector_query.count >= PREFETCH_FROM:
        given = _with_prefetch(given, given.vector_query, first_depth(depths["vector"]))
    rescoring = () if given.request.recipe.few is not None else ("recent", "mentions")
    scored: dict[Leg, ScoredChunks] = {}
    for leg in wanted:
        given.request.stop.check()
        if leg not in rescoring:
            scored[leg] = RETRIEVERS[leg](given, depths[leg])
    given.request.stop.check()
    if "entity" in scored and not len(scored["entity"]):
        del scored["entity"]  # the query names nothing
    every = concatenated_chunks(given.columns, scored.values())
    if "recent" in wanted and "recent" in rescoring:
        scored["recent"] = replace(every, values=every.columns.created[every.ids].astype(np.float64))
    if "mentions" in wanted:
        scored["mentions"] = replace(every, values=_mention_counts(given.snapshot.connection, every))
    return Retrieved(given, scored)


def _with_prefetch(given: RetrieverInput, vector_query: VectorQuery, k: int) -> RetrieverInput:
    """Return ``given`` with the nearest ``k`` neighbours being searched for in a thread."""
    if vector_query.ann_cache is None:
        return given
    try:
        vector = vector_query.vector(given.request.query.words)
    except KeepsakeError as error:
        raise VectorsFailedError(error) from error
    ann_cache = PrefetchedNeighbours(
        vector_query.ann_cache, vector_query.generation, vector, k, given.where_with_words.mask
    )
    return replace(given, vector_query=replace(vector_query, vector=lambda _: vector, ann_cache=ann_cache))


def _mention_counts(connection: apsw.Connection, scored: ScoredChunks) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return how often each memory was mentioned; 1 for a message."""
    targets: Iterable[str] = scored.targets
    counts = dict(
        connection.execute(
            "SELECT id, mention_count FROM memories WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([*dict.fromkeys(targets)]),),
        )
    )
    return np.array([float(counts.get(target, 1)) for target in targets], dtype=np.float64)
