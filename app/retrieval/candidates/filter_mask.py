"""Filter mask: the chunks that a query's operators allow, as a boolean array.

Type, session and time of a chunk are cached in columns. Other operators are looked up where few chunks match, and do
not restrict the mask otherwise; then each result is checked in the database.
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
    """Mask of the chunks that may satisfy the operators.

    Args:
        mask: By chunk id; includes every chunk that satisfies the operators.
        is_exact: Every existing chunk in the mask satisfies the operators.
    """

    mask: "Mask"
    is_exact: bool


def filter_mask(
    connection: apsw.Connection, query: Query, stores: Sequence[str], index_cache: IndexCache
) -> FilterMask:
    """Return the mask of chunks that may satisfy the operators of ``query``."""
    last = last_chunk(connection)
    columns = index_cache.columns(connection, last)
    suits = type_filter(query, stores)
    mask = columns.where(slice(last + 1), [suits(chunk_type) for chunk_type in columns.types])
    # The columns do not hold the agent of a memory.
    is_exact = not (query.states or query.agents or query.types or query.matches_nothing)
    created = columns.created[: last + 1]
    if query.since is not None:
        mask &= created >= query.since
    if query.until is not None:
        mask &= created < query.until
    if query.sessions:
        mask &= _of_sessions(connection, columns, last, "session", query.sessions)
    if query.agents:
        memories = columns.where(slice(last + 1), [chunk_type.kind == "memory" for chunk_type in columns.types])
        mask &= _of_sessions(connection, columns, last, "agent", query.agents) | memories
    for name, unwanted in query.excluded:
        if name in ("session", "session_is"):
            mask &= ~_of_sessions(connection, columns, last, name, (unwanted,))
        elif name not in TYPE_OPERATORS:
            is_exact = False
    alone = [Query("", tags=(tag,)) for tag in query.tags] + [Query("", entities=(name,)) for name in query.entities]
    # A caller may be allowed to see only some entities of a name.
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
    """Return the mask of chunks in the sessions that an operator names."""
    rows = (row for value in wanted for row in connection.execute(_BY_SESSION[name], (value,)))
    numbers = [columns.numbers.get(str(row[0]), 0) for row in rows]
    chosen = np.zeros(len(columns.names), dtype=np.bool_)
    chosen[numbers] = True
    chosen[0] = False
    # A memory made in a session does not belong to it.
    return np.asarray(chosen[np.maximum(columns.owner[: last + 1], 0)])
