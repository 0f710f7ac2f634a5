"""The memories table: writing a memory's row and reading whole memories and list rows."""

import json
from collections.abc import Sequence
from typing import Any

import apsw

from app.core.clock import optional_datetime, to_datetime, to_ms
from app.core.text import content_hash, excerpt
from app.memories.model import STORES, Memory, MemoryRow
from app.memories.wiki import title_key

PREVIEW = 160
_PREVIEW_SOURCE = 2 * PREVIEW  # characters read to make a preview of

_PLAIN = (
    "id",
    "kind",
    "title",
    "content",
    "category",
    "key",
    "type",
    "store",
    "source",
    "session_id",
    "confidence",
    "decay_rate",
    "mention_count",
    "tokens",
    "version",
    "superseded_by",
)
_WRITTEN = (
    *_PLAIN,
    "title_key",
    "content_hash",
    "facts",
    "attributes",
    "pinned",
    "created_at",
    "updated_at",
    "event_time",
    "expires_at",
    "valid_until",
)
_TAGS = "(SELECT json_group_array(t.tag ORDER BY t.position) FROM memory_tags t WHERE t.memory_id = m.id)"
_READ = (
    ", ".join(f"m.{name}" for name in (*_PLAIN, "facts", "attributes", "pinned"))
    + f", m.created_at, m.updated_at, m.event_time, m.expires_at, m.valid_until, {_TAGS}"
)
_INSERT = f"INSERT INTO memories ({', '.join(_WRITTEN)}) VALUES ({', '.join(':' + name for name in _WRITTEN)})"
_UPDATE = f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in _WRITTEN[1:])} WHERE id = :id"


def seen(stores: Sequence[str]) -> str:
    """Return the condition that a memory ``m`` is in one of ``stores``, names of our own only."""
    named = [store for store in STORES if store in stores]
    if len(named) == len(STORES):
        return "TRUE"
    return f"m.store IN ({', '.join(repr(store) for store in named)})"


def insert(connection: apsw.Connection, memory: Memory) -> None:
    """Write the row of a new memory; tags and links have their own tables."""
    connection.execute(_INSERT, _values(memory))


def update(connection: apsw.Connection, memory: Memory) -> None:
    """Write the row of a memory that is there already; ``deleted_at`` deletes it softly or restores it."""
    connection.execute(_UPDATE, _values(memory))


def exists(connection: apsw.Connection, memory_id: str) -> bool:
    """Return whether any memory, deleted ones included, has that id."""
    return connection.execute("SELECT 1 FROM memories WHERE id = ?", (memory_id,)).fetchone() is not None


def get(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str] = STORES) -> Memory | None:
    """Return one memory, deleted ones included; ``None`` when there is none in ``stores``."""
    found = many(connection, [memory_id], stores=stores)
    return found[0] if found else None


def many(connection: apsw.Connection, ids: Sequence[str], *, stores: Sequence[str] = STORES) -> list[Memory]:
    """Return the memories of ``ids`` that are there, in that order, deleted ones included."""
    return [
        _memory(row)
        for row in connection.execute(
            f"SELECT {_READ} FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value"
            f" WHERE {seen(stores)} ORDER BY wanted.key",
            (json.dumps(list(ids)),),
        )
    ]


def active_fact(connection: apsw.Connection, category: str, key: str) -> Memory | None:
    """Return the active fact of that category and key, the only one there can be."""
    row = connection.execute(
        f"SELECT {_READ} FROM memories m"
        " WHERE m.kind = 'fact' AND m.key <> '' AND m.valid_until IS NULL AND m.category = ? AND m.key = ?",
        (category, key),
    ).fetchone()
    return None if row is None else _memory(row)


def rows(connection: apsw.Connection, ids: Sequence[str], *, stores: Sequence[str] = STORES) -> list[MemoryRow]:
    """Return the memories of ``ids`` that are there as a list shows them, in that order."""
    return [
        _listed(row)
        for row in connection.execute(
            "SELECT m.id, m.kind, m.title, substr(m.content, 1, ?), m.store, m.source,"
            f" {_TAGS}, m.updated_at, m.created_at, m.pinned, m.confidence, m.valid_until IS NOT NULL, m.facts"
            " FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value"
            f" WHERE {seen(stores)} ORDER BY wanted.key",
            (_PREVIEW_SOURCE, json.dumps(list(ids))),
        )
    ]


def _values(memory: Memory) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    values.update(
        title_key=title_key(memory.title),
        content_hash=content_hash(memory.title, memory.content),
        facts=json.dumps(memory.facts, ensure_ascii=False),
        attributes=json.dumps(memory.attributes, ensure_ascii=False),
        pinned=int(memory.pinned),
        created_at=to_ms(memory.created_at),
        updated_at=to_ms(memory.updated_at),
        event_time=None if memory.event_time is None else to_ms(memory.event_time),
        expires_at=None if memory.expires_at is None else to_ms(memory.expires_at),
        valid_until=None if memory.deleted_at is None else to_ms(memory.deleted_at),
    )
    return values


def _memory(row: Sequence[Any]) -> Memory:
    facts, attributes, pinned, created, updated, event, expires, deleted, tags = row[len(_PLAIN) :]
    return Memory(
        **dict(zip(_PLAIN, row, strict=False)),
        facts=tuple(json.loads(facts)),
        attributes=json.loads(attributes),
        pinned=bool(pinned),
        created_at=to_datetime(created),
        updated_at=to_datetime(updated),
        event_time=optional_datetime(event),
        expires_at=optional_datetime(expires),
        deleted_at=optional_datetime(deleted),
        tags=tuple(json.loads(tags)),
    )


def _listed(row: Sequence[Any]) -> MemoryRow:
    content = row[3] if row[3].strip() else " ".join(json.loads(row[12]))
    return MemoryRow(
        id=row[0],
        kind=row[1],
        title=row[2],
        preview=excerpt(content, PREVIEW),
        store=row[4],
        source=row[5],
        tags=tuple(json.loads(row[6])),
        updated_at=to_datetime(row[7]),
        created_at=to_datetime(row[8]),
        pinned=bool(row[9]),
        confidence=row[10],
        archived=bool(row[11]),
    )
