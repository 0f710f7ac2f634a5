"""Erasure of things of a few rows, such as schedules and saved searches."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from app.erasure.call_records import forget_in_calls, forget_in_ledger
from app.erasure.model import RemainingReference

Removed = dict[str, int]


@dataclass(frozen=True, slots=True)
class RowsEraser:
    """Removes one kind of thing with its history.

    Every condition and statement names the thing as ``:id``.

    Args:
        kind: The kind of its entries in the history.
        own: Tables and the conditions of its rows in them, its own row last.
        said: Statements that read what it says.
        hidden: The statement that hides it at ``:at``, milliseconds UTC.
        states: What the history keeps of its words, such as ``name``.
    """

    kind: str
    own: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    hidden: str
    states: tuple[str, ...]

    def exists(self, connection: apsw.Connection, target: str) -> bool:
        """Return whether it is kept, perhaps set aside; its history is nowhere without it."""
        table, where = self.own[-1]
        return connection.execute(f"SELECT 1 FROM {table} WHERE {where}", {"id": target}).fetchone() is not None

    def texts(self, connection: apsw.Connection, target: str) -> Iterator[str]:
        """Yield what it says and ever said, for samples."""
        past = (
            f"SELECT {state} ->> '{name}' FROM memory_history WHERE target_kind = '{self.kind}' AND target = :id"
            for state in ("before", "after")
            for name in self.states
        )
        for sql in (*self.said, *past):
            for row in connection.execute(sql, {"id": target}):
                yield from (str(text) for text in row if text)

    def hide(self, connection: apsw.Connection, target: str, at_ms: int) -> None:
        """Hide it from every list at once."""
        connection.execute(self.hidden, {"id": target, "at": at_ms})

    def step(self, connection: apsw.Connection, target: str, limit: int) -> Removed:
        """Remove it all in one step, as its rows are few."""
        removed: Counter[str] = Counter(forget_in_calls(connection, target))
        removed["audit_items"] += forget_in_ledger(connection, target)
        for table, where in (("memory_history", f"target_kind = '{self.kind}' AND target = :id"), *self.own):
            rows = connection.execute(f"DELETE FROM {table} WHERE {where} RETURNING 1", {"id": target}).fetchall()
            removed[table] += len(rows)
        return {table: count for table, count in removed.items() if count}

    def left(self, connection: apsw.Connection, target: str) -> Iterator[RemainingReference]:
        """Yield nothing: what its runs wrote is named where it quotes it."""
        return iter(())
