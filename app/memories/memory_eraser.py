"""Erasure of a memory: its row, dependent rows, history and copies.

What other memories say of it stays.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator

import apsw

from app.erasure import text_samples
from app.erasure.call_records import forget_in_calls, forget_in_ledger
from app.erasure.model import RemainingReference
from app.store.words.tokenizer import KEPT

Removed = dict[str, int]
DropEntries = Callable[[apsw.Connection, str, int], Removed]

# Everything of a memory but its search entries; each condition names the memory as ``:id``.
_OWN: tuple[tuple[str, str], ...] = (
    ("memory_tags", "memory_id = :id"),
    ("memory_links", "memory_id = :id"),
    ("memory_sources", "memory_id = :id"),
    ("mentions", "owner_kind = 'memory' AND owner_id = :id"),
    ("entity_claims", "owner_kind = 'memory' AND owner_id = :id"),
    ("pending_mentions", "owner_kind = 'memory' AND owner_id = :id"),
    ("memory_history", "target_kind = 'memory' AND target = :id"),
    ("memory_archive", "id = :id"),
    ("files", "target = :id"),
    ("memories", "id = :id"),
)
_STATES = (
    "SELECT payload -> '$.memories[0]' FROM memory_archive WHERE id = :id",
    "SELECT state_json(before) FROM memory_history WHERE target_kind = 'memory' AND target = :id AND before NOTNULL",
    "SELECT state_json(after) FROM memory_history WHERE target_kind = 'memory' AND target = :id AND after NOTNULL",
)
_TEXTS = (
    "SELECT text FROM {texts} WHERE memory_id = :id",
    # Roots of words are in other texts' entries too, and prove nothing.
    f"SELECT grams FROM {{texts}} WHERE memory_id = :id AND grams <> '' AND NOT instr(grams, '{KEPT}')",
)
_MOST_ROWS = 50  # of each text: enough to prove that it is gone


class MemoryEraser:
    """Removes memories.

    Args:
        drop_entries: Takes at most so many search entries of a memory away.
    """

    def __init__(self, drop_entries: DropEntries) -> None:
        self._drop_entries = drop_entries

    def exists(self, connection: apsw.Connection, target: str) -> bool:
        """Return whether anything is kept of the memory: itself, an archive copy, or its history."""
        return any(
            connection.execute(f"SELECT 1 FROM {table} WHERE {where} LIMIT 1", {"id": target}).fetchone()
            for table, where in _OWN
            if table in ("memories", "memory_archive", "memory_history")
        )

    def texts(self, connection: apsw.Connection, target: str) -> Iterator[str]:
        """Yield what it says and ever said, for samples."""
        # All its columns, because a copy of the vault may be older than some.
        now = connection.execute("SELECT * FROM memories WHERE id = ?", (target,))
        for row in now:
            names = (name for name, *_ in now.get_description())
            yield from text_samples.strings_of_state(dict(zip(names, row, strict=True)))
        for sql in _STATES:
            for row in connection.execute(f"{sql} LIMIT {_MOST_ROWS}", {"id": target}):
                yield from text_samples.strings_of_state(json.loads(str(row[0])))
        # In a copy that is older than the view, each chunk has its own text.
        has_view = connection.execute("SELECT 1 FROM main.sqlite_schema WHERE name = 'chunk_texts'").fetchone()
        for sql in _TEXTS:
            query = sql.format(texts="chunk_texts" if has_view else "chunks")
            yield from (str(row[0]) for row in connection.execute(f"{query} LIMIT {_MOST_ROWS}", {"id": target}))

    def hide(self, connection: apsw.Connection, target: str, at_ms: int) -> None:
        """Hide the memory from every list at once; ``step`` removes its summaries."""
        connection.execute("UPDATE memories SET valid_until = ? WHERE id = ? AND valid_until IS NULL", (at_ms, target))

    def step(self, connection: apsw.Connection, target: str, limit: int) -> Removed:
        """Remove some more of it; nothing is left when nothing was removed."""
        if dropped := self._drop_entries(connection, target, limit):
            return dropped
        removed: Counter[str] = Counter(_summaries(connection, target))
        removed["audit_items"] += forget_in_ledger(connection, target)
        removed.update(forget_in_calls(connection, target))
        for table, where in _OWN:
            rows = connection.execute(f"DELETE FROM {table} WHERE {where} RETURNING 1", {"id": target}).fetchall()
            removed[table] += len(rows)
        return {table: count for table, count in removed.items() if count}

    def left(self, connection: apsw.Connection, target: str) -> Iterator[RemainingReference]:
        """Yield what refers to it and stays."""
        for sql, why in (
            (
                "SELECT memory_id FROM memory_sources WHERE source_kind = 'memory' AND source_id = ?",
                "was drawn from it",
            ),
            ("SELECT id FROM memories WHERE superseded_by = ?", "was superseded by it"),
        ):
            for (memory_id,) in connection.execute(sql, (target,)):
                yield RemainingReference("memories", str(memory_id), why)


def _summaries(connection: apsw.Connection, target: str) -> Removed:
    """Remove the session summaries that name the memory.

    They are those of its conversation, and are written anew when the conversation goes on.
    """
    rows = connection.execute(
        "DELETE FROM session_summaries WHERE session_id = (SELECT session_id FROM memories WHERE id = ?1) AND instr("
        "summary, (SELECT substr(CASE WHEN title = '' THEN content ELSE title END, 1, 40) FROM memories WHERE id = ?1)"
        ") RETURNING 1",
        (target,),
    ).fetchall()
    return {"session_summaries": len(rows)}
