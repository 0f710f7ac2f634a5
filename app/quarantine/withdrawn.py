"""Schedules and saved searches that were taken away from an agent, kept until brought back.

They are in no history; what was taken away lies in the table meta under the run that took it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import apsw

from app.core.clock import to_ms
from app.retrieval.saved.service import MADE_BY
from app.store import meta

PREFIX: Final = "withdrawn:"

# Where the rows of an item lie: table and column of its id, in the order in which they come back.
_ROWS: Final = {
    "schedule": (
        ("schedules", "schedule_id"),
        ("schedule_goals", "schedule_id"),
        ("schedule_runs", "schedule_id"),
        ("schedule_notes", "schedule_id"),
    ),
    "search": (("saved_searches", "id"),),
}


@dataclass(frozen=True, slots=True)
class WithdrawnItem:
    """A schedule or saved search; ``kind`` is ``schedule`` or ``search``."""

    kind: str
    id: str


def made_by(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> list[WithdrawnItem]:
    """Return the schedules and saved searches that an agent made within a time."""
    schedules = connection.execute(
        "SELECT schedule_id, created_at FROM schedules WHERE user_id = ? ORDER BY schedule_id", (agent,)
    ).fetchall()
    items = [
        WithdrawnItem("schedule", str(one))
        for one, at in schedules
        if since_ms <= to_ms(datetime.fromisoformat(str(at))) <= until_ms
    ]
    searches = connection.execute(
        "SELECT s.id FROM saved_searches s JOIN meta m ON m.key = ? || s.id"
        " WHERE m.value = ? AND s.created_at BETWEEN ? AND ? ORDER BY s.id",
        (MADE_BY, agent, since_ms, until_ms),
    )
    return [*items, *(WithdrawnItem("search", str(row[0])) for row in searches)]


def withdraw(connection: apsw.Connection, run_id: str, items: Sequence[WithdrawnItem]) -> None:
    """Take items away and keep them under a run, with what it kept before."""
    kept = json.loads(meta.read(connection, PREFIX + run_id) or "[]")
    for item in items:
        rows = [
            [table, _rows(connection, f"SELECT * FROM {table} WHERE {column} = ?", item.id)]
            for table, column in _ROWS[item.kind]
        ]
        kept.append({"kind": item.kind, "id": item.id, "rows": rows})
        table, column = _ROWS[item.kind][0]
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (item.id,))
    if kept:
        meta.write(connection, PREFIX + run_id, json.dumps(kept))


def bring_back(connection: apsw.Connection, run_id: str) -> list[WithdrawnItem]:
    """Put back what a run took away, and return it; what exists stays."""
    kept = json.loads(meta.read(connection, PREFIX + run_id) or "[]")
    items = []
    for one in kept:
        item = WithdrawnItem(one["kind"], one["id"])
        for table, rows in one["rows"]:
            for row in rows:
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING", tuple(row.values())
                )
        items.append(item)
    meta.remove(connection, PREFIX + run_id)
    return items


def runs_of(connection: apsw.Connection, prefix: str) -> list[str]:
    """Return the runs that keep something and whose ids begin with ``prefix``."""
    first = PREFIX + prefix
    rows = connection.execute(
        "SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (first, f"{first}\U0010ffff")
    )
    return [str(row[0]).removeprefix(PREFIX) for row in rows]


def _rows(connection: apsw.Connection, sql: str, value: str) -> list[dict[str, Any]]:
    cursor = connection.execute(sql, (value,))
    rows = []
    for row in cursor:
        names = [name for name, *_ in cursor.get_description()]
        rows.append(dict(zip(names, row, strict=True)))
    return rows
