"""Results of a query without words: everything that its operators allow, newest first."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.columns.chunk_columns import ChunkColumns, last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates.filter_check import has_leaving, leaving_chunks
from app.retrieval.candidates.filters import ChunkFilter, clause_filter
from app.retrieval.candidates.scored_chunks import within_session_limit
from app.retrieval.model import RankedCandidate, Why

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]

_MATCHING: Final = "SELECT group_concat(c.id, ' ') FROM chunks c WHERE c.kind <> 'passage' AND "
_ALL: Final = "SELECT group_concat(id, ' ') FROM chunks INDEXED BY chunks_by_time"


class FilterOnlyResult:
    """All messages and memories that satisfy a query without words.

    Args:
        connection: A read connection.
        where: Filter by the operators.
        unwanted: FTS expression that they must not match.
        index_cache: Posting lists and columns.
        per_session: Messages of one session at most; all when ``None``.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        where: ChunkFilter,
        unwanted: str | None,
        index_cache: IndexCache,
        per_session: int | None,
    ) -> None:
        last = last_chunk(connection)
        self.columns = columns = index_cache.columns(connection, last)
        # The columns answer most conditions; the database is slow where many chunks match.
        apart = [clause for clause in where.clauses if clause.is_excluded and clause.operator.field]
        rest = [clause for clause in where.clauses if clause not in apart]
        plain = clause_filter(where.stores, rest, matches_nothing=where.matches_nothing)
        ids = _matching(connection, columns, plain, last)
        for clause in apart:
            alone = clause_filter(where.stores, [replace(clause, is_excluded=False)])
            ids = ids[~np.isin(ids, _matching(connection, columns, alone, last))]
        if unwanted is not None:
            ids = ids[~np.isin(ids, index_cache.ids(connection, unwanted, last))]
        created = columns.created[ids]
        since, until = (np.iinfo(np.int64).min if where.since is None else where.since), where.until
        ids = _one_per_target(columns, ids[(created >= since) & (True if until is None else created < until)])
        self._is_ordered = per_session is not None
        if self._is_ordered:
            ids = _newest(columns, ids)
            ids = ids[within_session_limit(columns, ids, per_session)]
        self.ids = ids

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the candidates from number ``start`` up to ``end``."""
        ids = self.ids
        if not self._is_ordered:
            if len(ids) > end:  # the rest need not be sorted
                created = self.columns.created[ids]
                ids = ids[created >= np.partition(created, len(ids) - end)[len(ids) - end]]
            ids = _newest(self.columns, ids)
        return [RankedCandidate(self.columns.target(chunk), chunk, 0.0, Why()) for chunk in ids[start:end].tolist()]


def _matching(connection: apsw.Connection, columns: ChunkColumns, where: ChunkFilter, last: int) -> "Ids":
    """Return the chunks that satisfy ``where``, without passages."""
    if not where.is_by_type:
        return np.sort(_listed(connection.execute(_MATCHING + where.sql, where.values).get))
    # The columns may have newer chunks than this connection sees.
    there = columns.exists[: last + 1]
    if not columns.is_up_to_date(connection):
        there = np.zeros(last + 1, dtype=np.bool_)
        there[_listed(connection.execute(_ALL).get)] = True
    if has_leaving(connection):
        there = there & ~leaving_chunks(connection, columns, last)
    ids = np.flatnonzero(there & (columns.owner[: last + 1] != 0))
    return np.asarray(
        ids[
            columns.where(
                ids, [chunk_type.kind != "passage" and where.suits(chunk_type) for chunk_type in columns.types]
            )
        ]
    )


def _listed(found: object) -> "NDArray[np.int64]":
    return np.fromstring(str(found or ""), dtype=np.int64, sep=" ")


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
