"""Schedules and saved searches that an agent made.

Those that an older version took away lie in the table meta under the run that took them.
"""

import json
from datetime import datetime
from typing import Final

import apsw

from app.core.clock import to_ms
from app.history.model import TargetKind
from app.retrieval.saved.saved_search_settler import MADE_BY
from app.store import meta

PREFIX: Final = "withdrawn:"
_KINDS: Final[dict[str, TargetKind]] = {"schedule": "schedule", "search": "saved_search"}

Item = tuple[TargetKind, str]
"""Kind and id of a schedule or saved search."""


def made_by(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> list[Item]:
    """Return the schedules and saved searches that an agent made within a time."""
    schedules = connection.execute(
        "SELECT schedule_id, created_at FROM schedules WHERE user_id = ? AND deleted_at IS NULL ORDER BY schedule_id",
        (agent,),
    ).fetchall()
    items: list[Item] = [
        ("schedule", str(schedule))
        for schedule, at in schedules
        if since_ms <= to_ms(datetime.fromisoformat(str(at))) <= until_ms
    ]
    searches = connection.execute(
        "SELECT s.id FROM saved_searches s JOIN meta m ON m.key = ? || s.id"
        " WHERE m.value = ? AND s.deleted_at IS NULL AND s.created_at BETWEEN ? AND ? ORDER BY s.id",
        (MADE_BY, agent, since_ms, until_ms),
    )
    return [*items, *(("saved_search", str(row[0])) for row in searches)]


def without_history(connection: apsw.Connection, items: list[Item]) -> list[Item]:
    """Return the items whose making is no entry of the history."""
    sql = "SELECT 1 FROM memory_history WHERE target = ? AND target_kind = ? AND event = 'ADD'"
    return [
        (kind, identity) for kind, identity in items if connection.execute(sql, (identity, kind)).fetchone() is None
    ]


def bring_back(connection: apsw.Connection, run_id: str) -> list[Item]:
    """Put back what a run took away, and return it; what exists stays."""
    entries = json.loads(meta.read(connection, PREFIX + run_id) or "[]")
    items: list[Item] = []
    for entry in entries:
        for table, rows in entry["rows"]:
            for row in rows:
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING", tuple(row.values())
                )
        items.append((_KINDS[entry["kind"]], entry["id"]))
    meta.remove(connection, PREFIX + run_id)
    return items


def runs_of(connection: apsw.Connection, prefix: str) -> list[str]:
    """Return the runs that keep something and whose ids begin with ``prefix``."""
    first = PREFIX + prefix
    rows = connection.execute(
        "SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (first, f"{first}\U0010ffff")
    )
    return [str(row[0]).removeprefix(PREFIX) for row in rows]
