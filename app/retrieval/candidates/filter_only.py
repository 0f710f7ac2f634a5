"""Results of a query without words: everything that its operators allow, newest first."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.index.id_arrays import parse_ids
from app.retrieval.candidates.filter_check import has_leaving, shown_chunks
from app.retrieval.candidates.filters import ChunkFilter, clause_filter
from app.retrieval.model import RankedCandidate, Why
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

_MATCHING: Final = "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.kind <> 'passage' AND "
_ALL: Final = "SELECT group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_time"


@dataclass(frozen=True, slots=True)
class FilterOnlyRanking:
    """All messages and memories that satisfy a query without words; see ``Ranking``.

    Args:
        columns: Columns of all chunks.
        ids: A chunk of each.
        is_ordered: Whether the newest stands first in ``ids``; otherwise the smallest id does.
    """

    columns: ChunkColumns
    ids: "Ids"
    is_ordered: bool = False

    def best_first(self) -> "FilterOnlyRanking":
        """Return the ranking with ``ids`` in order, the newest first."""
        return self if self.is_ordered else FilterOnlyRanking(self.columns, _newest(self.columns, self.ids), True)

    def at(self, rows: "Ids") -> "FilterOnlyRanking":
        """Return the results in ``rows``."""
        return replace(self, ids=self.ids[rows])

    def signals(self) -> None:
        """Return nothing, because the query has no words to match."""

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the results from number ``start`` up to ``end``, the newest first."""
        ids = self.ids
        if not self.is_ordered:
            if len(ids) > end:  # the rest need not be sorted
                created = self.columns.created[ids]
                ids = ids[created >= np.partition(created, len(ids) - end)[len(ids) - end]]
            ids = _newest(self.columns, ids)
        return [RankedCandidate(self.columns.target(chunk), chunk, 0.0, Why()) for chunk in ids[start:end].tolist()]


def filter_only(snapshot: SearchSnapshot, where: ChunkFilter, unwanted: str | None) -> FilterOnlyRanking:
    """Return all messages and memories that satisfy a filter.

    Args:
        snapshot: The index.
        where: Filter by the operators.
        unwanted: FTS expression that they must not match.
    """
    columns = snapshot.columns
    # The columns answer most conditions; the database is slow where many chunks match.
    apart = [clause for clause in where.clauses if clause.is_excluded and clause.operator.field]
    rest = [clause for clause in where.clauses if clause not in apart]
    plain = clause_filter(where.stores, rest, matches_nothing=where.matches_nothing)
    ids = _matching(snapshot, plain)
    for clause in apart:
        alone = clause_filter(where.stores, [replace(clause, is_excluded=False)])
        ids = ids[~np.isin(ids, _matching(snapshot, alone))]
    if unwanted is not None:
        ids = ids[~np.isin(ids, snapshot.index_cache.ids(snapshot.connection, unwanted, snapshot.last_chunk))]
    created = columns.created[ids]
    since, until = (np.iinfo(np.int64).min if where.since is None else where.since), where.until
    ids = _one_per_target(columns, ids[(created >= since) & (True if until is None else created < until)])
    return FilterOnlyRanking(columns, ids)


def _matching(snapshot: SearchSnapshot, where: ChunkFilter) -> "Ids":
    """Return the chunks that satisfy ``where``, without passages."""
    connection, columns, size = snapshot.connection, snapshot.columns, snapshot.last_chunk + 1
    if not where.is_by_type:
        return np.sort(parse_ids(connection.execute(_MATCHING + where.sql, where.values).get))
    # The columns may have newer chunks than this connection sees.
    there = columns.exists[:size]
    if not columns.is_up_to_date(connection):
        there = np.zeros(size, dtype=np.bool_)
        there[parse_ids(connection.execute(_ALL).get)] = True
    if has_leaving(connection):
        there = there & shown_chunks(snapshot)
    ids = np.flatnonzero(there & (columns.owner[:size] != 0))
    return np.asarray(
        ids[
            columns.where(
                ids, [chunk_type.kind != "passage" and where.suits(chunk_type) for chunk_type in columns.types]
            )
        ]
    )


def _one_per_target(columns: ChunkColumns, ids: "Ids") -> "Ids":
    """Return ascending ``ids`` with only the last chunk of each memory."""
    is_memory = columns.of_kind(ids, "memory")
    if not is_memory.any():
        return ids
    pieces = ids[is_memory][::-1]
    _, first = np.unique(columns.owner[pieces], return_index=True)
    return np.sort(np.concatenate([ids[~is_memory], pieces[first]]))


def _newest(columns: ChunkColumns, ids: "Ids") -> "Ids":
    """Return ``ids`` sorted by time, newest first."""
    return np.asarray(ids[np.lexsort((-ids, -columns.created[ids]))])
