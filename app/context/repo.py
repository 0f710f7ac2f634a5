"""SQL of contexts: messages, memories, index lines and session summaries as items."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import apsw

from app.context.context_text import shorten
from app.context.model import ContextItem
from app.core.clock import to_datetime, to_ms
from app.core.stores import STORES
from app.core.text import excerpt
from app.core.text_rules.project_conditions import in_project, is_project
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.recall_fence import is_own_tool, without_recalled
from app.core.text_rules.spellings import wanted_names
from app.memories import repo
from app.memories.model import Memory
from app.memories.said_time import IS_SAID, SAID_BY, SAID_MS
from app.retrieval.model import Hit, Term
from app.retrieval.results.snippets import snippet

MESSAGE_CHARACTERS: Final = 1_200
FOUND_CHARACTERS: Final = 600
MEMORY_CHARACTERS: Final = 600
SESSION_CHARACTERS: Final = 320
TITLE_CHARACTERS: Final = 100
READ_CHARACTERS: Final = 20_000
SALIENT_FLOOR: Final = 0.5
"""Messages above this importance have a partial index; no role exceeds it by default."""
UNSURE: Final = 0.5
_SESSIONS_LOOKED_AT: Final = 256
_SOURCE_LINK: Final = re.compile(r"\[([^\[\]]*)\]\(keepsake://[^()\s]*\)")

_MESSAGE_SQL: Final = (
    "m.session_id, m.seq, m.role, m.author, substr(m.content, 1, ?), m.created_at, s.title, m.tool_name"
    " FROM messages m JOIN sessions s ON s.id = m.session_id"
)


def recent_messages(connection: apsw.Connection, session: str, limit: int) -> list[ContextItem]:
    """Return the last messages of a session, newest first."""
    rows = connection.execute(
        f"SELECT {_MESSAGE_SQL} WHERE m.session_id = ? AND s.forgotten_at IS NULL AND m.role <> 'system'"
        " ORDER BY m.seq DESC LIMIT ?",
        (READ_CHARACTERS, session, limit),
    )
    return _message_items(rows, has_title=False)


def salient_messages(connection: apsw.Connection, importance: float, limit: int) -> list[ContextItem]:
    """Return messages of at least some importance, the most important and newest first."""
    floor = f" AND m.importance > {SALIENT_FLOOR}" if importance > SALIENT_FLOOR else ""
    rows = connection.execute(
        f"SELECT {_MESSAGE_SQL} WHERE m.importance >= ?{floor} AND s.forgotten_at IS NULL"
        " ORDER BY m.importance DESC, m.created_at DESC, m.rowid DESC LIMIT ?",
        (READ_CHARACTERS, importance, limit),
    )
    return _message_items(rows, has_title=True)


def message_items(connection: apsw.Connection, hits: Sequence[Hit], terms: Sequence[Term]) -> list[ContextItem]:
    """Return messages that a search found, long ones as a snippet."""
    places = json.dumps([(hit.session_id, hit.seq) for hit in hits])
    rows = connection.execute(
        "SELECT m.session_id || '#' || m.seq, substr(m.content, 1, ?) FROM json_each(?) w"
        " JOIN messages m ON m.session_id = w.value ->> 0 AND m.seq = w.value ->> 1",
        (READ_CHARACTERS, places),
    )
    contents: dict[str, str] = {row[0]: without_recalled(row[1] or "").strip() for row in rows}
    return [item for hit in hits if (item := _found_message(hit, contents.get(hit.id, ""), terms)) is not None]


def _found_message(hit: Hit, content: str, terms: Sequence[Term]) -> ContextItem | None:
    is_whole = 0 < len(content) <= FOUND_CHARACTERS
    # A message that only calls a tool has no text; its snippet shows the call.
    text = content if is_whole else snippet(content, terms, FOUND_CHARACTERS)[0] or without_recalled(hit.snippet)
    if not text:
        return None
    return ContextItem(
        id=hit.id,
        kind="message",
        text=text,
        about=_about_message(hit.created_at, hit.author or hit.role, hit.title),
        at=hit.created_at,
        score=round(hit.score, 4),
        is_cut=bool(content) and not is_whole,
        whole_lines=is_whole,
    )


def memory_items(
    connection: apsw.Connection, hits: Sequence[Hit], terms: Sequence[Term], stores: Sequence[str]
) -> list[ContextItem]:
    """Return memories that a search found, long ones as a snippet."""
    memories = {memory.id: memory for memory in repo.many(connection, [hit.id for hit in hits], stores=stores)}
    there = (hit for hit in hits if hit.id in memories and memories[hit.id].deleted_at is None)
    return [_memory(memories[hit.id], round(hit.score, 4), terms) for hit in there]


def memory_item(memory: Memory) -> ContextItem:
    """Return a memory that nothing was searched for, cut where it is long."""
    return _memory(memory, None, ())


def reflection_item(memory: Memory) -> ContextItem:
    """Return a weekly reflection."""
    return ContextItem(
        id=memory.id,
        kind=memory.kind,
        # Addresses of sources are for the window; an agent fetches them with memory.sources.
        text=_SOURCE_LINK.sub(r"\1", "\n".join([memory.content, *memory.facts])).strip(),
        about=_date(memory.created_at),
        at=memory.created_at,
        store=memory.store,
        mentions=memory.mention_count,
        whole_lines=True,
    )


_INDEXED: Final = (
    "SELECT m.id, m.kind, m.store, m.title, substr(m.content, 1, 400), m.mention_count,"
    f" CASE WHEN {IS_SAID} THEN {SAID_MS} ELSE m.created_at END AS at, m.type, {SAID_BY}, m.rowid AS place"
    " FROM memories m"
)
_LISTED: Final = "m.valid_until IS NULL AND m.kind <> 'reflection' AND (?3 = '' OR m.session_id IS NOT ?3)"


def recent_index_rows(
    connection: apsw.Connection, since_ms: int, limit: int, stores: Sequence[str], but: str = ""
) -> list[ContextItem]:
    """Return index lines of memories stored since a moment, newest first.

    Args:
        connection: A read connection.
        since_ms: The moment, milliseconds UTC.
        limit: Maximum number.
        stores: Stores that the caller may read.
        but: Session whose memories are left out.
    """
    # The index begins with the pinned column, so both halves are read.
    halves = " UNION ALL ".join(
        f"SELECT * FROM ({_INDEXED}"
        # What was said since then was stored since then too, and the index finds it by that.
        f" WHERE {_LISTED} AND m.pinned = {pinned} AND m.created_at >= ?1 AND at >= ?1"
        f" AND {repo.store_condition(stores)} ORDER BY at DESC, m.rowid DESC LIMIT ?2)"
        for pinned in (1, 0)
    )
    rows = connection.execute(f"{halves} ORDER BY at DESC, place DESC LIMIT ?2", (since_ms, limit, but))
    return [_index_row(row) for row in rows]


def project_index_rows(
    connection: apsw.Connection, project: str, limit: int, stores: Sequence[str], but: str = ""
) -> list[ContextItem]:
    """Return index lines of the memories of a project, newest first.

    Args:
        connection: A read connection.
        project: Its name.
        limit: Maximum number.
        stores: Stores that the caller may read.
        but: Session whose memories are left out.
    """
    is_of = in_project("m", stores).replace("?", "?1")
    rows = connection.execute(
        f"{_INDEXED} WHERE {_LISTED} AND {is_of} AND {repo.store_condition(stores)}"
        " ORDER BY at DESC, m.rowid DESC LIMIT ?2",
        (wanted_names(project), limit, but),
    )
    return [_index_row(row) for row in rows]


def relevant_index_rows(
    connection: apsw.Connection, hits: Sequence[Hit], stores: Sequence[str], since_ms: int
) -> list[ContextItem]:
    """Return index lines of memories that a search found.

    Of what was quoted from conversations only what was said since ``since_ms``: there is much of it, and a sentence
    has no title by which to choose it.
    """
    scores = {hit.id: hit.score for hit in hits}
    memories = repo.many(connection, list(scores), stores=stores)
    return [
        _index_row(
            (
                memory.id,
                memory.kind,
                memory.store,
                memory.title,
                memory.content,
                memory.mention_count,
                _said(memory),
                memory.type,
                memory.said_by,
            ),
            scores[memory.id],
        )
        for memory in memories
        if memory.deleted_at is None and not (memory.said_by and to_ms(_said(memory)) < since_ms)
    ]


def _said(memory: Memory) -> datetime:
    return memory.said_at or memory.created_at


def latest_sessions(
    connection: apsw.Connection, agent: str, but: str, limit: int, project: str = ""
) -> list[ContextItem]:
    """Return summaries of the latest sessions, those of a project first.

    Args:
        connection: A read connection.
        agent: Only sessions with this agent, or any when empty.
        but: Session to leave out.
        limit: Maximum number.
        project: Name of the project, ``""`` for none.
    """
    is_of = is_project("s.project", STORES).replace("?", "?4") if project else "NULL"
    values = (but, agent, limit, *([wanted_names(project)] if project else []))
    rows = connection.execute(
        "SELECT s.id, s.title, d.agent, d.summary, s.updated_at FROM"
        f" (SELECT x.rowid AS number, id, title, agent, updated_at, {project_sql('x')} AS project FROM sessions x"
        " WHERE forgotten_at IS NULL AND id <> ?1"
        f" AND (?2 = '' OR agent = ?2) ORDER BY updated_at DESC, x.rowid DESC LIMIT {_SESSIONS_LOOKED_AT}) s"
        " JOIN session_summaries d ON d.session_id = s.id"
        f" ORDER BY ({is_of}) IS TRUE DESC, s.updated_at DESC, s.number DESC LIMIT ?3",
        values,
    )
    return [_session(*row) for row in rows]


def session_items(connection: apsw.Connection, sessions: Sequence[str], limit: int) -> list[ContextItem]:
    """Return summaries of sessions, in their order; those without one are left out."""
    rows = connection.execute(
        "SELECT s.id, s.title, d.agent, d.summary, s.updated_at FROM json_each(?) w"
        " CROSS JOIN sessions s ON s.id = w.value JOIN session_summaries d ON d.session_id = s.id"
        " ORDER BY w.key LIMIT ?",
        (json.dumps(list(sessions)), limit),
    )
    return [_session(*row) for row in rows]


def _session(session_id: str, title: str, agent: str, summary: str, updated_ms: int) -> ContextItem:
    named = f", “{excerpt(title, TITLE_CHARACTERS)}”" if title else ""
    text = without_recalled(summary).strip()
    at = to_datetime(updated_ms)
    return ContextItem(
        id=session_id,
        kind="session",
        text=shorten(text, SESSION_CHARACTERS),
        about=f"{_date(at)}{f', with {agent}' if agent else ''}{named}",
        at=at,
        is_cut=len(text) > SESSION_CHARACTERS,
        whole_lines=True,
    )


def _message_items(rows: Iterable[Sequence[Any]], *, has_title: bool) -> list[ContextItem]:
    items = []
    for session, seq, role, author, content, created, title, tool in rows:
        text = "" if role == "tool" and is_own_tool(tool) else without_recalled(content).strip()
        if not text:
            continue
        is_cut = len(text) > MESSAGE_CHARACTERS
        at = to_datetime(created)
        who = author or (f"tool {tool}" if role == "tool" and tool else role)
        items.append(
            ContextItem(
                id=f"{session}#{seq}",
                kind="message",
                text=shorten(text, MESSAGE_CHARACTERS),
                about=_about_message(at, who, title if has_title else ""),
                at=at,
                is_cut=is_cut,
                whole_lines=True,
            )
        )
    return items


def _memory(memory: Memory, score: float | None, terms: Sequence[Term]) -> ContextItem:
    text = "\n".join([memory.content, *memory.facts]).strip()
    is_cut = len(text) > MEMORY_CHARACTERS
    named = f"{memory.category} {memory.key}".strip() if memory.key else memory.title
    at = memory.said_at or memory.event_time or memory.updated_at
    # A quotation reads as messages do.
    facts = [_date(at), excerpt(memory.said_by, TITLE_CHARACTERS) or memory.kind]
    # The agent that stored a memory matters for trust; an import source does not.
    is_agents = memory.source not in ("", "person") and not memory.source.startswith("import:")
    facts += [f"from {memory.source}"] if is_agents and not memory.said_by else []
    facts += [f"unsure ({memory.confidence:.2f})"] if memory.confidence < UNSURE else []
    facts += [f"“{excerpt(named, TITLE_CHARACTERS)}”"] if named else []
    return ContextItem(
        id=memory.id,
        kind=memory.kind,
        text=snippet(text, terms, MEMORY_CHARACTERS)[0] if is_cut else text,
        about=", ".join(facts),
        at=at,
        store=memory.store,
        score=score,
        mentions=memory.mention_count,
        is_cut=is_cut,
        whole_lines=memory.kind != "fact",
    )


def _index_row(row: Sequence[Any], score: float | None = None) -> ContextItem:
    memory_id, kind, store, title, content, mentions, created, named, who = row[:9]
    at = created if isinstance(created, datetime) else to_datetime(created)
    facts = [_date(at), f"{kind} ({excerpt(named, TITLE_CHARACTERS)})" if named else str(kind), str(store)]
    facts += [f"said by {excerpt(who, TITLE_CHARACTERS)}"] if who else []
    facts += [f"said {mentions} times"] if mentions > 1 else []
    return ContextItem(
        id=memory_id,
        kind=kind,
        text=excerpt(title or content, TITLE_CHARACTERS),
        about=", ".join(facts),
        at=at,
        store=store,
        score=None if score is None else round(score, 4),
        mentions=mentions,
        type=named,
    )


def _about_message(at: datetime, who: str, title: str) -> str:
    where = f", in “{excerpt(title, TITLE_CHARACTERS)}”" if title else ""
    return f"{at:%Y-%m-%d %H:%M}Z, {who}{where}"


def _date(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
