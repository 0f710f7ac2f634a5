"""Traces of an erased item in the ledger: its id, which calls of agents named."""

import apsw


def forget(connection: apsw.Connection, item: str) -> int:
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
