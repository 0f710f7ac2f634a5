"""What a fact held true over time: its confidence from now on, and the facts it followed."""

import math
from collections.abc import Sequence

import apsw

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.errors import NotFoundError
from app.memories import confidence_repo, repo
from app.memories.decay import DAY_MS
from app.memories.model import Belief, FactConfidence, FadingHold, Memory

MAX_BELIEFS = 50
_FARTHEST_MS = 200 * 365 * DAY_MS


def confidence(
    connection: apsw.Connection, memory_id: str, now_ms: int, threshold: float, *, stores: Sequence[str] = STORES
) -> FactConfidence:
    """Return the confidence of a fact and when it fades without use.

    Raises:
        NotFoundError: There is no fact of that id.
    """
    fact = _fact(connection, memory_id, stores)
    decaying = confidence_repo.decaying_fact(connection, memory_id, now_ms)
    if decaying is None:
        return FactConfidence(fact.confidence, fact.confidence, 0.0, fact.updated_at, threshold, kept=_hold(fact))
    fades_ms = now_ms
    if decaying.left(now_ms) >= threshold > 0:
        fades_ms = decaying.since_ms + math.ceil(math.log(decaying.confidence / threshold) / decaying.rate * DAY_MS)
    is_fading = threshold > 0 and fades_ms - now_ms < _FARTHEST_MS
    return FactConfidence(
        decaying.confidence,
        decaying.left(now_ms),
        decaying.rate,
        to_datetime(decaying.since_ms),
        threshold,
        fades_at=to_datetime(fades_ms) if is_fading else None,
    )


def timeline(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str] = STORES) -> list[Belief]:
    """Return the facts of which one took the place of another, the first held first.

    Raises:
        NotFoundError: There is no fact of that id.
    """
    _fact(connection, memory_id, stores)
    found: dict[str, Memory] = {}
    waiting = [memory_id]
    while waiting and len(found) < MAX_BELIEFS:
        one = waiting.pop(0)
        memory = None if one in found else repo.get(connection, one, stores=stores)
        if memory is None or memory.kind != "fact":
            continue
        found[one] = memory
        named = memory.attributes.get("supersedes")
        waiting += [str(name) for name in named] if isinstance(named, list) else []
        waiting += [memory.superseded_by] if memory.superseded_by else []
        waiting += _followed(connection, one)
    ordered = sorted(found.values(), key=lambda memory: (memory.deleted_at is None, memory.created_at, memory.id))
    return [_belief(memory, found) for memory in ordered]


def _belief(memory: Memory, found: dict[str, Memory]) -> Belief:
    successors = [
        one.created_at
        for one in found.values()
        if memory.id in (one.attributes.get("supersedes") or ()) and one.created_at >= memory.created_at
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


def _fact(connection: apsw.Connection, memory_id: str, stores: Sequence[str]) -> Memory:
    found = repo.get(connection, memory_id, stores=stores)
    if found is None or found.kind != "fact":
        raise NotFoundError(f"There is no fact with the id {memory_id}.", id=memory_id)
    return found


def _hold(fact: Memory) -> FadingHold:
    if fact.deleted_at is not None:
        return "deleted"
    return "pinned" if fact.pinned else "confirmed"
