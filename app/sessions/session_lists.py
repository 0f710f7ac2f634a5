"""SQL of lists of sessions: ids in order, rows by id, agents with counts."""

import json
from collections.abc import Sequence

import apsw

from app.core.clock import to_ms
from app.core.facets import Facet
from app.sessions.model import Session, SessionFilter, SessionOrder
from app.sessions.repo import SESSION_COLUMNS, like, session_of

_ORDERS: dict[SessionOrder, str] = {
    "recent": "updated_at DESC, rowid DESC",
    "oldest": "updated_at, rowid",
    "title": "title COLLATE NOCASE, rowid",
    "messages": "message_count DESC, rowid DESC",
    "agent": "agent = '', agent COLLATE NOCASE, agent, updated_at DESC, rowid DESC",
}
_DAY = "date(updated_at / 1000, 'unixepoch', 'localtime')"
_GROUPS: dict[SessionOrder, tuple[str, str]] = {
    "recent": (_DAY, "1 DESC"),
    "oldest": (_DAY, "1"),
    "agent": ("agent", "agent = '', agent COLLATE NOCASE, agent"),
}
"""Grouping of the sessions for each order, and the order of the groups."""


def _where(wanted: SessionFilter) -> tuple[str, list[object]]:
    parts, values = ["forgotten_at IS NULL"], list[object]()
    if wanted.text:
        parts.append("(title LIKE ? ESCAPE '\\' OR agent LIKE ? ESCAPE '\\' OR preview LIKE ? ESCAPE '\\')")
        values += [f"%{like(wanted.text)}%"] * 3
    if wanted.agent:
        parts.append("agent = ?")
        values.append(wanted.agent)
    if wanted.pending is not None:
        parts.append("consolidated_at IS NULL" if wanted.pending else "consolidated_at IS NOT NULL")
    for column, when in (("updated_at >= ?", wanted.since), ("updated_at < ?", wanted.until)):
        if when is not None:
            parts.append(column)
            values.append(to_ms(when))
    return " AND ".join(parts), values


def session_ids(
    connection: apsw.Connection, wanted: SessionFilter, order: SessionOrder, limit: int = -1, offset: int = 0
) -> list[str]:
    """Return the ids of the sessions meant, in order."""
    where, values = _where(wanted)
    rows = connection.execute(
        f"SELECT id FROM sessions WHERE {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [row[0] for row in rows]


def session_groups(connection: apsw.Connection, wanted: SessionFilter, order: SessionOrder) -> list[Facet]:
    """Return the groups of sessions in an order, with their sizes.

    They are days of this machine's zone (``2026-03-01``) or agents; orders that have no groups return none.
    """
    if order not in _GROUPS:
        return []
    where, values = _where(wanted)
    name, order_by = _GROUPS[order]
    rows = connection.execute(
        f"SELECT {name}, count(*) FROM sessions WHERE {where} GROUP BY 1 ORDER BY {order_by}", values
    )
    return [Facet(str(row[0]), int(str(row[1]))) for row in rows]


def session_rows(connection: apsw.Connection, ids: Sequence[str]) -> list[Session]:
    """Return the sessions of ``ids`` in that order, leaving out those that are gone."""
    rows = connection.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE forgotten_at IS NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    sessions = {row[0]: session_of(row) for row in rows}
    return [sessions[key] for key in ids if key in sessions]


def agents(connection: apsw.Connection) -> list[Facet]:
    """Return the agents that have sessions, most sessions first."""
    rows = connection.execute(
        "SELECT agent, count(*) FROM sessions WHERE forgotten_at IS NULL AND agent <> ''"
        " GROUP BY agent ORDER BY count(*) DESC, agent"
    )
    return [Facet(row[0], row[1]) for row in rows]
