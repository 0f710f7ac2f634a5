"""Tables read for the weekly reflection."""

import json
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.core import message_ids
from app.core.clock import optional_datetime, to_datetime
from app.core.stores import STORES
from app.extraction.model import SpokenLine
from app.memories.model import Source
from app.upkeep.reflection.model import ChangedFact, MentionedName, WeekItem, WeekSession

_TEXT: Final = 4_000  # characters read of a text
_NAMED_TYPES: Final = "('person', 'organization', 'location', 'project')"
_SAID: Final = "coalesce(unixepoch(json_extract(m.attributes, '$.said_at')) * 1000, m.created_at)"
_COLUMNS: Final = (
    f"m.id, m.kind, m.title, substr(m.content, 1, {_TEXT}), m.facts, m.store,"
    " CASE WHEN m.kind = 'note' THEN m.updated_at ELSE {said} END, m.event_time,"
    " json_extract(m.attributes, '$.statement'),"
    " (SELECT s.source_id FROM memory_sources s WHERE s.memory_id = m.id AND s.source_kind = 'message'"
    " ORDER BY s.source_id LIMIT 1)"
).format(said=_SAID)

_SaidIn = tuple[str, SpokenLine]  # a conversation's id, and what was said in it


@dataclass(frozen=True, slots=True)
class WeekSpan:
    """A span of time, ``[since, until)`` in milliseconds UTC."""

    since: int
    until: int


def latest_reflection(connection: apsw.Connection, now_ms: int) -> tuple[str, int] | None:
    """Return id and time of the newest active reflection, ``None`` while there is none."""
    row: Any = connection.execute(
        "SELECT id, created_at FROM memories WHERE kind = 'reflection' AND valid_until IS NULL AND created_at <= ?"
        " ORDER BY created_at DESC, rowid DESC LIMIT 1",
        (now_ms,),
    ).fetchone()
    return None if row is None else (str(row[0]), int(row[1]))


def count_facts(connection: apsw.Connection, span: WeekSpan) -> int:
    """Return how many active facts were said in a span."""
    row: Any = connection.execute(
        "SELECT count(*) FROM memories m WHERE m.kind = 'fact' AND m.valid_until IS NULL"
        f" AND m.created_at >= ?1 AND {_SAID} >= ?1 AND {_SAID} < ?2",
        (span.since, span.until),
    ).fetchone()
    return int(row[0])


def memories(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[tuple[WeekItem, str]]:
    """Return facts, observations and notes of a span, the latest first.

    Each comes with the message it was drawn from.
    """
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories m WHERE m.valid_until IS NULL AND m.updated_at >= ?1"
        " AND (m.kind = 'note' AND m.updated_at < ?2 OR m.kind IN ('fact', 'observation')"
        f" AND m.created_at >= ?1 AND {_SAID} >= ?1 AND {_SAID} < ?2)"
        " ORDER BY m.kind <> 'fact', 7 DESC, m.rowid DESC LIMIT ?3",
        (span.since, span.until, limit),
    )
    return [(_statement(row), str(row[9] or "")) for row in rows]


def ahead(connection: apsw.Connection, span: WeekSpan, until: int, limit: int) -> list[WeekItem]:
    """Return earlier facts whose date lies between the end of a span and ``until``."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories m WHERE m.kind = 'fact' AND m.valid_until IS NULL"
        f" AND m.event_time >= ?2 AND m.event_time < ?3 AND {_SAID} < ?1 ORDER BY m.event_time, m.rowid LIMIT ?4",
        (span.since, span.until, until, limit),
    )
    return [_statement(row) for row in rows]


def changes(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[ChangedFact]:
    """Return facts that others took the place of in a span, the latest first."""
    new = _COLUMNS.replace("m.", "n.")
    rows: Any = connection.execute(
        f"SELECT {_COLUMNS}, {new} FROM memories m JOIN memories n ON n.id = m.superseded_by"
        " WHERE m.kind = 'fact' AND m.valid_until >= ? AND m.valid_until < ? AND n.valid_until IS NULL"
        " AND n.content <> m.content ORDER BY m.valid_until DESC, m.rowid DESC LIMIT ?",
        (span.since, span.until, limit),
    )
    half = 10
    return [ChangedFact(_statement(row[:half]), _statement(row[half:])) for row in rows]


def faded(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[WeekItem]:
    """Return facts that decay set aside in a span and that are still set aside."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories m WHERE m.kind = 'fact' AND m.valid_until >= ?1 AND m.valid_until < ?2"
        " AND m.superseded_by IS NULL AND EXISTS (SELECT 1 FROM memory_history h WHERE h.target = m.id"
        " AND h.target_kind = 'memory' AND h.event = 'DELETE' AND h.actor = 'decay' AND h.undone_by IS NULL"
        " AND h.at >= ?1) ORDER BY m.valid_until DESC, m.rowid DESC LIMIT ?3",
        (span.since, span.until, limit),
    )
    return [_statement(row) for row in rows]


def message_count(connection: apsw.Connection, span: WeekSpan) -> int:
    """Return how many messages people and assistants wrote in a span."""
    row: Any = connection.execute(
        "SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL"
        " WHERE m.created_at >= ? AND m.created_at < ? AND m.role IN ('user', 'assistant')",
        (span.since, span.until),
    ).fetchone()
    return int(row[0])


def messages(connection: apsw.Connection, span: WeekSpan, limit: int, length: int = _TEXT) -> list[_SaidIn]:
    """Return the latest messages of a span, in order, each with its conversation's id."""
    rows: Any = connection.execute(
        "SELECT m.session_id, m.seq, m.role, m.author, substr(m.content, 1, ?4), m.created_at FROM messages m"
        " JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL"
        " WHERE m.created_at >= ?1 AND m.created_at < ?2 AND m.role IN ('user', 'assistant')"
        " ORDER BY m.created_at DESC, m.rowid DESC LIMIT ?3",
        (span.since, span.until, limit, length),
    )
    return [(str(row[0]), SpokenLine(row[1], row[2], row[3], row[4], to_datetime(row[5]))) for row in rows][::-1]


def conversations(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[WeekSession]:
    """Return the conversations of a span, the busiest first."""
    rows: Any = connection.execute(
        "SELECT s.id, s.title, count(*), max(m.seq), max(m.created_at) FROM messages m"
        " JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL"
        " WHERE m.created_at >= ? AND m.created_at < ? AND m.role IN ('user', 'assistant')"
        " GROUP BY s.id ORDER BY 3 DESC, 5 DESC, s.id LIMIT ?",
        (span.since, span.until, limit),
    )
    return [
        WeekSession(row[0], row[1], row[2], Source("message", f"{row[0]}#{row[3]}"), to_datetime(row[4]))
        for row in rows
    ]


def names(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[tuple[str, MentionedName]]:
    """Return the names mentioned in a span or the one before, with their ids.

    The most frequent come first.     Reflections do not count, for they repeat what others say.
    """
    length = span.until - span.since
    rows: Any = connection.execute(
        "WITH said AS (SELECT n.entity_id AS entity, n.owner_kind || n.owner_id AS owner,"
        " CASE WHEN n.owner_kind = 'message' THEN n.at ELSE min(n.at, m.created_at) END AS at"
        " FROM mentions n JOIN entities e ON e.id = n.entity_id AND e.merged_into IS NULL"
        f" AND e.type IN {_NAMED_TYPES} LEFT JOIN memories m ON n.owner_kind = 'memory' AND m.id = n.owner_id"
        " WHERE n.provider <> 'author' AND (m.kind IS NULL OR m.kind NOT IN ('reflection', 'digest')))"
        " SELECT e.id, e.canonical_name, e.type,"
        " count(DISTINCT CASE WHEN w.at >= ?1 AND w.at < ?2 THEN w.owner END) AS here,"
        " count(DISTINCT CASE WHEN w.at >= ?1 - ?3 AND w.at < ?1 THEN w.owner END) AS before,"
        " min(w.at) >= ?1, json_group_array(DISTINCT CASE WHEN w.at < ?2 AND w.at >= ?2 - 12 * ?3"
        " THEN (?2 - 1 - w.at) / ?3 END)"
        " FROM said w JOIN entities e ON e.id = w.entity GROUP BY e.id HAVING here + before > 0"
        " ORDER BY here DESC, before DESC, e.canonical_name LIMIT ?4",
        (span.since, span.until, length, limit),
    )
    return [
        (str(row[0]), MentionedName(row[1], row[2], row[3], row[4], _in_a_row(row[6]), bool(row[5]))) for row in rows
    ]


def speakers(connection: apsw.Connection, span: WeekSpan) -> set[str]:
    """Return the names under which people speak in a span."""
    rows = connection.execute(
        "SELECT DISTINCT m.author FROM messages m WHERE m.created_at >= ? AND m.created_at < ? AND m.author <> ''",
        (span.since, span.until),
    )
    return {str(row[0]) for row in rows}


def mentions(connection: apsw.Connection, entity_id: str, span: WeekSpan, limit: int) -> list[WeekItem]:
    """Return messages and memories of a span that mention an entity, the first first."""
    rows: Any = connection.execute(
        "SELECT n.owner_kind, n.owner_id FROM mentions n WHERE n.entity_id = ? AND n.at >= ? AND n.at < ?"
        " AND n.provider <> 'author' GROUP BY 1, 2 ORDER BY min(n.at), n.owner_kind DESC, n.owner_id LIMIT ?",
        (entity_id, span.since, span.until, limit),
    ).fetchall()
    found = [_message(connection, owner) if kind == "message" else _memory(connection, owner) for kind, owner in rows]
    return [one for one in found if one is not None]


def _message(connection: apsw.Connection, reference: str) -> WeekItem | None:
    ref = message_ids.parse(reference)
    if ref is None:
        return None
    row: Any = connection.execute(
        f"SELECT m.author, substr(m.content, 1, {_TEXT}), m.created_at, m.role FROM messages m"
        " JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL WHERE m.session_id = ? AND m.seq = ?",
        (ref.session, ref.seq),
    ).fetchone()
    if row is None:
        return None
    author = row[0] or ("" if row[3] == "user" else "the assistant")
    return WeekItem(row[1], Source("message", reference), to_datetime(row[2]), title=author)


def _memory(connection: apsw.Connection, memory_id: str) -> WeekItem | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM memories m WHERE m.id = ? AND m.valid_until IS NULL"
        " AND m.kind NOT IN ('reflection', 'digest')",
        (memory_id,),
    ).fetchone()
    return None if row is None else _statement(row)


def _statement(row: Any) -> WeekItem:
    facts = json.loads(row[4])
    text = row[3] or " ".join(str(one) for one in facts) or row[2]
    store = next((one for one in STORES if one == row[5]), STORES[0])
    source, at, event = Source("memory", row[0]), to_datetime(row[6]), optional_datetime(row[7])
    return WeekItem(text, source, at, row[8] or "", event, store, row[1], row[2])


def _in_a_row(ages: str) -> int:
    """Return for how many weeks back from this one something was said in each."""
    known = set(json.loads(ages))
    return next((age for age in range(13) if age not in known), 13)
