"""Historical search: the vault as it was at a moment, searched by words.

Unchanged items come from the index. Items that were changed, deleted or forgotten since are rebuilt from history.
Vectors are not used.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Final

import apsw

from app.core.clock import to_ms
from app.core.stores import sees_all
from app.history import as_of
from app.index.repo import agents_of
from app.index.searchable_text import message_text
from app.memories.queries import memory_snapshots as memories
from app.retrieval.bm25 import positive_idf
from app.retrieval.candidates.filters import SINGLE, TARGET, ChunkFilter, build_filter, with_word_filter
from app.retrieval.candidates.phrase_relaxation import phrase_notes, relax_phrases
from app.retrieval.model import Found, Hit, Query, Term
from app.retrieval.query.match_expression import excluded_expression, match_expression
from app.retrieval.request import Request
from app.retrieval.results.hits import CandidateRow
from app.retrieval.text_search import (
    CHUNK_COLUMNS,
    QueryWords,
    TextItem,
    answering,
    found_texts,
    matching_states,
    memory_item,
)
from app.sentence import Sentence
from app.sessions.model import Message, label_of
from app.sessions.repo import MESSAGE_COLUMNS, message_of

DEPTH: Final = 400
MAX_STATES: Final = 20_000
MAX_MESSAGES: Final = 20_000

NAME: Final = "past"
FROM_HISTORY: Final = "from_history"
"""Feature of a hit whose former text is no longer in the index."""

WORDS_ONLY: Final = Sentence("Search by meaning covers only the present, so the past was searched by words.")
CUT: Final = Sentence("So much has changed since then that not all of it was searched.")

_CHUNKS_OF_MESSAGES = (
    "session_moves (session_id, is_leaving) AS (SELECT NULL, NULL WHERE FALSE),"  # all of them are forgotten
    f" {CHUNK_COLUMNS} AS (SELECT t.rowid, 'message', t.session_id, NULL, t.seq, t.seq, 'private', t.role, t.created_at"
    " FROM messages t WHERE t.session_id IN (SELECT value FROM json_each(?1)) AND t.created_at <= ?2)"
)


def search_history(connection: apsw.Connection, request: Request, at_ms: int) -> Found:
    """Search the vault as it was at ``at_ms``.

    A phrase that nothing said then is searched by its words.
    """
    request = replace(request, recipe=replace(request.recipe, name=NAME))

    def stood(term: Term) -> bool:
        alone = replace(request, query=Query(term.text, (term,)), limit=1, offset=0)
        return bool(_search(connection, alone, at_ms).candidates)

    query, missing = relax_phrases(request.query, stood)
    result = _search(connection, replace(request, query=query), at_ms)
    return replace(result, notes=(*result.notes, *phrase_notes(missing)), relaxed=missing)


def _search(connection: apsw.Connection, request: Request, at_ms: int) -> Found:
    """Return the hits that a query would have had at a moment, in one read.

    Texts, titles and tags are never newer than the moment. ``entity:`` finds only items that have not changed since.
    """
    sessions = {
        entry.target: entry.before or {} for entry in as_of.first_entries_after(connection, "session", at_ms, "title")
    }
    since = memories.changed(connection, at_ms)
    words = QueryWords(request.query)
    rebuilt, is_cut = _rebuilt(connection, request, at_ms, since, _forgotten(connection, sessions))
    items = chain(_indexed(connection, request, at_ms, since, _hidden(sessions)), answering(request, words, rebuilt))
    weights = _weights(connection, words, request.stores)
    result = found_texts(connection, request, items, weights, {FROM_HISTORY: 1.0})
    hits = tuple(_with_former_title(connection, hit, sessions) for hit in result.hits)
    return replace(result, hits=hits, notes=(*request.query.hints, WORDS_ONLY, *((CUT,) if is_cut else ())))


def _weights(connection: apsw.Connection, words: QueryWords, stores: Sequence[str]) -> dict[Term, float]:
    """Return the inverse document frequency of each word in the caller's stores."""
    where = "c.store IN (SELECT value FROM json_each(?))"
    held = json.dumps(list(stores))
    total = int(connection.execute(f"SELECT count(*) FROM chunks c WHERE {where}", (held,)).get) if words.wanted else 0
    frequencies = {}
    for term in words.wanted:
        match = match_expression([term], drop_stop_words=False)
        count = connection.execute(
            "SELECT count(*) FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
            f" WHERE chunks_fts MATCH ? AND {where}",
            (match, held),
        ).get
        frequencies[term] = positive_idf(total, int(count))
    return frequencies


def _indexed(
    connection: apsw.Connection, request: Request, at_ms: int, since: set[str], hidden: Sequence[str]
) -> list[TextItem]:
    """Return matching items that have not changed since the moment."""
    query = request.query
    plain = build_filter(query, request.stores)
    where = replace(
        plain,
        sql=f"{plain.sql} AND CASE c.kind WHEN 'memory' THEN c.memory_id NOT IN (SELECT value FROM json_each(?))"
        " ELSE c.created_at <= ? AND c.session_id NOT IN (SELECT value FROM json_each(?)) END",
        values=(*plain.values, json.dumps(sorted(since)), at_ms, json.dumps(hidden)),
    )
    match = match_expression(query, need_phrases=True)
    if match is not None:
        source, order = "chunks_fts JOIN chunk_texts c ON c.id = chunks_fts.rowid", "bm25(chunks_fts)"
        condition, values = f"chunks_fts MATCH ? AND {SINGLE}", (match, *where.values)
    elif not query.has_words:
        where = with_word_filter(where, None, excluded_expression(query))
        source, condition, order, values = "chunk_texts c", "c.kind <> 'passage'", "c.created_at DESC", where.values
    else:
        return []
    rows = connection.execute(
        f"SELECT {TARGET}, c.text, c.created_at, c.id FROM {source} WHERE {condition} AND {where.sql}"
        f" ORDER BY {order}, c.id DESC LIMIT ?",
        (*values, max(DEPTH, request.last)),
    )
    best: dict[str, TextItem] = {}
    for target, text, created_ms, chunk_id in rows:
        best.setdefault(target, TextItem(target, text, created_ms, chunk_id))
    return list(best.values())


def _rebuilt(
    connection: apsw.Connection, request: Request, at_ms: int, since: set[str], forgotten: Sequence[str]
) -> tuple[Iterator[TextItem], bool]:
    """Return the former items that passed the filter, and whether a limit cut them off."""
    where = build_filter(request.query, request.stores)
    states = memories.states(connection, at_ms, since, request.stores)
    kept = matching_states(connection, where, islice(states, MAX_STATES))
    messages = _former_messages(connection, where, forgotten, at_ms)
    is_cut = next(states, None) is not None or len(messages) > MAX_MESSAGES
    agents = agents_of(connection, {message.session_id for message in messages})
    former = (_message_item(message, agents) for message in messages[:MAX_MESSAGES])
    return chain(map(memory_item, kept), former), is_cut


def _message_item(message: Message, agents: Mapping[str, str]) -> TextItem:
    agent = str(agents.get(message.session_id, ""))
    row = CandidateRow(0, "message", message.role, "private", message.session_id, None, agent, ())
    target = f"{message.session_id}#{message.seq}"
    return TextItem(target, message_text(message), to_ms(message.created_at), row=row)


def _former_messages(
    connection: apsw.Connection, where: ChunkFilter, forgotten: Sequence[str], at_ms: int
) -> list[Message]:
    """Return the messages of forgotten sessions that pass the filter, the latest first."""
    if not (forgotten and sees_all(where.stores)):
        return []
    columns = ", ".join(f"t.{name.strip()}" for name in MESSAGE_COLUMNS.split(","))
    rows = connection.execute(
        f"WITH {_CHUNKS_OF_MESSAGES} SELECT {columns} FROM chunks c CROSS JOIN messages t ON t.rowid = c.id"
        f" WHERE {where.sql} ORDER BY c.created_at DESC LIMIT {MAX_MESSAGES + 1}",
        (json.dumps(forgotten), at_ms, *where.values),
    )
    return [message_of(row) for row in rows]


def _hidden(sessions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the sessions that were forgotten at the moment."""
    return sorted(session for session, held in sessions.items() if held.get("forgotten_at") is not None)


def _forgotten(connection: apsw.Connection, sessions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the sessions that existed at the moment and are forgotten now."""
    there = [session for session, held in sessions.items() if held.get("forgotten_at") is None]
    rows = connection.execute(
        "SELECT s.id FROM json_each(?) w CROSS JOIN sessions s ON s.id = w.value WHERE s.forgotten_at IS NOT NULL",
        (json.dumps(there),),
    )
    return [str(row[0]) for row in rows]


def _with_former_title(connection: apsw.Connection, hit: Hit, sessions: Mapping[str, Mapping[str, Any]]) -> Hit:
    """Return a hit with its session's former title, or with the session's first words."""
    then = sessions.get(hit.session_id or "") if hit.target == "message" else None
    if then is None or "title" not in then:
        return hit
    preview = connection.execute("SELECT preview FROM sessions WHERE id = ?", (hit.session_id,)).get
    return replace(hit, title=label_of(str(then["title"]), str(preview or "")))
