"""The archive table, memory_archive: memories moved out of the active tables.

Each memory is moved whole, row by row as it stood there.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.core.clock import to_datetime
from app.core.item_batches import batched
from app.core.stores import STORES, sees_all
from app.memories import repo
from app.memories.archive.model import ArchivedMemory, ArchiveFilter
from app.memories.model import Memory

_BATCH = 50

# What hangs on a memory and goes with its row: the table and the condition that it is this memory's.
_PARTS = {
    "memory_tags": "memory_id = ?",
    "memory_links": "memory_id = ?",
    "memory_sources": "memory_id = ?",
    "entity_claims": "owner_kind = 'memory' AND owner_id = ?",
}
# What reading a memory asks besides its row.
_READ = {
    "memories": (),
    "memory_tags": ("memory_id", "tag", "position"),
    "memory_sources": ("memory_id", "source_kind", "source_id"),
    "memory_history": ("id", "target", "run_id", "undone_by"),
}
_ROW = "json_extract(a.payload, '$.memories[0].{}')"
_LISTED = ", ".join(
    ("a.id", "a.kind", _ROW.format("title"), f"substr({_ROW.format('content')}, 1, {2 * repo.PREVIEW})",
     _ROW.format("store"), _ROW.format("source"), "a.reason", "a.archived_at", _ROW.format("created_at"),
     _ROW.format("updated_at"), _ROW.format("valid_until"), "json_extract(a.payload, '$.memories[0].facts')")
)  # fmt: skip


def holds(connection: apsw.Connection, memory_id: str) -> bool:
    """Return whether the archive has a memory with this id."""
    return connection.execute("SELECT 1 FROM memory_archive WHERE id = ?", (memory_id,)).fetchone() is not None


def move_in(connection: apsw.Connection, memory_id: str, reason: str, at_ms: int) -> None:
    """Move a memory's row and its dependent rows into the archive.

    The caller takes the memory out of the index.
    """
    payload = {"memories": _rows(connection, "memories", "id = ?", memory_id)}
    payload |= {table: _rows(connection, table, where, memory_id) for table, where in _PARTS.items()}
    connection.execute(
        "INSERT INTO memory_archive (id, kind, payload, archived_at, reason) VALUES (?, ?, ?, ?, ?)",
        (memory_id, payload["memories"][0]["kind"], json.dumps(payload, ensure_ascii=False), at_ms, reason),
    )
    connection.execute("DELETE FROM memories WHERE id = ?", (memory_id,))


def move_out(connection: apsw.Connection, memory_id: str) -> None:
    """Move a memory back from the archive, every column as it was.

    The caller puts the memory into the index.
    """
    payload = json.loads(str(connection.execute("SELECT payload FROM memory_archive WHERE id = ?", (memory_id,)).get))
    [row] = payload["memories"]
    archived_row = connection.execute("SELECT 1 FROM memories WHERE rowid = ?", (row["rowid"],)).fetchone()
    if archived_row is not None:
        del row["rowid"]
    _insert(connection, "memories", row)
    for table in _PARTS:
        for part in payload.get(table, ()):
            if _stands(connection, table, part):
                _insert(connection, table, part)
    connection.execute("DELETE FROM memory_archive WHERE id = ?", (memory_id,))


def set_deleted(connection: apsw.Connection, memory_id: str, at_ms: int | None) -> None:
    """Note when an archived memory was deleted before it was archived, ``None`` for never."""
    connection.execute(
        "UPDATE memory_archive SET payload = json_set(payload, '$.memories[0].valid_until', ?) WHERE id = ?",
        (at_ms, memory_id),
    )


def shown(
    connection: apsw.Connection, chosen: ArchiveFilter, *, limit: int, offset: int, stores: Sequence[str]
) -> list[ArchivedMemory]:
    """Return one page of the archive, what was put there last first."""
    where, values = _condition(chosen, stores)
    rows = connection.execute(
        f"SELECT {_LISTED} FROM memory_archive a WHERE {where} ORDER BY a.archived_at DESC, a.id DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [_listed(row) for row in rows]


def ids(connection: apsw.Connection) -> list[str]:
    """Return the ids of everything in the archive, what was put there first first."""
    return [str(row[0]) for row in connection.execute("SELECT id FROM memory_archive ORDER BY archived_at, id")]


def get(connection: apsw.Connection, memory_id: str, stores: Sequence[str]) -> tuple[Memory, int, str] | None:
    """Return an archived memory, the time it was archived and the reason.

    Return ``None`` when there is no such memory in ``stores``.
    """
    row = connection.execute(
        f"SELECT a.payload, a.archived_at, a.reason FROM memory_archive a WHERE a.id = ? AND {_seen(stores)}",
        (memory_id,),
    ).fetchone()
    if row is None:
        return None
    memories = _memories([json.loads(str(row[0]))], stores)
    return (memories[0], int(str(row[1])), str(row[2])) if memories else None


def contents(connection: apsw.Connection, stores: Sequence[str]) -> Iterator[Memory]:
    """Yield the archived memories in ``stores``, the last archived first.

    They are as they were, but none reads as deleted.
    """
    ids = [
        str(row[0])
        for row in connection.execute(
            f"SELECT a.id FROM memory_archive a WHERE {_seen(stores)} ORDER BY a.archived_at DESC, a.id DESC"
        )
    ]
    for batch in batched(ids, _BATCH):
        rows = connection.execute(
            "SELECT a.payload FROM json_each(?) w CROSS JOIN memory_archive a ON a.id = w.value ORDER BY w.key",
            (json.dumps(batch),),
        ).fetchall()
        for memory in _memories([json.loads(str(row[0])) for row in rows], stores):
            yield replace(memory, deleted_at=None)


def due(connection: apsw.Connection, before_ms: int, states: Sequence[str], limit: int) -> list[str]:
    """Return ids of memories that were in one of ``states`` before a moment.

    Those that were in it longest come first.
    Pinned ones and notes are never merely old.
    """
    clauses = {
        "deleted": "SELECT id, valid_until AS since FROM memories WHERE valid_until < :before",
        "expired": "SELECT id, expires_at AS since FROM memories"
        " WHERE expires_at IS NOT NULL AND expires_at < :before AND valid_until IS NULL AND pinned = 0",
        "old": "SELECT id, max(updated_at, coalesce(last_accessed, 0)) AS since FROM memories"
        " WHERE valid_until IS NULL AND pinned = 0 AND kind IN ('fact', 'observation', 'digest')"
        " AND updated_at < :before AND coalesce(last_accessed, 0) < :before",
    }
    candidates = " UNION ALL ".join(clauses[state] for state in dict.fromkeys(states))
    rows = connection.execute(
        f"SELECT id FROM ({candidates}) WHERE id NOT IN (SELECT id FROM memory_archive)"
        " GROUP BY id ORDER BY min(since), id LIMIT :limit",
        {"before": before_ms, "limit": limit},
    )
    return [str(row[0]) for row in rows]


def drop(connection: apsw.Connection, before_ms: int, limit: int) -> list[str]:
    """Delete memories archived before a moment, except notes, and return their ids."""
    rows = connection.execute(
        "DELETE FROM memory_archive WHERE id IN (SELECT id FROM memory_archive"
        " WHERE archived_at < ? AND kind <> 'note' ORDER BY archived_at LIMIT ?) RETURNING id",
        (before_ms, limit),
    ).fetchall()
    return [str(row[0]) for row in rows]


def old(connection: apsw.Connection, before_ms: int, limit: int) -> list[str]:
    """Return ids of memories archived before a moment, the oldest first.

    Notes and pinned ones are left out.
    """
    rows = connection.execute(
        "SELECT a.id FROM memory_archive a WHERE a.archived_at < ? AND a.kind <> 'note'"
        f" AND {_ROW.format('pinned')} = 0 ORDER BY a.archived_at, a.id LIMIT ?",
        (before_ms, limit),
    )
    return [str(row[0]) for row in rows]


def old_observations(connection: apsw.Connection, before_ms: int, limit: int) -> list[str]:
    """Return ids of observations idle, deleted or expired before a moment, oldest first.

    Pinned ones are left out, and those brought back since.
    """
    rows = connection.execute(
        "SELECT m.id FROM memories m WHERE m.kind = 'observation' AND m.pinned = 0 AND CASE WHEN m.valid_until IS NULL"
        " THEN min(coalesce(m.expires_at, :never), max(m.updated_at, coalesce(m.last_accessed, 0)))"
        f" ELSE m.valid_until END < :before AND {repo.not_restored_since(':before')}"
        " ORDER BY coalesce(m.valid_until, m.updated_at), m.id LIMIT :limit",
        {"before": before_ms, "limit": limit, "never": 1 << 62},
    )
    return [str(row[0]) for row in rows]


def remove(connection: apsw.Connection, memory_id: str) -> None:
    """Delete a memory from the archive."""
    connection.execute("DELETE FROM memory_archive WHERE id = ?", (memory_id,))


def _rows(connection: apsw.Connection, table: str, where: str, memory_id: str) -> list[dict[str, Any]]:
    names = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
    cursor = connection.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {where}", (memory_id,))
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _insert(connection: apsw.Connection, table: str, row: dict[str, Any]) -> None:
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def _stands(connection: apsw.Connection, table: str, part: dict[str, Any]) -> bool:
    """Return whether the entities of an entity claim still exist.

    A claim is a person's decision about entities; the database would refuse it without them. Rows of other tables
    always pass.
    """
    if table != "entity_claims":
        return True
    ends = (part["from_id"], part["to_id"])
    return int(connection.execute("SELECT count(*) FROM entities WHERE id IN (?, ?)", ends).get) == len(set(ends))


def _seen(stores: Sequence[str]) -> str:
    """Return the SQL condition that who reads ``stores`` sees the archived memory ``a``."""
    if sees_all(stores):
        return "TRUE"
    named = ", ".join(repr(store) for store in STORES if store in stores)
    is_active = f"{_ROW.format('valid_until')} IS NULL"
    return f"({_ROW.format('store')} IN ({named}) AND ({is_active} OR NOT {repo.in_quarantine('a.id')}))"


def _condition(chosen: ArchiveFilter, stores: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    parts = [_seen(stores)]
    values: list[Any] = []
    if chosen.kinds:
        parts.append("a.kind IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(chosen.kinds)))
    for word in chosen.text.split()[:16]:
        parts.append(f"instr(lower({_ROW.format('title')} || ' ' || {_ROW.format('content')}), lower(?))")
        values.append(word)
    return " AND ".join(parts), tuple(values)


def _listed(row: Sequence[Any]) -> ArchivedMemory:
    return ArchivedMemory(
        id=row[0],
        kind=row[1],
        title=row[2],
        preview=repo.preview(row[3], json.loads(row[11])),
        store=row[4],
        source=row[5],
        reason=row[6],
        archived_at=to_datetime(row[7]),
        created_at=to_datetime(row[8]),
        updated_at=to_datetime(row[9]),
        was_deleted=row[10] is not None,
    )


def _memories(payloads: Sequence[dict[str, Any]], stores: Sequence[str]) -> list[Memory]:
    """Return the memories of payloads, read with the usual SQL.

    The SQL that reads memories runs in an empty database of its own, so that the two never drift apart.
    """
    scratch = apsw.Connection(":memory:")
    try:
        for table, needed in _READ.items():
            rows = [row for payload in payloads for row in payload.get(table, [])]
            columns = dict.fromkeys((*needed, *(name for row in rows for name in row)))
            scratch.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            for row in rows:
                _insert(scratch, table, row)
        return repo.many(scratch, [payload["memories"][0]["id"] for payload in payloads], stores=stores)
    finally:
        scratch.close()
