"""Snapshot of the index that one search reads."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw
import numpy as np

from app.index.columns.chunk_columns import ChunkColumns, last_chunk
from app.index.columns.index_cache import IndexCache

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SearchSnapshot:
    """Snapshot of the index: a connection within one read, and the cached columns for it.

    Args:
        connection: A read connection.
        last_chunk: The highest chunk id that the connection sees.
        columns: Columns of all these chunks, and maybe of later ones.
        index_cache: Posting lists, texts and messages by session.
    """

    connection: apsw.Connection
    last_chunk: int
    columns: ChunkColumns
    index_cache: IndexCache


def take_snapshot(connection: apsw.Connection, index_cache: IndexCache) -> SearchSnapshot:
    """Return the snapshot of the index that ``connection`` sees now."""
    last = last_chunk(connection)
    return SearchSnapshot(connection, last, index_cache.columns(connection, last), index_cache)


def listed_ids(found: object) -> "NDArray[np.int64]":
    """Return the chunk ids in a list by ``group_concat(id, ' ')``, none for NULL."""
    return np.fromstring(str(found or ""), dtype=np.int64, sep=" ")
