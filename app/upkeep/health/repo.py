"""SQL of the vault's health; reads only."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw

from app.entities.repo import IS_LISTED

MAX_TEXT: Final = 100_000  # characters of a memory or message that are read
_UPKEEP: Final = json.dumps(["decay", "retention", "consolidation", "health", "enrichment"])
# A memory was removed if somebody deleted it, not if upkeep set it aside.
_REMOVED: Final = (
    "CASE WHEN m.valid_until IS NOT NULL AND m.superseded_by IS NULL THEN EXISTS (SELECT 1 FROM memory_history h"
    " WHERE h.target = m.id AND h.event IN ('DELETE', 'FORGET') AND h.undone_by IS NULL"
    " AND h.actor NOT IN (SELECT value FROM json_each(?1))) ELSE 0 END"
)
_IS_ORPHAN: Final = (
    "e.mention_count = 0 AND e.merged_into IS NULL AND e.protected = 0 AND e.summary = '' AND e.updated_at <= ?"
    f" AND e.attributes ->> '$.retired' IS NULL AND NOT {IS_LISTED}"
    " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.object_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.subject_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM entity_claims c WHERE c.to_id = e.id OR c.from_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM entities o WHERE o.merged_into = e.id)"
)
_IF_ACTIVE: Final = "CASE WHEN m.valid_until IS NULL THEN {} ELSE '' END"


def page(connection: apsw.Connection, after: int, limit: int) -> list[dict[str, Any]]:
    """Return memories by rowid, deleted ones without their text."""
    cursor = connection.execute(
        "SELECT m.rowid AS place, m.id, m.kind, m.store, m.source, m.session_id, m.category, m.key, m.confidence,"
        " m.pinned, m.access_count, m.mention_count, m.event_time, m.created_at, m.updated_at, m.expires_at,"
        " m.valid_until IS NULL AS is_active,"
        f" {_REMOVED} AS is_removed, {_IF_ACTIVE.format('m.title')} AS title,"
        f" {_IF_ACTIVE.format(f'substr(m.content, 1, {MAX_TEXT})')} AS content,"
        f" {_IF_ACTIVE.format('m.facts')} AS facts, {_IF_ACTIVE.format('m.attributes')} AS attributes"
        " FROM memories m WHERE m.rowid > ?2 ORDER BY m.rowid LIMIT ?3",
        (_UPKEEP, after, limit),
    )
    rows = cursor.fetchall()
    if not rows:
        return []
    return [dict(zip(_PAGE_COLUMNS, row, strict=True)) for row in rows]


_PAGE_COLUMNS: Final = (
    "place", "id", "kind", "store", "source", "session_id", "category", "key", "confidence", "pinned", "access_count",
    "mention_count", "event_time", "created_at", "updated_at", "expires_at", "is_active", "is_removed", "title",
    "content", "facts", "attributes",
)  # fmt: skip


def protected(connection: apsw.Connection, ids: Iterable[str]) -> set[str]:
    """Return those memories that are pinned, or were confirmed."""
    rows = connection.execute(
        "SELECT m.id FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value WHERE m.pinned = 1 OR EXISTS (SELECT 1"
        " FROM memory_history h WHERE h.target = m.id AND h.event = 'CONFIRM' AND h.undone_by IS NULL)",
        (json.dumps(list(ids)),),
    )
    return {str(row[0]) for row in rows}


def named(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, str]:
    """Return titles or first words of memories, by id."""
    rows = connection.execute(
        "SELECT m.id, CASE WHEN m.title <> '' THEN m.title WHEN m.content <> '' THEN m.content ELSE m.facts END"
        " FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value",
        (json.dumps(list(ids)),),
    )
    return {str(row[0]): str(row[1])[:MAX_TEXT] for row in rows}


def orphans(connection: apsw.Connection, before_ms: int, limit: int) -> list[tuple[str, str]]:
    """Return ids and names of entities that nothing mentions, states or claims.

    None while texts are still to be read for names, for they may mention them.
    """
    if connection.execute("SELECT EXISTS (SELECT 1 FROM pending_mentions)").get:
        return []
    rows = connection.execute(
        f"SELECT e.id, e.canonical_name FROM entities e WHERE {_IS_ORPHAN} ORDER BY e.rowid LIMIT ?",
        (before_ms, limit),
    )
    return [(str(row[0]), str(row[1])) for row in rows]


def is_orphan(connection: apsw.Connection, entity_id: str, before_ms: int) -> bool:
    """Return whether an entity still is an orphan; see ``orphans``."""
    cursor = connection.execute(f"SELECT 1 FROM entities e WHERE {_IS_ORPHAN} AND e.id = ?", (before_ms, entity_id))
    return cursor.fetchone() is not None


def decisions(connection: apsw.Connection) -> list[tuple[str, int, int]]:
    """Return agents with the number of their decided proposals, and of those rejected."""
    rows = connection.execute(
        "SELECT agent, count(*), sum(decision = 'rejected') FROM inbox WHERE decision IN ('accepted', 'rejected')"
        " AND agent <> '' GROUP BY agent"
    )
    return [(str(row[0]), int(str(row[1])), int(str(row[2]))) for row in rows]


def messages(connection: apsw.Connection, after: int, limit: int) -> list[tuple[int, str]]:
    """Return rowids and texts of messages, by rowid."""
    rows = connection.execute(
        f"SELECT rowid, substr(content, 1, {MAX_TEXT}) FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?",
        (after, limit),
    )
    return [(int(str(row[0])), str(row[1])) for row in rows]


def messages_at(connection: apsw.Connection, places: Sequence[int]) -> list[tuple[int, str, str]]:
    """Return rowid, id and text of messages in conversations that were not forgotten."""
    rows = connection.execute(
        f"SELECT m.rowid, m.session_id || '#' || m.seq, substr(m.content, 1, {MAX_TEXT}) FROM json_each(?) w"
        " CROSS JOIN messages m ON m.rowid = w.value CROSS JOIN sessions s ON s.id = m.session_id"
        " WHERE s.forgotten_at IS NULL ORDER BY m.rowid",
        (json.dumps(list(places)),),
    )
    return [(int(str(row[0])), str(row[1]), str(row[2])) for row in rows]


def last_message(connection: apsw.Connection) -> int:
    """Return the greatest rowid of the messages, 0 without any."""
    return int(connection.execute("SELECT coalesce(max(rowid), 0) FROM messages").get)


def messages_by_month(connection: apsw.Connection, since_ms: int, until_ms: int) -> dict[str, int]:
    """Return how many messages were written in each month, such as ``2026-03``."""
    rows = connection.execute(
        "SELECT strftime('%Y-%m', created_at / 1000, 'unixepoch'), count(*) FROM messages"
        " WHERE created_at BETWEEN ? AND ? GROUP BY 1",
        (since_ms, until_ms),
    )
    return {str(row[0]): int(str(row[1])) for row in rows}


def size(connection: apsw.Connection) -> tuple[int, int]:
    """Return the size of the database in bytes, and how many messages it has."""
    pages, width = connection.execute("SELECT page_count, page_size FROM pragma_page_count, pragma_page_size").get
    return int(pages) * int(width), int(connection.execute("SELECT count(*) FROM messages").get)
