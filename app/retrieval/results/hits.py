"""Hits of ranked candidates: texts, titles, tags, snippets and facets."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import apsw
import numpy as np

from app.core import message_ids
from app.core.clock import to_datetime, to_ms
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.spellings import covered_names
from app.index.repo import agents_of
from app.index.searchable_text import tool_text
from app.memories.model import Memory
from app.memories.said_time import IS_SAID, SAID_BY, SAID_MS
from app.retrieval.model import FacetCount, Hit, RankedCandidate, Term, Why
from app.retrieval.results.project_counts import count_projects
from app.retrieval.results.relevance_cutoff import MatchSignals
from app.retrieval.results.snippets import Snippets
from app.retrieval.snapshot import SearchSnapshot
from app.sessions.model import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    RowsOf = Callable[[Collection[str]], Iterable[tuple[int, str]]]
    """Returns each row that has one of some names, with that name."""

_VALUES_A_FACET = 20
_MANY = 10_000


class Ranking(Protocol):
    """All results of a search, each once."""

    @property
    def ids(self) -> "NDArray[np.integer[Any]]":
        """Return a chunk of each result, which need not be in order."""

    def best_first(self) -> "Ranking":
        """Return the same results with ``ids`` in order."""

    def at(self, rows: "NDArray[np.int64]") -> "Ranking":
        """Return the results in the ascending ``rows`` of ``ids``."""

    def signals(self) -> MatchSignals | None:
        """Return what matched in each result, ``None`` for a query without words."""

    def shown(self, start: int, end: int) -> list[RankedCandidate]:
        """Return the results from number ``start`` up to ``end``, best first, with their reasons."""


# A passage has no role of its own, but stands for its first message.
_ROLE = (
    "CASE c.kind WHEN 'passage' THEN coalesce((SELECT m.role FROM messages m"
    " WHERE m.session_id = c.session_id AND m.seq = c.seq_start), c.role) ELSE c.role END"
)
_ROLES = f"SELECT {_ROLE}, count(*) FROM json_each(?) w CROSS JOIN chunks c ON c.id = w.value GROUP BY 1"


class CandidateRow(NamedTuple):
    """Chunk row of a candidate, without its text."""

    chunk_id: int
    kind: str
    role: str
    store: str
    session_id: str | None
    memory_id: str | None
    agent: str
    tags: tuple[str, ...]


def candidate_rows(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, CandidateRow]:
    """Return the rows of candidates by chunk id."""
    newest: list[tuple[Any, ...]] = connection.execute(
        f"SELECT c.id, c.kind, {_ROLE}, c.store, c.session_id, c.memory_id FROM chunks c"
        " WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(chunk_ids)),),
    ).fetchall()
    # Many candidates belong to few sessions.
    sessions = {session for _, kind, _, _, session, _ in newest if kind != "memory"}
    agents = agents_of(connection, sessions)
    memories = [memory for *_, memory in newest if memory is not None]
    sources = {row[0]: (row[1], tuple(json.loads(row[2]))) for row in _described(connection, memories)}
    rows: dict[int, CandidateRow] = {}
    for chunk_id, kind, role, store, session, memory in newest:
        source, tags = sources.get(memory, _UNKNOWN)
        agent = source if kind == "memory" else str(agents.get(session, ""))
        rows[chunk_id] = CandidateRow(chunk_id, kind, role, store, session, memory, agent, tags)
    return rows


# Sources and tags in the order of the memories.
_OF_MEMORIES = "FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value"
_SOURCES = f"SELECT m.source, count(*) {_OF_MEMORIES} GROUP BY m.source ORDER BY min(w.key)"
_TAGS = (
    "SELECT t.tag, count(*) FROM json_each(?) w CROSS JOIN memory_tags t ON t.memory_id = w.value"
    " GROUP BY t.tag ORDER BY min(w.key), t.tag"
)
_TAGGED = (
    "SELECT w.key, t.tag FROM json_each(?) w CROSS JOIN memory_tags t ON t.memory_id = w.value"
    " WHERE t.tag IN (SELECT value FROM json_each(?))"
)
_UNKNOWN: tuple[str, tuple[str, ...]] = ("", ())


def _described(connection: apsw.Connection, memories: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return ids, sources and tags (as JSON) of memories."""
    if not memories:
        return []
    return connection.execute(
        "SELECT m.id, m.source, (SELECT json_group_array(t.tag) FROM memory_tags t WHERE t.memory_id = m.id)"
        " FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))",
        (json.dumps(memories),),
    ).fetchall()


def count_facets(rows: Mapping[int, CandidateRow]) -> tuple[FacetCount, ...]:
    """Count the facet values of the candidates, the most frequent first."""
    known = rows.values()
    counts = {
        "kind": Counter([row.role if row.kind == "memory" else "message" for row in known]),
        "agent": Counter([row.agent for row in known if row.agent]),
        "role": Counter([row.role for row in known if row.role and row.kind != "memory"]),
        "tag": Counter([tag for row in known if row.tags for tag in row.tags]),
        "store": Counter([row.store for row in known]),
    }

    def tagged(tags: Collection[str]) -> "Iterable[tuple[int, str]]":
        return ((number, tag) for number, row in rows.items() for tag in row.tags or () if tag in tags)

    return _counted(counts, tagged)


def _counted(counts: Mapping[str, "Counter[str]"], tagged: "RowsOf") -> tuple[FacetCount, ...]:
    return tuple(
        FacetCount(name, value, count)
        for name, counter in counts.items()
        for value, count in _joined(counter, tagged if name == "tag" else None).most_common(_VALUES_A_FACET)
    )


def _joined(counter: "Counter[str]", rows_of: "RowsOf | None") -> "Counter[str]":
    """Return the counts with all spellings of a name under the one that finds most.

    A tag counts for those that it is nested in too, as the operator finds it.

    Args:
        counter: Rows of each spelling.
        rows_of: Which rows they are; None where each row has one name, which is no tag.
    """
    # A name with "ø" is spelled like two that are not spelled like each other; each of the three finds it.
    alike = covered_names(counter, nested=False)
    covered = alike if rows_of is None else covered_names(counter, nested=True)
    several = {value: others for value, others in covered.items() if len(others) > 1}
    counts = {value: sum(counter[other] for other in others) for value, others in covered.items()}
    if several and rows_of is not None:
        rows: dict[str, set[int]] = {other: set() for others in several.values() for other in others}
        for row, value in rows_of(rows.keys()):
            rows[value].add(row)
        counts |= {value: len(set().union(*(rows[other] for other in others))) for value, others in several.items()}
    joined: Counter[str] = Counter()
    shown: set[str] = set()
    for value in sorted(counter, key=lambda value: (-counts[value], -counter[value])):
        if value not in shown:
            joined[value] = counts[value]
            shown.update(alike[value])
    return joined


def count_facets_of_chunks(snapshot: SearchSnapshot, ids: "Ids", stores: Sequence[str]) -> tuple[FacetCount, ...]:
    """Count the facet values of the chunks ``ids``; see ``count_facets``.

    What the person calls a project is for callers who may read all ``stores``.
    """
    columns, agents = snapshot.columns, snapshot.index_cache.agents
    ids = ids if (ids[1:] > ids[:-1]).all() else np.sort(ids)
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("kind", "agent", "role", "tag", "store")}
    for number, count in _appearing(columns.sort[ids]):
        chunk_type = columns.types[number]
        is_memory = chunk_type.kind == "memory"
        counts["kind"][chunk_type.role if is_memory else "message"] += count
        counts["store"][chunk_type.store] += count
        if chunk_type.role and chunk_type.kind == "message":
            counts["role"][chunk_type.role] += count
    passages = json.dumps(ids[columns.of_kind(ids, "passage")].tolist())
    counts["role"].update({role: count for role, count in snapshot.connection.execute(_ROLES, (passages,)) if role})
    owner = columns.owner[ids]
    for number, count in _appearing(agents.of(snapshot.connection, columns, owner[owner >= 0])):
        counts["agent"][agents.names[number]] += count
    ids_of_memories = [columns.name(number) for number, _ in _appearing(owner[owner < 0])]
    counts["project"] = count_projects(snapshot, dict(_appearing(owner[owner > 0])), ids_of_memories, stores)
    memories = json.dumps(ids_of_memories)
    for name, sql in (("agent", _SOURCES), ("tag", _TAGS)):
        for value, count in snapshot.connection.execute(sql, (memories,)):
            counts[name][value] += count
    counts["agent"].pop("", None)

    def tagged(tags: Collection[str]) -> "Iterable[tuple[int, str]]":
        return snapshot.connection.execute(_TAGGED, (memories, json.dumps(list(tags))))

    return _counted(counts, tagged)


def _appearing(values: "Ids") -> list[tuple[int, int]]:
    """Return the distinct values with their counts, in order of appearance.

    Very many values are returned in ascending order.
    """
    if len(values) > _MANY and values.min() >= 0:
        often = np.bincount(values)
        there = np.flatnonzero(often)
        return list(zip(there.tolist(), often[there].tolist(), strict=True))
    distinct, first, counts = np.unique(values, return_index=True, return_counts=True)
    order = np.argsort(first)
    return list(zip(distinct[order].tolist(), counts[order].tolist(), strict=True))


def build_hits(
    connection: apsw.Connection,
    ranked: Sequence[RankedCandidate],
    rows: Mapping[int, CandidateRow],
    terms: Sequence[Term],
    *,
    labelled: bool = False,
    former: Mapping[str, Memory] = MappingProxyType({}),
) -> tuple[Hit, ...]:
    """Return the hits of ``ranked``, without those deleted meanwhile.

    Args:
        connection: A read connection.
        ranked: Best first.
        rows: Row of each candidate.
        terms: The terms that were searched, to be marked; see ``search_terms``.
        labelled: Whether a session without a title gets its first words as title.
        former: Earlier values of memories by id, shown in place of the stored ones.
    """
    known = [(item, rows[item.chunk_id]) for item in ranked if item.chunk_id in rows]
    messages = _messages(connection, [item.target for item, row in known if row.kind != "memory"], labelled=labelled)
    wanted = [str(row.memory_id) for _, row in known if row.kind == "memory" and row.memory_id not in former]
    kept = _memories(connection, wanted) | {memory.id: _former_fields(memory) for memory in former.values()}
    snippets = Snippets(terms)
    built = (_hit(item, row, messages, kept, snippets) for item, row in known)
    return tuple(hit for hit in built if hit is not None)


Fields = tuple[str, str, dict[str, Any]]
"""Text, extra searched text, and the fields of the hit."""


def _hit(
    item: RankedCandidate,
    row: CandidateRow,
    messages: Mapping[str, tuple[Any, ...]],
    kept: Mapping[str, tuple[Any, ...]],
    snippets: Snippets,
) -> Hit | None:
    is_memory = row.kind == "memory"
    content = _memory(kept.get(str(row.memory_id))) if is_memory else _message(messages.get(item.target), row)
    if content is None:
        return None
    text, extra, fields = content
    shown, spans, terms = snippets.of(text, extra=extra)
    if terms and not spans and not is_memory:  # titles are shown anyway, but arguments of tool calls only here
        shown, spans, _ = snippets.of(extra)
    why = Why(item.why.legs, terms, item.why.features)
    return Hit(
        id=item.target,
        snippet=shown,
        highlights=spans,
        score=item.score,
        why=why,
        part=item.part,
        store=row.store,
        tags=row.tags,
        **fields,
    )


def _messages(connection: apsw.Connection, targets: Sequence[str], *, labelled: bool) -> dict[str, tuple[Any, ...]]:
    """Return stored fields of messages by target id."""
    ids = [(target, message_ids.parse(target)) for target in targets]
    wanted = [(message.session, message.seq, target) for target, message in ids if message is not None]
    rows = connection.execute(
        "SELECT w.value ->> 2, m.seq, substr(m.content, 1, 200000), m.created_at, m.role, m.author, s.title,"
        " CASE WHEN ?2 THEN s.preview ELSE '' END, m.tool_calls"
        " FROM json_each(?1) w CROSS JOIN messages m ON m.session_id = w.value ->> 0 AND m.seq = w.value ->> 1"
        " CROSS JOIN sessions s ON s.id = m.session_id",
        (json.dumps(wanted), labelled),
    )
    return {row[0]: row[1:] for row in rows}


def _message(message: tuple[Any, ...] | None, row: CandidateRow) -> Fields | None:
    if message is None:
        return None
    seq, content, created, role, author, title, preview, tool_calls = message
    return (
        without_recalled(content) or content or tool_calls or "",
        tool_text(json.loads(tool_calls)) if tool_calls else "",
        {
            "target": "message",
            "kind": "message",
            "title": label_of(title, preview),
            "created_at": to_datetime(created),
            "session_id": row.session_id,
            "seq": seq,
            "role": role,
            "author": author,
            "agent": row.agent,
        },
    )


def _memories(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return stored fields of memories by id."""
    if not ids:
        return {}
    rows = connection.execute(
        f"SELECT m.id, m.title, CASE WHEN {IS_SAID} THEN {SAID_MS} ELSE m.updated_at END, m.session_id,"
        f" m.source, substr(m.content, 1, 200000), m.facts, m.kind, {SAID_BY},"
        " CASE m.key WHEN '' THEN m.title ELSE m.title || char(10) || m.category || ' ' || m.key END,"
        " m.files, m.people"
        " FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value",
        (json.dumps(ids),),
    )
    return {row[0]: row[1:] for row in rows}


def _former_fields(memory: Memory) -> tuple[Any, ...]:
    """Return the fields of an earlier value as ``_memories`` returns stored ones."""
    extra = f"{memory.title}\n{memory.category} {memory.key}" if memory.key else memory.title
    owner = (memory.title, to_ms(memory.said_at or memory.updated_at), memory.session_id, memory.source)
    named = json.dumps(memory.files), json.dumps(memory.people)
    return (*owner, memory.content, json.dumps(memory.facts), memory.kind, memory.said_by, extra, *named)


def _memory(row: tuple[Any, ...] | None) -> Fields | None:
    if row is None:
        return None
    title, updated, session_id, source, content, facts, kind, who, extra, files, people = row
    return (
        "\n".join([content, *json.loads(facts)]).strip() or title,
        "\n".join([extra, *json.loads(files), *json.loads(people)]),
        {
            "target": "memory",
            "kind": kind,
            "title": title,
            "created_at": to_datetime(updated),
            "session_id": session_id,
            "author": str(who or ""),
            "agent": source,
        },
    )
