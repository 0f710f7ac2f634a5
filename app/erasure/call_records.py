"""Records of agents' calls that hold an erased item: proposals and receipts."""

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
