"""Tables read for the weekly reflection."""

import json
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.core.clock import optional_datetime, to_datetime
from app.core.stores import STORES
from app.extraction.model import SpokenLine
from app.memories.model import Source
from app.upkeep.reflection.model import ChangedFact, WeekItem

_TEXT: Final = 4_000  # characters read of a text
_SAID: Final = "coalesce(unixepoch(json_extract(m.attributes, '$.said_at')) * 1000, m.created_at)"
_COLUMNS: Final = (
    f"m.id, m.kind, m.title, substr(m.content, 1, {_TEXT}), m.facts, m.store,"
    " CASE WHEN m.kind = 'note' THEN m.updated_at ELSE {said} END, m.event_time,"
    " json_extract(m.attributes, '$.statement'),"
    " (SELECT s.source_id FROM memory_sources s WHERE s.memory_id = m.id AND s.source_kind = 'message'"
    " ORDER BY s.source_id LIMIT 1), json_extract(m.attributes, '$.said_by'), m.mention_count"
).format(said=_SAID)

_DAY_OF_ID: Final = len("ref-00000000-0000-8")  # characters of a derived id that are of its kind and time
_SaidIn = tuple[str, SpokenLine]  # a conversation's id, and what was said in it


@dataclass(frozen=True, slots=True)
class WeekSpan:
    """A span of time, ``[since, until)`` in milliseconds UTC."""

    since: int
    until: int


def latest_reflection(connection: apsw.Connection, now_ms: int) -> tuple[str, int] | None:
    """Return id and time of the newest active reflection, ``None`` while there is none."""
    row: Any = connection.execute(
        "SELECT id, created_at FROM memories"
        " WHERE kind = 'reflection' AND valid_until IS NULL AND created_at <= ?"
        " ORDER BY created_at DESC, rowid DESC LIMIT 1",
        (now_ms,),
    ).fetchone()
    return None if row is None else (str(row[0]), int(row[1]))


def is_written_ahead(connection: apsw.Connection, identity: str, now_ms: int) -> bool:
    """Return whether the week of a reflection has one already, by a clock ahead.

    Args:
        connection: A connection.
        identity: The id that the reflection would have.
        now_ms: The time, milliseconds UTC.
    """
    row = connection.execute(
        "SELECT 1 FROM memories WHERE kind = 'reflection' AND valid_until IS NULL AND created_at > ?1"
        " AND substr(id, 1, ?3) = substr(?2, 1, ?3) LIMIT 1",
        (now_ms, identity, _DAY_OF_ID),
    ).fetchone()
    return row is not None


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


def promises(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[WeekItem]:
    """Return the promises of a span that still stand, the latest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories m WHERE m.kind = 'fact' AND m.valid_until IS NULL"
        f" AND json_extract(m.attributes, '$.statement') = 'commitment' AND {_SAID} >= ? AND {_SAID} < ?"
        " ORDER BY 7 DESC, m.rowid DESC LIMIT ?",
        (span.since, span.until, limit),
    )
    return [_statement(row) for row in rows]


def earlier_texts(connection: apsw.Connection, now_ms: int, limit: int) -> list[tuple[str, bool]]:
    """Return the texts of the latest reflections, and whether rules wrote each."""
    rows = connection.execute(
        "SELECT content, json_extract(attributes, '$.written_by') IS 'rules' FROM memories"
        " WHERE kind = 'reflection' AND valid_until IS NULL AND created_at <= ?"
        " ORDER BY created_at DESC, rowid DESC LIMIT ?",
        (now_ms, limit),
    )
    return [(str(content), bool(by_rules)) for content, by_rules in rows]


def changes(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[ChangedFact]:
    """Return facts that others took the place of in a span, the latest first."""
    new = _COLUMNS.replace("m.", "n.")
    rows: Any = connection.execute(
        f"SELECT {_COLUMNS}, {new} FROM memories m JOIN memories n ON n.id = m.superseded_by"
        " WHERE m.kind = 'fact' AND m.valid_until >= ? AND m.valid_until < ? AND n.valid_until IS NULL"
        " AND n.content <> m.content ORDER BY m.valid_until DESC, m.rowid DESC LIMIT ?",
        (span.since, span.until, limit),
    ).fetchall()
    half = len(rows[0]) // 2 if rows else 0
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


def message_count(connection: apsw.Connection, span: WeekSpan) -> tuple[int, int]:
    """Return how many messages people and assistants wrote in a span, in how many conversations."""
    row: Any = connection.execute(
        "SELECT count(*), count(DISTINCT s.id) FROM messages m"
        " JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL"
        " WHERE m.created_at >= ? AND m.created_at < ? AND m.role IN ('user', 'assistant')",
        (span.since, span.until),
    ).fetchone()
    return int(row[0]), int(row[1])


def messages(connection: apsw.Connection, span: WeekSpan, limit: int) -> list[_SaidIn]:
    """Return the latest messages of a span, in order, each with its conversation's id."""
    rows: Any = connection.execute(
        "SELECT m.session_id, m.seq, m.role, m.author, substr(m.content, 1, ?4), m.created_at FROM messages m"
        " JOIN sessions s ON s.id = m.session_id AND s.forgotten_at IS NULL"
        " WHERE m.created_at >= ?1 AND m.created_at < ?2 AND m.role IN ('user', 'assistant')"
        " ORDER BY m.created_at DESC, m.rowid DESC LIMIT ?3",
        (span.since, span.until, limit, _TEXT),
    )
    return [(str(row[0]), SpokenLine(row[1], row[2], row[3], row[4], to_datetime(row[5]))) for row in rows][::-1]


def people(connection: apsw.Connection, span: WeekSpan, limit: int) -> dict[str, int]:
    """Return the people mentioned in a span with how many texts mention each.

    The most frequent come first. Reflections do not count, for they repeat what others say.
    """
    rows: Any = connection.execute(
        "SELECT e.canonical_name, count(DISTINCT n.owner_kind || n.owner_id) AS texts FROM mentions n"
        " JOIN entities e ON e.id = n.entity_id AND e.merged_into IS NULL AND e.type = 'person'"
        " LEFT JOIN memories m ON n.owner_kind = 'memory' AND m.id = n.owner_id"
        " WHERE n.at >= ? AND n.at < ? AND (m.kind IS NULL OR m.kind NOT IN ('reflection', 'digest'))"
        " GROUP BY e.id ORDER BY texts DESC, e.canonical_name LIMIT ?",
        (span.since, span.until, limit),
    )
    return {str(name): int(count) for name, count in rows}


def _statement(row: Any) -> WeekItem:
    facts = json.loads(row[4])
    text = row[3] or " ".join(str(fact) for fact in facts) or row[2]
    store = next((store_name for store_name in STORES if store_name == row[5]), STORES[0])
    source, at, event = Source("memory", row[0]), to_datetime(row[6]), optional_datetime(row[7])
    return WeekItem(text, source, at, row[8] or "", event, store, row[1], row[2], row[10] or "", row[11])
