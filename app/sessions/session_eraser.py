"""Erasure of a session: its messages, state, summaries and history.

Memories drawn from it stay.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator

import apsw

from app.erasure.call_records import forget_in_calls, forget_in_ledger
from app.erasure.model import RemainingReference
from app.store.words.tokenizer import KEPT

Removed = dict[str, int]
DropEntries = Callable[[apsw.Connection, str, int], Removed]

_OWN: tuple[tuple[str, str], ...] = (
    ("session_state", "session_id = :id"),
    ("session_summaries", "session_id = :id"),
    ("pending_mentions", "owner_kind = 'session' AND owner_id = :id"),
    ("memory_history", "target_kind = 'session' AND target = :id"),
    ("withheld_messages", "session_id = :id"),
    ("turn_writers", "session_id = :id"),
    ("sessions", "id = :id"),
)
_TEXTS = (
    "SELECT title FROM sessions WHERE id = :id",
    "SELECT preview FROM sessions WHERE id = :id",
    "SELECT summary FROM session_state WHERE session_id = :id",
    "SELECT value FROM session_state, json_each(scratchpad) WHERE session_id = :id",
    "SELECT summary FROM session_summaries WHERE session_id = :id",
    "SELECT before ->> 'title' FROM memory_history WHERE target_kind = 'session' AND target = :id",
    "SELECT before ->> 'summary' FROM memory_history WHERE target_kind = 'session' AND target = :id",
    "SELECT after ->> 'summary' FROM memory_history WHERE target_kind = 'session' AND target = :id",
)
_OF_MESSAGES = (
    "SELECT content FROM messages WHERE session_id = :id AND {}",
    "SELECT content FROM withheld_messages AS messages WHERE session_id = :id AND {}",
    # What is short there is the name of a tool or a field, and nobody's own.
    "SELECT t.atom FROM messages, json_tree(tool_calls) t WHERE session_id = :id AND length(t.atom) >= 24 AND {}",
    "SELECT t.atom FROM messages, json_tree(payload) t WHERE session_id = :id AND length(t.atom) >= 24 AND {}",
)
# Roots of words are in other texts' entries too, and prove nothing.
_GRAMS = f"SELECT grams FROM chunks WHERE session_id = :id AND grams <> '' AND NOT instr(grams, '{KEPT}')"
_MOST_ROWS = 50  # of each text: enough to prove that it is gone


class SessionEraser:
    """Removes conversations.

    Args:
        drop_entries: Takes at most so many search entries of a conversation's messages away.
        hide_entries: Keeps all of them from being found until then.
    """

    def __init__(self, drop_entries: DropEntries, hide_entries: Callable[[apsw.Connection, str], None]) -> None:
        self._drop_entries = drop_entries
        self._hide_entries = hide_entries

    def exists(self, connection: apsw.Connection, target: str) -> bool:
        """Return whether anything is kept of the conversation."""
        row = connection.execute(
            "SELECT 1 FROM sessions WHERE id = ?1"
            " UNION ALL SELECT 1 FROM memory_history WHERE target_kind = 'session' AND target = ?1 LIMIT 1",
            (target,),
        )
        return row.fetchone() is not None

    def texts(self, connection: apsw.Connection, target: str) -> Iterator[str]:
        """Yield its titles and summaries, and messages spread evenly over it, for samples."""
        count = int(connection.execute("SELECT count(*) FROM messages WHERE session_id = ?", (target,)).get)
        spread = f"messages.rowid % {max(count // _MOST_ROWS, 1)} = 0" if count > _MOST_ROWS else "TRUE"
        for sql in (*_TEXTS, *(messages.format(spread) for messages in _OF_MESSAGES), _GRAMS):
            rows = connection.execute(f"{sql} LIMIT {_MOST_ROWS}", {"id": target})
            yield from (str(row[0]) for row in rows if row[0] is not None)

    def hide(self, connection: apsw.Connection, target: str, at_ms: int) -> None:
        """Take it out of every list at once, and keep it from being indexed on."""
        connection.execute(
            "UPDATE sessions SET forgotten_at = ? WHERE id = ? AND forgotten_at IS NULL", (at_ms, target)
        )
        if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (target,)).fetchone():
            self._hide_entries(connection, target)
        connection.execute("UPDATE session_state SET passage_seq = last_seq WHERE session_id = ?", (target,))

    def step(self, connection: apsw.Connection, target: str, limit: int) -> Removed:
        """Remove some more of it; nothing is left when nothing was removed."""
        if dropped := self._drop_entries(connection, target, limit):
            return dropped
        messages = connection.execute(
            "DELETE FROM messages WHERE rowid IN (SELECT rowid FROM messages WHERE session_id = ? LIMIT ?) RETURNING 1",
            (target, limit),
        ).fetchall()
        if messages:
            return {"messages": len(messages)}
        removed: Counter[str] = Counter({"audit_items": forget_in_ledger(connection, target)})
        # As JSON has it, for a short id of a caller's own is part of many words.
        removed.update(forget_in_calls(connection, json.dumps(target, ensure_ascii=False)))
        for table, where in _OWN:
            rows = connection.execute(f"DELETE FROM {table} WHERE {where} RETURNING 1", {"id": target}).fetchall()
            removed[table] += len(rows)
        return {table: count for table, count in removed.items() if count}

    def left(self, connection: apsw.Connection, target: str) -> Iterator[RemainingReference]:
        """Yield the memories that were drawn from it and stay."""
        rows = connection.execute(
            "SELECT id FROM memories WHERE session_id = ?1 UNION SELECT memory_id FROM memory_sources"
            " WHERE source_kind = 'message' AND source_id >= ?1 || '#' AND source_id < ?1 || '$'",
            (target,),
        )
        for (memory_id,) in rows:
            yield RemainingReference("memories", str(memory_id), "was drawn from it")
