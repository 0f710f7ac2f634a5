"""Anniversaries: what was written on this day of earlier months and years."""

from collections.abc import Sequence
from datetime import date, timedelta, tzinfo
from typing import Final, Literal

import apsw

from app.core.clock import midnight_ms, to_datetime
from app.core.stores import sees_all
from app.core.text import excerpt
from app.memories.model import Anniversary
from app.memories.repo import store_condition
from app.memories.tags.tag_repo import ACTIVE

YEARS: Final = 20
MONTHS: Final = (6, 3, 1)
"""Earlier months that count, where there is room beside the years."""
_TITLE: Final = 80
_EACH: Final = 3


def anniversaries(
    connection: apsw.Connection,
    day: date,
    *,
    limit: int,
    zone: tzinfo | None = None,
    stores: Sequence[str],
) -> list[Anniversary]:
    """Return notes and conversations of this day in earlier years, then months.

    Days are those of ``zone``, the machine's when ``None``. Conversations are for a caller that sees all.
    """
    anniversaries: list[Anniversary] = []
    for months in (*range(12, YEARS * 12 + 1, 12), *MONTHS):
        past = _months_before(day, months)
        if past is None:
            continue
        span = (midnight_ms(past, zone), midnight_ms(past + timedelta(days=1), zone))
        anniversaries += _notes(connection, span, months, stores)
        if sees_all(stores):
            anniversaries += _sessions(connection, span, months)
        if len(anniversaries) >= limit:
            break
    return anniversaries[:limit]


def _months_before(day: date, months: int) -> date | None:
    """Return the same day some months before, ``None`` where that month has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    try:
        return date(year, month + 1, day.day)
    except ValueError:
        return None


def _notes(connection: apsw.Connection, span: tuple[int, int], months: int, stores: Sequence[str]) -> list[Anniversary]:
    rows = connection.execute(
        "SELECT m.id, m.title, substr(m.content, 1, 400), m.created_at FROM memories m"
        # The index is on the time of what is told; notes are found by it where that is when they were written.
        f" WHERE m.kind = 'note' AND {ACTIVE} AND coalesce(m.event_time, m.created_at) >= ?"
        f" AND coalesce(m.event_time, m.created_at) < ? AND {store_condition(stores)}"
        " ORDER BY m.pinned DESC, length(m.content) DESC, m.id LIMIT ?",
        (*span, _EACH),
    )
    return [_made(str(row[0]), "note", str(row[1] or row[2]), int(str(row[3])), months) for row in rows]


def _sessions(connection: apsw.Connection, span: tuple[int, int], months: int) -> list[Anniversary]:
    rows = connection.execute(
        "SELECT s.id, s.title, (SELECT substr(content, 1, 400) FROM messages f WHERE f.session_id = s.id"
        " ORDER BY f.seq LIMIT 1), min(t.created_at) FROM messages t"
        " CROSS JOIN sessions s ON s.id = t.session_id AND s.forgotten_at IS NULL"
        " WHERE t.created_at >= ? AND t.created_at < ? GROUP BY s.id ORDER BY count(*) DESC, s.id LIMIT ?",
        (*span, _EACH),
    )
    return [_made(str(row[0]), "session", str(row[1] or row[2] or ""), int(str(row[3])), months) for row in rows]


def _made(identity: str, kind: Literal["note", "session"], words: str, at: int, months: int) -> Anniversary:
    return Anniversary(identity, kind, excerpt(words.lstrip("# "), _TITLE), to_datetime(at), months)
