"""Statistics of SQLite's query planner, kept of large tables only.

Without statistics the planner takes a table to be large, and its plans are good for any size. With statistics from when
a table was small it reads the whole table again and again, however large the table has become since, because they are
measured only when the vault is closed or kept in order (https://sqlite.org/lang_analyze.html).
"""

from typing import Final

import apsw

LEAST_ROWS: Final = 10_000
"""Rows that a table or index needs to have statistics."""

_SMALL: Final = "CAST(stat AS INTEGER) < ?"  # the text begins with the number of rows


def update_planner_statistics(connection: apsw.Connection) -> None:
    """Measure the tables that changed much, and forget what was measured of small ones."""
    connection.pragma("optimize")
    drop_small_table_statistics(connection)


def drop_small_table_statistics(connection: apsw.Connection) -> None:
    """Forget the statistics of small tables and indexes; connections opened later plan without them."""
    tables = {
        str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat_'")
    }
    if "sqlite_stat1" not in tables:
        return
    if not connection.execute(f"SELECT EXISTS (SELECT 1 FROM sqlite_stat1 WHERE {_SMALL})", (LEAST_ROWS,)).get:
        return
    with connection:
        connection.execute(f"DELETE FROM sqlite_stat1 WHERE {_SMALL}", (LEAST_ROWS,))
        if "sqlite_stat4" in tables:
            connection.execute(
                "DELETE FROM sqlite_stat4 WHERE NOT EXISTS"
                " (SELECT 1 FROM sqlite_stat1 s WHERE s.tbl = sqlite_stat4.tbl AND s.idx IS sqlite_stat4.idx)"
            )
    connection.execute("ANALYZE sqlite_schema")  # measures nothing; this connection reads its statistics again
