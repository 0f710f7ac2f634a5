"""Records of agents' calls that hold an erased item: ledger, proposals and receipts."""

import apsw

_COLUMNS = {"inbox": ("target", "arguments", "preview", "result"), "write_receipts": ("answer",)}


def forget_in_calls(connection: apsw.Connection, target: str) -> dict[str, int]:
    """Remove the proposals and receipts that name an item, and return how many of each.

    A copy of the vault may be older than these tables.
    """
    removed = {}
    for table, wanted in _COLUMNS.items():
        there = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
        where = " OR ".join(f"instr({column}, :id)" for column in wanted if column in there)
        if where:
            rows = connection.execute(f"DELETE FROM {table} WHERE {where} RETURNING 1", {"id": target}).fetchall()
            removed[table] = len(rows)
    return removed


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
