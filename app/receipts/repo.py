"""SQL of the receipts of writes."""

from dataclasses import dataclass

import apsw

from app.errors import KeyConflictError

_BATCH = 500  # rows that one transaction removes


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt as it is stored.

    Args:
        operation: The operation that was called.
        arguments: A digest of its arguments; ``""`` where what it stored shows them.
        answer: What it came to, as JSON; never content.
        at: When, milliseconds.
        session: The conversation that the write went to; the receipt goes with it.
    """

    operation: str
    arguments: str
    answer: str
    at: int
    session: str | None = None


def find(connection: apsw.Connection, actor: str, operation: str, key: str) -> StoredReceipt | None:
    """Return the receipt of a caller's key for an operation."""
    row = connection.execute(
        "SELECT operation, arguments, answer, at, session_id FROM write_receipts"
        " WHERE actor = ? AND operation = ? AND key = ?",
        (actor, operation, key),
    ).fetchone()
    return None if row is None else StoredReceipt(*row)


def find_same(
    connection: apsw.Connection, actor: str, operation: str, key: str, arguments: str = ""
) -> StoredReceipt | None:
    """Return the receipt of an earlier call with the same key.

    Raises:
        KeyConflictError: That was a call with other arguments.
    """
    earlier = find(connection, actor, operation, key)
    if earlier is not None and earlier.arguments != arguments:
        raise KeyConflictError(
            "The key was used before: for another write, or for this one, which the person edited before accepting it."
            " Give every write a key of its own.",
            field="key",
        )
    return earlier


def put(connection: apsw.Connection, actor: str, key: str, stored: StoredReceipt) -> None:
    """Store a receipt in place of one before."""
    connection.execute(
        "INSERT OR REPLACE INTO write_receipts (actor, key, operation, arguments, answer, at, session_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (actor, key, stored.operation, stored.arguments, stored.answer, stored.at, stored.session),
    )


def remove(connection: apsw.Connection, actor: str, operation: str, key: str) -> None:
    """Remove the receipt of a key for an operation."""
    same = "actor = ? AND operation = ? AND key = ?"
    connection.execute(f"DELETE FROM write_receipts WHERE {same}", (actor, operation, key))


def remove_old(connection: apsw.Connection, before_ms: int, most: int) -> int:
    """Remove some receipts from before a time, or beyond the newest of an actor's operation.

    Args:
        connection: The writer's connection.
        before_ms: The time.
        most: How many are kept of each operation of each actor.

    Returns:
        How many were removed; 0 when none is left to remove.
    """
    connection.execute(
        "DELETE FROM write_receipts WHERE (actor, operation, key) IN ("
        "SELECT actor, operation, key FROM write_receipts WHERE at < ? LIMIT ?)",
        (before_ms, _BATCH),
    )
    removed = connection.changes()
    if removed:
        return removed
    many = connection.execute(
        "SELECT actor, operation, count(*) - ?1 FROM write_receipts"
        " GROUP BY actor, operation HAVING count(*) > ?1 LIMIT 1",
        (most,),
    ).fetchone()
    if many is None:
        return 0
    actor, operation, over = many
    connection.execute(
        "DELETE FROM write_receipts WHERE (actor, operation, key) IN (SELECT actor, operation, key FROM write_receipts"
        " WHERE actor = ? AND operation = ? ORDER BY at LIMIT ?)",
        (actor, operation, min(int(str(over)), _BATCH)),
    )
    return connection.changes()
