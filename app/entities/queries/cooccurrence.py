"""Co-occurrence: entities mentioned in the same messages and memories."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from app.core.stores import sees_all
from app.entities.queries.visibility import handle_column, key_of, within

Owner = tuple[str, str]

_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Mentions from ``since_ms`` up to, not including, ``until_ms``, in ``stores``."""

    stores: tuple[str, ...]
    since_ms: int = -_EVER
    until_ms: int = _EVER


def owners_of(
    connection: apsw.Connection,
    handle: str,
    window: TimeWindow,
    limit: int,
    times: dict[Owner, int] | None = None,
) -> dict[Owner, set[str]]:
    """Return the latest messages and memories that mention an entity, with all their entities by handle.

    Args:
        connection: A reader.
        handle: The entity.
        window: Which mentions count.
        limit: Mentions of the entity to follow at most.
        times: Takes when each of the owners was written, in milliseconds.
    """
    rows = connection.execute(
        f"SELECT o.owner_kind, o.owner_id, {handle_column(window.stores, 'other')}, o.at FROM"
        f" (SELECT m.owner_kind, m.owner_id, m.at FROM mentions m WHERE {handle_column(window.stores)} = ?"
        " AND m.at >= ? AND m.at < ?"
        f" AND {within(window.stores)} ORDER BY m.at DESC LIMIT ?) o"
        " CROSS JOIN mentions other ON other.owner_kind = o.owner_kind AND other.owner_id = o.owner_id",
        (handle, window.since_ms, window.until_ms, limit),
    )
    found: dict[Owner, set[str]] = {}
    for kind, owner, other, at in rows:
        found.setdefault((kind, owner), set()).add(other)
        if times is not None:
            times[kind, owner] = at
    return found


def neighbours(owners: dict[Owner, set[str]], handle: str) -> dict[str, int]:
    """Return how many of ``owners`` mention each other entity together with the one of ``handle``."""
    counts: dict[str, int] = {}
    for others in owners.values():
        if handle in others:
            for other in others:
                if other != handle:
                    counts[other] = counts.get(other, 0) + 1
    return counts


def top(
    connection: apsw.Connection, counts: dict[str, int], limit: int, stores: Sequence[str]
) -> Sequence[tuple[str, int]]:
    """Return the most frequent entities, ties by name.

    Ids tell which came to be first, and that may follow from what the caller does not see.
    """
    if sees_all(stores):
        found = connection.execute(
            "SELECT e.id, e.name_key FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value",
            (json.dumps([*counts]),),
        )
        keys = {str(entity): str(key) for entity, key in found}
    else:
        keys = {handle: key_of(handle) for handle in counts}
    return sorted(counts.items(), key=lambda item: (-item[1], keys.get(item[0], ""), item[0]))[:limit]
