"""Records of agents' calls that hold an erased item: ledger, proposals and receipts."""

import apsw

_COLUMNS = ("target", "arguments", "preview", "result")
_OF_MEMORY = "DELETE FROM write_receipts WHERE :id IN (answer ->> 'memory_id', answer ->> 'matched') RETURNING 1"


def forget_in_calls(connection: apsw.Connection, target: str) -> dict[str, int]:
    """Remove the proposals and receipts that name an item, and return how many of each.

    A copy of the vault may be older than these tables.
    """
    removed = {}
    named = " OR ".join(f"instr({column}, :id)" for column in _COLUMNS if column in _columns(connection, "inbox"))
    if named:
        proposals = connection.execute(f"DELETE FROM inbox WHERE {named} RETURNING 1", {"id": target}).fetchall()
        removed["inbox"] = len(proposals)
    if _columns(connection, "write_receipts"):
        removed["write_receipts"] = len(connection.execute(_OF_MEMORY, {"id": target}).fetchall())
    return removed


def _columns(connection: apsw.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}


def forget_in_ledger(connection: apsw.Connection, item: str) -> int:
    """Remove an item from the ledger, and return how many calls named it.

    Copies that were made before the ledger have none.
    """
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'audit_names'").fetchone():
        return 0
    count = connection.execute(
        "SELECT count(*) FROM audit_items JOIN audit_names ON id = name_id WHERE item = ?", (item,)
    ).get
    connection.execute("DELETE FROM audit_names WHERE item = ?", (item,))
    return int(count)
