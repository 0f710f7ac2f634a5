"""Context search: messages and memories that are relevant to a prompt.

Messages and memories are searched separately, so that many messages do not crowd out the memories. Facets and hits far
down are not computed. Where nobody asked, nothing is found unless one of the best results bears on the prompt: most of
what a person tells an agent, such as to run the tests, needs no memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import apsw

from app.context.prompt_query import is_question
from app.retrieval.model import Hit, Leg
from app.retrieval.pipeline import least_cosine, rank_by_features, retrieve_candidates, run_search
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
_NEARNESS: Final = 0.475
"""Part of the way from the cosine of unrelated texts to 1 from which a text bears on a prompt without its words."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Least weight of a prompt's words in the best results.

    Args:
        matched: As a multiple of the weight of a word in one text.
        share: As a share of the weight of all words.
    """

    matched: float
    share: float


QUESTION: Final = Floor(0.7, 0.15)
"""Where nobody asked Keepsake, but the prompt is a question."""
REQUEST: Final = Floor(1.2, 0.15)
"""Where nobody asked, and the prompt is a request: one rare word of it says too little.

Set by contexts for questions and for requests over two conversations of LoCoMo and two of RealMem: all but 1 of 100
questions are told something.
"""


def floor(prompt: str) -> Floor:
    """Return the floor for a prompt that a client passes on by itself."""
    return QUESTION if is_question(prompt) else REQUEST


def find(
    connection: apsw.Connection,
    request: Request,
    vector_query: VectorQuery | None,
    searched: Searched,
    limit: int,
    least: Floor | None,
) -> tuple[Hit, ...]:
    """Return the messages or memories that are most relevant to a prompt.

    Args:
        connection: A read connection.
        request: The search for the prompt; its kinds and limit are ignored.
        vector_query: Vector search; ``None`` skips it.
        searched: Which of the two.
        limit: Maximum number.
        least: Floor below which nothing is found, ``None`` for none; the learned ranking alone has one.

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
    ranking = rank_by_features(retrieved, most=0, with_sessions=searched == "messages")
    if least and not ranking.bears(least.matched, least.share, least_cosine(retrieved.given, _NEARNESS)):
        return ()
    ranked = ranking.shown(0, limit)
    rows = candidate_rows(connection, [item.chunk_id for item in ranked])
    return build_hits(connection, ranked, rows, retrieved.given.terms)
