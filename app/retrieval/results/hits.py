"""Turns ranked candidates into hits: texts, titles and tags fetched, snippets cut, facets counted."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from app.core.clock import to_datetime
from app.core.recall_fence import without_recalled
from app.index.repo import agents_of
from app.index.searchable_text import tool_text
from app.retrieval.model import FacetCount, Hit, Query, Why
from app.retrieval.results.model import RankedCandidate
from app.retrieval.results.snippets import Snippets
from app.sessions.model import label_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns
    from app.index.columns.session_agents import SessionAgents

    Ids = NDArray[np.integer[Any]]

_VALUES_A_FACET = 20
_MANY = 10_000


class CandidateRow(NamedTuple):
    """What is known of a candidate without its text."""

    chunk_id: int
    kind: str
    role: str
    store: str
    session_id: str | None
    memory_id: str | None
    agent: str
    tags: tuple[str, ...]


def candidate_rows(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, CandidateRow]:
    """Return what is known of the candidates' chunks, by chunk id."""
    found: list[tuple[Any, ...]] = connection.execute(
        "SELECT c.id, c.kind, c.role, c.store, c.session_id, c.memory_id FROM chunks c"
        " WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(chunk_ids)),),
    ).fetchall()
    # Many candidates are of few conversations.
    sessions = {session for _, kind, _, _, session, _ in found if kind != "memory"}
    agents = agents_of(connection, sessions)
    memories = [memory for *_, memory in found if memory is not None]
    sources = {row[0]: (row[1], tuple(json.loads(row[2]))) for row in _described(connection, memories)}
    rows: dict[int, CandidateRow] = {}
    for chunk_id, kind, role, store, session, memory in found:
        source, tags = sources.get(memory, _UNKNOWN)
        agent = source if kind == "memory" else str(agents.get(session, ""))
        rows[chunk_id] = CandidateRow(chunk_id, kind, role, store, session, memory, agent, tags)
    return rows


# The sources and tags in the order in which the memories appear.
_OF_MEMORIES = "FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value"
_SOURCES = f"SELECT m.source, count(*) {_OF_MEMORIES} GROUP BY m.source ORDER BY min(w.key)"
_TAGS = (
    "SELECT t.tag, count(*) FROM json_each(?) w CROSS JOIN memory_tags t ON t.memory_id = w.value"
    " GROUP BY t.tag ORDER BY min(w.key), t.tag"
)
_UNKNOWN: tuple[str, tuple[str, ...]] = ("", ())


def _described(connection: apsw.Connection, memories: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the ids of memories with their sources and their tags as JSON."""
    if not memories:
        return []
    return connection.execute(
        "SELECT m.id, m.source, (SELECT json_group_array(t.tag) FROM memory_tags t WHERE t.memory_id = m.id)"
        " FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))",
        (json.dumps(memories),),
    ).fetchall()


def count_facets(rows: Mapping[int, CandidateRow]) -> tuple[FacetCount, ...]:
    """Count the values of each facet over the candidates, the most frequent first."""
    known = rows.values()
    counts = {
        "kind": Counter([row.role if row.kind == "memory" else "message" for row in known]),
        "agent": Counter([row.agent for row in known if row.agent]),
        "role": Counter([row.role for row in known if row.role and row.kind != "memory"]),
        "tag": Counter([tag for row in known if row.tags for tag in row.tags]),
        "store": Counter([row.store for row in known]),
    }
    return _counted(counts)


def _counted(counts: Mapping[str, "Counter[str]"]) -> tuple[FacetCount, ...]:
    return tuple(
        FacetCount(name, value, count)
        for name, counter in counts.items()
        for value, count in counter.most_common(_VALUES_A_FACET)
    )


def count_facets_of_chunks(
    connection: apsw.Connection, columns: "ChunkColumns", ids: "Ids", agents: "SessionAgents"
) -> tuple[FacetCount, ...]:
    """Count the values of each facet over the candidates that the chunks ``ids`` stand for; see ``count_facets``."""
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    ids = ids if (ids[1:] > ids[:-1]).all() else np.sort(ids)
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("kind", "agent", "role", "tag", "store")}
    for number, count in _appearing(columns.sort[ids]):
        sort = columns.types[number]
        is_memory = sort.kind == "memory"
        counts["kind"][sort.role if is_memory else "message"] += count
        counts["store"][sort.store] += count
        if sort.role and not is_memory:
            counts["role"][sort.role] += count
    owner = columns.owner[ids]
    for number, count in _appearing(agents.of(connection, columns, owner[owner >= 0])):
        counts["agent"][agents.names[number]] += count
    memories = json.dumps([columns.name(number) for number, _ in _appearing(owner[owner < 0])])
    for name, sql in (("agent", _SOURCES), ("tag", _TAGS)):
        for value, count in connection.execute(sql, (memories,)):
            counts[name][value] += count
    counts["agent"].pop("", None)
    return _counted(counts)


def _appearing(values: "Ids") -> list[tuple[int, int]]:
    """Return the distinct values with how often they appear, in the order they do; of very many in their own."""
    import numpy as np  # noqa: PLC0415  (waits for the first search)

    if len(values) > _MANY and values.min() >= 0:
        often = np.bincount(values)
        there = np.flatnonzero(often)
        return list(zip(there.tolist(), often[there].tolist(), strict=True))
    found, first, counts = np.unique(values, return_index=True, return_counts=True)
    order = np.argsort(first)
    return list(zip(found[order].tolist(), counts[order].tolist(), strict=True))


def build_hits(
    connection: apsw.Connection,
    ranked: Sequence[RankedCandidate],
    rows: Mapping[int, CandidateRow],
    query: Query,
    *,
    labelled: bool = False,
) -> tuple[Hit, ...]:
    """Return the hits of ``ranked``, leaving out what vanished meanwhile.

    Args:
        connection: Where they are kept.
        ranked: Best first.
        rows: What is known of each.
        query: What was asked for.
        labelled: Whether a conversation without a title is called by its first words.
    """
    known = [(item, rows[item.chunk_id]) for item in ranked if item.chunk_id in rows]
    turns = [(row.session_id, item.target) for item, row in known if row.kind != "memory"]
    said = _messages(connection, [(str(session), target) for session, target in turns], labelled=labelled)
    kept = _memories(connection, [str(row.memory_id) for _, row in known if row.kind == "memory"])
    snippets = Snippets(query.terms)
    built = (_hit(item, row, said, kept, snippets) for item, row in known)
    return tuple(hit for hit in built if hit is not None)


Fields = tuple[str, str, dict[str, Any]]
"""The text, what besides it is found by, and what is told of it."""


def _hit(
    item: RankedCandidate,
    row: CandidateRow,
    said: Mapping[str, tuple[Any, ...]],
    kept: Mapping[str, tuple[Any, ...]],
    snippets: Snippets,
) -> Hit | None:
    is_memory = row.kind == "memory"
    found = _memory(kept.get(str(row.memory_id))) if is_memory else _message(said.get(item.target), item.target, row)
    if found is None:
        return None
    text, beside, fields = found
    shown, spans, terms = snippets.of(text, beside=beside)
    if terms and not spans and not is_memory:  # a title is shown anyway; what a tool was told is shown here alone
        shown, spans, _ = snippets.of(beside)
    why = Why(item.why.legs, terms, item.why.features)
    return Hit(
        id=item.target,
        snippet=shown,
        highlights=spans,
        score=item.score,
        why=why,
        store=row.store,
        tags=row.tags,
        **fields,
    )


def _messages(
    connection: apsw.Connection, turns: Sequence[tuple[str, str]], *, labelled: bool
) -> dict[str, tuple[Any, ...]]:
    """Return what is kept of turns, by the id of each; they are asked for by session and id."""
    wanted = [(session, int(target.rpartition("#")[2]), target) for session, target in turns]
    rows = connection.execute(
        "SELECT w.value ->> 2, substr(m.content, 1, 200000), m.created_at, m.role, m.author, s.title,"
        " CASE WHEN ?2 THEN s.preview ELSE '' END, m.tool_calls"
        " FROM json_each(?1) w CROSS JOIN messages m ON m.session_id = w.value ->> 0 AND m.seq = w.value ->> 1"
        " CROSS JOIN sessions s ON s.id = m.session_id",
        (json.dumps(wanted), labelled),
    )
    return {row[0]: row[1:] for row in rows}


def _message(found: tuple[Any, ...] | None, target: str, row: CandidateRow) -> Fields | None:
    if found is None:
        return None
    content, created, role, author, title, preview, tool_calls = found
    return (
        without_recalled(content) or content or tool_calls or "",
        tool_text(json.loads(tool_calls)) if tool_calls else "",
        {
            "target": "message",
            "kind": "message",
            "title": label_of(title, preview),
            "created_at": to_datetime(created),
            "session_id": row.session_id,
            "seq": int(target.rpartition("#")[2]),
            "role": role,
            "author": author,
            "agent": row.agent,
        },
    )


def _memories(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return what is kept of memories, by the id of each."""
    if not ids:
        return {}
    rows = connection.execute(
        "SELECT m.id, m.title, m.updated_at, m.session_id, m.source, substr(m.content, 1, 200000), m.facts, m.kind,"
        " CASE m.key WHEN '' THEN m.title ELSE m.title || char(10) || m.category || ' ' || m.key END"
        " FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value",
        (json.dumps(ids),),
    )
    return {row[0]: row[1:] for row in rows}


def _memory(found: tuple[Any, ...] | None) -> Fields | None:
    if found is None:
        return None
    title, updated, session_id, source, content, facts, kind, beside = found
    return (
        "\n".join([content, *json.loads(facts)]).strip() or title,
        beside,
        {
            "target": "memory",
            "kind": kind,
            "title": title,
            "created_at": to_datetime(updated),
            "session_id": session_id,
            "agent": source,
        },
    )
