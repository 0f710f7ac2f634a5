"""Which chunks are there and satisfy what a search demands, asked of many at once."""

import json
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.long_memories import LEAVING_IDS
from app.retrieval.candidates.filters import ChunkFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]

LEAVING: Final = f"SELECT 1 FROM session_moves WHERE is_leaving = 1 UNION ALL SELECT 1 FROM ({LEAVING_IDS}) LIMIT 1"
"""Finds something where a long conversation or memory is on its way out, whose chunks are still there."""
# Of each chunk the index keeps its length: small rows, many to a page, beside the chunks with their texts.
_THERE: Final = "SELECT group_concat(id, ' ') FROM chunks_fts_docsize WHERE id IN (SELECT value FROM json_each(?))"


def passes_filter(
    connection: apsw.Connection, heads: "ChunkColumns", ids: "Ids", where: ChunkFilter
) -> "NDArray[np.bool_]":
    """Return which of ``ids`` are chunks that satisfy ``where``."""
    if not len(ids):
        return np.zeros(0, dtype=np.bool_)
    if passes_all(connection, where):
        return existing_chunks(connection, heads, ids)
    if is_answered_by_columns(connection, where):
        return np.asarray(_suiting(heads, ids, where) & existing_chunks(connection, heads, ids))
    sql = "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?))"
    found = connection.execute(f"{sql} AND {where.check}", (_listed(ids), *where.values)).get
    return _among(ids, found)


def is_answered_by_columns(connection: apsw.Connection, where: ChunkFilter) -> bool:
    """Tell whether the database need not be asked which of the chunks there are satisfy ``where``."""
    is_told = not where.narrows or where.is_exact or where.of_sort is not None
    return is_told and connection.execute(LEAVING).get is None


def _suiting(heads: "ChunkColumns", ids: "Ids", where: ChunkFilter) -> "NDArray[np.bool_]":
    if where.is_exact and where.mask is not None:
        # More may be known meanwhile than when the search began.
        within = ids < len(where.mask)
        return np.asarray(where.mask[np.where(within, ids, 0)] & within)
    if where.of_sort is not None:
        return heads.where(ids, [where.of_sort(sort) for sort in heads.sorts])
    return np.ones(len(ids), dtype=np.bool_)


def existing_chunks(connection: apsw.Connection, heads: "ChunkColumns", ids: "Ids") -> "NDArray[np.bool_]":
    """Return which of ``ids`` are chunks that there are."""
    if not len(ids) or heads.knows_all(connection):
        return np.asarray(heads.there[ids])
    return _among(ids, connection.execute(_THERE, (_listed(ids),)).get)


def _listed(ids: "Ids") -> str:
    return json.dumps(np.sort(ids).tolist())


def _among(ids: "Ids", found: object) -> "NDArray[np.bool_]":
    return np.isin(ids, np.fromstring(str(found or ""), dtype=np.int64, sep=" "))


def passes_all(connection: apsw.Connection, where: ChunkFilter) -> bool:
    """Tell whether every chunk there is satisfies ``where``."""
    return not where.narrows and connection.execute(LEAVING).get is None
