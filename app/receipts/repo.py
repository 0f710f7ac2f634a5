"""SQL of the receipts of writes."""

from dataclasses import dataclass

import apsw
import msgspec

from app.receipts.model import Receipt

_BATCH = 500  # rows that one transaction removes


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt as it is stored.

    Args:
        operation: The operation that was called.
        arguments: A digest of its arguments.
        receipt: What it came to.
        at: When, milliseconds.
    """

    operation: str
    arguments: str
    receipt: Receipt
    at: int


def find(connection: apsw.Connection, actor: str, key: str) -> StoredReceipt | None:
    """Return the receipt of a caller's key."""
    row = connection.execute(
        "SELECT operation, arguments, answer, at FROM write_receipts WHERE actor = ? AND key = ?", (actor, key)
    ).fetchone()
    if row is None:
        return None
    operation, arguments, answer, at = row
    return StoredReceipt(str(operation), str(arguments), msgspec.json.decode(str(answer), type=Receipt), int(str(at)))


def put(connection: apsw.Connection, actor: str, key: str, stored: StoredReceipt) -> None:
    """Store a receipt in place of one before."""
    answer = msgspec.json.encode(stored.receipt).decode()
    connection.execute(
        "INSERT OR REPLACE INTO write_receipts (actor, key, operation, arguments, answer, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (actor, key, stored.operation, stored.arguments, answer, stored.at),
    )


def remove(connection: apsw.Connection, actor: str, key: str) -> None:
    """Remove the receipt of a key."""
    connection.execute("DELETE FROM write_receipts WHERE actor = ? AND key = ?", (actor, key))


def remove_old(connection: apsw.Connection, before_ms: int) -> int:
    """Remove some receipts from before a time; return how many."""
    connection.execute(
        "DELETE FROM write_receipts WHERE (actor, key) IN (SELECT actor, key FROM write_receipts WHERE at < ? LIMIT ?)",
        (before_ms, _BATCH),
    )
    return connection.changes()
