"""SQL of what an agent wrote: history entries, conversations, and what is hidden of them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from app.core.clock import to_datetime
from app.core.text import excerpt
from app.history import undo_chain
from app.history.model import QUARANTINE
from app.quarantine.model import QuarantinedItem
from app.sessions import turn_writers
from app.sessions.withheld_turns import is_withheld
from app.store import meta

_OLDER: Final = "It has turns from before that time. Forget the whole conversation if none of it should stay."
_RENAMED: Final = "Somebody else changed its title or summary since."
_UNFINISHED = "agent_undo:"
_TITLE = 120
_HIDDEN_BY: Final[dict[str, tuple[str, str, str]]] = {
    "memory": ("memories", "id", "valid_until"),
    "session": ("sessions", "id", "forgotten_at"),
    "schedule": ("schedules", "schedule_id", "deleted_at"),
    "saved_search": ("saved_searches", "id", "deleted_at"),
}
"""Table of each kind of items, its key, and the column that says since when one is set aside."""


@dataclass(frozen=True, slots=True)
class AgentConversation:
    """A conversation of which an agent wrote all or a part.

    Args:
        session: Its id.
        seqs: The agent's turns where others wrote there too; none where all of it is the agent's.
        reason: Why it is left as it is, in a sentence; ``""`` if it is not.
    """

    session: str
    seqs: tuple[int, ...] = ()
    reason: str = ""


def run_prefix(agent: str) -> str:
    """Return how the ids of the runs begin that hid what an agent wrote."""
    return f"{QUARANTINE}{hashlib.blake2b(agent.encode(), digest_size=8).hexdigest()}:"


def has_written(connection: apsw.Connection, actor: str) -> bool:
    """Return whether an actor has history entries, or messages under another agent's name."""
    if turn_writers.has_written(connection, actor):
        return True
    return connection.execute("SELECT 1 FROM memory_history WHERE actor = ? LIMIT 1", (actor,)).fetchone() is not None


def entries_of(connection: apsw.Connection, actor: str, since_ms: int, until_ms: int) -> list[int]:
    """Return the ids of an actor's history entries within a time, both ends included."""
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE actor = ? AND at BETWEEN ? AND ? ORDER BY id", (actor, since_ms, until_ms)
    )
    return [int(str(row[0])) for row in rows]


def created_memories(connection: apsw.Connection, actor: str, since_ms: int, until_ms: int) -> list[str]:
    """Return the ids of the active memories that an actor made within a time."""
    rows = connection.execute(
        "SELECT DISTINCT m.id FROM memory_history h JOIN memories m ON m.id = h.target"
        " WHERE h.actor = ? AND h.at BETWEEN ? AND ? AND h.target_kind = 'memory' AND h.event = 'ADD'"
        " AND m.valid_until IS NULL ORDER BY h.id",
        (actor, since_ms, until_ms),
    )
    return [str(row[0]) for row in rows]


def conversations_of(
    connection: apsw.Connection, agent: str, since_ms: int, until_ms: int, now_ms: int
) -> list[AgentConversation]:
    """Return conversations within a time that name an agent or that it wrote in."""
    named = [_named(connection, *naming, agent) for naming in _naming(connection, agent, since_ms, until_ms, now_ms)]
    others = turn_writers.sessions_with(connection, agent, since_ms, until_ms)
    stated = [_stated(connection, session, agent, since_ms, until_ms) for session in others]
    return [naming for naming in (*named, *stated) if naming is not None]


def _named(connection: apsw.Connection, session: str, is_new: bool, agent: str) -> AgentConversation | None:
    """Return an agent's part of a conversation that names it, if any."""
    if not turn_writers.is_shared(connection, session):
        reason = _RENAMED if changed_by_others(connection, session, agent) else "" if is_new else _OLDER
        return AgentConversation(session, reason=reason)
    own = turn_writers.unstated(connection, session)
    if not own.seqs:  # another agent named it without having been it
        return AgentConversation(session) if own.made and not own.others else None
    return AgentConversation(session, seqs=own.seqs) if is_new else AgentConversation(session, reason=_OLDER)


def _stated(
    connection: apsw.Connection, session: str, agent: str, since_ms: int, until_ms: int
) -> AgentConversation | None:
    """Return an agent's part of a conversation that names another, if any."""
    own = turn_writers.stated(connection, session, agent, since_ms, until_ms)
    if own.made and not own.others and not changed_by_others(connection, session, agent):
        return AgentConversation(session)
    return AgentConversation(session, seqs=own.seqs) if own.seqs else None


def _naming(
    connection: apsw.Connection, agent: str, since_ms: int, until_ms: int, now_ms: int
) -> list[tuple[str, bool]]:
    """Return conversations that name an agent, and whether each began and ended then.

    A turn whose writer gave it a time still to come was written by now, and keeps no conversation.
    """
    rows = connection.execute(
        "SELECT s.id, s.first_seen >= ?2 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id"
        "  AND m.created_at > ?3 AND m.created_at <= ?4) FROM sessions s WHERE s.agent = ?1 AND s.forgotten_at IS NULL"
        " AND ((s.first_seen BETWEEN ?2 AND ?3) OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id"
        "  AND m.created_at BETWEEN ?2 AND ?3)) ORDER BY s.rowid",
        (agent, since_ms, until_ms, now_ms),
    )
    return [(str(row[0]), bool(row[1])) for row in rows]


def changed_by_others(connection: apsw.Connection, session: str, agent: str) -> bool:
    """Return whether another actor's change of a conversation's title or summary stands."""
    rows = connection.execute(
        "SELECT id, run_id FROM memory_history WHERE target = ? AND target_kind = 'session' AND actor <> ?"
        " AND undone_by IS NULL AND event IN ('RENAME', 'UPDATE')",
        (session, agent),
    ).fetchall()
    undoes = "SELECT 1 FROM memory_history WHERE target = ? AND undone_by = ?"
    return any(connection.execute(undoes, (session, row[0])).fetchone() is None for row in rows)


def hiding_entries(connection: apsw.Connection, agent: str) -> list[int]:
    """Return the history entries that hide what an agent wrote and stand."""
    prefix = run_prefix(agent)
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE run_id >= ? AND run_id < ? ORDER BY id", (prefix, prefix[:-1] + ";")
    ).fetchall()
    ids = [int(str(row[0])) for row in rows]
    return [identity for identity in ids if undo_chain.stands(connection, identity)]


def quarantined(connection: apsw.Connection, agent: str) -> list[QuarantinedItem]:
    """Return what is hidden of an agent, the last hidden first."""
    items = []
    for entry in reversed(hiding_entries(connection, agent)):
        row = connection.execute(
            "SELECT target, target_kind, state_json(before), at, after IS NOT NULL FROM memory_history WHERE id = ?",
            (entry,),
        ).fetchone()
        if row is not None:
            items.append(_item(connection, row))
    return [item for item in items if _is_hidden(connection, item, agent)]


def is_quarantined(connection: apsw.Connection, target: str) -> bool:
    """Return whether an item is hidden by a quarantine."""
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE target = ? AND run_id >= ? AND run_id < ?",
        (target, QUARANTINE, QUARANTINE[:-1] + ";"),
    ).fetchall()
    return any(undo_chain.stands(connection, int(str(row[0]))) for row in rows)


def concerns_quarantined(connection: apsw.Connection, history_ids: Sequence[int], run_id: str) -> bool:
    """Return whether history entries, or those of a run, concern hidden items."""
    rows = connection.execute(
        "SELECT DISTINCT target FROM memory_history WHERE id IN (SELECT value FROM json_each(?1)) OR run_id = ?2",
        (json.dumps(list(history_ids)), run_id or None),
    ).fetchall()
    return any(is_quarantined(connection, str(row[0])) for row in rows)


def unfinished(connection: apsw.Connection, agent: str) -> dict[str, Any] | None:
    """Return the undo of an agent that was stopped before its end."""
    progress = meta.read(connection, _UNFINISHED + agent)
    return None if progress is None else dict(json.loads(progress))


def keep_unfinished(connection: apsw.Connection, agent: str, state: dict[str, Any]) -> None:
    """Store the undo of an agent that has begun."""
    meta.write(connection, _UNFINISHED + agent, json.dumps(state))


def drop_unfinished(connection: apsw.Connection, agent: str) -> None:
    """Remove the note that the undo of an agent has begun."""
    meta.remove(connection, _UNFINISHED + agent)


def _is_hidden(connection: apsw.Connection, item: QuarantinedItem, agent: str) -> bool:
    if item.target_kind == "entity" or (item.target_kind == "session" and is_withheld(connection, item.target, agent)):
        return True
    table, key, column = _HIDDEN_BY[item.target_kind]
    row = connection.execute(f"SELECT {column} IS NOT NULL FROM {table} WHERE {key} = ?", (item.target,)).fetchone()
    return row is not None and bool(row[0])


def _item(connection: apsw.Connection, row: tuple[Any, ...]) -> QuarantinedItem:
    target, target_kind, before, at_ms, is_there = row
    state = {} if before is None else json.loads(before)
    if target_kind == "session" and "title" not in state:
        state["title"] = connection.execute("SELECT title FROM sessions WHERE id = ?", (target,)).get
    title = str(state.get("title") or state.get("name") or state.get("content") or target)
    kind = str(state.get("kind") or target_kind)
    if target_kind == "entity":
        kind = "relations" if is_there else str(state.get("type") or target_kind)
    return QuarantinedItem(
        target, target_kind, kind, excerpt(title, _TITLE), str(state.get("store") or ""), to_datetime(at_ms)
    )
