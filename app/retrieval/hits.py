"""Turns ranked candidates into hits: texts, titles and tags fetched, snippets cut, facets counted."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw

from app.core.clock import to_datetime
from app.core.recalled import without_recalled
from app.retrieval.highlight import snippet
from app.retrieval.model import FacetCount, Hit, Query, Why

_VALUES_A_FACET = 20


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place: the chunk that stands for it, its score and why."""

    target: str
    chunk_id: int
    score: float
    why: Why


class Row(NamedTuple):
    """What is known of a candidate without its text."""

    chunk_id: int
    kind: str
    role: str
    store: str
    session_id: str | None
    memory_id: str | None
    agent: str
    tags: tuple[str, ...]


def rows_of(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, Row]:
    """Return what is known of the candidates' chunks, by chunk id."""
    found: list[tuple[Any, ...]] = connection.execute(
        "SELECT c.id, c.kind, c.role, c.store, c.session_id, c.memory_id FROM chunks c"
        " WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(chunk_ids)),),
    ).fetchall()
    # Many candidates are of few conversations.
    sessions = {session for _, kind, _, _, session, _ in found if kind != "memory"}
    agents = {row[0]: row[1] for row in connection.execute(_AGENTS, (json.dumps(list(sessions)),))}
    memories = [memory for *_, memory in found if memory is not None]
    sources = {row[0]: (row[1], tuple(json.loads(row[2]))) for row in _described(connection, memories)}
    rows: dict[int, Row] = {}
    for chunk_id, kind, role, store, session, memory in found:
        source, tags = sources.get(memory, _UNKNOWN)
        agent = source if kind == "memory" else str(agents.get(session, ""))
        rows[chunk_id] = Row(chunk_id, kind, role, store, session, memory, agent, tags)
    return rows


_AGENTS = "SELECT id, agent FROM sessions WHERE id IN (SELECT value FROM json_each(?))"
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


def facets_of(rows: Mapping[int, Row]) -> tuple[FacetCount, ...]:
    """Count the values of each facet over the candidates, the most frequent first."""
    known = rows.values()
    counts = {
        "kind": Counter([row.role if row.kind == "memory" else "message" for row in known]),
        "agent": Counter([row.agent for row in known if row.agent]),
        "role": Counter([row.role for row in known if row.role and row.kind != "memory"]),
        "tag": Counter([tag for row in known if row.tags for tag in row.tags]),
        "store": Counter([row.store for row in known]),
    }
    return tuple(
        FacetCount(name, value, count)
        for name, counter in counts.items()
        for value, count in counter.most_common(_VALUES_A_FACET)
    )


def hits_of(
    connection: apsw.Connection, ranked: Sequence[Ranked], rows: Mapping[int, Row], query: Query
) -> tuple[Hit, ...]:
    """Return the hits of ``ranked``, leaving out what vanished meanwhile."""
    built = (_hit(connection, item, rows.get(item.chunk_id), query) for item in ranked)
    return tuple(hit for hit in built if hit is not None)


def _hit(connection: apsw.Connection, item: Ranked, row: Row | None, query: Query) -> Hit | None:
    if row is None:
        return None
    found = _memory(connection, row) if row.kind == "memory" else _message(connection, item.target, row)
    if found is None:
        return None
    text, fields = found
    shown, spans, terms = snippet(text, query.terms)
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


def _message(connection: apsw.Connection, target: str, row: Row) -> tuple[str, dict[str, Any]] | None:
    seq = int(target.rpartition("#")[2])
    found = connection.execute(
        "SELECT substr(m.content, 1, 200000), m.created_at, m.role, m.author, s.title, m.tool_calls FROM messages m"
        " JOIN sessions s ON s.id = m.session_id WHERE m.session_id = ? AND m.seq = ?",
        (row.session_id, seq),
    ).fetchone()
    if found is None:
        return None
    content, created, role, author, title, tool_calls = found
    return without_recalled(content) or content or tool_calls or "", {
        "target": "message",
        "kind": "message",
        "title": title,
        "created_at": to_datetime(created),
        "session_id": row.session_id,
        "seq": seq,
        "role": role,
        "author": author,
        "agent": row.agent,
    }


def _memory(connection: apsw.Connection, row: Row) -> tuple[str, dict[str, Any]] | None:
    found = connection.execute(
        "SELECT m.title, m.updated_at, m.session_id, m.source, substr(m.content, 1, 200000), m.facts, m.kind"
        " FROM memories m WHERE m.id = ?",
        (row.memory_id,),
    ).fetchone()
    if found is None:
        return None
    title, updated, session_id, source, content, facts, kind = found
    return "\n".join([content, *json.loads(facts)]).strip() or title, {
        "target": "memory",
        "kind": kind,
        "title": title,
        "created_at": to_datetime(updated),
        "session_id": session_id,
        "agent": source,
    }
