"""Search pipeline: retrieve, rank and build hits in one read of the database.

Each stage takes one value and returns the next: ``Request`` → ``Retrieved`` → ``Ranking`` → ``SearchResult``. The
learned recipe ranks in three stages: ``Retrieved`` → ``RankingInput`` → ``FeatureTable`` → ``RankedChunks``. This
module and what it imports load numpy, so the service imports it with the first search.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from app.core.stores import sees_all
from app.index import repo
from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.index_cache import IndexCache
from app.retrieval.archive_search import search_unindexed
from app.retrieval.candidates.filter_check import has_leaving
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filter_only import filter_only
from app.retrieval.candidates.filters import build_filter
from app.retrieval.candidates.phrase_relaxation import missing_word_notes, relax_missing_phrases
from app.retrieval.candidates.retrievers import Retrieved, RetrieverInput, retrieve, vectors_failed
from app.retrieval.candidates.scored_chunks import occurrence_number
from app.retrieval.candidates.vectors import vectors_by_id
from app.retrieval.historical_search import search_history
from app.retrieval.model import Found, Leg
from app.retrieval.query.match_expression import excluded_expression
from app.retrieval.query.question import analyse_question
from app.retrieval.ranking.candidate_pool import RankingInput, candidate_pool, deduplicate, merge_scores
from app.retrieval.ranking.features import build_table
from app.retrieval.ranking.fusion import fuse
from app.retrieval.ranking.linear_ranker import KEPT, RankedChunks, load_ranker, rank
from app.retrieval.ranking.neighbour_messages import read_neighbours
from app.retrieval.ranking.project_preference import owners_of_project
from app.retrieval.ranking.session_features import add_sessions
from app.retrieval.request import Request, SearchResult, Stopwatch, VectorQuery
from app.retrieval.results.hits import Ranking, build_hits, candidate_rows, count_facets_of_chunks
from app.retrieval.results.relevance_cutoff import (
    NEARNESS,
    SAMPLE,
    UNRELATED,
    Cutoff,
    all_kept,
    cut_off,
    is_question,
    least_near,
    unrelated_cosine,
)
from app.retrieval.results.unanswered import NOTE, READ, is_unanswered
from app.retrieval.snapshot import SearchSnapshot, take_snapshot
from app.sentence import counted_sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load_columns(connection: apsw.Connection, index_cache: IndexCache) -> None:
    """Read the columns of all chunks into the cache, before the first search needs them."""
    take_snapshot(connection, index_cache)


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
    snapshot = take_snapshot(connection, request.index_cache())
    query, missing = relax_missing_phrases(connection, request.query, request.stores)
    request = replace(request, query=query)
    retrieved = retrieve_candidates(snapshot, request, vector_query)
    ranking = rank_candidates(retrieved)
    cutoff = _cutoff(retrieved, ranking)
    if cutoff is not None:
        ranking = ranking.at(cutoff.rows)
    if request.per_session is not None:
        ranking = ranking.best_first()
        rows = _within_session_limit(ranking, retrieved.given.columns, request.per_session)
        ranking, cutoff = ranking.at(rows), None if cutoff is None else cutoff.at(rows)
    request.stop.check()
    notes = _notes(retrieved)
    watch.lap("candidates")
    result = _found(retrieved, ranking, cutoff)
    if request.is_learned and is_question(query) and is_unanswered(ranking.shown(0, READ)):
        notes = (NOTE, *notes)
    watch.lap("hits")
    counts = {leg: len(chunks) for leg, chunks in retrieved.found.items()}
    return SearchResult(replace(result, notes=notes, relaxed=missing), counts)


def search_outside_index(connection: apsw.Connection, request: Request) -> Found:
    """Return the result of a search of the past, or of archived or superseded memories."""
    if request.as_of_ms is not None:
        return search_history(connection, request, request.as_of_ms)
    return search_unindexed(connection, request)


def retrieve_candidates(
    snapshot: SearchSnapshot,
    request: Request,
    vector_query: VectorQuery | None,
    depths: Mapping[Leg, int] | None = None,
) -> Retrieved:
    """Return what the wanted retrievers find, at the given depths or those of the recipe.

    Raises:
        VectorsFailedError: Vector search failed.
    """
    where = build_filter(request.query, request.stores)
    if not request.query.has_words:
        return Retrieved(RetrieverInput(snapshot, request, where, vector_query), {})
    if where.is_restrictive or has_leaving(snapshot.connection):
        where = with_mask(snapshot, where)
    given = RetrieverInput(snapshot, request, where, vector_query)
    depths = depths or request.recipe.depths(request.last, is_learned=request.is_learned)
    return retrieve(given, depths)


def gather_candidates(retrieved: Retrieved, *, with_sessions: bool = True) -> RankingInput:
    """Return the candidates of the learned ranking, with all that their features need.

    Args:
        retrieved: Results of the retrievers.
        with_sessions: Whether sessions add candidates and features; memories belong to none.
    """
    given, mentions = retrieved.given, retrieved.of("entity")
    question = analyse_question(given.request.query)
    scores = merge_scores(given.columns, retrieved.of("words"), retrieved.of("vector"))
    places, statistics = candidate_pool(scores), None
    if len(mentions):
        places = deduplicate([places, mentions.places])
    if with_sessions:
        places, statistics = add_sessions(retrieved, question, places)
    return read_neighbours(given.snapshot, question, scores, mentions, places, given.where_with_words, statistics)


def rank_candidates(retrieved: Retrieved) -> Ranking:
    """Return the results ranked by the recipe, or by time without words."""
    given, request = retrieved.given, retrieved.given.request
    if not request.query.has_words:
        unwanted = excluded_expression(request.query)
        return filter_only(given.snapshot, given.where, unwanted)
    if request.is_learned:
        ranking = rank_by_features(retrieved, max(request.last, KEPT))
        return ranking.found_only() if request.found_only else ranking
    return fuse(request.recipe, given.columns, retrieved.found)


def rank_by_features(retrieved: Retrieved, most: int, *, with_sessions: bool = True) -> RankedChunks:
    """Return the candidates ranked by the learned weights, with their neighbours.

    Args:
        retrieved: Results of the retrievers.
        most: Number to return where the retrievers found more than were ranked.
        with_sessions: Whether sessions add candidates and features; memories belong to none.
    """
    given = retrieved.given
    gathered = gather_candidates(retrieved, with_sessions=with_sessions)
    given.request.stop.check()
    table = build_table(gathered)
    is_contextual = given.vector_query is not None and given.vector_query.is_contextual
    weights = load_ranker().weights(retrieved.found, is_contextual=is_contextual)
    snapshot, request = given.snapshot, given.request
    preferred = owners_of_project(snapshot, request.project, request.stores) if request.project else None
    return rank(table, weights, most, _vector_reader(retrieved), preferred)


def _cutoff(retrieved: Retrieved, ranking: Ranking) -> Cutoff | None:
    """Return which results of a ranking are kept, ``None`` for a query without words."""
    given, signals = retrieved.given, ranking.signals()
    if signals is None:
        return None
    if not (given.request.recipe.ends and "words" in given.request.wanted):
        return all_kept(signals)
    return cut_off(signals, given.request.query, least_cosine(given))


def least_cosine(given: RetrieverInput, nearness: float = NEARNESS) -> float:
    """Return the cosine from which a result is near in meaning.

    Args:
        given: The search.
        nearness: Part of the way from the cosine of unrelated texts to 1.

    Raises:
        VectorsFailedError: The vectors cannot be read.
    """
    vector_query = given.vector_query
    if vector_query is None or not vector_query.is_contextual:
        return least_near(UNRELATED, nearness)
    columns, connection = given.columns, given.snapshot.connection
    ids = np.flatnonzero(columns.exists[: given.snapshot.last_chunk + 1])
    ids = ids[columns.where(ids, [chunk_type.store in given.request.stores for chunk_type in columns.types])]
    sampled = ids[np.linspace(0, len(ids) - 1, min(len(ids), SAMPLE), dtype=np.int64)]
    try:
        sample = vectors_by_id(connection, vector_query.generation, sampled)
    except apsw.Error as error:
        raise vectors_failed(error) from error
    return least_near(unrelated_cosine(vector_query.vector(given.request.query.words), sample), nearness)


def _within_session_limit(ranking: Ranking, columns: ChunkColumns, per_session: int) -> "NDArray[np.int64]":
    """Return the rows of a ranking with at most so many messages of each session."""
    owner = columns.owner[ranking.ids].astype(np.int64)
    return np.flatnonzero((owner < 0) | (occurrence_number(owner) <= per_session))


def _vector_reader(retrieved: Retrieved) -> "Callable[[NDArray[np.integer[Any]]], NDArray[np.float32]] | None":
    """Return a function that reads the vectors of chunks, ``None`` without vector search.

    The function raises ``VectorsFailedError`` where they cannot be read.
    """
    vector_query, connection = retrieved.given.vector_query, retrieved.given.snapshot.connection
    if "vector" not in retrieved.found or vector_query is None:
        return None
    generation = vector_query.generation

    def read(ids: "NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
        try:
            return vectors_by_id(connection, generation, ids)
        except apsw.Error as error:
            raise vectors_failed(error) from error

    return read


def _notes(retrieved: Retrieved) -> tuple[str, ...]:
    """Return notes about words that no text has, and about texts without vectors."""
    given, scores = retrieved.given, retrieved.found
    connection = given.snapshot.connection
    notes: tuple[str, ...] = ()
    if "words" in scores and not len(scores["words"]):
        notes = missing_word_notes(connection, given.terms, given.request.stores)
    # Only callers who may read every store learn how much is pending.
    if "vector" in scores and sees_all(given.request.stores) and (pending := repo.pending_count(connection)):
        notes += (
            counted_sentence(
                pending,
                "1 text is not yet indexed for search by meaning.",
                "{count} texts are not yet indexed for search by meaning.",
            ),
        )
    return notes


def _found(retrieved: Retrieved, ranking: Ranking, cutoff: Cutoff | None) -> Found:
    """Return the hits to show, and the facets and number of all results."""
    given, snapshot, request = retrieved.given, retrieved.given.snapshot, retrieved.given.request
    shown = ranking.shown(request.offset, request.last)
    if cutoff is not None:
        parts = cutoff.named(request.offset, request.last)
        shown = [replace(item, part=part) for item, part in zip(shown, parts, strict=True)]
    rows = candidate_rows(snapshot.connection, [item.chunk_id for item in shown])
    hits = build_hits(snapshot.connection, shown, rows, given.terms, labelled=True)
    facets = count_facets_of_chunks(snapshot, ranking.ids, request.stores)
    near = 0 if cutoff is None else cutoff.near_count
    return Found(request.query, request.recipe.name, hits, facets, len(ranking.ids), tuple(retrieved.found), near=near)
