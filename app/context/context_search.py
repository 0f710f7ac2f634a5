"""What a context looks for: turns and memories on a prompt, in one go on one connection.

Each of the two is gathered and ranked by itself, so that a vault of many turns does not crowd its memories out. What
only a page of results needs, such as counts of facets and hits far down, is not made.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.memories.model import Kind
from app.retrieval.candidates.depths import CANDIDATE_LIMIT, VECTOR_DEPTH, array_legs
from app.retrieval.model import Hit
from app.retrieval.pipeline import SearchPipeline, chunk_filter, run_search
from app.retrieval.request import Request, Stopwatch, VectorQuery
from app.retrieval.results.hits import build_hits, candidate_rows
from app.retrieval.results.model import RankedCandidate

MEMORY_KINDS: Final[tuple[Kind, ...]] = ("note", "fact", "observation", "digest")
MESSAGE_KINDS: Final = ("message",)


_WORDS_DEPTH: Final = 400
"""Half of what a search reads, of which a person may see the hundredth hit: here a few are told."""


def find_messages(
    connection: apsw.Connection, request: Request, meaning: VectorQuery | None, limit: int
) -> tuple[Hit, ...]:
    """Return the turns that are best on a prompt.

    Args:
        connection: A reader.
        request: The prompt as a search of every kind; how many it wants plays no part.
        meaning: The vectors; ``None`` leaves their leg out.
        limit: How many at most.

    Raises:
        VectorsFailedError: The vector leg failed.
    """
    return _found(connection, request, meaning, MESSAGE_KINDS, limit)


def find_memories(
    connection: apsw.Connection, request: Request, meaning: VectorQuery | None, limit: int
) -> tuple[Hit, ...]:
    """Return the memories that are best on a prompt; see ``find_messages``."""
    return _found(connection, request, meaning, MEMORY_KINDS, limit)


def _found(
    connection: apsw.Connection, request: Request, meaning: VectorQuery | None, kinds: Sequence[str], limit: int
) -> tuple[Hit, ...]:
    if limit < 1:
        return ()
    asked = replace(request, query=replace(request.query, kinds=tuple(kinds)), offset=0, limit=limit)
    if request.recipe.fusion != "learned" or "words" not in request.wanted:
        return run_search(connection, asked, meaning, Stopwatch()).found.hits
    ranked = _ranked(connection, asked, meaning)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    return build_hits(connection, ranked, rows, asked.query)


def _ranked(connection: apsw.Connection, request: Request, meaning: VectorQuery | None) -> Sequence[RankedCandidate]:
    """Return the best of what was looked at closely, as many as wanted."""
    # Here, for numpy waits for the first search and does not hold up the loop.
    from app.index.columns.chunk_lengths import last_chunk  # noqa: PLC0415
    from app.retrieval.candidates.array_retrievers import empty_scores  # noqa: PLC0415
    from app.retrieval.ranking.candidate_pool import candidate_pool, merge_scores  # noqa: PLC0415
    from app.retrieval.ranking.linear_ranker import load_ranker, mentions_at, rank  # noqa: PLC0415
    from app.retrieval.ranking.neighbour_turns import read_around  # noqa: PLC0415
    from app.retrieval.ranking.question import analyse_question  # noqa: PLC0415
    from app.retrieval.ranking.session_features import gather_candidates, with_mentions  # noqa: PLC0415

    of_turns = request.query.kinds == MESSAGE_KINDS
    where = chunk_filter(connection, request)
    answering = SearchPipeline(connection, request, where, meaning)
    index_cache = answering.index_cache()
    legs = answering.gathered(array_legs(_WORDS_DEPTH, VECTOR_DEPTH, index_cache))
    words = legs.get("words", empty_scores())
    columns = index_cache.columns(connection, last_chunk(connection))
    found = merge_scores(columns, words, legs.get("vector", empty_scores()))
    mentions = mentions_at(columns, answering.mentioned(CANDIDATE_LIMIT))
    question = analyse_question(request.query)
    if of_turns:
        read = gather_candidates(
            connection, request.query, question, found, where, index_cache, words.matches, mentions.places
        )
    else:  # around a memory is nothing, and no conversation to weigh
        places = with_mentions(candidate_pool(found), mentions.places)
        read = read_around(connection, found, places, question, where, index_cache)
    weights = load_ranker().weights(legs, is_contextual=meaning is not None and meaning.is_contextual)
    ranking = rank(question, read, weights, most=0, vectors=answering.vectors(legs), mentions=mentions)
    return ranking.shown(ranking.spread(None)[: request.limit])
