"""SQL of saved searches."""

from collections.abc import Sequence
from typing import Any

import apsw

from app.core.clock import to_datetime, to_ms
from app.retrieval.saved.model import SavedSearch

_COLUMNS = "id, name, query, created_at"


def all_in_order(connection: apsw.Connection) -> list[SavedSearch]:
    """Return every saved search in the person's order."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM saved_searches WHERE deleted_at IS NULL ORDER BY position, created_at, id"
    )
    return [_search(row) for row in rows]


def get(connection: apsw.Connection, identity: str) -> SavedSearch | None:
    """Return a saved search, ``None`` where there is none with this id."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM saved_searches WHERE id = ? AND deleted_at IS NULL", (identity,)
    ).fetchone()
    return None if row is None else _search(row)


def add(connection: apsw.Connection, search: SavedSearch) -> None:
    """Add a saved search at the end, perhaps one that was deleted."""
    connection.execute(
        "INSERT INTO saved_searches (id, name, query, position, created_at)"
        " SELECT ?, ?, ?, coalesce(max(position), 0) + 1, ? FROM saved_searches WHERE TRUE"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, position = excluded.position,"
        " created_at = excluded.created_at, deleted_at = NULL",
        (search.id, search.name, search.query, to_ms(search.created_at)),
    )


def rename(connection: apsw.Connection, identity: str, name: str) -> None:
    """Give a saved search another name."""
    connection.execute("UPDATE saved_searches SET name = ? WHERE id = ?", (name, identity))


def delete(connection: apsw.Connection, identity: str, at_ms: int) -> None:
    """Delete a saved search; ``bring_back`` undoes it."""
    connection.execute("UPDATE saved_searches SET deleted_at = ? WHERE id = ?", (at_ms, identity))


def bring_back(connection: apsw.Connection, identity: str) -> None:
    """Bring a deleted search back."""
    connection.execute("UPDATE saved_searches SET deleted_at = NULL WHERE id = ?", (identity,))


def remove(connection: apsw.Connection, identity: str) -> None:
    """Remove a search that another of the same query stands for."""
    connection.execute("DELETE FROM saved_searches WHERE id = ?", (identity,))


def deleted_id(connection: apsw.Connection, query: str) -> str:
    """Return the id of the deleted search with a query, ``""`` where there is none."""
    sql = "SELECT id FROM saved_searches WHERE query = ? AND deleted_at IS NOT NULL"
    return str(connection.execute(sql, (query,)).get or "")


def set_order(connection: apsw.Connection, ids: Sequence[str]) -> None:
    """Number the saved searches as ``ids`` has them."""
    connection.executemany(
        "UPDATE saved_searches SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids, 1)],
    )


def _search(row: tuple[Any, ...]) -> SavedSearch:
    identity, name, query, created = row
    return SavedSearch(str(identity), str(name), str(query), to_datetime(int(created)))
