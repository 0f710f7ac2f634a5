"""Chunk filters in SQL, built from a query's operators and the caller's stores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import apsw

from app.index.long_memories import LEAVING_IDS
from app.retrieval.model import Query
from app.retrieval.operators import Access, Condition, Operator, operator_of, wanted_values

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
    """SQL conditions that a chunk must satisfy.

    Args:
        sql: Condition on ``chunks c``.
        values: Parameters of the SQL.
        point_sql: The same condition for checking a few chunks, which looks each one up by itself.
        is_restrictive: There are more conditions than every search has.
        sees_all: Whether the caller may read every store.
        mask: Mask of possible chunks by id, if known; the SQL decides unless the mask is exact.
        is_exact: Every existing chunk in the mask satisfies the filter.
        matches_type: Predicate for chunk types where the filter asks for nothing else; saves the SQL.
    """

    sql: str
    values: tuple[object, ...]
    point_sql: str
    is_restrictive: bool
    sees_all: bool = True
    mask: "NDArray[np.bool_] | None" = field(default=None, compare=False)
    is_exact: bool = field(default=False, compare=False)
    matches_type: "Callable[[ChunkType], bool] | None" = field(default=None, compare=False)


def build_filter(query: Query, stores: Sequence[str]) -> ChunkFilter:
    """Return the filter for the operators of ``query`` and the caller's ``stores``."""
    access = Access(tuple(stores))
    parts = [Condition(f"c.store IN ({', '.join('?' * len(stores))})", tuple(stores)), Condition(_STAYING)]
    parts += [_any_of(operator, values, access) for operator, values in wanted_values(query)]
    for name, unwanted in query.excluded:
        sql, values, point = _any_of(operator_of(name), (unwanted,), access)
        # Without coalesce, NULL columns would exclude the chunk.
        parts.append(Condition(f"NOT coalesce({sql}, 0)", values, f"NOT coalesce({point}, 0)"))
    if query.matches_nothing:
        parts.append(Condition("FALSE"))
    times = (("c.created_at >= ?", query.since), ("c.created_at < ?", query.until))
    parts += [Condition(sql, (when,)) for sql, when in times if when is not None]
    return ChunkFilter(
        " AND ".join(part.sql for part in parts),
        tuple(value for part in parts for value in part.values),
        " AND ".join(part.point or part.sql for part in parts),
        # Chunks in other stores must not displace neighbours of a caller with fewer stores.
        is_restrictive=len(parts) > _ALWAYS or not access.sees_all,
        sees_all=access.sees_all,
        matches_type=_type_only_filter(query, stores),
    )


def _any_of(operator: Operator, wanted: Sequence[str], access: Access) -> Condition:
    if operator.condition is None:
        raise ValueError(f"{operator.name} has times and no values")
    parts = [operator.condition(value, access) for value in wanted]
    return Condition(
        f"({' OR '.join(part.sql for part in parts)})",
        tuple(value for part in parts for value in part.values),
        f"({' OR '.join(part.point or part.sql for part in parts)})",
    )


def _type_only_filter(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool] | None":
    """Return a chunk type predicate, ``None`` where the query filters by more than the type."""
    if query.matches_nothing or query.since is not None or query.until is not None:
        return None
    used = [operator for operator, _ in wanted_values(query)] + [operator_of(name) for name, _ in query.excluded]
    return type_filter(query, stores) if all(operator.matches_type for operator in used) else None


def type_filter(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool]":
    """Return a predicate for chunk types: the stores and the operators on types."""
    wanted = [(operator.matches_type, values) for operator, values in wanted_values(query)]
    unwanted = [(operator_of(name).matches_type, value) for name, value in query.excluded]

    def suits(chunk_type: "ChunkType") -> bool:
        return (
            chunk_type.store in stores
            and all(any(matches(chunk_type, value) for value in values) for matches, values in wanted if matches)
            and not any(matches(chunk_type, value) for matches, value in unwanted if matches)
        )

    return suits


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
        matches_type=None,
    )


def small_match_set(connection: apsw.Connection, where: ChunkFilter) -> list[int] | None:
    """Return the ids of all chunks that satisfy ``where``, ``None`` where there are many.

    Also ``None`` where ``where`` restricts nothing.
    """
    if not where.is_restrictive:
        return None
    found = connection.execute(
        f"SELECT group_concat(id, ' ') FROM (SELECT c.id FROM chunks c WHERE {where.sql} LIMIT {SMALL_SET + 1})",
        where.values,
    ).get
    ids = [int(one) for one in str(found or "").split()]
    return None if len(ids) > SMALL_SET else ids
