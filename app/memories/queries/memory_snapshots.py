"""Memories as they stood at a moment.

Unchanged ones come from their rows, the others from the history.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from app.core.clock import to_datetime, to_ms
from app.core.item_batches import batched
from app.core.stores import sees_all
from app.history import as_of
from app.history.history_repo import HistoryRow
from app.memories import repo
from app.memories.model import Memory, MemoryFilter, MemoryOrder, MemoryRow
from app.memories.queries import memory_lists
from app.memories.state_codec import from_state, to_state
from app.memories.text.markdown_links import title_key

BATCH = 200  # states at a time
_ANY = MemoryFilter()

# The tables a condition on memories asks, made of states (the first value): the same SQL then answers for the past.
TABLES = (
    "memories (rowid, id, kind, title, content, facts, store, source, session_id, updated_at, created_at, pinned,"
    " valid_until, superseded_by, type) AS MATERIALIZED (SELECT key, value ->> 'id', value ->> 'kind',"
    " value ->> 'title', value ->> 'content', value -> 'facts', value ->> 'store', value ->> 'source',"
    " value ->> 'session_id', value ->> 'updated_at', value ->> 'created_at', value ->> 'pinned',"
    " value ->> 'deleted_at', value ->> 'superseded_by', value ->> 'type' FROM json_each(?1)),"
    " memory_tags (memory_id, tag) AS MATERIALIZED (SELECT one.value ->> 'id', tag.value"
    " FROM json_each(?1) one, json_each(one.value, '$.tags') tag)"
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Position of a memory in a list."""

    id: str
    pinned: int
    updated: int
    created: int
    title: str
    row: int


def changed(connection: apsw.Connection, at_ms: int) -> set[str]:
    """Return the ids of memories that changed after ``at_ms``.

    Those that were made, deleted or put into the archive since are included.
    """
    archived = connection.execute("SELECT id FROM memory_archive WHERE archived_at > ?", (at_ms,))
    return as_of.changed_since(connection, "memory", at_ms) | {str(row[0]) for row in archived}


def states(connection: apsw.Connection, at_ms: int, ids: Collection[str], stores: Sequence[str]) -> Iterator[Memory]:
    """Yield the memories of ``ids`` as they stood at ``at_ms``, deleted ones included.

    One whose store the caller may not see, then or now, does not exist for it.
    """
    sees_everything = sees_all(stores)
    known = ids if sees_everything else _kept_to(connection, ids, stores)
    for entry in as_of.entries_at(connection, "memory", at_ms, known):
        memory = _of(entry)
        if memory is not None and memory.store in stores:
            yield memory if sees_everything else _as_seen(connection, memory, stores)


def _as_seen(connection: apsw.Connection, memory: Memory, stores: Sequence[str]) -> Memory:
    """Return an earlier state as a caller sees it, without a successor in another store."""
    successor = memory.superseded_by and repo.get(connection, memory.superseded_by, stores=stores)
    return replace(repo.as_seen(memory, stores), superseded_by=successor.id if successor else None)


def get(connection: apsw.Connection, memory_id: str, at_ms: int, *, stores: Sequence[str]) -> Memory | None:
    """Return a memory of ``stores`` as it stood at ``at_ms``, deleted ones included."""
    memory = repo.get(connection, memory_id, stores=stores)
    if memory is None or as_of.has_changed(connection, "memory", at_ms, memory_id):
        return next(states(connection, at_ms, (memory_id,), stores), None)
    return replace(memory, access_count=0, last_accessed=None)


def listed(
    connection: apsw.Connection,
    chosen: MemoryFilter,
    order: MemoryOrder,
    at_ms: int,
    *,
    limit: int = 50,
    offset: int = 0,
    stores: Sequence[str],
) -> list[MemoryRow]:
    """Return one page of the memories that ``chosen`` left at ``at_ms``."""
    since = changed(connection, at_ms)
    where, values = memory_lists.condition(chosen, stores)
    current = connection.execute(
        "SELECT m.id, m.pinned, m.updated_at, m.created_at, m.title_key, m.rowid FROM memories m"
        f" WHERE {where} AND m.id NOT IN (SELECT value FROM json_each(?))",
        (*values, json.dumps(sorted(since))),
    )
    places = [_Place(*row) for row in current] + _places(connection, at_ms, since, chosen, stores)
    places.sort(key=_key(order))
    page = places[offset : offset + limit] if limit >= 0 else places[offset:]
    rebuilt = [place.id for place in page if place.id in since]
    rows = {row.id: row for row in repo.rows(connection, [place.id for place in page], stores=stores)}
    rows |= {memory.id: row_of(memory) for memory in states(connection, at_ms, rebuilt, stores)}
    return [rows[place.id] for place in page if place.id in rows]


def row_of(memory: Memory) -> MemoryRow:
    """Return a memory as a list shows it."""
    return MemoryRow(
        id=memory.id,
        kind=memory.kind,
        title=memory.title,
        preview=repo.preview(memory.content, memory.facts),
        store=memory.store,
        source=memory.source,
        tags=memory.tags,
        updated_at=memory.updated_at,
        created_at=memory.created_at,
        pinned=memory.pinned,
        confidence=memory.confidence,
        archived=memory.deleted_at is not None,
    )


def batches(memories: Iterator[Memory]) -> Iterator[list[Memory]]:
    """Yield memories, ``BATCH`` at a time."""
    return batched(memories, BATCH)


def as_json(memories: Sequence[Memory]) -> str:
    """Return memories as ``TABLES`` reads them."""
    return json.dumps([{**to_state(memory), "pinned": int(memory.pinned)} for memory in memories], ensure_ascii=False)


def _of(entry: HistoryRow) -> Memory | None:
    """Return the memory that an entry left, ``None`` for one in the archive.

    A deleted one is returned as it was, with the time of its deletion.
    """
    if entry.after is not None:
        return None if entry.after.get("archived_at") is not None else from_state(entry.after)
    if entry.before is None:
        return None
    last = from_state(entry.before)
    return replace(last, version=last.version + 1, deleted_at=to_datetime(entry.at_ms), superseded_by=None)


def _kept_to(connection: apsw.Connection, ids: Collection[str], stores: Sequence[str]) -> Collection[str]:
    """Return the ids of those that are in ``stores`` now, and not in quarantine.

    A memory that is gone is in the store where its last history entry leaves it.
    """
    rows = connection.execute(
        "SELECT w.value FROM json_each(?) w LEFT JOIN memories m ON m.id = w.value"
        f" WHERE coalesce(m.store, (SELECT coalesce(state_json(h.after) ->> 'store',"
        f" state_json(h.before) ->> 'store') FROM memory_history h"
        " WHERE h.target = w.value AND h.target_kind = 'memory' ORDER BY h.id DESC LIMIT 1))"
        " IN (SELECT value FROM json_each(?))"
        f" AND ((m.id IS NOT NULL AND m.valid_until IS NULL) OR NOT {repo.in_quarantine('w.value')})",
        (json.dumps(sorted(ids)), json.dumps(list(stores))),
    )
    return [str(row[0]) for row in rows]


def _places(
    connection: apsw.Connection, at_ms: int, ids: Collection[str], chosen: MemoryFilter, stores: Sequence[str]
) -> list[_Place]:
    where, values = memory_lists.condition(chosen, stores)
    places: list[_Place] = []
    for batch in batches(states(connection, at_ms, ids, stores)):
        by_id = {memory.id: memory for memory in batch}
        if chosen == _ANY:
            places += [_place(memory, 0) for memory in batch if memory.deleted_at is None]
            continue
        memory_rows = connection.execute(
            f"WITH {TABLES} SELECT m.id FROM memories m WHERE {where}", (as_json(batch), *values)
        )
        places += [_place(by_id[str(row[0])], 0) for row in memory_rows.fetchall()]
    rows: dict[Any, Any] = dict(
        connection.execute(
            "SELECT m.id, m.rowid FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value",
            (json.dumps([place.id for place in places]),),
        )
    )
    return [replace(place, row=int(rows.get(place.id, 0))) for place in places]


def _place(memory: Memory, row: int) -> _Place:
    return _Place(
        memory.id,
        int(memory.pinned),
        to_ms(memory.updated_at),
        to_ms(memory.created_at),
        title_key(memory.title),
        row,
    )


def _key(order: MemoryOrder) -> Any:
    """Return what sorts like the orders of ``listing``."""
    keys: dict[MemoryOrder, Any] = {
        "recent": lambda row: (-row.pinned, -row.updated, -row.row),
        "oldest": lambda row: (-row.pinned, row.updated, row.row),
        "title": lambda row: (-row.pinned, row.title == "", row.title.encode(), row.row),
        "created": lambda row: (-row.pinned, -row.created, -row.row),
    }
    return keys[order]
