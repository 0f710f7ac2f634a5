"""Co-occurrence: entities mentioned in the same messages and memories."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def owners_of(connection: apsw.Connection, handle: str, window: TimeWindow, limit: int) -> dict[Owner, int]:
    """Return the latest messages and memories that mention an entity.

    Each comes with the time when it was written, in milliseconds.

    Args:
        connection: A reader.
        handle: The entity.
        window: Which mentions count.
        limit: Mentions of the entity to follow at most.
    """
    rows = connection.execute(
        f"SELECT m.owner_kind, m.owner_id, m.at FROM mentions m WHERE {handle_column(window.stores)} = ?"
        f" AND m.at >= ? AND m.at < ? AND {within(window.stores)} ORDER BY m.at DESC LIMIT ?",
        (handle, window.since_ms, window.until_ms, limit),
    )
    return {(str(kind), str(owner)): int(at) for kind, owner, at in rows}


def entity_counts(connection: apsw.Connection, owners: Mapping[Owner, int], stores: Sequence[str]) -> dict[str, int]:
    """Return how many of ``owners`` mention each entity, by handle.

    Each of them counts as often as ``owners`` says, and is read once, however many names led to it.
    """
    handle = handle_column(stores)
    rows = connection.execute(
        f"SELECT handle, sum(times) FROM (SELECT DISTINCT w.key, {handle} AS handle, w.value ->> 2 AS times"
        " FROM json_each(?) w CROSS JOIN mentions m"
        f" ON m.owner_kind = w.value ->> 0 AND m.owner_id = w.value ->> 1 WHERE {within(stores)}) GROUP BY handle",
        (json.dumps([(*owner, times) for owner, times in owners.items()]),),
    )
    return {str(entity): int(count) for entity, count in rows}


def short_owners(connection: apsw.Connection, owners: Iterable[Owner], most: int, stores: Sequence[str]) -> set[Owner]:
    """Return which of ``owners`` have at most ``most`` mentions that a caller sees.

    The longer ones are not read to their end.
    """
    rows = connection.execute(
        "SELECT w.value ->> 0, w.value ->> 1 FROM json_each(?) w WHERE (SELECT count(*) FROM (SELECT 1 FROM mentions m"
        f" WHERE m.owner_kind = w.value ->> 0 AND m.owner_id = w.value ->> 1 AND {within(stores)} LIMIT ?)) <= ?",
        (json.dumps(list(owners)), most + 1, most),
    )
    return {(str(kind), str(owner)) for kind, owner in rows}


def entities_among(
    connection: apsw.Connection, owners: Iterable[Owner], wanted: Iterable[str], stores: Sequence[str]
) -> dict[Owner, set[str]]:
    """Return which of the ``wanted`` handles each of ``owners`` mentions.

    Owners that mention none are left out.
    """
    handle = handle_column(stores)
    by_kind: dict[str, list[str]] = {}
    for kind, owner in owners:
        by_kind.setdefault(kind, []).append(owner)
    nodes = json.dumps(list(wanted))
    named: dict[Owner, set[str]] = {}
    for kind, members in by_kind.items():
        # Places in the list, not ids, and repeats are left to the sets: that is a quarter faster.
        rows: Iterable[Any] = connection.execute(
            f"SELECT w.key, {handle} FROM json_each(?) w CROSS JOIN mentions m"
            f" ON m.owner_kind = ? AND m.owner_id = w.value WHERE {handle} IN (SELECT value FROM json_each(?))"
            f" AND {within(stores)}",
            (json.dumps(members), kind, nodes),
        )
        for place, entity in rows:
            named.setdefault((kind, members[place]), set()).add(entity)
    return named


def neighbours(connection: apsw.Connection, handle: str, window: TimeWindow, limit: int) -> dict[str, int]:
    """Return how many of the latest owners of an entity mention each other entity."""
    owners = Counter(owners_of(connection, handle, window, limit).keys())
    counts = entity_counts(connection, owners, window.stores)
    counts.pop(handle, None)
    return counts


def top(
    connection: apsw.Connection, counts: dict[str, int], limit: int, stores: Sequence[str]
) -> Sequence[tuple[str, int]]:
    """Return the most frequent entities, ties by name.

    Ids tell which came to be first, and that may follow from what the caller does not see.
    """
    if sees_all(stores):
        cursor = connection.execute(
            "SELECT e.id, e.name_key FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value",
            (json.dumps([*counts]),),
        )
        keys = {str(entity): str(key) for entity, key in cursor}
    else:
        keys = {handle: key_of(handle) for handle in counts}
    return sorted(counts.items(), key=lambda item: (-item[1], keys.get(item[0], ""), item[0]))[:limit]
