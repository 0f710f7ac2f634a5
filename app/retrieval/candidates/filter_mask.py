"""Which chunks the operators of a search leave, as an array, so that the legs pass over the others at once.

What never changes of a chunk is known: its sort, its conversation, when it was said. Other operators leave all, or are
looked up where they leave few; then whoever finds a chunk looks in the database whether it satisfies what was asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

from app.core.stores import STORES
from app.index.columns.chunk_columns import ChunkColumns
from app.index.columns.chunk_lengths import last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates.filters import TYPE_OPERATORS, build_filter, small_match_set, type_filter
from app.retrieval.model import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

_SESSIONS: Final = "SELECT id FROM sessions WHERE "
_BY_SESSION: Final = {
    "session": f"{_SESSIONS}id = ?1 OR instr(lower(title), lower(?1))"
    " OR id IN (SELECT session_id FROM session_aliases WHERE alias = ?1)",
    "session_is": f"{_SESSIONS}id = ?1",
    "agent": f"{_SESSIONS}agent = ?1 COLLATE NOCASE",
}


@dataclass(frozen=True, slots=True)
class FilterMask:
    """What is left.

    Args:
        mask: By chunk id: no chunk that satisfies the operators is missing.
        is_exact: Every chunk there is that is left satisfies them.
    """

    mask: "Mask"
    is_exact: bool


def filter_mask(
    connection: apsw.Connection, query: Query, stores: Sequence[str], index_cache: IndexCache
) -> FilterMask:
    """Return which chunks may satisfy the operators of ``query`` for a caller who may read ``stores``."""
    last = last_chunk(connection)
    columns = index_cache.columns(connection, last)
    suits = type_filter(query, stores)
    mask = columns.where(slice(last + 1), [suits(sort) for sort in columns.types])
    # Memories of an agent are not told from others here.
    is_exact = not (query.states or query.agents or query.types or query.matches_nothing)
    created = columns.created[: last + 1]
    if query.since is not None:
        mask &= created >= query.since
    if query.until is not None:
        mask &= created < query.until
    if query.sessions:
        mask &= _of_sessions(connection, columns, last, "session", query.sessions)
    if query.agents:
        memories = columns.where(slice(last + 1), [sort.kind == "memory" for sort in columns.types])
        mask &= _of_sessions(connection, columns, last, "agent", query.agents) | memories
    for name, unwanted in query.excluded:
        if name in ("session", "session_is"):
            mask &= ~_of_sessions(connection, columns, last, name, (unwanted,))
        elif name not in TYPE_OPERATORS:
            is_exact = False
    alone = [Query("", tags=(tag,)) for tag in query.tags] + [Query("", entities=(name,)) for name in query.entities]
    # Of a name a caller may know less than all.
    is_exact = is_exact and (not query.entities or set(stores) >= set(STORES))
    for one in alone:
        few = small_match_set(connection, build_filter(one, STORES))
        is_exact = is_exact and few is not None
        if few is not None:
            chosen = np.zeros(last + 1, dtype=np.bool_)
            chosen[few] = True
            mask &= chosen
    return FilterMask(mask, is_exact)


def _of_sessions(
    connection: apsw.Connection, columns: ChunkColumns, last: int, name: str, wanted: Sequence[str]
) -> "Mask":
    """Return which chunks are of a conversation that an operator asks for."""
    rows = (row for value in wanted for row in connection.execute(_BY_SESSION[name], (value,)))
    numbers = [columns.numbers.get(str(row[0]), 0) for row in rows]
    chosen = np.zeros(len(columns.names), dtype=np.bool_)
    chosen[numbers] = True
    chosen[0] = False
    # A memory may have been made in one of them, and is not of it.
    return np.asarray(chosen[np.maximum(columns.owner[: last + 1], 0)])
