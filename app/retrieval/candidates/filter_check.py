"""Filter checks of many chunks at once: existing and allowed."""

import json
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.id_arrays import parse_ids
from app.index.long_memories import LEAVING_IDS
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]

_LEAVING_SESSIONS: Final = "SELECT session_id FROM session_moves WHERE is_leaving = 1"
_LEAVING: Final = f"SELECT 1 FROM ({_LEAVING_SESSIONS}) UNION ALL SELECT 1 FROM ({LEAVING_IDS}) LIMIT 1"
_EXISTING: Final = "SELECT group_concat(id, ' ') FROM chunks WHERE id IN (SELECT value FROM json_each(?))"


def passes_filter(snapshot: SearchSnapshot, ids: "Ids", where: ChunkFilter) -> "NDArray[np.bool_]":
    """Return a mask of ``ids``: existing chunks that satisfy ``where``."""
    connection = snapshot.connection
    if not len(ids):
        return np.zeros(0, dtype=np.bool_)
    if passes_all(connection, where):
        return existing_chunks(snapshot, ids)
    if is_answered_by_columns(connection, where):
        return np.asarray(_by_columns(snapshot.columns, ids, where) & existing_chunks(snapshot, ids))
    sql = "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?))"
    listed = connection.execute(f"{sql} AND {where.point_sql}", (_listed(ids), *where.values)).get
    return _among(ids, listed)


def is_answered_by_columns(connection: apsw.Connection, where: ChunkFilter) -> bool:
    """Tell whether the cached columns can decide ``where`` without the database."""
    if where.is_exact:
        return True
    return (not where.is_restrictive or where.is_by_type) and not has_leaving(connection)


def _by_columns(columns: "ChunkColumns", ids: "Ids", where: ChunkFilter) -> "NDArray[np.bool_]":
    if where.is_exact and where.mask is not None:
        # Chunks may have been added since the search began.
        within = ids < len(where.mask)
        return np.asarray(where.mask[np.where(within, ids, 0)] & within)
    if where.is_by_type:
        return columns.where(ids, [where.suits(chunk_type) for chunk_type in columns.types])
    return np.ones(len(ids), dtype=np.bool_)


def existing_chunks(snapshot: SearchSnapshot, ids: "Ids") -> "NDArray[np.bool_]":
    """Return a mask of ``ids``: chunks that still exist."""
    if not len(ids) or snapshot.columns.is_up_to_date(snapshot.connection):
        return np.asarray(snapshot.columns.exists[ids])
    return _among(ids, snapshot.connection.execute(_EXISTING, (_listed(ids),)).get)


def _listed(ids: "Ids") -> str:
    return json.dumps(np.sort(ids).tolist())


def _among(ids: "Ids", listed: object) -> "NDArray[np.bool_]":
    return np.isin(ids, parse_ids(listed))


def passes_all(connection: apsw.Connection, where: ChunkFilter) -> bool:
    """Tell whether every existing chunk satisfies ``where``."""
    return not where.is_restrictive and not has_leaving(connection)


def has_leaving(connection: apsw.Connection) -> bool:
    """Tell whether a deleted session or memory still has chunks, which no search may find."""
    return connection.execute(_LEAVING).get is not None


def shown_chunks(snapshot: SearchSnapshot) -> "NDArray[np.bool_]":
    """Return a mask without the chunks of deleted sessions and memories.

    The mask must not be changed.
    """
    connection, columns = snapshot.connection, snapshot.columns
    sessions = [str(row[0]) for row in connection.execute(_LEAVING_SESSIONS)]
    numbers = {columns.numbers.get(session, 0) for session in sessions}
    numbers.update(columns.memory_number(str(row[0])) for row in connection.execute(LEAVING_IDS))
    return snapshot.index_cache.hidden.shown(columns.owner[: snapshot.last_chunk + 1], frozenset(numbers - {0}))
