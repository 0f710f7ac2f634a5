"""Context search: messages and memories that are relevant to a prompt.

Messages and memories are searched separately, so that many messages do not crowd out the memories. Facets and hits far
down are not computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.memories.model import Kind
from app.retrieval.candidates.depths import CANDIDATE_LIMIT, VECTOR_DEPTH
from app.retrieval.model import Hit, Leg
from app.retrieval.pipeline import rank_by_features, retrieve_candidates, run_search
from app.retrieval.request import Request, Stopwatch, VectorQuery
from app.retrieval.results.hits import build_hits, candidate_rows

MEMORY_KINDS: Final[tuple[Kind, ...]] = ("note", "fact", "observation", "digest")
MESSAGE_KINDS: Final = ("message",)


_DEPTHS: Final[Mapping[Leg, int]] = {"words": 400, "vector": VECTOR_DEPTH, "entity": CANDIDATE_LIMIT}
"""Half the depth of an ordinary search by words, because only the first hits are shown."""


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
    if not request.is_learned:
        return run_search(connection, kind_request, vector_query, Stopwatch()).found.hits
    retrieved = retrieve_candidates(connection, kind_request, vector_query, _DEPTHS)
    # Memories have no neighbours and no session.
    ranked = rank_by_features(retrieved, most=0, with_sessions=kinds == MESSAGE_KINDS).shown(0, limit)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    return build_hits(connection, ranked, rows, kind_request.query)
