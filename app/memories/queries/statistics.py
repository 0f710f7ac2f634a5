"""Counts of memories by kind, store and source, and growth by day or week."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Literal

import apsw

from app.core.clock import midnight_ms, optional_datetime, to_datetime
from app.core.facets import Facet
from app.core.stores import sees_all
from app.memories.queries.memory_lists import counts_by
from app.memories.repo import store_condition
from app.memories.tags.tag_repo import ACTIVE

Step = Literal["day", "week"]

MAX_STEPS = 3_660
_MOST_SOURCES = 100
QUARTER_MS = 15 * 60_000  # every day of every zone begins with a quarter of an hour


@dataclass(frozen=True, slots=True)
class StatisticsPeriod:
    """Period of the last ``steps`` days or weeks up to ``now_ms``.

    Days are those of ``zone``, the machine's when ``None``.
    """

    now_ms: int
    steps: int = 30
    step: Step = "day"
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class PeriodGrowth:
    """Number of memories made and messages said in the day or week from ``day`` on."""

    day: date
    memories: int
    messages: int = 0


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Counts of memories, messages and chunks that a caller may know.

    Args:
        memories: Active ones, in the caller's stores; so are all counts.
        sources: Who stored them.
        latest: When the latest of them was made.
        accessed: How often they were found or fetched, all together.
        last_accessed: When that last happened.
        sessions: Conversations, 0 for a caller that may not see them, as are ``messages``.
        growth: Oldest first, days without anything included.
        chunks: Search entries, of which ``embedded`` have a vector and ``pending`` wait for one.
        disk_bytes: What the database and its log take; 0, like ``chunks``, for a caller that may not see all.
    """

    memories: int
    kinds: tuple[Facet, ...] = ()
    stores: tuple[Facet, ...] = ()
    sources: tuple[Facet, ...] = ()
    latest: datetime | None = None
    accessed: int = 0
    last_accessed: datetime | None = None
    sessions: int = 0
    messages: int = 0
    latest_message: datetime | None = None
    growth: tuple[PeriodGrowth, ...] = ()
    chunks: int = 0
    embedded: int = 0
    pending: int = 0
    disk_bytes: int = 0


def stats(connection: apsw.Connection, wanted: StatisticsPeriod, stores: Sequence[str]) -> MemoryStats:
    """Return the counts of what is in ``stores``; of messages where these are all."""
    where = f"{ACTIVE} AND {store_condition(stores)}"
    kinds = _facets(connection, "kind", where)
    # Each from an index: the table itself is as long as all that is stored.
    read: Any = connection.execute(
        "SELECT coalesce(sum(m.access_count), 0), max(m.last_accessed) FROM memories m"
        f" WHERE m.last_accessed IS NOT NULL AND {where}"
    ).fetchone()
    sees_messages = sees_all(stores)
    message_counts = _message_counts(connection) if sees_messages else (0, 0, None)
    return MemoryStats(
        memories=sum(kind.count for kind in kinds),
        kinds=kinds,
        stores=_facets(connection, "store", where),
        sources=_facets(connection, "source", where),
        latest=_latest(connection, where),
        accessed=read[0],
        last_accessed=optional_datetime(read[1]),
        sessions=message_counts[0],
        messages=message_counts[1],
        latest_message=optional_datetime(message_counts[2]),
        growth=_growth(connection, wanted, where, sees_messages=sees_messages),
    )


def _latest(connection: apsw.Connection, where: str) -> datetime | None:
    both = " UNION ALL ".join(
        f"SELECT * FROM (SELECT m.created_at FROM memories m WHERE {where} AND m.pinned = {pinned}"
        " ORDER BY m.created_at DESC LIMIT 1)"
        for pinned in (0, 1)
    )
    return optional_datetime(connection.execute(f"SELECT max(created_at) FROM ({both})").get)


def _facets(connection: apsw.Connection, column: str, where: str) -> tuple[Facet, ...]:
    return tuple(counts_by(connection, column, where, _MOST_SOURCES))


def _message_counts(connection: apsw.Connection) -> tuple[int, int, int | None]:
    row: Any = connection.execute(
        "SELECT count(*), coalesce(sum(message_count), 0), max(CASE WHEN message_count > 0 THEN updated_at END)"
        " FROM sessions WHERE forgotten_at IS NULL"
    ).fetchone()
    return row[0], row[1], row[2]


def _growth(
    connection: apsw.Connection, wanted: StatisticsPeriod, where: str, *, sees_messages: bool
) -> tuple[PeriodGrowth, ...]:
    days = _days(wanted)
    edges = [midnight_ms(day, wanted.zone) for day in days]
    counts = _counts(connection, f"SELECT m.created_at FROM memories m WHERE {where} AND m.created_at >= ?", edges)
    messages = [0] * (len(days) - 1)
    if sees_messages:
        messages = _counts(
            connection,
            "SELECT t.created_at FROM messages t CROSS JOIN sessions s ON s.id = t.session_id"
            " AND s.forgotten_at IS NULL WHERE t.created_at >= ?",
            edges,
        )
    return tuple(PeriodGrowth(day, counts[place], messages[place]) for place, day in enumerate(days[:-1]))


def _counts(connection: apsw.Connection, instants: str, edges: Sequence[int]) -> list[int]:
    """Return the number of instants between each edge and the next.

    Edges are not evenly spaced, for daylight saving makes days unequal.
    """
    counts = [0] * (len(edges) - 1)
    for quarter, count in connection.execute(
        f"WITH instant (at) AS ({instants}) SELECT at / {QUARTER_MS}, count(*) FROM instant GROUP BY 1", (edges[0],)
    ):
        place = bisect_right(edges, int(str(quarter)) * QUARTER_MS) - 1
        if 0 <= place < len(counts):
            counts[place] += int(str(count))
    return counts


def _days(wanted: StatisticsPeriod) -> list[date]:
    """Return the first day of each step, and the one after the last."""
    today = to_datetime(wanted.now_ms).astimezone(wanted.zone).date()
    steps = min(max(wanted.steps, 1), MAX_STEPS)
    width = timedelta(days=7 if wanted.step == "week" else 1)
    last = today - timedelta(days=today.weekday()) if wanted.step == "week" else today
    return [last - width * (steps - 1 - place) for place in range(steps)] + [last + width]
