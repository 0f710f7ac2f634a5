"""Backlog of name recognition: changed memories, restored sessions and new messages."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import apsw

from app.core import message_ids
from app.core.text_rules.project_name import project_name, project_sql
from app.core.text_rules.recall_fence import blank_recalled
from app.entities.enrichment import repo as enrichment_repo
from app.entities.linking import FoundName, Linker, Owner
from app.entities.model import OwnerKind
from app.entities.ner.provider import KNOWN_CONFIDENCE, MAX_CHARACTERS, NameSpan
from app.store import meta

MARK = "entities_message_rowid"
RULES = "entities_rules"
RULES_VERSION = "8"  # changes when the fast rules do; everything is read again then
_MAX_BATCH_CHARACTERS = 1_000_000
_FIRST = -1_000_000_000_000_000_000  # before every message
# Of the messages of a conversation the first one names its project.
_PROJECT = (
    f"(SELECT {project_sql('s')} FROM sessions s WHERE s.id = m.session_id"
    " AND NOT EXISTS (SELECT 1 FROM messages f WHERE f.session_id = s.id AND f.seq < m.seq))"
)
_MESSAGE = f"m.session_id, m.seq, m.role, m.author, substr(m.content, 1, ?), m.created_at, {_PROJECT}"
_MEMORY = (
    "m.id, m.store, coalesce(m.event_time, m.updated_at), substr(m.content, 1, ?), m.title, m.facts, m.people,"
    f" {project_sql('m')}, m.version"
)
_UNUSED = (
    "e.mention_count = 0 AND e.touched = 0 AND e.protected = 0"
    " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.object_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.subject_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.target = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM entities o WHERE o.merged_into = e.id)"
)
_SILENT_ROLES = frozenset({"system"})

Source = Literal["memory", "session", "messages"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A message or memory to read.

    Args:
        owner: Which one.
        text: What it says; starts of mentions count in it.
        heading: What else it says (a title, single statements), whose mentions have no start.
        author: Who says it, ``""`` for nobody by name.
        spoken_by_person: Whether the author is a person for certain.
        mark: The memory's version, the message's number or row: what must still hold, or how far reading has come.
        kept: Names that an accurate search found, each with whether it stands in the heading.
        people: Whom the writer of a memory named as related.
        project: The project that a memory, or the conversation that begins with a message, belongs to.
    """

    owner: Owner
    text: str
    heading: str
    author: str
    spoken_by_person: bool
    mark: int
    kept: tuple[tuple[bool, NameSpan], ...] = ()
    people: tuple[str, ...] = ()
    project: str = ""


@dataclass(frozen=True, slots=True)
class NameBatch:
    """Some readings of one source, and where the source stands after them.

    Args:
        source: Where they come from.
        readings: The messages or memories.
        session: The session, for ``session``.
        mark: The last message's number or row.
        last: Whether nothing of the session is left.
    """

    source: Source
    readings: tuple[Reading, ...]
    session: str = ""
    mark: int = 0
    last: bool = False


def begin(connection: apsw.Connection) -> None:
    """Read everything again when the rules have changed since."""
    if meta.read(connection, RULES) != RULES_VERSION:
        # What the rules of before found makes no name known: those of today find it themselves, or it is none.
        connection.execute(
            "UPDATE mentions SET confidence = ?1 WHERE provider = 'rules' AND confidence < ?1", (KNOWN_CONFIDENCE,)
        )
        start_over(connection)
        meta.write(connection, RULES, RULES_VERSION)


def start_over(connection: apsw.Connection) -> None:
    """Let every message and memory be read again; what a person decided stays."""
    meta.write(connection, MARK, "0")
    connection.execute(
        "INSERT INTO pending_mentions (owner_kind, owner_id) SELECT 'memory', id FROM memories"
        " WHERE valid_until IS NULL ON CONFLICT DO NOTHING"
    )


def left(connection: apsw.Connection) -> int:
    """Return about how many messages and memories are left to read."""
    newest = connection.execute("SELECT coalesce(max(rowid), 0) FROM messages").get
    waiting = connection.execute("SELECT count(*) FROM pending_mentions").get
    return max(0, int(str(newest)) - read_up_to(connection)) + int(str(waiting))


def is_read(connection: apsw.Connection) -> bool:
    """Return whether every text was read by the rules of today."""
    return meta.read(connection, RULES) == RULES_VERSION and left(connection) == 0


def next_batch(connection: apsw.Connection, limit: int) -> NameBatch | None:
    """Return the next batch, ``None`` when nothing is left.

    Memories come before messages.
    """
    batch = _memories(connection, limit) or _restored(connection, limit) or _new_messages(connection, limit)
    return None if batch is None else replace(batch, readings=with_kept(connection, batch.readings))


def with_kept(connection: apsw.Connection, readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return readings with the names that an accurate search found in them."""
    found = {
        (kind, owner): names
        for kind in sorted({reading.owner.kind for reading in readings})
        for owner, names in enrichment_repo.names(
            connection, kind, (reading.owner.id for reading in readings if reading.owner.kind == kind)
        ).items()
    }
    if not found:
        return tuple(readings)
    return tuple(replace(one, kept=found.get((one.owner.kind, one.owner.id), ())) for one in readings)


def read_up_to(connection: apsw.Connection) -> int:
    """Return the last row of messages that was read."""
    return int(meta.read(connection, MARK) or 0)


def reading_of(connection: apsw.Connection, kind: OwnerKind, owner: str) -> Reading | None:
    """Return a memory or message (``session#seq``) to read, ``None`` where it is gone or silent."""
    if kind == "memory":
        sql = f"SELECT {_MEMORY} FROM memories m WHERE m.id = ? AND m.valid_until IS NULL"
        row = connection.execute(sql, (MAX_CHARACTERS, owner))
        found = row.fetchone()
        return None if found is None else with_kept(connection, (_memory(found),))[0]
    ref = message_ids.parse(owner)
    if ref is None:
        return None
    row = connection.execute(
        f"SELECT m.seq, {_MESSAGE} FROM messages m"
        " JOIN sessions s ON s.id = m.session_id WHERE m.session_id = ? AND m.seq = ? AND s.forgotten_at IS NULL",
        (MAX_CHARACTERS, ref.session, ref.seq),
    )
    found = row.fetchone()
    return None if found is None else with_kept(connection, (_message(found),))[0]


def record_one(connection: apsw.Connection, reading: Reading, found: Sequence[FoundName], now_ms: int) -> bool:
    """Store the names found in one text, unless it has changed since."""
    source: Source = "memory" if reading.owner.kind == "memory" else "messages"
    owners = _current_owners(connection, NameBatch(source, (reading,)))
    if reading.owner.id not in owners:
        return False
    Linker(connection, now_ms).mention([(owners[reading.owner.id], found)])
    return True


def read_again(connection: apsw.Connection, owners: Iterable[tuple[str, str]]) -> None:
    """Let memories and messages, as (kind, id), be read again."""
    for kind, owner in owners:
        ref = message_ids.parse(owner) if kind == "message" else None
        target, after = (owner, _FIRST) if ref is None else (ref.session, ref.seq - 1)
        connection.execute(
            "INSERT INTO pending_mentions (owner_kind, owner_id, after_seq) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET after_seq = min(after_seq, excluded.after_seq)",
            ("memory" if kind == "memory" else "session", target, after),
        )


def record(connection: apsw.Connection, batch: NameBatch, found: Sequence[Sequence[FoundName]], now_ms: int) -> int:
    """Store the names found in a batch and the progress; return the number of mentions.

    A memory that has changed since is left for the next time, a message of a forgotten session is passed over.
    """
    owners = _current_owners(connection, batch)
    current = [
        (owners[reading.owner.id], names)
        for reading, names in zip(batch.readings, found, strict=True)
        if reading.owner.id in owners
    ]
    Linker(connection, now_ms).mention(current)
    _advance(connection, batch)
    return sum(len(names) for _, names in current)


def unused(connection: apsw.Connection, limit: int) -> list[str]:
    """Return entities without mentions or decisions.

    Those of the history are none, though nobody sees them: what was decided and undone can then be done again. Nor are
    those to which a relation was stated once.
    """
    rows = connection.execute(
        f"SELECT e.id FROM entities e WHERE {_UNUSED}"
        # Evaluated once for all, and only where an entity is left to decide about.
        " AND e.id NOT IN (SELECT r.value ->> 1 FROM memory_history h JOIN json_each(h.before, '$.relations') r"
        " WHERE h.target_kind = 'entity' UNION SELECT r.value ->> 1 FROM memory_history h"
        " JOIN json_each(h.after, '$.relations') r WHERE h.target_kind = 'entity') LIMIT ?",
        (limit,),
    )
    return [str(row[0]) for row in rows]


def drop_unused(connection: apsw.Connection, entities: Sequence[str]) -> int:
    """Delete those of ``entities`` that are still unused; return their number."""
    connection.execute(
        "DELETE FROM entities WHERE id IN (SELECT e.id FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value"
        f" WHERE {_UNUSED})",
        (json.dumps(entities),),
    )
    return connection.changes()


# Reading ------------------------------------------------------------------------------------------------------


def _memories(connection: apsw.Connection, limit: int) -> NameBatch | None:
    rows = connection.execute(
        f"SELECT {_MEMORY} FROM pending_mentions p CROSS JOIN memories m ON m.id = p.owner_id"
        " WHERE p.owner_kind = 'memory' LIMIT ?",
        (MAX_CHARACTERS, limit),
    )
    readings = tuple(_some(_memory(row) for row in rows))
    return NameBatch("memory", readings) if readings else None


def _memory(row: Sequence[Any]) -> Reading:
    heading = "\n".join([row[4], *json.loads(row[5])])[:MAX_CHARACTERS]
    owner, people = Owner("memory", row[0], row[1], row[2]), tuple(json.loads(row[6]))
    return Reading(
        owner, row[3], heading, "", spoken_by_person=False, mark=row[8], people=people, project=project_name(row[7])
    )


def _restored(connection: apsw.Connection, limit: int) -> NameBatch | None:
    waiting = connection.execute(
        "SELECT owner_id, after_seq FROM pending_mentions WHERE owner_kind = 'session' LIMIT 1"
    ).fetchone()
    if waiting is None:
        return None
    session, after = str(waiting[0]), cast("int", waiting[1])
    rows = connection.execute(
        f"SELECT m.seq, {_MESSAGE} FROM messages m WHERE m.session_id = ? AND m.seq > ? ORDER BY m.seq LIMIT ?",
        (MAX_CHARACTERS, session, after, limit),
    )
    readings = tuple(_some(_message(row) for row in rows))
    mark = readings[-1].mark if readings else after
    return NameBatch("session", readings, session, mark, last=not readings)


def _new_messages(connection: apsw.Connection, limit: int) -> NameBatch | None:
    rows = connection.execute(
        f"SELECT m.rowid, {_MESSAGE} FROM messages m WHERE m.rowid > ? ORDER BY m.rowid LIMIT ?",
        (MAX_CHARACTERS, read_up_to(connection), limit),
    )
    readings = tuple(_some(_message(row) for row in rows))
    return NameBatch("messages", readings, mark=readings[-1].mark) if readings else None


def _message(row: Sequence[Any]) -> Reading:
    owner = Owner("message", f"{row[1]}#{row[2]}", "private", row[6])
    if row[3] in _SILENT_ROLES:
        return Reading(owner, "", "", "", spoken_by_person=False, mark=row[0], project=project_name(row[7]))
    # What Keepsake told an agent mentions nobody anew.
    text, is_person = blank_recalled(row[5]), row[3] == "user"
    return Reading(owner, text, "", row[4], spoken_by_person=is_person, mark=row[0], project=project_name(row[7]))


def _some(readings: Iterable[Reading]) -> Iterable[Reading]:
    """Yield readings up to a number of characters, at least one."""
    characters = 0
    for reading in readings:
        yield reading
        characters += len(reading.text) + len(reading.heading)
        if characters > _MAX_BATCH_CHARACTERS:
            return


# Recording ----------------------------------------------------------------------------------------------------


def _current_owners(connection: apsw.Connection, batch: NameBatch) -> dict[str, Owner]:
    """Return the owners of a batch as they are now, by id.

    Those that have changed since they were read are left out.
    """
    owners = {reading.owner.id: reading.owner for reading in batch.readings}
    if batch.source == "memory":
        read = json.dumps([[reading.owner.id, reading.mark] for reading in batch.readings])
        stores = connection.execute(
            "SELECT m.id, m.store FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value ->> 0"
            " AND m.version = w.value ->> 1 AND m.valid_until IS NULL",
            (read,),
        )
        return {str(name): replace(owners[str(name)], store=str(store)) for name, store in stores}
    sessions = {name: name.rpartition("#")[0] for name in owners}
    sql = "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?)) AND forgotten_at IS NULL"
    current = {str(row[0]) for row in connection.execute(sql, (json.dumps(sorted(set(sessions.values()))),))}
    return {name: owner for name, owner in owners.items() if sessions[name] in current}


def _advance(connection: apsw.Connection, batch: NameBatch) -> None:
    if batch.source == "messages":
        meta.write(connection, MARK, str(batch.mark))
    elif batch.source == "session":
        sql = "DELETE FROM" if batch.last else "UPDATE"
        change = "" if batch.last else " SET after_seq = :mark"
        connection.execute(
            f"{sql} pending_mentions{change} WHERE owner_kind = 'session' AND owner_id = :id",
            {"mark": batch.mark, "id": batch.session},
        )
    else:
        connection.executemany(
            "DELETE FROM pending_mentions WHERE owner_kind = 'memory' AND owner_id = ? AND NOT EXISTS"
            " (SELECT 1 FROM memories m WHERE m.id = owner_id AND m.version <> ?)",
            [(reading.owner.id, reading.mark) for reading in batch.readings],
        )
