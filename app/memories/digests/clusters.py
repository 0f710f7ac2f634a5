"""Clusters of old observations of one store, type and title, to be compressed."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import apsw

from app.core.stores import StoreName
from app.memories.repo import not_restored_since

LARGEST: Final = 20  # observations in one digest, unless the setting of the least is above; more make several digests
_OLD = (
    "m.kind = 'observation' AND m.valid_until IS NULL AND m.updated_at < :before AND m.pinned = 0"
    " AND m.expires_at IS NULL AND m.title_key <> ''"
)
_LIKE = "m.store = :store AND lower(m.type) = :type AND m.title_key = :title"
# What was brought back since stays for the same time again.
_NOT_RESTORED = not_restored_since(":before")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Observations that one digest replaces.

    Args:
        store: Their store.
        type: Their type, in small letters.
        title: The title of the latest.
        ids: Their ids, the oldest first.
    """

    store: StoreName
    type: str
    title: str
    ids: tuple[str, ...]


def find(connection: apsw.Connection, before_ms: int, least: int, most_rows: int) -> list[Cluster]:
    """Return clusters of observations last changed before a time, the largest first.

    Args:
        connection: A connection.
        before_ms: Milliseconds UTC.
        least: Observations that make a cluster.
        most_rows: Observations in all clusters together, at most.
    """
    named = connection.execute(
        f"SELECT m.store, lower(m.type), m.title_key FROM memories m WHERE {_OLD} GROUP BY 1, 2, 3"
        " HAVING count(*) >= :least ORDER BY count(*) DESC, 3, 1, 2",
        {"before": before_ms, "least": least},
    )
    clusters: list[Cluster] = []
    room = most_rows
    for store, kind, title_key in named.fetchall():
        if room < least:
            break
        rows = connection.execute(
            f"SELECT m.id, m.title FROM memories m WHERE {_LIKE} AND {_OLD} AND {_NOT_RESTORED}"
            " ORDER BY coalesce(m.event_time, m.created_at), m.rowid LIMIT :room",
            {"before": before_ms, "store": store, "type": kind, "title": title_key, "room": room},
        ).fetchall()
        if len(rows) < least:
            continue
        room -= len(rows)
        ids, title = [str(row[0]) for row in rows], str(rows[-1][1])
        clusters += [Cluster(store, str(kind), title, part) for part in _parts(ids, least)]  # type: ignore[arg-type]
    return clusters


def is_standing(connection: apsw.Connection, cluster: Cluster, before_ms: int) -> bool:
    """Return whether all observations of a cluster are still old and active."""
    count = connection.execute(
        f"SELECT count(*) FROM memories m WHERE {_OLD} AND m.id IN (SELECT value FROM json_each(:ids))",
        {"before": before_ms, "ids": json.dumps(cluster.ids)},
    ).get
    return int(count) == len(cluster.ids)


def _parts(ids: list[str], least: int) -> list[tuple[str, ...]]:
    """Return ids in parts of about the same size."""
    count = max(1, min(-(-len(ids) // LARGEST), len(ids) // least))
    bounds = [round(number * len(ids) / count) for number in range(count + 1)]
    return [tuple(ids[start:end]) for start, end in pairwise(bounds)]
