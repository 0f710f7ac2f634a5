"""Context search: messages and memories that are relevant to a prompt.

Messages and memories are searched separately, so that many messages do not crowd out the memories. Facets and hits far
down are not computed.
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
"""Half the depth of an ordinary search, because only the first hits are shown."""


def find_messages(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None, limit: int
) -> tuple[Hit, ...]:
    """Return the messages that are most relevant to a prompt.

    Args:
        connection: A read connection.
        request: The search for the prompt; its kinds and limit are ignored.
        vector_query: Vector search; ``None`` skips it.
        limit: Maximum number.

    Raises:
        VectorsFailedError: Vector search failed.
    """
    return _found(connection, request, vector_query, MESSAGE_KINDS, limit)


def find_memories(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None, limit: int
) -> tuple[Hit, ...]:
    """Return the memories that are most relevant to a prompt; see ``find_messages``."""
    return _found(connection, request, vector_query, MEMORY_KINDS, limit)


def _found(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None, kinds: Sequence[str], limit: int
) -> tuple[Hit, ...]:
    if limit < 1:
        return ()
    kind_request = replace(request, query=replace(request.query, kinds=tuple(kinds)), offset=0, limit=limit)
    if request.recipe.fusion != "learned" or "words" not in request.wanted:
        return run_search(connection, kind_request, vector_query, Stopwatch()).found.hits
    ranked = _ranked(connection, kind_request, vector_query)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    return build_hits(connection, ranked, rows, kind_request.query)


def _ranked(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None
) -> Sequence[RankedCandidate]:
    """Return the best ranked candidates of a request."""
    # Imported here, so that numpy loads with the first search and not in the event loop.
    from app.index.columns.chunk_lengths import last_chunk  # noqa: PLC0415
    from app.retrieval.candidates.array_retrievers import empty_scores  # noqa: PLC0415
    from app.retrieval.query.question import analyse_question  # noqa: PLC0415
    from app.retrieval.ranking.candidate_pool import candidate_pool, merge_scores  # noqa: PLC0415
    from app.retrieval.ranking.linear_ranker import load_ranker, mentions_at, rank  # noqa: PLC0415
    from app.retrieval.ranking.neighbour_messages import read_neighbours  # noqa: PLC0415
    from app.retrieval.ranking.session_features import gather_candidates, with_mentions  # noqa: PLC0415

    of_messages = request.query.kinds == MESSAGE_KINDS
    where = chunk_filter(connection, request)
    pipeline = SearchPipeline(connection, request, where, vector_query)
    index_cache = pipeline.index_cache()
    legs = pipeline.retrieve(array_legs(_WORDS_DEPTH, VECTOR_DEPTH, index_cache))
    words = legs.get("words", empty_scores())
    columns = index_cache.columns(connection, last_chunk(connection))
    found = merge_scores(columns, words, legs.get("vector", empty_scores()))
    mentions = mentions_at(columns, pipeline.mentions(CANDIDATE_LIMIT))
    question = analyse_question(request.query)
    if of_messages:
        read = gather_candidates(
            connection, request.query, question, found, where, index_cache, words.matches, mentions.places
        )
    else:  # memories have no neighbours and no session
        places = with_mentions(candidate_pool(found), mentions.places)
        read = read_neighbours(connection, found, places, question, where, index_cache)
    weights = load_ranker().weights(legs, is_contextual=vector_query is not None and vector_query.is_contextual)
    ranking = rank(question, read, weights, most=0, vectors=pipeline.vectors(legs), mentions=mentions)
    return ranking.shown(ranking.spread(None)[: request.limit])
