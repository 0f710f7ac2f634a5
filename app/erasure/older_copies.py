"""Copies of an earlier schema: empty stand-ins for the tables that they lack."""

import apsw

from app.store.connection import APPLICATION_ID

Tables = dict[str, list[str]]


def tables_of(connection: apsw.Connection) -> Tables:
    """Return the columns of each ordinary table."""
    cursor = connection.execute(
        "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c"
        " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
    )
    tables: Tables = {}
    for table, column in cursor:
        tables.setdefault(str(table), []).append(str(column))
    return tables


def add_missing_tables(copy: apsw.Connection, tables: Tables) -> None:
    """Give ``copy`` an empty table for each of ``tables`` that it lacks.

    They are temporary, so nothing is written to the copy, and last until the temporary store is moved.
    """
    there = tables_of(copy)
    for table, columns in tables.items():
        if table not in there:
            names = ", ".join(f'"{column}"' for column in columns)
            copy.execute(f'CREATE TEMP TABLE IF NOT EXISTS "{table}" ({names})')


def is_of_a_vault(copy: apsw.Connection) -> bool:
    """Return whether Keepsake made the database, so that what it lacks was never in it."""
    return bool(copy.pragma("application_id") == APPLICATION_ID and copy.pragma("user_version"))
