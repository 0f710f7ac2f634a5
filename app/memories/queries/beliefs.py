"""Beliefs: confidence of a fact from now on, and the facts it followed."""

import math
from collections.abc import Sequence

import apsw

from app.core.clock import DAY_MS, to_datetime
from app.memories import repo
from app.memories.decay import confidence_repo
from app.memories.decay.decay_rules import DecayingFact
from app.memories.model import Belief, ConfidencePoint, FactConfidence, FadingHold, Memory
from app.memories.store_access import require

MAX_BELIEFS = 50
_FARTHEST_DAYS = 200 * 365
_SHOWN_MS = 365 * DAY_MS
_LEAST_SHOWN_MS = 30 * DAY_MS
_POINTS = 60


def confidence(
    connection: apsw.Connection, memory_id: str, now_ms: int, threshold: float, *, stores: Sequence[str]
) -> FactConfidence:
    """Return the confidence of a fact and when it fades without use.

    Raises:
        NotFoundError: There is no fact of that id.
    """
    fact = require(connection, memory_id, stores, "fact")
    decaying = confidence_repo.decaying_fact(connection, memory_id, now_ms)
    if decaying is None:
        flat = tuple(ConfidencePoint(to_datetime(at), fact.confidence) for at in (now_ms, now_ms + _SHOWN_MS))
        return FactConfidence(
            fact.confidence, fact.confidence, 0.0, fact.updated_at, threshold, kept=_hold(fact), curve=flat
        )
    fades_ms: int | None = now_ms
    if decaying.left(now_ms) >= threshold:
        fades_ms = _fading_moment(decaying, threshold)
    return FactConfidence(
        decaying.confidence,
        decaying.left(now_ms),
        decaying.rate,
        to_datetime(decaying.since_ms),
        threshold,
        fades_at=None if fades_ms is None else to_datetime(fades_ms),
        curve=_curve(decaying, now_ms, fades_ms),
    )


def _fading_moment(fact: DecayingFact, threshold: float) -> int | None:
    """Return when a fact falls below the threshold, ``None`` where that is beyond any calendar."""
    if threshold <= 0:
        return None
    days = math.log(fact.confidence / threshold) / fact.rate
    return fact.since_ms + math.ceil(days * DAY_MS) if days < _FARTHEST_DAYS else None


def _curve(fact: DecayingFact, now_ms: int, fades_ms: int | None) -> tuple[ConfidencePoint, ...]:
    """Return points from the last use to somewhat beyond the day a fact fades."""
    end = (
        now_ms + _SHOWN_MS if fades_ms is None else max(fades_ms, now_ms) + (max(fades_ms, now_ms) - fact.since_ms) // 6
    )
    end = max(end, fact.since_ms + _LEAST_SHOWN_MS)
    moments = (fact.since_ms + (end - fact.since_ms) * step // _POINTS for step in range(_POINTS + 1))
    return tuple(ConfidencePoint(to_datetime(at), fact.left(at)) for at in moments)


def timeline(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str]) -> list[Belief]:
    """Return the facts of which one took the place of another, the first held first.

    Raises:
        NotFoundError: There is no fact of that id.
    """
    require(connection, memory_id, stores, "fact")
    beliefs: dict[str, Memory] = {}
    waiting = [memory_id]
    while waiting and len(beliefs) < MAX_BELIEFS:
        version = waiting.pop(0)
        memory = None if version in beliefs else repo.get(connection, version, stores=stores)
        if memory is None or memory.kind != "fact":
            continue
        beliefs[version] = memory
        named = memory.attributes.get("supersedes")
        waiting += [str(name) for name in named] if isinstance(named, list) else []
        waiting += [memory.superseded_by] if memory.superseded_by else []
        waiting += _followed(connection, version)
    ordered = sorted(beliefs.values(), key=lambda memory: (memory.deleted_at is None, memory.created_at, memory.id))
    return [_belief(memory, beliefs) for memory in ordered]


def _belief(memory: Memory, versions: dict[str, Memory]) -> Belief:
    successors = [
        version.created_at
        for version in versions.values()
        if memory.id in (version.attributes.get("supersedes") or ()) and version.created_at >= memory.created_at
    ]
    until = memory.deleted_at or min(successors, default=None)
    return Belief(
        memory.id,
        memory.content,
        memory.event_time or memory.created_at,
        until,
        memory.confidence,
        memory.source,
        until is None,
    )


def _followed(connection: apsw.Connection, memory_id: str) -> list[str]:
    """Return the facts that one took the place of."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE valid_until IS NOT NULL AND superseded_by = ? LIMIT ?", (memory_id, MAX_BELIEFS)
    )
    return [str(row[0]) for row in rows]


def _hold(fact: Memory) -> FadingHold:
    if fact.deleted_at is not None:
        return "deleted"
    return "pinned" if fact.pinned else "confirmed"
