"""Chunk filters in SQL, built from a query's operators and the caller's stores."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import apsw

from app.core.stores import sees_all
from app.index.long_memories import LEAVING_IDS
from app.retrieval.model import Query
from app.retrieval.operators import Clause, Condition, OperatorScope, query_clauses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkType

    Found = tuple[NDArray[np.int64], NDArray[Any]]

# Removing a long session or memory from the index takes seconds; memories made from a session stay.
_STAYING = (
    f"CASE c.kind WHEN 'memory' THEN c.memory_id NOT IN ({LEAVING_IDS})"
    " ELSE c.session_id NOT IN (SELECT session_id FROM session_moves WHERE is_leaving = 1) END"
)


SINGLE: Final = "(c.kind <> 'passage' OR c.seq_start = c.seq_end)"
"""Condition for chunks that stand for one text: a passage of several messages is only context."""
TARGET: Final = "CASE WHEN c.kind = 'memory' THEN c.memory_id ELSE c.session_id || '#' || c.seq_start END"
"""Expression for the id of a chunk's message or memory."""

_ALWAYS = 2  # conditions of every search
SMALL_SET = 20_000
"""Maximum size of a match set that is checked chunk by chunk."""


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Conditions that a chunk must satisfy, as clauses and as SQL.

    Args:
        stores: Stores that the caller may read.
        clauses: Operators with their values.
        since: At or after, milliseconds UTC.
        until: Before, milliseconds UTC.
        matches_nothing: No chunk satisfies it.
        sql: Condition on ``chunks c``.
        values: Parameters of the SQL.
        point_sql: The same condition for checking a few chunks, which looks each one up by itself.
        is_restrictive: There are more conditions than every search has.
        is_by_type: The type of a chunk decides, see ``suits``; saves the SQL.
        mask: Mask of possible chunks by id, if known; the SQL decides unless the mask is exact.
        is_exact: Every existing chunk in the mask satisfies the filter.
    """

    stores: tuple[str, ...]
    clauses: tuple[Clause, ...]
    since: int | None
    until: int | None
    matches_nothing: bool
    sql: str
    values: tuple[object, ...]
    point_sql: str
    is_restrictive: bool
    is_by_type: bool
    mask: "NDArray[np.bool_] | None" = field(default=None, compare=False)
    is_exact: bool = field(default=False, compare=False)

    def suits(self, chunk_type: "ChunkType") -> bool:
        """Tell whether chunks of a type may satisfy the filter."""
        return chunk_type.store in self.stores and all(clause.allows(chunk_type) for clause in self.clauses)


def build_filter(query: Query, stores: Sequence[str]) -> ChunkFilter:
    """Return the filter for the operators of ``query`` and the caller's ``stores``."""
    return clause_filter(stores, query_clauses(query), query.since, query.until, matches_nothing=query.matches_nothing)


def clause_filter(
    stores: Sequence[str],
    clauses: Sequence[Clause] = (),
    since: int | None = None,
    until: int | None = None,
    *,
    matches_nothing: bool = False,
) -> ChunkFilter:
    """Return the filter for ``clauses`` and the caller's ``stores``; see ``ChunkFilter``."""
    scope = OperatorScope(tuple(stores))
    parts = [Condition(f"c.store IN ({', '.join('?' * len(stores))})", tuple(stores)), Condition(_STAYING)]
    parts += [clause.condition(scope) for clause in clauses]
    if matches_nothing:
        parts.append(Condition("FALSE"))
    times = (("c.created_at >= ?", since), ("c.created_at < ?", until))
    parts += [Condition(sql, (when,)) for sql, when in times if when is not None]
    return ChunkFilter(
        scope.stores,
        tuple(clauses),
        since,
        until,
        matches_nothing,
        " AND ".join(part.sql for part in parts),
        tuple(value for part in parts for value in part.values),
        " AND ".join(part.point or part.sql for part in parts),
        # Chunks in other stores must not displace neighbours of a caller with fewer stores.
        is_restrictive=len(parts) > _ALWAYS or not sees_all(stores),
        is_by_type=not matches_nothing
        and since is None
        and until is None
        and all(clause.operator.matches_type for clause in clauses),
    )


def with_word_filter(where: ChunkFilter, must: str | None, must_not: str | None) -> ChunkFilter:
    """Return ``where`` narrowed by FTS expressions that a chunk must or must not match."""
    if must is None and must_not is None:
        return where
    sql, values = "", where.values
    for expression, operator in ((must, "IN"), (must_not, "NOT IN")):
        if expression is not None:
            sql += f" AND c.id {operator} (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)"
            values = (*values, expression)
    return replace(
        where,
        sql=where.sql + sql,
        point_sql=where.point_sql + sql,
        values=values,
        is_restrictive=True,
        is_exact=False,
        is_by_type=False,
    )


def small_match_set(connection: apsw.Connection, where: ChunkFilter) -> list[int] | None:
    """Return the ids of all chunks that satisfy ``where``, ``None`` where there are many.

    Also ``None`` where ``where`` restricts nothing.
    """
    if not where.is_restrictive:
        return None
    listed = connection.execute(
        f"SELECT group_concat(id, ' ') FROM (SELECT c.id FROM chunks c WHERE {where.sql} LIMIT {SMALL_SET + 1})",
        where.values,
    ).get
    ids = [int(identity) for identity in str(listed or "").split()]
    return None if len(ids) > SMALL_SET else ids
