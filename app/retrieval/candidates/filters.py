"""SQL that gathers candidates: by words, by vector, or newest first; and the conditions a query's operators set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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
# What is long and was forgotten or deleted leaves the index over some seconds; memories of a conversation stay.
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
# A turn's owner_id is its session, "#" and its number; by those its chunks are found in their index.
_NAMING = (
    f"(c.memory_id IN (SELECT owner_id FROM mentions WHERE owner_kind = 'memory' AND entity_id IN ({_NAMED}))"
    " OR c.id IN"
    " (SELECT k.id FROM (SELECT owner_id, length(rtrim(owner_id, '-0123456789')) AS mark FROM mentions"
    f" WHERE owner_kind = 'message' AND entity_id IN ({_NAMED})) o CROSS JOIN chunks k"
    " ON k.session_id = substr(o.owner_id, 1, o.mark - 1)"
    " AND k.kind IN ('message', 'passage') AND k.seq_start = CAST(substr(o.owner_id, o.mark + 1) AS INTEGER)))"
)
_THIS = "EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session_id AND "
_OF_ONE = {
    _OF_SESSION: f"{_THIS}(s.id = ? OR instr(lower(s.title), lower(?)) OR s.id IN ({_ALIASED})))",
    _OF_AGENT: f"{_THIS}s.agent = ? COLLATE NOCASE)",
    _PENDING: f"{_THIS}s.consolidated_at IS NULL)",
    # SQLite would look for each chunk under each of the tag's memories.
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

_ALWAYS = 2  # conditions that every search has
TYPE_OPERATORS = ("kind", "role", "store")
"""Operators that ask only for what many chunks share."""

SMALL_SET = 20_000
"""So many chunks are looked at one by one when a condition allows no more."""

"""How many times as many neighbours are asked for as are wanted, when a condition leaves most of them out."""

Values = list[object]


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """What a chunk must satisfy.

    Args:
        sql: Over ``chunks c``.
        values: Of the SQL.
        narrows: There is more than what every search demands.
        sees_all: The caller may read every store.
        named: The entities of a name, as the caller may know them.
        mask: Which chunks may satisfy it, by id, where that is known; the SQL decides unless it is exact.
        is_exact: Every chunk there is that the mask has satisfies it.
        of_sort: Tells whether chunks of a sort satisfy it, where nothing else of them is asked; it saves the SQL.
    """

    sql: str
    values: tuple[object, ...]
    narrows: bool
    sees_all: bool = True
    named: str = _NAMED
    mask: "NDArray[np.bool_] | None" = field(default=None, compare=False)
    is_exact: bool = field(default=False, compare=False)
    of_sort: "Callable[[ChunkType], bool] | None" = field(default=None, compare=False)

    @property
    def check(self) -> str:
        """Return the SQL for looking at a few chunks: it asks for each one's session and not for all that fit."""
        sql = self.sql
        for of_all, of_one in _OF_ONE.items():
            sql = sql.replace(of_all.replace(_NAMED, self.named), of_one.replace(_NAMED, self.named))
        return sql


def build_filter(query: Query, stores: Sequence[str]) -> ChunkFilter:
    """Return what the operators of ``query`` and the caller's ``stores`` demand of a chunk."""
    parts, values = [f"c.store IN ({_marks(stores)})", _STAYING], list[object](stores)
    for name, wanted in _operators(query):
        sql, more = _any_of(name, wanted)
        parts.append(sql)
        values += more
    for name, unwanted in query.excluded:
        sql, more = _any_of(name, (unwanted,))
        # What has no session, or is no memory, is of none: SQL would not know.
        parts.append(f"NOT coalesce({sql}, 0)")
        values += more
    if query.matches_nothing:
        parts.append("FALSE")
    for sql, when in (("c.created_at >= ?", query.since), ("c.created_at < ?", query.until)):
        if when is not None:
            parts.append(sql)
            values.append(when)
    sees_all = set(stores) >= set(STORES)
    # Whoever sees a part only must not get fewer neighbours for what the rest holds.
    narrows = len(parts) > _ALWAYS or not sees_all
    sql = " AND ".join(parts)
    named = _NAMED if sees_all else _named_in(stores)
    of_sort = _of_sort(query, stores)
    return ChunkFilter(sql.replace(_NAMED, named), tuple(values), narrows, sees_all, named, of_sort=of_sort)


def _of_sort(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool] | None":
    """Return what tells whether chunks of a sort satisfy a search, ``None`` where it asks for more of a chunk."""
    others = (query.tags, query.sessions, query.agents, query.entities, query.types, query.states)
    if any(others) or query.matches_nothing or query.since is not None or query.until is not None:
        return None
    return type_filter(query, stores) if all(name in TYPE_OPERATORS for name, _ in query.excluded) else None


def type_filter(query: Query, stores: Sequence[str]) -> "Callable[[ChunkType], bool]":
    """Return what tells whether chunks of a sort satisfy what a search asks of their sort."""
    unwanted = [(name, (value,)) for name, value in query.excluded if name in TYPE_OPERATORS]
    wanted = [("kind", query.kinds), ("role", query.roles), ("store", query.stores)]
    wanted = [(name, values) for name, values in wanted if values]
    return lambda sort: (
        sort.store in stores
        and all(_is_of(sort, name, values) for name, values in wanted)
        and not any(_is_of(sort, name, values) for name, values in unwanted)
    )


def _is_of(sort: "ChunkType", name: str, values: Sequence[str]) -> bool:
    lower = [value.lower() for value in values]
    if name == "store":
        return sort.store in lower
    if name == "role":
        return sort.kind != "memory" and sort.role in lower
    is_turn = sort.kind != "memory"
    return any(is_turn if value in MESSAGE_KINDS else not is_turn and sort.role == value for value in lower)


def with_word_filter(where: ChunkFilter, must: str | None, must_not: str | None) -> ChunkFilter:
    """Return ``where`` narrowed to chunks that match the FTS expression ``must`` and do not match ``must_not``."""
    sql, values = where.sql, where.values
    for expression, operator in ((must, "IN"), (must_not, "NOT IN")):
        if expression is not None:
            sql += f" AND c.id {operator} (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)"
            values = (*values, expression)
    narrows = must is not None or must_not is not None
    of_sort = None if narrows else where.of_sort
    is_exact = where.is_exact and not narrows
    narrows = where.narrows or narrows
    return replace(where, sql=sql, values=values, narrows=narrows, is_exact=is_exact, of_sort=of_sort)


def small_match_set(connection: apsw.Connection, where: ChunkFilter) -> list[int] | None:
    """Return the ids of all chunks that satisfy ``where``, or ``None`` when it narrows nothing or allows many."""
    if not where.narrows:
        return None
    found = connection.execute(
        f"SELECT group_concat(id, ' ') FROM (SELECT c.id FROM chunks c WHERE {where.sql} LIMIT {SMALL_SET + 1})",
        where.values,
    ).get
    ids = [int(one) for one in str(found or "").split()]
    return None if len(ids) > SMALL_SET else ids


def _operators(query: Query) -> list[tuple[str, tuple[str, ...]]]:
    # Several tags or states must all hold; several kinds, sessions or agents are alternatives.
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
    # What is not private is little, and has an index of its own.
    return ("c.store = ?" if value.lower() == "private" else "(c.store <> 'private' AND c.store = ?)"), [value.lower()]


def _session(value: str) -> tuple[str, Values]:
    return _OF_SESSION, [value, value, value]


def _agent(value: str) -> tuple[str, Values]:
    return (
        f"({_OF_AGENT} OR c.memory_id IN (SELECT id FROM memories WHERE source = ? COLLATE NOCASE))",
        [value, value],
    )


def _named_in(stores: Sequence[str]) -> str:
    """Return ``_NAMED`` for names that stand in ``stores``: one that is only known from elsewhere tells nothing."""
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
    "session_is": lambda value: ("c.session_id IS ?", [value]),  # the very one; no operator of the language
    "agent": _agent,
    "entity": _entity,
    "role": lambda value: ("(c.kind IN ('message', 'passage') AND c.role = ?)", [value.lower()]),
    "type": lambda value: ("c.memory_id IN (SELECT id FROM memories WHERE type = ? COLLATE NOCASE)", [value]),
    "is": _state,
}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
