"""Named values of the vault, such as marks of unfinished work."""

import apsw


def read(connection: apsw.Connection, key: str) -> str | None:
    """Return a value, ``None`` where there is none."""
    value = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    return None if value is None else str(value)


def write(connection: apsw.Connection, key: str, value: str) -> None:
    """Keep a value in place of an earlier one."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def read_or_write(connection: apsw.Connection, key: str, value: str) -> str:
    """Return a value, which is ``value`` where there was none."""
    connection.execute("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", (key, value))
    return str(read(connection, key))


def remove(connection: apsw.Connection, key: str) -> None:
    """Remove a value, if there is one."""
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
