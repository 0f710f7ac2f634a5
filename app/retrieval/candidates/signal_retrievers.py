"""Retrievers by recency, importance and mention count."""

import json
from collections.abc import Iterable, Mapping, Sequence

import apsw

from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.model import Candidate
from app.retrieval.model import Leg
from app.retrieval.recipes import Recipe, TriHybridLimits

_FIELDS = "c.id, c.session_id || '#' || c.seq_start, c.created_at"
_IS_MESSAGE = "c.kind = 'message'"

MARKED = 0.5
"""Messages above this importance were marked by a person or agent."""


def add_signal_retrievers(
    connection: apsw.Connection,
    found: Mapping[Leg, Sequence[Candidate]],
    recipe: Recipe,
    where: ChunkFilter,
    wanted: Sequence[Leg],
) -> dict[Leg, list[Candidate]]:
    """Return the candidates ``found`` with those of the recipe's other retrievers.

    Args:
        connection: A read connection.
        found: Candidates by leg, best first.
        recipe: Its legs, and how many messages each gives where it takes a few only.
        where: Filter of the messages.
        wanted: The recipe's retrievers to run.
    """
    if recipe.few is not None:
        return _few(connection, found, recipe.few, where, wanted)
    legs: dict[Leg, list[Candidate]] = {leg: [*items] for leg, items in found.items()}
    if "recent" in wanted:
        legs["recent"] = recency_scores(found.values())
    if "mentions" in wanted:
        legs["mentions"] = mention_scores(connection, found.values())
    return legs


def _few(
    connection: apsw.Connection,
    found: Mapping[Leg, Sequence[Candidate]],
    few: TriHybridLimits,
    where: ChunkFilter,
    wanted: Sequence[Leg],
) -> dict[Leg, list[Candidate]]:
    legs: dict[Leg, list[Candidate]] = {}
    if "vector" in found:
        # The id of a memory has no message number.
        near = [item for item in found["vector"] if "#" in item.target and item.score > few.similarity]
        legs["vector"] = near[: few.relevant]
    if "salient" in wanted:
        legs["salient"] = salient_messages(connection, where, few.importance, few.salient)
    if "recent" in wanted:
        legs["recent"] = latest_messages(connection, where, few.recent)
    return legs


def latest_messages(connection: apsw.Connection, where: ChunkFilter, most: int) -> list[Candidate]:
    """Return the latest messages that satisfy ``where``, scored by time in milliseconds UTC."""
    # The plus makes SQLite use the index by time, which has this order.
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM chunks c WHERE +{_IS_MESSAGE} AND {where.sql}"
        " ORDER BY c.created_at DESC, c.id DESC LIMIT ?",
        (*where.values, most),
    )
    return [Candidate(chunk, target, created, float(created)) for chunk, target, created in rows]


def salient_messages(connection: apsw.Connection, where: ChunkFilter, least: float, most: int) -> list[Candidate]:
    """Return messages of importance ``least`` (0 to 1) or more, the latest among equals first."""
    # Repeats the condition of the partial index, so that SQLite uses it.
    marked = "AND m.importance > 0.5" if least > MARKED else ""
    rows = connection.execute(
        f"SELECT {_FIELDS}, m.importance FROM messages m CROSS JOIN chunks c"
        f" ON c.session_id = m.session_id AND {_IS_MESSAGE} AND c.seq_start = m.seq"
        f" WHERE m.importance >= ? {marked} AND {where.sql}"
        " ORDER BY m.importance DESC, c.created_at DESC, c.id DESC LIMIT ?",
        (least, *where.values, most),
    )
    return [Candidate(*row) for row in rows]


def mention_scores(connection: apsw.Connection, found: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Return each candidate once, scored by its mention count; 1 for a message."""
    items = {item.target: item for leg in found for item in leg}
    counts = dict(
        connection.execute(
            "SELECT id, mention_count FROM memories WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([*items]),),
        )
    )
    return [
        Candidate(item.chunk_id, target, item.created_ms, float(counts.get(target, 1)))
        for target, item in items.items()
    ]


def recency_scores(found: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Return each candidate once, scored by its time in milliseconds UTC."""
    items = {item.target: item for leg in found for item in leg}
    return [Candidate(item.chunk_id, item.target, item.created_ms, float(item.created_ms)) for item in items.values()]
