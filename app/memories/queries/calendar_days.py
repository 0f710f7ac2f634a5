"""Days of the calendar: how many notes were made and conversations held on each."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta, tzinfo

import apsw

from app.core.clock import midnight_ms, to_datetime
from app.core.stores import sees_all
from app.memories.model import CalendarDay
from app.memories.note_links import links
from app.memories.queries.statistics import QUARTER_MS
from app.memories.repo import store_condition
from app.memories.tags.tag_repo import ACTIVE

MAX_DAYS = 400


def days(
    connection: apsw.Connection,
    first: date,
    last: date,
    *,
    zone: tzinfo | None = None,
    stores: Sequence[str],
) -> list[CalendarDay]:
    """Return the days from ``first`` to ``last`` that hold anything, in the order of time.

    Days are those of ``zone``, the machine's when ``None``. Conversations are counted for a caller that sees all.
    """
    last = min(last, first + timedelta(days=MAX_DAYS - 1))
    span = (midnight_ms(first, zone), midnight_ms(last + timedelta(days=1), zone))
    notes: defaultdict[date, int] = defaultdict(int)
    cursor = connection.execute(
        f"SELECT m.created_at / {QUARTER_MS}, count(*) FROM memories m WHERE m.kind = 'note' AND {ACTIVE}"
        f" AND m.created_at >= ? AND m.created_at < ? AND {store_condition(stores)} GROUP BY 1",
        span,
    )
    for quarter, count in cursor:
        notes[_day(int(str(quarter)), zone)] += int(str(count))
    sessions: defaultdict[date, set[str]] = defaultdict(set)
    if sees_all(stores):
        quarters = connection.execute(
            f"SELECT DISTINCT t.created_at / {QUARTER_MS}, t.session_id FROM messages t"
            " CROSS JOIN sessions s ON s.id = t.session_id AND s.forgotten_at IS NULL"
            " WHERE t.created_at >= ? AND t.created_at < ?",
            span,
        )
        for quarter, session in quarters:
            sessions[_day(int(str(quarter)), zone)].add(str(session))
    titles = {(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)}
    daily = {
        date.fromisoformat(name): link.memory_id
        for name, link in links.resolve_all(connection, titles, stores=stores).items()
    }
    days = sorted({*notes, *sessions, *daily})
    return [CalendarDay(day, notes[day], len(sessions[day]), daily.get(day, "")) for day in days]


def _day(quarter: int, zone: tzinfo | None) -> date:
    return to_datetime(quarter * QUARTER_MS).astimezone(zone).date()
