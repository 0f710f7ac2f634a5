"""Chunk filters in SQL, built from a query's operators and the caller's stores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import apsw

from app.core.stores import STORES
from app.index.long_memories import LEAVING_IDS
from app.retrieval.model import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkType

    Found = tuple[NDArray[np.int64], NDArray[Any]]

MESSAGE_KINDS = {"message", "episode", "messages", "turn"}
# Removing a long session or memory from the index takes seconds; memories made from a session stay.
_STAYING = (
    f"CASE c.kind WHEN 'memory' THEN c.memory_id NOT IN ({LEAVING_IDS})"
    " ELSE c.session_id NOT IN (SELECT session_id FROM session_moves WHERE is_leaving = 1) END"
)

_ALIASED = "SELECT session_id FROM session_aliases WHERE alias = ?"
_OF_SESSION = (
    f"c.session_id IN (SELECT id FROM sessions WHERE id = ? OR instr(lower(title), lower(?)) OR id IN ({_ALIASED}))"
)
_OF_AGENT = "c.session_id IN (SELECT id FROM sessions WHERE agent = ? COLLATE NOCASE)"
_PENDING = "c.session_id IN (SELECT id FROM sessions WHERE consolidated_at IS NULL)"
_TAGGED = "c.memory_id IN (SELECT memory_id FROM memory_tags WHERE tag = ? OR (tag > ? AND tag < ?))"
_NAMED = "SELECT a.entity_id FROM entity_aliases a WHERE a.alias_key = ?"
# A message's owner_id is its session, "#" and its number, by which the index finds its chunks.
_NAMING = (
    f"(c.memory_id IN (SELECT owner_id FROM mentions WHERE owner_kind = 'memory' AND entity_id IN ({_NAMED}))"
    " OR c.id IN"
    " (SELECT k.id FROM (SELECT owner_id, length(rtrim(owner_id, '-0123456789')) AS mark FROM mentions"
    f" WHERE owner_kind = 'message' AND entity_id IN ({_NAMED})) o CROSS JOIN chunks k"
    " ON k.session_id = substr(o.owner_id, 1, o.mark - 1)"
    " AND k.kind IN ('message', 'passage') AND k.seq_start = CAST(substr(o.owner_id, o.mark + 1) AS INTEGER)))"
)
_THIS = "EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session_id AND "
_POINT_SQL = {
    _OF_SESSION: f"{_THIS}(s.id = ? OR instr(lower(s.title), lower(?)) OR s.id IN ({_ALIASED})))",
    _OF_AGENT: f"{_THIS}s.agent = ? COLLATE NOCASE)",
    _PENDING: f"{_THIS}s.consolidated_at IS NULL)",
    # Otherwise SQLite would search all memories of the tag for each chunk.
    _TAGGED: (
        "EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = c.memory_id"
        " AND (t.tag = ? OR (t.tag > ? AND t.tag < ?)))"
    ),
    _NAMING: (
        "(c.memory_id IS NOT NULL AND EXISTS (SELECT 1 FROM mentions"
        f" WHERE owner_kind = 'memory' AND owner_id = c.memory_id AND entity_id IN ({_NAMED}))"
        " OR c.kind <> 'memory' AND EXISTS (SELECT 1 FROM mentions"
        f" WHERE owner_kind = 'message' AND owner_id = c.session_id || '#' || c.seq_start AND entity_id IN ({_NAMED})))"
    ),
}

SINGLE: Final = "(c.kind <> 'passage' OR c.seq_start = c.seq_end)"
"""Condition for chunks that stand for one text: a passage of several messages is only context."""
TARGET: Final = "CASE WHEN c.kind = 'memory' THEN c.memory_id ELSE c.session_id || '#' || c.seq_start END"
"""Expression for the id of a chunk's message or memory."""

_ALWAYS = 2  # conditions of every search
TYPE_OPERATORS = ("kind", "role", "store")
"""Operators on the chunk type."""

SMALL_SET = 20_000
"""Maximum size of a match set that is checked chunk by chunk."""

Values = list[object]


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """SQL conditions that a chunk must satisfy.

    Args:
        sql: Condition on ``chunks c``.
        values: Parameters of the SQL.
        is_restrictive: There are more conditions than every search has.
        sees_all: Whether the caller may read every store.
        named: SQL of the entities with a name, limited to what the caller may read.
        mask: Mask of possible chunks by id, if known; the SQL decides unless the mask is exact.
        is_exact: Every existing chunk in the mask satisfies the filter.
        matches_type: Predicate for chunk types where the filter asks for nothing else; saves the SQL.
    """

    sql: str
    values: tuple[object, ...]
    is_restrictive: bool
    sees_all: bool = True
    named: str = _NAMED
    mask: "NDArray[np.bool_] | None" = field(default=None, compare=False)
    is_exact: bool = field(default=False, compare=False)
    matches_type: "Callable[[ChunkType], bool] | None" = field(default=None, compare=False)

    @property
    def point_sql(self) -> str:
        """Return the SQL for checking a few chunks, which looks each one up by itself."""
        sql = self.sql
        for of_all, point_sql in _POINT_SQL.items():
            sql = sql.replace(of_all.replace(_NAMED, self.named), point_sql.replace(_NAMED, self.named))
        return sql


def build_filter(query: Query, stores: Sequence[str]) -> ChunkFilter:
    """Return the filter for the operators of ``query`` and the caller's ``stores``."""
    parts, values = [f"c.store IN ({_marks(stores)})", _STAYING], list[object](stores)
    for name, wanted in _operators(query):
        sql, more = _any_of(name, wanted)
        parts.append(sql)
        values += more
    for name, unwanted in query.excluded:
        sql, more = _any_of(name, (unwanted,))
        # Without coalesce, NULL columns would exclude the chunk.
        parts.append(f"NOT coalesce({sql}, 0)")
        values += more
    if query.matches_nothing:
        parts.append("FALSE")
    for sql, when in (("c.created_at >= ?", query.since), ("c.created_at < ?", query.until)):
        if when is not None:
            parts.append(sql)
            values.append(when)
    sees_all = set(stores) >= set(STORES)
    # Chunks in other stores must not displace neighbours of a caller with fewer stores.
    is_restrictive = len(parts) > _ALWAYS or not sees_all
    sql = " AND ".join(parts)
    if "private" not in stores:
        # What a memory's conversation is called, and whether it is read, would tell of a conversation that is private.
        for of_session in (_OF_SESSION, _OF_AGENT, _PENDING):
            sql = sql.replace(of_session, f"(c.kind <> 'memory' AND {of_session})")
    named = _NAMED if sees_all else _named_in(stores)
    matches_type = _type_only_filter(query, stores)
    return ChunkFilter(
        sql.replace(_NAMED, named), tuple(values), is_restrictive, sees_all, named, matches_type=matches_type
    )


def _type_only_filter(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool] | None":
    """Return a chunk type predicate, ``None`` where the query filters by more than the type."""
    others = (query.tags, query.sessions, query.agents, query.entities, query.types, query.states)
    if any(others) or query.matches_nothing or query.since is not None or query.until is not None:
        return None
    return type_filter(query, stores) if all(name in TYPE_OPERATORS for name, _ in query.excluded) else None


def type_filter(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool]":
    """Return a predicate for chunk types: kind, role and store."""
    unwanted = [(name, (value,)) for name, value in query.excluded if name in TYPE_OPERATORS]
    wanted = [("kind", query.kinds), ("role", query.roles), ("store", query.stores)]
    wanted = [(name, values) for name, values in wanted if values]
    return lambda chunk_type: (
        chunk_type.store in stores
        and all(_matches(chunk_type, name, values) for name, values in wanted)
        and not any(_matches(chunk_type, name, values) for name, values in unwanted)
    )


def _matches(chunk_type: "ChunkType", name: str, values: Sequence[str]) -> bool:
    lower = [value.lower() for value in values]
    if name == "store":
        return chunk_type.store in lower
    if name == "role":
        return chunk_type.kind != "memory" and chunk_type.role in lower
    is_message = chunk_type.kind != "memory"
    return any(is_message if value in MESSAGE_KINDS else not is_message and chunk_type.role == value for value in lower)


def with_word_filter(where: ChunkFilter, must: str | None, must_not: str | None) -> ChunkFilter:
    """Return ``where`` narrowed by FTS expressions that a chunk must or must not match."""
    sql, values = where.sql, where.values
    for expression, operator in ((must, "IN"), (must_not, "NOT IN")):
        if expression is not None:
            sql += f" AND c.id {operator} (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)"
            values = (*values, expression)
    is_restrictive = must is not None or must_not is not None
    matches_type = None if is_restrictive else where.matches_type
    is_exact = where.is_exact and not is_restrictive
    is_restrictive = where.is_restrictive or is_restrictive
    return replace(
        where, sql=sql, values=values, is_restrictive=is_restrictive, is_exact=is_exact, matches_type=matches_type
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


def _operators(query: Query) -> list[tuple[str, tuple[str, ...]]]:
    # Several tags, states or entities must all match; several kinds, sessions or agents are alternatives.
    together = [("tag", (tag,)) for tag in query.tags] + [("is", (state,)) for state in query.states]
    together += [("entity", (entity,)) for entity in query.entities]
    either = {
        "kind": query.kinds,
        "store": query.stores,
        "session": query.sessions,
        "agent": query.agents,
        "role": query.roles,
        "type": query.types,
    }
    return together + [(name, wanted) for name, wanted in either.items() if wanted]


def _any_of(name: str, wanted: Sequence[str]) -> tuple[str, Values]:
    parts, values = list[str](), list[object]()
    for value in wanted:
        sql, more = _CONDITIONS[name](value)
        parts.append(sql)
        values += more
    return "(" + " OR ".join(parts) + ")", values


def _kind(value: str) -> tuple[str, Values]:
    if value.lower() in MESSAGE_KINDS:
        return "c.kind <> 'memory'", []
    return "(c.kind = 'memory' AND c.role = ?)", [value.lower()]


def _tag(value: str) -> tuple[str, Values]:
    return _TAGGED, [value.lower(), value.lower() + "/", value.lower() + "0"]


def _store(value: str) -> tuple[str, Values]:
    # Few chunks are not private, and they have a partial index.
    return ("c.store = ?" if value.lower() == "private" else "(c.store <> 'private' AND c.store = ?)"), [value.lower()]


def _session(value: str) -> tuple[str, Values]:
    return _OF_SESSION, [value, value, value]


def _agent(value: str) -> tuple[str, Values]:
    return (
        f"({_OF_AGENT} OR c.memory_id IN (SELECT id FROM memories WHERE source = ? COLLATE NOCASE))",
        [value, value],
    )


def _named_in(stores: Sequence[str]) -> str:
    """Return ``_NAMED`` limited to aliases that occur in ``stores``."""
    return (
        f"{_NAMED} AND EXISTS (SELECT 1 FROM mentions n WHERE n.entity_id = a.entity_id"
        f" AND n.store IN ({', '.join(repr(store) for store in STORES if store in stores)})"
        " AND substr(n.surface, instr(n.surface, ':') + 1) = a.alias_key)"
    )


def _entity(value: str) -> tuple[str, Values]:
    return _NAMING, [value.casefold(), value.casefold()]


def _state(value: str) -> tuple[str, Values]:
    sql = {
        "pinned": "c.memory_id IN (SELECT id FROM memories WHERE pinned = 1)",
        "pending": _PENDING,
        "superseded": "c.memory_id IN (SELECT id FROM memories WHERE superseded_by IS NOT NULL)",
        "archived": "c.memory_id IN (SELECT id FROM memory_archive)",
    }
    return sql.get(value, "0"), []


_CONDITIONS: dict[str, Callable[[str], tuple[str, Values]]] = {
    "kind": _kind,
    "tag": _tag,
    "store": _store,
    "session": _session,
    "session_is": lambda value: ("c.session_id IS ?", [value]),  # the exact id; not an operator of the query language
    "agent": _agent,
    "entity": _entity,
    "role": lambda value: ("(c.kind IN ('message', 'passage') AND c.role = ?)", [value.lower()]),
    "type": lambda value: ("c.memory_id IN (SELECT id FROM memories WHERE type = ? COLLATE NOCASE)", [value]),
    "is": _state,
}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
