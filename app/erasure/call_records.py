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
    """Remove an item from the ledger, and return how often calls named it.

    Copies of an earlier schema name items in each call.
    """
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'audit_names'").fetchone():
        return _forget_in_earlier_ledger(connection, item)
    count = connection.execute(
        "SELECT count(*) FROM audit_items JOIN audit_names ON id = name_id WHERE item = ?", (item,)
    ).get
    connection.execute("DELETE FROM audit_names WHERE item = ?", (item,))
    return int(count)


def _forget_in_earlier_ledger(connection: apsw.Connection, item: str) -> int:
    """Remove an item and its turns from each call, and return how many times."""
    named = {"item": item, "turns": f"{item}#", "end": f"{item}$"}  # "$" follows "#"
    is_item = "({0} = :item OR {0} >= :turns AND {0} < :end)"
    columns = {
        table: {str(row[1]) for row in connection.execute(f"PRAGMA main.table_info({table})")}
        for table in ("audit_items", "audit")
    }
    removed = 0
    if "item" in columns["audit_items"]:
        where = is_item.format("item")
        removed += len(connection.execute(f"DELETE FROM audit_items WHERE {where} RETURNING 1", named).fetchall())
    for column in sorted({"ids_read", "ids_written"} & columns["audit"]):
        condition = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE {is_item.format('value')})"
        rest = f"(SELECT json_group_array(value) FROM json_each({column}) WHERE NOT {is_item.format('value')})"
        sql = f"UPDATE audit SET {column} = {rest} WHERE {condition} RETURNING 1"
        removed += len(connection.execute(sql, named).fetchall())
    return removed
