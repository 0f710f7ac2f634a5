"""Context search: messages and memories that are relevant to a prompt.

Messages and memories are searched separately, so that many messages do not crowd out the memories. Facets and hits far
down are not computed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

import apsw

from app.retrieval.model import Hit, Leg
from app.retrieval.pipeline import rank_by_features, retrieve_candidates, run_search
from app.retrieval.recipes import CANDIDATE_LIMIT, VECTOR_DEPTH
from app.retrieval.request import Request, Stopwatch, VectorQuery
from app.retrieval.results.hits import build_hits, candidate_rows
from app.retrieval.snapshot import take_snapshot

Searched = Literal["messages", "memories"]
_KINDS: Final[Mapping[Searched, tuple[str, ...]]] = {
    "messages": ("message",),
    "memories": ("note", "fact", "observation", "digest"),
}

_DEPTHS: Final[Mapping[Leg, int]] = {"words": 400, "vector": VECTOR_DEPTH, "entity": CANDIDATE_LIMIT}
"""Half the depth of an ordinary search by words, because only the first hits are shown."""


def find(
    connection: apsw.Connection, request: Request, vector_query: VectorQuery | None, searched: Searched, limit: int
) -> tuple[Hit, ...]:
    """Return the messages or memories that are most relevant to a prompt.

    Args:
        connection: A read connection.
        request: The search for the prompt; its kinds and limit are ignored.
        vector_query: Vector search; ``None`` skips it.
        searched: Which of the two.
        limit: Maximum number.

    Raises:
        VectorsFailedError: Vector search failed.
    """
    if limit < 1:
        return ()
    kind_request = replace(request, query=replace(request.query, kinds=_KINDS[searched]), offset=0, limit=limit)
    if not request.is_learned:
        return run_search(connection, kind_request, vector_query, Stopwatch()).found.hits
    snapshot = take_snapshot(connection, request.index_cache())
    retrieved = retrieve_candidates(snapshot, kind_request, vector_query, _DEPTHS)
    # Memories have no neighbours and no session.
    ranked = rank_by_features(retrieved, most=0, with_sessions=searched == "messages").shown(0, limit)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    return build_hits(connection, ranked, rows, retrieved.given.terms)
