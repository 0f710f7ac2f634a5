"""The memories table: writing a memory's row and reading whole memories and list rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.core.clock import optional_datetime, to_datetime, to_ms
from app.core.stores import STORES, sees_all
from app.core.text import content_hash, excerpt
from app.history.model import QUARANTINE
from app.memories.model import Memory, MemoryRow, Source
from app.memories.said_time import IS_SAID, SAID_BY, SAID_MS
from app.memories.text.markdown_links import title_key, without_front_matter

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
    "files",
    "people",
    "attributes",
    "pinned",
    "created_at",
    "updated_at",
    "event_time",
    "expires_at",
    "valid_until",
)
_TAGS = "(SELECT json_group_array(t.tag ORDER BY t.position) FROM memory_tags t WHERE t.memory_id = m.id)"
_SOURCES = (
    "(SELECT json_group_array(json_array(s.source_kind, s.source_id) ORDER BY s.source_kind, s.source_id)"
    " FROM memory_sources s WHERE s.memory_id = m.id)"
)
_READ = (
    ", ".join(f"m.{name}" for name in (*_PLAIN, "facts", "attributes", "pinned"))
    + f", m.created_at, m.updated_at, m.event_time, m.expires_at, m.valid_until, {_TAGS},"
    f" m.access_count, m.last_accessed, m.files, m.people, {_SOURCES}"
)
_INSERT = f"INSERT INTO memories ({', '.join(_WRITTEN)}) VALUES ({', '.join(':' + name for name in _WRITTEN)})"
_OF_TEXT = frozenset({"title", "title_key", "content", "content_hash", "facts"})


def store_condition(stores: Sequence[str]) -> str:
    """Return the SQL condition that memory ``m`` is in one of ``stores``.

    Who does not see all stores sees nothing in quarantine either. It holds only store names of our own.
    """
    if sees_all(stores):
        return "TRUE"
    named = ", ".join(repr(store) for store in STORES if store in stores)
    return f"(m.store IN ({named}) AND (m.valid_until IS NULL OR NOT {in_quarantine('m.id')}))"


def in_quarantine(deleted: str) -> str:
    """Return the SQL condition that a deleted memory lies in quarantine.

    ``deleted`` is an SQL expression of its id. A quarantine may have been ended and put back any number of times: it
    stands where its entry, what undid that, what undid that again and so on are an odd number.
    """
    return (
        f"EXISTS (SELECT 1 FROM memory_history q WHERE q.target = {deleted} AND q.run_id >= '{QUARANTINE}'"
        f" AND q.run_id < '{QUARANTINE[:-1]};' AND (WITH RECURSIVE chain (id) AS (SELECT q.id UNION ALL"
        " SELECT h.undone_by FROM chain c JOIN memory_history h ON h.id = c.id WHERE h.undone_by IS NOT NULL)"
        " SELECT count(*) & 1 FROM chain))"
    )


def not_restored_since(moment: str) -> str:
    """Return the SQL condition that memory ``m`` was not brought back at or after ``moment``.

    ``moment`` is an SQL expression in milliseconds UTC.
    """
    return (
        "NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.target = m.id AND h.target_kind = 'memory'"
        f" AND h.event = 'RESTORE' AND h.at >= {moment})"
    )


def insert(connection: apsw.Connection, memory: Memory, hash_of_text: str | None = None) -> None:
    """Write the row of a new memory, with its ``text_hash`` where known.

    Tags and links have their own tables.
    """
    connection.execute(_INSERT, _values(memory, hash_of_text=hash_of_text))


def update(connection: apsw.Connection, before: Memory, after: Memory) -> None:
    """Write the row of a memory in place of ``before``.

    ``deleted_at`` deletes it softly or restores it.
    """
    # What a long note says takes a tenth of a second to hash.
    values = _values(after, is_text_new=_said(before) != _said(after))
    changes = ", ".join(f"{name} = :{name}" for name in values if name != "id")
    connection.execute(f"UPDATE memories SET {changes} WHERE id = :id", values)


def exists(connection: apsw.Connection, memory_id: str) -> bool:
    """Return whether any memory, deleted and archived ones included, has that id."""
    cursor = connection.execute(
        "SELECT 1 FROM memories WHERE id = ?1 UNION ALL SELECT 1 FROM memory_archive WHERE id = ?1", (memory_id,)
    )
    return cursor.fetchone() is not None


def get(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str]) -> Memory | None:
    """Return one memory, deleted ones included; ``None`` when there is none in ``stores``."""
    memories = many(connection, [memory_id], stores=stores)
    return memories[0] if memories else None


def superseded(connection: apsw.Connection, limit: int, *, stores: Sequence[str]) -> list[Memory]:
    """Return the memories that others took the place of, what was replaced last first."""
    rows = connection.execute(
        "SELECT m.id FROM memories m WHERE m.valid_until IS NOT NULL AND m.superseded_by IS NOT NULL"
        f" AND {store_condition(stores)} ORDER BY m.valid_until DESC, m.rowid DESC LIMIT ?",
        (limit,),
    )
    return many(connection, [str(row[0]) for row in rows], stores=stores)


def removed_ids(connection: apsw.Connection) -> list[str]:
    """Return the ids of all that is deleted or superseded, what went first first."""
    rows = connection.execute("SELECT id FROM memories WHERE valid_until IS NOT NULL ORDER BY valid_until, id")
    return [str(row[0]) for row in rows]


def get_with_sources(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str]) -> Memory | None:
    """Return one memory like ``get``, with its sources for every caller.

    A change starts from it.
    """
    is_seen = get(connection, memory_id, stores=stores) is not None
    return get(connection, memory_id, stores=STORES) if is_seen else None


def many(connection: apsw.Connection, ids: Sequence[str], *, stores: Sequence[str]) -> list[Memory]:
    """Return the memories of ``ids`` that are there, in that order, deleted ones included.

    Who does not see all stores is told of them as ``as_seen`` says.
    """
    return [
        as_seen(_memory(row), stores)
        for row in connection.execute(
            f"SELECT {_columns(stores)} FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value"
            f" WHERE {store_condition(stores)} ORDER BY wanted.key",
            (json.dumps(list(ids)),),
        )
    ]


def as_seen(memory: Memory, stores: Sequence[str]) -> Memory:
    """Return a memory as a caller sees it who reads ``stores``.

    Sources may lie in another store, and conversations are private: unless all are read, it has no sources, and
    without the private store no conversation.
    """
    if sees_all(stores):
        return memory
    return replace(memory, sources=(), session_id=memory.session_id if "private" in stores else None)


def _columns(stores: Sequence[str]) -> str:
    """Return the columns of a memory; it does not name a successor in another store."""
    if sees_all(stores):
        return _READ
    there = (
        f"SELECT s.id FROM memories s WHERE s.id = m.superseded_by AND {store_condition(stores).replace('m.', 's.')}"
    )
    return _READ.replace("m.superseded_by", f"({there})")


def active_fact(connection: apsw.Connection, category: str, key: str, store: str) -> Memory | None:
    """Return the only active fact with this category and key in a store."""
    row = connection.execute(
        f"SELECT {_READ} FROM memories m WHERE m.kind = 'fact' AND m.key <> '' AND m.valid_until IS NULL"
        " AND m.category = ? AND m.key = ? AND m.store = ?",
        (category, key, store),
    ).fetchone()
    return None if row is None else _memory(row)


def text_hash(memory: Memory) -> str:
    """Return a hash of a memory's text and name.

    It is equal for memories that say the same under the same name. Single statements count with the text, and the key
    of a fact that has one.
    """
    named = (memory.category, memory.key) if memory.kind == "fact" and memory.key else ()
    return content_hash(memory.title, memory.content, *named, *memory.facts)


def _earlier_hash(memory: Memory) -> str:
    """Return the hash of earlier versions, which left the text of an observation out."""
    if memory.kind == "observation" and memory.facts:
        return content_hash(memory.title, *memory.facts)
    return text_hash(memory)


def text_key(text: str) -> str:
    """Return what two texts are compared by: they read the same when it is equal."""
    return content_hash(text)


def find_equal(connection: apsw.Connection, memory: Memory, now_ms: int) -> Memory | None:
    """Return the oldest active memory with the same kind, store and text; see ``all_equal``."""
    return next(iter(all_equal(connection, memory, now_ms)), None)


def all_equal(connection: apsw.Connection, memory: Memory, now_ms: int) -> list[Memory]:
    """Return the active memories with the same kind, store and text, the oldest first.

    One that has expired by ``now_ms`` does not count.
    """
    # Every write asks this. Compared with "?", the statement would be compiled anew for each value, to look for a plan
    # that suits it (https://sqlite.org/queryplanner-ng.html#qpsg): with "+?" it is not.
    rows: list[Any] = connection.execute(
        "SELECT m.created_at, m.rowid, m.id FROM memories m WHERE m.content_hash IN (+?, +?) AND m.valid_until IS NULL"
        " AND m.kind = +? AND m.store = +? AND (m.expires_at IS NULL OR m.expires_at > +?)",
        (text_hash(memory), _earlier_hash(memory), memory.kind, memory.store, now_ms),
    ).fetchall()
    memories = [candidate for row in sorted(rows) if (candidate := get(connection, row[2], stores=STORES)) is not None]
    # The earlier hash of an observation left its text out.
    return [candidate for candidate in memories if not candidate.facts or text_hash(candidate) == text_hash(memory)]


def mention(connection: apsw.Connection, memory_id: str) -> None:
    """Count one more mention of a memory."""
    connection.execute("UPDATE memories SET mention_count = mention_count + 1 WHERE id = ?", (memory_id,))


def set_accesses(connection: apsw.Connection, memory: Memory) -> None:
    """Write a memory's read count and the time of the last read.

    No other writing of its row touches these.
    """
    connection.execute(
        "UPDATE memories SET access_count = ?, last_accessed = ? WHERE id = ?",
        (memory.access_count, None if memory.last_accessed is None else to_ms(memory.last_accessed), memory.id),
    )


def write_sources(connection: apsw.Connection, memory: Memory) -> None:
    """Replace what a memory was drawn from."""
    connection.execute("DELETE FROM memory_sources WHERE memory_id = ?", (memory.id,))
    connection.executemany(
        "INSERT OR IGNORE INTO memory_sources (memory_id, source_kind, source_id) VALUES (?, ?, ?)",
        [(memory.id, source.kind, source.id) for source in memory.sources],
    )


def rows(connection: apsw.Connection, ids: Sequence[str], *, stores: Sequence[str]) -> list[MemoryRow]:
    """Return the memories of ``ids`` as a list shows them, in this order.

    Those that are not there are left out.
    """
    return [
        _listed(row)
        for row in connection.execute(
            "SELECT m.id, m.kind, m.title, substr(m.content, 1, ?), m.store, m.source,"
            f" {_TAGS}, m.updated_at, m.created_at, m.pinned, m.confidence, m.valid_until IS NOT NULL, m.facts,"
            f" {SAID_BY}, CASE WHEN {IS_SAID} THEN {SAID_MS} END"
            " FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value"
            f" WHERE {store_condition(stores)} ORDER BY wanted.key",
            (_PREVIEW_SOURCE, json.dumps(list(ids))),
        )
    ]


def preview(content: str, facts: Sequence[str]) -> str:
    """Return the first words of a memory.

    They are those of its single statements where it has no other text.
    """
    begun = without_front_matter(content[:_PREVIEW_SOURCE])
    return excerpt(begun if begun.strip() else " ".join(facts), PREVIEW)


def _said(memory: Memory) -> tuple[object, ...]:
    return memory.kind, memory.title, memory.content, memory.facts, memory.category, memory.key


def _values(memory: Memory, *, is_text_new: bool = True, hash_of_text: str | None = None) -> dict[str, Any]:
    """Return a memory's columns; without those of its text unless that is new."""
    values: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN if is_text_new or name not in _OF_TEXT}
    if is_text_new:
        values.update(
            title_key=title_key(memory.title),
            content_hash=hash_of_text or text_hash(memory),
            facts=_json(memory.facts, "[]"),
        )
    values.update(
        files=_json(memory.files, "[]"),
        people=_json(memory.people, "[]"),
        attributes=_json(memory.attributes, "{}"),
        pinned=int(memory.pinned),
        created_at=to_ms(memory.created_at),
        updated_at=to_ms(memory.updated_at),
        event_time=None if memory.event_time is None else to_ms(memory.event_time),
        expires_at=None if memory.expires_at is None else to_ms(memory.expires_at),
        valid_until=None if memory.deleted_at is None else to_ms(memory.deleted_at),
    )
    return values


def _json(value: Sequence[str] | Mapping[str, Any], empty: str) -> str:
    """Return ``value`` as JSON; most are empty, for which no encoder is made."""
    return json.dumps(value, ensure_ascii=False) if value else empty


def _memory(row: Sequence[Any]) -> Memory:
    facts, attributes, pinned, created, updated, event, expires, deleted, tags, *counted = row[len(_PLAIN) :]
    count, accessed, files, people, sources = counted
    return Memory(
        **dict(zip(_PLAIN, row, strict=False)),
        facts=_list(facts),
        attributes={} if attributes == "{}" else json.loads(attributes),
        pinned=bool(pinned),
        created_at=to_datetime(created),
        updated_at=to_datetime(updated),
        event_time=optional_datetime(event),
        expires_at=optional_datetime(expires),
        deleted_at=optional_datetime(deleted),
        tags=_list(tags),
        access_count=count,
        last_accessed=optional_datetime(accessed),
        files=_list(files),
        people=_list(people),
        sources=tuple(Source(*source) for source in _list(sources)),
    )


def _list(written: str) -> tuple[Any, ...]:
    """Return the entries of a JSON list.

    Most lists are empty, and parsing those costs as much as the rest of a row.
    """
    return () if written == "[]" else tuple(json.loads(written))


def _listed(row: Sequence[Any]) -> MemoryRow:
    return MemoryRow(
        id=row[0],
        kind=row[1],
        title=row[2],
        preview=preview(row[3], json.loads(row[12])),
        store=row[4],
        source=row[5],
        tags=tuple(json.loads(row[6])),
        updated_at=to_datetime(row[7]),
        created_at=to_datetime(row[8]),
        pinned=bool(row[9]),
        confidence=row[10],
        archived=bool(row[11]),
        said_by=str(row[13] or ""),
        said_at=None if row[14] is None else to_datetime(row[14]),
    )


def is_expired(memory: Memory, now_ms: int) -> bool:
    """Return whether the time has passed until which a memory was meant to be kept."""
    return memory.expires_at is not None and to_ms(memory.expires_at) <= now_ms
