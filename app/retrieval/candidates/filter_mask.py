"""Filter mask: the chunks that a query's operators allow, as a boolean array.

Type, session and time of a chunk are cached in columns. Other operators are looked up where few chunks match, and do
not restrict the mask otherwise; then each result is checked in the database.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.core.stores import sees_all
from app.core.text_rules.spellings import wanted_names
from app.retrieval.candidates.filter_check import has_leaving, shown_chunks
from app.retrieval.candidates.filters import ChunkFilter, clause_filter, small_match_set
from app.retrieval.operators import Clause
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


def with_mask(snapshot: SearchSnapshot, where: ChunkFilter) -> ChunkFilter:
    """Return the filter ``where`` with the mask of the chunks that may satisfy it.

    Chunks that are being removed from the index are left out.
    """
    columns, last = snapshot.columns, snapshot.last_chunk
    if not where.is_restrictive:
        return replace(where, mask=shown_chunks(snapshot), is_exact=True)
    mask = columns.where(slice(last + 1), [where.suits(chunk_type) for chunk_type in columns.types])
    if has_leaving(snapshot.connection):
        mask &= shown_chunks(snapshot)
    is_exact, created = not where.matches_nothing, columns.created[: last + 1]
    if where.since is not None:
        mask &= created >= where.since
    if where.until is not None:
        mask &= created < where.until
    for clause in where.clauses:
        if clause.operator.matches_type is not None:
            continue
        chosen = _chosen(snapshot, clause, where.stores)
        if chosen is not None:
            mask &= chosen
        # The columns lack the agents of memories, and a caller may be allowed to see only some entities of a name.
        is_exact &= (
            chosen is not None
            and not clause.operator.covers_memories
            and (clause.operator.name != "entity" or sees_all(where.stores))
        )
    return replace(where, mask=mask, is_exact=is_exact, is_restrictive=True)


def _chosen(snapshot: SearchSnapshot, clause: Clause, stores: Sequence[str]) -> "Mask | None":
    """Return the mask of chunks that a clause may allow, if known."""
    operator = clause.operator
    if clause.is_excluded:
        if not operator.sessions or operator.covers_memories:
            return None
        return np.asarray(~_of_sessions(snapshot, clause))
    if not operator.sessions:
        return _listed(snapshot, clause, stores) if operator.is_selective else None
    chosen = _of_sessions(snapshot, clause)
    if operator.covers_memories:
        columns, size = snapshot.columns, snapshot.last_chunk + 1
        chosen |= columns.where(slice(size), [chunk_type.kind == "memory" for chunk_type in columns.types])
    return chosen


def _listed(snapshot: SearchSnapshot, clause: Clause, stores: Sequence[str]) -> "Mask | None":
    """Return the mask of the chunks that a clause selects, ``None`` where there are many."""
    few = small_match_set(snapshot.connection, clause_filter(stores, (clause,)))
    if few is None:
        return None
    chosen = np.zeros(snapshot.last_chunk + 1, dtype=np.bool_)
    chosen[few] = True
    return chosen


def _of_sessions(snapshot: SearchSnapshot, clause: Clause) -> "Mask":
    """Return the mask of chunks in the sessions that a clause names."""
    columns, sql = snapshot.columns, clause.operator.sessions
    rows = (row for value in clause.values for row in snapshot.connection.execute(sql, (wanted_names(value),)))
    numbers = [columns.numbers.get(str(row[0]), 0) for row in rows]
    chosen = np.zeros(len(columns.names), dtype=np.bool_)
    chosen[numbers] = True
    chosen[0] = False
    # A memory made in a session does not belong to it.
    return np.asarray(chosen[np.maximum(columns.owner[: snapshot.last_chunk + 1], 0)])
