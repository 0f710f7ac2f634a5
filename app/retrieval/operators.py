"""Table of the operators of the query language.

A row is all there is to an operator: its meaning in SQL and for arrays, its help, its completion, and whether a value
is unknown. Filters, the array mask, the parser and explanations read it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from app.core.stores import STORES, sees_all
from app.core.text_rules.project_conditions import NAMES, is_project
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.spellings import spelled_sql, wanted_names
from app.core.text_rules.tag_names import normalise_tag
from app.core.time_rules.timespans import EXAMPLES
from app.entities.model import TYPES
from app.entities.queries.visibility import within
from app.memories.model import KINDS
from app.memories.tags.tag_repo import SPELLED_TAGS
from app.memories.text.markdown_links import title_key
from app.retrieval.model import Query
from app.sessions.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.index.columns.chunk_columns import ChunkType

STATES: Final = ("pinned", "archived", "superseded", "pending")
ROLES: Final[tuple[str, ...]] = get_args(Role)
SEARCHED_KINDS: Final = ("message", *KINDS)
MESSAGE_KINDS: Final = frozenset({"message", "episode", "messages", "turn"})
_KIND_NAMES: Final = {
    "messages": "message", "episode": "message", "episodes": "message", "notes": "note", "facts": "fact",
    "observations": "observation", "reflections": "reflection", "digests": "digest",
}  # fmt: skip


def _named(sql: str, value: str, point: str = "") -> "Condition":
    """Return a condition in which each ``?`` is one wanted name."""
    return Condition(sql, (wanted_names(value),) * sql.count("?"), point)


class Condition(NamedTuple):
    """SQL condition on ``chunks c``.

    ``point`` says the same of one chunk that is looked up by itself, with the same values: without it SQLite would
    search all memories of a tag for each chunk.
    """

    sql: str
    values: tuple[object, ...] = ()
    point: str = ""


@dataclass(frozen=True, slots=True)
class OperatorScope:
    """Stores that a caller may read, and what SQL follows from them."""

    stores: tuple[str, ...]

    @property
    def is_named(self) -> str:
        """Return the SQL of whether a mention names an entity.

        Its values are wanted names, each bound for every ``?``; see ``spelled_sql``.
        For a caller who may not read every store only the very name counts: what else an entity is called may come
        from what the caller does not see.
        """
        if sees_all(self.stores):
            return f"entity_id IN (SELECT a.entity_id FROM entity_aliases a WHERE a.alias_key IN ({NAMES}))"
        types = ", ".join(f"('{kind}:')" for kind in TYPES)
        named = f"surface IN (SELECT t.column1 || n.value FROM (VALUES {types}) t, ({NAMES}) n)"
        return f"({named} AND {within(self.stores, 'mentions')})"

    def of_session(self, where: str, values: Sequence[object] = ()) -> Condition:
        """Return the condition on a chunk's session ``s``.

        What a memory's conversation is called, and whether it was read, would tell of a conversation that is private;
        so for a caller who may not read private texts, no memory satisfies it.
        """
        sql = f"c.session_id IN (SELECT s.id FROM sessions s WHERE {where})"
        point = f"EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session_id AND ({where}))"
        if "private" not in self.stores:
            sql, point = (f"(c.kind <> 'memory' AND {part})" for part in (sql, point))
        return Condition(sql, tuple(values), point)


ConditionBuilder = Callable[[str, OperatorScope], Condition]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of the query language.

    Args:
        name: Its name before the colon.
        help: What a text with it is.
        field: Field of ``Query`` with its values; ``""`` for times and for operators that cannot be typed.
        condition: Builds the condition for a value; ``None`` for times.
        values: All values there are when closed, examples otherwise.
        is_closed: Whether a value outside ``values`` is unknown: nothing then matches.
        needs_all: Whether several values must all match; otherwise one of them is enough.
        known: Returns a value as it is stored, ``None`` for an unknown one.
        matches_type: Whether chunks of a type match a value, where the type alone decides.
        sessions: SQL of the ids of the sessions with the wanted name ``?1``, where a message's session decides.
        is_selective: Whether few chunks match a value as a rule, so that they can be listed.
        covers_memories: Whether memories may match too, although ``sessions`` says nothing of them.
    """

    name: str
    help: str
    field: str
    condition: ConditionBuilder | None
    values: tuple[str, ...] = ()
    is_closed: bool = False
    needs_all: bool = False
    known: Callable[[str], str | None] = lambda value: value
    matches_type: "Callable[[ChunkType, str], bool] | None" = None
    sessions: str = ""
    is_selective: bool = False
    covers_memories: bool = False

    def stored_value(self, value: str) -> str | None:
        """Return ``value`` as it is stored, ``None`` where the operator has no such value."""
        if not self.is_closed:
            return self.known(value)
        folded = self.known(value.casefold())
        return folded if folded in self.values else None


def _kind(value: str, _scope: OperatorScope) -> Condition:
    if value.lower() in MESSAGE_KINDS:
        return Condition("c.kind <> 'memory'")
    return Condition("(c.kind = 'memory' AND c.role = ?)", (value.lower(),))


def _is_kind(chunk_type: "ChunkType", value: str) -> bool:
    if value.lower() in MESSAGE_KINDS:
        return chunk_type.kind != "memory"
    return chunk_type.kind == "memory" and chunk_type.role == value.lower()


def _tag(value: str, _scope: OperatorScope) -> Condition:
    tagged = f"t.tag IN ({SPELLED_TAGS})"
    return _named(
        f"c.memory_id IN (SELECT t.memory_id FROM memory_tags t WHERE {tagged})",
        value,
        f"EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = c.memory_id AND {tagged})",
    )


def _store(value: str, _scope: OperatorScope) -> Condition:
    # Few chunks are not private, and they have a partial index.
    is_private = value.lower() == "private"
    return Condition("c.store = ?" if is_private else "(c.store <> 'private' AND c.store = ?)", (value.lower(),))


def _of_session(wanted: str) -> str:
    named = f"{wanted} ->> 2"
    aliased = f"SELECT session_id FROM session_aliases WHERE alias = {named}"
    return f"s.id = {named} OR {spelled_sql('s.title', 'within', wanted)} OR s.id IN ({aliased})"


def _session(value: str, scope: OperatorScope) -> Condition:
    where = _of_session("?")
    return _without_memories(scope.of_session(where, (wanted_names(value),) * where.count("?")))


def _without_memories(condition: Condition) -> Condition:
    """Return a condition on a session for its messages alone.

    A memory made in a session does not belong to it.
    """
    sql, point = (f"(c.kind <> 'memory' AND {part})" for part in (condition.sql, condition.point))
    return Condition(sql, condition.values, point)


def _agent(value: str, scope: OperatorScope) -> Condition:
    condition = scope.of_session(spelled_sql("s.agent"))
    stored = f"c.memory_id IN (SELECT id FROM memories WHERE {spelled_sql('source')})"
    return _named(f"({condition.sql} OR {stored})", value, f"({condition.point} OR {stored})")


def _entity(value: str, scope: OperatorScope) -> Condition:
    # A message's owner_id is its session, "#" and its number, by which the index finds its chunks.
    named = scope.is_named
    sql = (
        f"(c.memory_id IN (SELECT owner_id FROM mentions WHERE owner_kind = 'memory' AND {named})"
        " OR c.id IN"
        " (SELECT k.id FROM (SELECT owner_id, length(rtrim(owner_id, '-0123456789')) AS mark FROM mentions"
        f" WHERE owner_kind = 'message' AND {named}) o CROSS JOIN chunks k"
        " ON k.session_id = substr(o.owner_id, 1, o.mark - 1)"
        " AND k.kind IN ('message', 'passage') AND k.seq_start = CAST(substr(o.owner_id, o.mark + 1) AS INTEGER)))"
    )
    point = (
        "(c.memory_id IS NOT NULL AND EXISTS (SELECT 1 FROM mentions"
        f" WHERE owner_kind = 'memory' AND owner_id = c.memory_id AND {named})"
        " OR c.kind <> 'memory' AND EXISTS (SELECT 1 FROM mentions"
        f" WHERE owner_kind = 'message' AND owner_id = c.session_id || '#' || c.seq_start AND {named}))"
    )
    return _named(sql, value.casefold(), point)


def _state(value: str, scope: OperatorScope) -> Condition:
    if value == "pending":
        return scope.of_session("s.consolidated_at IS NULL")
    sql = {
        "pinned": "c.memory_id IN (SELECT id FROM memories WHERE pinned = 1)",
        "superseded": "c.memory_id IN (SELECT id FROM memories WHERE superseded_by IS NOT NULL)",
        "archived": "c.memory_id IN (SELECT id FROM memory_archive)",
    }
    return Condition(sql.get(value, "0"))


def _role(value: str, _scope: OperatorScope) -> Condition:
    return Condition("(c.kind IN ('message', 'passage') AND c.role = ?)", (value.lower(),))


def _type(value: str, _scope: OperatorScope) -> Condition:
    return _named(f"c.memory_id IN (SELECT id FROM memories WHERE {spelled_sql('type')})", value)


def _file(value: str, _scope: OperatorScope) -> Condition:
    # A path is said from the folder of its project, from the root, or by its end.
    path = "/" + title_key(value).replace("\\", "/").strip("/")
    stored = "'/' || trim(replace(l.target_key, '\\', '/'), '/')"
    is_same = f"(substr({stored}, -length(?1)) = ?1 OR substr(?1, -length({stored})) = {stored})".replace("?1", "?")
    sql = f"c.memory_id IN (SELECT l.memory_id FROM memory_links l WHERE l.relation = 'file' AND {is_same})"
    return Condition(sql, (path,) * sql.count("?"))


def _project(value: str, scope: OperatorScope) -> Condition:
    named = is_project(project_sql("s"), scope.stores)
    by_session = scope.of_session(f"{project_sql('s')} IS NOT NULL AND {named}")
    own = f"SELECT s.id FROM memories s WHERE {project_sql('s')} IS NOT NULL AND {named}"
    return _named(
        f"({by_session.sql} OR c.memory_id IN ({own}))", value, f"({by_session.point} OR c.memory_id IN ({own}))"
    )


OPERATORS: Final["Mapping[str, Operator]"] = MappingProxyType(
    {
        operator.name: operator
        for operator in (
            Operator(
                "kind", "What it is", "kinds", _kind, SEARCHED_KINDS, is_closed=True,
                known=lambda value: _KIND_NAMES.get(value, value), matches_type=_is_kind,
            ),
            Operator(
                "tag", "Has this tag", "tags", _tag, ("work", "idea"), needs_all=True, is_selective=True,
                known=lambda value: normalise_tag(value) or None,
            ),
            Operator(
                "store", "Who may read it", "stores", _store, STORES, is_closed=True,
                matches_type=lambda chunk_type, value: chunk_type.store == value.lower(),
            ),
            Operator(
                "session", "In the conversation with this id or title", "sessions", _session,
                sessions=f"SELECT s.id FROM sessions s WHERE {_of_session('?1')}",
            ),
            Operator(
                "agent", "Said to or by this agent", "agents", _agent,
                sessions=f"SELECT s.id FROM sessions s WHERE {spelled_sql('s.agent', wanted='?1')}",
                covers_memories=True,
            ),
            Operator(
                "entity", "Names this person, place or thing", "entities", _entity, needs_all=True, is_selective=True
            ),
            Operator(
                "role", "Who speaks", "roles", _role, ROLES, is_closed=True,
                matches_type=lambda chunk_type, value: chunk_type.kind != "memory" and chunk_type.role == value.lower(),
            ),
            Operator(
                "project", "Of this project, by its name or the end of it", "projects", _project, ("garden",),
                sessions=f"SELECT s.id FROM sessions s WHERE {project_sql('s')} IS NOT NULL AND "
                + is_project(project_sql("s"), STORES).replace("?", "?1"),
                covers_memories=True,
            ),
            Operator("type", "An observation of this type", "types", _type, ("decision", "discovery")),
            Operator("file", "About this file, by its path or the end of it", "files", _file, ("reader.py",)),
            Operator("before", "Older than the start of this time", "", None, EXAMPLES),
            Operator("after", "From the start of this time on", "", None, EXAMPLES),
            Operator("on", "Within this time", "", None, EXAMPLES),
            Operator("is", "In this state", "states", _state, STATES, is_closed=True, needs_all=True),
        )
    }
)  # fmt: skip
"""Operators that can be typed, in the order of the help."""

SESSION_IS: Final = Operator(
    "session_is",
    "In the conversation with exactly this id; it cannot be typed",
    "",
    lambda value, _scope: Condition("(c.kind <> 'memory' AND c.session_id IS ?)", (value,)),
    sessions="SELECT s.id FROM sessions s WHERE s.id = ?1 ->> 2",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Clause of a query: an operator with values.

    Args:
        operator: The operator.
        values: Values, of which one must match.
        is_excluded: No value may match instead.
    """

    operator: Operator
    values: tuple[str, ...]
    is_excluded: bool = False

    def condition(self, scope: OperatorScope) -> Condition:
        """Return the condition for a caller.

        Raises:
            ValueError: The operator has times and no values.
        """
        if self.operator.condition is None:
            raise ValueError(f"{self.operator.name} has times and no values")
        parts = [self.operator.condition(value, scope) for value in self.values]
        sql = f"({' OR '.join(part.sql for part in parts)})"
        point = f"({' OR '.join(part.point or part.sql for part in parts)})"
        if self.is_excluded:
            # Without coalesce, NULL columns would exclude the chunk.
            sql, point = (f"NOT coalesce({part}, 0)" for part in (sql, point))
        return Condition(sql, tuple(value for part in parts for value in part.values), point)

    def allows(self, chunk_type: "ChunkType") -> bool:
        """Tell whether chunks of a type may satisfy the clause."""
        matches = self.operator.matches_type
        return matches is None or any(matches(chunk_type, value) for value in self.values) != self.is_excluded


def query_clauses(query: Query) -> tuple[Clause, ...]:
    """Return the clauses of ``query`` without its times, which all must hold.

    Values that must all match are clauses of their own.
    """
    clauses: list[Clause] = []
    for operator in OPERATORS.values():
        values: tuple[str, ...] = getattr(query, operator.field) if operator.field else ()
        if operator.needs_all:
            clauses += [Clause(operator, (value,)) for value in values]
        elif values:
            clauses.append(Clause(operator, values))
    by_name = {**OPERATORS, SESSION_IS.name: SESSION_IS}
    return (*clauses, *(Clause(by_name[name], (value,), is_excluded=True) for name, value in query.excluded))
