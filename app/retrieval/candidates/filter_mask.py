"""Filter mask: the chunks that a query's operators allow, as a boolean array.

Type, session and time of a chunk are cached in columns. Other operators are looked up where few chunks match, and do
not restrict the mask otherwise; then each result is checked in the database.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw
import numpy as np

from app.core.stores import STORES
from app.index.columns.chunk_columns import ChunkColumns, last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates.filters import ChunkFilter, build_filter, small_match_set, type_filter
from app.retrieval.model import Query
from app.retrieval.operators import Operator, operator_of, wanted_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


def with_mask(
    connection: apsw.Connection, where: ChunkFilter, query: Query, stores: Sequence[str], index_cache: IndexCache
) -> ChunkFilter:
    """Return the filter ``where`` of a query with the mask of the chunks that may satisfy it."""
    last = last_chunk(connection)
    columns = index_cache.columns(connection, last)
    suits = type_filter(query, stores)
    mask = columns.where(slice(last + 1), [suits(chunk_type) for chunk_type in columns.types])
    is_exact, created = not query.matches_nothing, columns.created[: last + 1]
    if query.since is not None:
        mask &= created >= query.since
    if query.until is not None:
        mask &= created < query.until
    is_memory = columns.where(slice(last + 1), [chunk_type.kind == "memory" for chunk_type in columns.types])
    for operator, values in wanted_values(query):
        chosen = None
        if operator.sessions:
            chosen = _of_sessions(connection, columns, last, operator, values) | (is_memory & operator.covers_memories)
        elif operator.is_selective:
            chosen = _listed(connection, operator, values, last)
        if chosen is not None:
            mask &= chosen
        # The columns lack the agents of memories, and a caller may be allowed to see only some entities of a name.
        is_exact &= operator.matches_type is not None or (
            chosen is not None
            and not operator.covers_memories
            and (operator.name != "entity" or set(stores) >= set(STORES))
        )
    for name, unwanted in query.excluded:
        operator = operator_of(name)
        if operator.sessions and not operator.covers_memories:
            mask &= ~_of_sessions(connection, columns, last, operator, (unwanted,))
        else:
            is_exact &= operator.matches_type is not None
    return replace(where, mask=mask, is_exact=is_exact)


def _listed(connection: apsw.Connection, operator: Operator, values: Sequence[str], last: int) -> "Mask | None":
    """Return the mask of the chunks that an operator selects, ``None`` where there are many."""
    few = small_match_set(connection, build_filter(operator.alone(*values), STORES))
    if few is None:
        return None
    chosen = np.zeros(last + 1, dtype=np.bool_)
    chosen[few] = True
    return chosen


def _of_sessions(
    connection: apsw.Connection, columns: ChunkColumns, last: int, operator: Operator, wanted: Sequence[str]
) -> "Mask":
    """Return the mask of chunks in the sessions that an operator names."""
    rows = (row for value in wanted for row in connection.execute(operator.sessions, (value,)))
    numbers = [columns.numbers.get(str(row[0]), 0) for row in rows]
    chosen = np.zeros(len(columns.names), dtype=np.bool_)
    chosen[numbers] = True
    chosen[0] = False
    # A memory made in a session does not belong to it.
    return np.asarray(chosen[np.maximum(columns.owner[: last + 1], 0)])
