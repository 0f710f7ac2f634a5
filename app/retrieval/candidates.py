"""SQL that gathers candidates: by words, by vector, or newest first; and the conditions a query's operators set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apsw

from app.index.vectors import Generation, nearest
from app.retrieval.model import Query

_MESSAGE_KINDS = {"message", "episode", "messages", "turn"}
# A passage that spans turns only lends context; one inside a long turn stands for that turn.
_SINGLE = "(c.kind <> 'passage' OR c.seq_start = c.seq_end)"
_FIELDS = "c.id, c.kind, c.session_id, c.memory_id, c.seq_start, c.created_at"

Values = list[object]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg found; ``score`` is BM25 or cosine, higher is better."""

    chunk_id: int
    target: str
    created_ms: int
    score: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """SQL over ``chunks c`` and its values."""

    sql: str
    values: tuple[object, ...]
    narrows: bool


def conditions(query: Query, stores: Sequence[str]) -> Conditions:
    """Return what the operators of ``query`` and the caller's ``stores`` demand of a chunk."""
    parts, values = [f"c.store IN ({_marks(stores)})"], list[object](stores)
    for name, wanted in _operators(query):
        sql, more = _any_of(name, wanted)
        parts.append(sql)
        values += more
    for name, unwanted in query.excluded:
        sql, more = _any_of(name, (unwanted,))
        parts.append(f"NOT {sql}")
        values += more
    for sql, when in (("c.created_at >= ?", query.since), ("c.created_at < ?", query.until)):
        if when is not None:
            parts.append(sql)
            values.append(when)
    return Conditions(" AND ".join(parts), tuple(values), len(parts) > 1)


def with_words(where: Conditions, must: str | None, must_not: str | None) -> Conditions:
    """Return ``where`` narrowed to chunks that match the FTS expression ``must`` and do not match ``must_not``."""
    sql, values = where.sql, where.values
    for expression, operator in ((must, "IN"), (must_not, "NOT IN")):
        if expression is not None:
            sql += f" AND c.id {operator} (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?)"
            values = (*values, expression)
    return Conditions(sql, values, narrows=where.narrows or must is not None or must_not is not None)


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
    if value.lower() in _MESSAGE_KINDS:
        return "c.kind <> 'memory'", []
    return "(c.kind = 'memory' AND c.role = ?)", [value.lower()]


def _tag(value: str) -> tuple[str, Values]:
    return (
        "c.memory_id IN (SELECT memory_id FROM memory_tags WHERE tag = ? OR (tag > ? AND tag < ?))",
        [value.lower(), value.lower() + "/", value.lower() + "0"],
    )


def _session(value: str) -> tuple[str, Values]:
    return "c.session_id IN (SELECT id FROM sessions WHERE id = ? OR instr(lower(title), lower(?)))", [value, value]


def _agent(value: str) -> tuple[str, Values]:
    return (
        "(c.session_id IN (SELECT id FROM sessions WHERE agent = ? COLLATE NOCASE)"
        " OR c.memory_id IN (SELECT id FROM memories WHERE source = ? COLLATE NOCASE))",
        [value, value],
    )


def _entity(value: str) -> tuple[str, Values]:
    named = "SELECT entity_id FROM entity_aliases WHERE alias_key = ?"
    return (
        "(c.memory_id IN (SELECT owner_id FROM mentions WHERE owner_kind = 'memory'"
        f" AND entity_id IN ({named})) OR (c.session_id || '#' || c.seq_start) IN"
        f" (SELECT owner_id FROM mentions WHERE owner_kind = 'message' AND entity_id IN ({named})))",
        [value.casefold(), value.casefold()],
    )


def _state(value: str) -> tuple[str, Values]:
    sql = {
        "pinned": "c.memory_id IN (SELECT id FROM memories WHERE pinned = 1)",
        "pending": "c.session_id IN (SELECT id FROM sessions WHERE consolidated_at IS NULL)",
        "superseded": "c.memory_id IN (SELECT id FROM memories WHERE superseded_by IS NOT NULL)",
        "archived": "c.memory_id IN (SELECT id FROM memory_archive)",
    }
    return sql.get(value, "0"), []


_CONDITIONS: dict[str, Callable[[str], tuple[str, Values]]] = {
    "kind": _kind,
    "tag": _tag,
    "store": lambda value: ("c.store = ?", [value.lower()]),
    "session": _session,
    "agent": _agent,
    "entity": _entity,
    "role": lambda value: ("(c.kind <> 'memory' AND c.role = ?)", [value.lower()]),
    "is": _state,
}


def by_words(connection: apsw.Connection, match: str, where: Conditions, depth: int) -> list[Candidate]:
    """Return candidates whose words match the FTS expression ``match``, best BM25 first."""
    rows = connection.execute(
        f"SELECT {_FIELDS}, -bm25(chunks_fts) AS score FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {_SINGLE} AND {where.sql} ORDER BY score DESC, c.id DESC LIMIT ?",
        (match, *where.values, depth),
    )
    return _best_of_each([Candidate(row[0], _target(row), row[5], row[6]) for row in rows])


def by_vector(
    connection: apsw.Connection, generation: Generation, vector: bytes, where: Conditions, depth: int
) -> list[Candidate]:
    """Return candidates nearest to ``vector``, best cosine first.

    Args:
        connection: A reader.
        generation: Whose vectors.
        vector: The query, float32 little-endian.
        where: What chunks must satisfy.
        depth: Candidates at most.
    """
    subset = None
    if where.narrows:
        subset = (f"SELECT c.id FROM chunks c WHERE {_SINGLE} AND {where.sql}", where.values)
    near = nearest(connection, generation, vector, depth, subset)
    scores = dict(near)
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM chunks c WHERE c.id IN ({_marks(near)}) AND {_SINGLE} AND {where.sql}",
        (*scores, *where.values),
    )
    found = [Candidate(row[0], _target(row), row[5], scores[row[0]]) for row in rows]
    found.sort(key=lambda item: (-item.score, -item.chunk_id))
    return _best_of_each(found)[:depth]


def newest(connection: apsw.Connection, where: Conditions, depth: int) -> list[Candidate]:
    """Return the newest candidates, for a query of operators alone."""
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM chunks c WHERE c.kind <> 'passage' AND {where.sql}"
        " ORDER BY c.created_at DESC, c.id DESC LIMIT ?",
        (*where.values, depth),
    )
    return _best_of_each([Candidate(row[0], _target(row), row[5], float(row[5])) for row in rows])


def _target(row: Sequence[object]) -> str:
    return str(row[3]) if row[1] == "memory" else f"{row[2]}#{row[4]}"


def _best_of_each(found: Sequence[Candidate]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for item in found:
        best.setdefault(item.target, item)
    return list(best.values())


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
