"""Historical search: the vault as it was at a moment, searched by words.

Unchanged items come from the index. Items that were changed, deleted or forgotten since are rebuilt from history and
matched here by the rules of the index's tokenizer. One BM25 scores both. Vectors are not used.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import apsw

from app.core.clock import to_ms
from app.core.stores import STORES
from app.history import as_of
from app.index.searchable_text import memory_text, message_text
from app.memories.model import Memory
from app.memories.queries import memory_snapshots as memories
from app.retrieval.bm25 import length_norm, positive_idf, term_frequency
from app.retrieval.candidates.filters import SINGLE, TARGET, ChunkFilter, build_filter, with_word_filter
from app.retrieval.candidates.phrase_relaxation import phrase_notes, relax_phrases
from app.retrieval.model import Found, Hit, LegScore, Query, RankedCandidate, Term, Why
from app.retrieval.query.match_expression import excluded_expression, has_token, match_expression, search_terms
from app.retrieval.request import HistoricalRequest
from app.retrieval.results.hits import CandidateRow, build_hits, candidate_rows, count_facets
from app.retrieval.results.snippets import Snippets, spans
from app.sessions.model import Message, label_of
from app.sessions.repo import MESSAGE_COLUMNS, message_of

DEPTH: Final = 400
MAX_STATES: Final = 20_000
MAX_MESSAGES: Final = 20_000

NAME: Final = "past"
FROM_HISTORY: Final = "from_history"
"""Feature of a hit whose former text is no longer in the index."""

WORDS_ONLY: Final = "Search by meaning covers only the present, so the past was searched by words."
CUT: Final = "So much has changed since then that not all of it was searched."

_LENGTH = 400.0  # characters of an average text
_CHUNKS = "chunks (id, kind, session_id, memory_id, seq_start, seq_end, store, role, created_at)"
_OF_STATES = (
    f"{memories.TABLES}, {_CHUNKS} AS MATERIALIZED (SELECT rowid, 'memory', session_id, id, 0, 0, store, kind,"
    " updated_at FROM memories WHERE valid_until IS NULL)"
)
_OF_MESSAGES = (
    "session_moves (session_id, is_leaving) AS (SELECT NULL, NULL WHERE FALSE),"  # all of them are forgotten
    f" {_CHUNKS} AS (SELECT t.rowid, 'message', t.session_id, NULL, t.seq, t.seq, 'private', t.role, t.created_at"
    " FROM messages t WHERE t.session_id IN (SELECT value FROM json_each(?1)) AND t.created_at <= ?2)"
)


@dataclass(frozen=True, slots=True)
class HistoricalItem:
    """A matching text; ``state`` is its former value where the index no longer has it."""

    target: str
    chunk_id: int
    text: str
    created_ms: int
    state: Memory | Message | None = None


def search_history(connection: apsw.Connection, query: Query, moment: HistoricalRequest) -> Found:
    """Search the past; a phrase that nothing said then is searched by its words."""

    def stood(term: Term) -> bool:
        alone = replace(moment, limit=1, offset=0)
        return bool(_search(connection, Query(term.text, (term,)), alone).candidates)

    query, missing = relax_phrases(query, stood)
    found = _search(connection, query, moment)
    return replace(found, notes=(*found.notes, *phrase_notes(missing)), relaxed=missing)


def _search(connection: apsw.Connection, query: Query, moment: HistoricalRequest) -> Found:
    """Return the hits that ``query`` would have had at a moment, in one read.

    Texts, titles and tags are never newer than the moment. ``entity:`` finds only items that have not changed since.
    """
    sessions = {
        entry.target: entry.before or {}
        for entry in as_of.first_entries_after(connection, "session", moment.at_ms, "title")
    }
    words = QueryWords(query)
    since = memories.changed(connection, moment.at_ms)
    stood = _indexed(connection, query, moment, since, _hidden(sessions))
    rebuilt, is_cut = _rebuilt(connection, query, words, moment, since, _forgotten(connection, sessions))
    items = [*stood, *rebuilt]
    weights = words.weights(connection, moment.stores) if words.wanted else {}
    ranked = [ranked_item(item, words, weights) for item in items]
    by_chunk = {item.chunk_id: item for item in items}
    ranked.sort(key=lambda one: (-one.score, -by_chunk[one.chunk_id].created_ms, one.target))
    ranked = [with_rank(one, rank) for rank, one in enumerate(limit_per_session(ranked, moment.per_session), 1)]
    rows = candidate_rows(connection, [one.chunk_id for one in ranked if one.chunk_id > 0])
    agents = _agents_and_titles(connection, rebuilt)
    rows |= {item.chunk_id: historical_row(item, agents) for item in rebuilt}
    shown = ranked[moment.offset : moment.offset + moment.limit]
    hits = _hits(connection, shown, by_chunk, rows, query, sessions)
    kept = {one.chunk_id: rows[one.chunk_id] for one in ranked if one.chunk_id in rows}
    notes = (*query.hints, WORDS_ONLY, *((CUT,) if is_cut else ()))
    return Found(query, NAME, hits, count_facets(kept), len(ranked), ("words",) if words.wanted else (), notes)


class QueryWords:
    """Words of a query, matched in texts by the rules of the index.

    Args:
        query: The query.
    """

    def __init__(self, query: Query) -> None:
        self.wanted = search_terms(query)
        self.unwanted = [
            replace(term, excluded=False) for term in query.terms if term.excluded and has_token(term.text)
        ]
        self.is_empty = not any(not term.excluded for term in query.terms)

    def answers(self, text: str) -> bool:
        """Return whether a text has any of the words, all phrases and no excluded word."""
        if not self.wanted:
            return self.is_empty and not spans(text, self.unwanted)
        phrases = [term for term in self.wanted if term.phrase]
        return (
            bool(spans(text, self.wanted))
            and all(spans(text, [term]) for term in phrases)
            and not spans(text, self.unwanted)
        )

    def weights(self, connection: apsw.Connection, stores: Sequence[str]) -> dict[Term, float]:
        """Return the inverse document frequency of each word in the caller's stores."""
        where = "c.store IN (SELECT value FROM json_each(?))"
        held = json.dumps(list(stores))
        total = int(connection.execute(f"SELECT count(*) FROM chunks c WHERE {where}", (held,)).get)
        found = {}
        for term in self.wanted:
            match = match_expression([term], drop_stop_words=False)
            count = connection.execute(
                "SELECT count(*) FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
                f" WHERE chunks_fts MATCH ? AND {where}",
                (match, held),
            ).get
            found[term] = positive_idf(total, int(count))
        return found


def _indexed(
    connection: apsw.Connection, query: Query, moment: HistoricalRequest, since: set[str], hidden: Sequence[str]
) -> list[HistoricalItem]:
    """Return matching items that have not changed since the moment."""
    plain = build_filter(query, moment.stores)
    where = replace(
        plain,
        sql=f"{plain.sql} AND CASE c.kind WHEN 'memory' THEN c.memory_id NOT IN (SELECT value FROM json_each(?))"
        " ELSE c.created_at <= ? AND c.session_id NOT IN (SELECT value FROM json_each(?)) END",
        values=(*plain.values, json.dumps(sorted(since)), moment.at_ms, json.dumps(hidden)),
    )
    match = match_expression(query, need_phrases=True)
    if match is not None:
        source, order = "chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid", "bm25(chunks_fts)"
        condition, values = f"chunks_fts MATCH ? AND {SINGLE}", (match, *where.values)
    elif all(term.excluded for term in query.terms):
        where = with_word_filter(where, None, excluded_expression(query))
        source, condition, order, values = "chunks c", "c.kind <> 'passage'", "c.created_at DESC", where.values
    else:
        return []
    rows = connection.execute(
        f"SELECT {TARGET}, c.id, c.text, c.created_at FROM {source} WHERE {condition} AND {where.sql}"
        f" ORDER BY {order}, c.id DESC LIMIT ?",
        (*values, max(DEPTH, moment.offset + moment.limit)),
    )
    best: dict[str, HistoricalItem] = {}
    for row in rows:
        item = HistoricalItem(str(row[0]), int(str(row[1])), str(row[2]), int(str(row[3])))
        best.setdefault(item.target, item)
    return list(best.values())


def _rebuilt(
    connection: apsw.Connection,
    query: Query,
    words: QueryWords,
    moment: HistoricalRequest,
    since: set[str],
    forgotten: Sequence[str],
) -> tuple[list[HistoricalItem], bool]:
    """Return matching items rebuilt from history, and whether a limit cut them off."""
    where = build_filter(query, moment.stores)
    states = memories.states(connection, moment.at_ms, since, moment.stores)
    kept = matching_states(connection, where, islice(states, MAX_STATES))
    messages = _historical_messages(connection, where, forgotten, moment)
    is_cut = next(states, None) is not None or len(messages) > MAX_MESSAGES
    found: list[HistoricalItem] = []
    for memory in kept:
        moment.stop.check()
        add_matching(
            found, words, memory_text(memory), HistoricalItem(memory.id, 0, "", to_ms(memory.updated_at), memory)
        )
    for message in messages[:MAX_MESSAGES]:
        moment.stop.check()
        target = f"{message.session_id}#{message.seq}"
        add_matching(
            found, words, message_text(message), HistoricalItem(target, 0, "", to_ms(message.created_at), message)
        )
    return found, is_cut


def add_matching(found: list[HistoricalItem], words: QueryWords, text: str, item: HistoricalItem) -> None:
    """Append an item whose text matches, with a negative number as its chunk id."""
    if words.answers(text):
        found.append(replace(item, text=text, chunk_id=-1 - len(found)))


def matching_states(connection: apsw.Connection, where: ChunkFilter, states: Iterator[Memory]) -> list[Memory]:
    """Return the undeleted ``states`` that satisfy ``where``."""
    kept: list[Memory] = []
    for batch in memories.batches(states):
        by_id = {memory.id: memory for memory in batch}
        if not where.is_restrictive:
            kept += [memory for memory in batch if memory.deleted_at is None]
            continue
        rows = connection.execute(
            f"WITH {_OF_STATES} SELECT c.memory_id FROM chunks c WHERE {where.sql}",
            (memories.as_json(batch), *where.values),
        )
        kept += [by_id[str(row[0])] for row in rows]
    return kept


def _historical_messages(
    connection: apsw.Connection, where: ChunkFilter, forgotten: Sequence[str], moment: HistoricalRequest
) -> list[Message]:
    if set(moment.stores) < set(STORES) or not forgotten:
        return []
    columns = ", ".join(f"t.{name.strip()}" for name in MESSAGE_COLUMNS.split(","))
    rows = connection.execute(
        f"WITH {_OF_MESSAGES} SELECT {columns} FROM chunks c CROSS JOIN messages t ON t.rowid = c.id"
        f" WHERE {where.sql} ORDER BY c.created_at DESC LIMIT {MAX_MESSAGES + 1}",
        (json.dumps(forgotten), moment.at_ms, *where.values),
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


def limit_per_session(ranked: Sequence[RankedCandidate], per_session: int | None) -> list[RankedCandidate]:
    """Return ``ranked`` with at most ``per_session`` messages of one session; ``None`` keeps all."""
    seen: Counter[str] = Counter()
    kept = []
    for item in ranked:
        session, message, _ = item.target.rpartition("#")
        seen[session] += 1
        if per_session is None or not message or seen[session] <= per_session:
            kept.append(item)
    return kept


def ranked_item(item: HistoricalItem, words: QueryWords, weights: Mapping[Term, float]) -> RankedCandidate:
    """Return a ranked candidate with the BM25 of an item."""
    norm = length_norm(len(item.text) / _LENGTH)
    score = sum(weights[term] * term_frequency(float(len(spans(item.text, [term]))), norm) for term in words.wanted)
    features = {} if item.state is None else {FROM_HISTORY: 1.0}
    return RankedCandidate(item.target, item.chunk_id, score, Why((), (), features))


def with_rank(one: RankedCandidate, rank: int) -> RankedCandidate:
    """Return a candidate with its lexical rank."""
    legs = (LegScore("words", rank, one.score),) if one.score else ()
    return replace(one, why=replace(one.why, legs=legs))


def _agents_and_titles(connection: apsw.Connection, items: Iterable[HistoricalItem]) -> dict[str, tuple[str, str]]:
    """Return agent and title of the sessions of messages read from the history."""
    wanted = sorted({item.state.session_id for item in items if isinstance(item.state, Message)})
    rows = connection.execute(
        "SELECT s.id, s.agent, s.title, s.preview FROM json_each(?) w CROSS JOIN sessions s ON s.id = w.value",
        (json.dumps(wanted),),
    )
    return {str(row[0]): (str(row[1]), label_of(str(row[2]), str(row[3]))) for row in rows}


def historical_row(item: HistoricalItem, agents: Mapping[str, tuple[str, str]]) -> CandidateRow:
    """Return the candidate row of an item that is not in the index.

    Args:
        item: One with a state.
        agents: Agent and title of messages' sessions.
    """
    state = item.state
    if isinstance(state, Message):
        agent = agents[state.session_id][0]
        return CandidateRow(item.chunk_id, "message", state.role, "private", state.session_id, None, agent, ())
    if state is None:
        raise ValueError("only items from the history have a state")
    owner = (state.session_id, state.id, state.source, state.tags)
    return CandidateRow(item.chunk_id, "memory", state.kind, state.store, *owner)


def _hits(
    connection: apsw.Connection,
    shown: Sequence[RankedCandidate],
    items: Mapping[int, HistoricalItem],
    rows: Mapping[int, CandidateRow],
    query: Query,
    sessions: Mapping[str, Mapping[str, Any]],
) -> tuple[Hit, ...]:
    found = {
        hit.id: hit
        for hit in build_hits(connection, [one for one in shown if one.chunk_id > 0], rows, query, labelled=True)
    }
    titles = _agents_and_titles(connection, [items[one.chunk_id] for one in shown])
    hits = []
    for one in shown:
        state = items[one.chunk_id].state
        hit = found.get(one.target) if state is None else historical_hit(one, state, rows[one.chunk_id], query, titles)
        if hit is None:
            continue
        then = sessions.get(hit.session_id or "") if hit.target == "message" else None
        if then is not None and "title" in then:
            hit = replace(hit, title=_former_title(connection, hit, str(then["title"])))
        hits.append(hit)
    return tuple(hits)


def _former_title(connection: apsw.Connection, hit: Hit, title: str) -> str:
    """Return the title that a session had, its first words where it had none."""
    preview = connection.execute("SELECT preview FROM sessions WHERE id = ?", (hit.session_id,)).get
    return label_of(title, str(preview or ""))


def historical_hit(
    one: RankedCandidate,
    state: Memory | Message,
    row: CandidateRow,
    query: Query,
    titles: Mapping[str, tuple[str, str]],
) -> Hit:
    """Return the hit of an item that is not in the index.

    Args:
        one: The ranked item.
        state: Its former value.
        row: See ``historical_row``.
        query: The parsed query; its words are marked.
        titles: Agent and title of messages' sessions.
    """
    fields = _message_fields(state, titles) if isinstance(state, Message) else _memory_fields(state)
    if isinstance(state, Message):
        said, extra = state.content or message_text(state), ""
    else:
        said = "\n".join([state.content, *state.facts]).strip() or state.title
        extra = f"{state.title}\n{state.category} {state.key}" if state.key else state.title
    shown, marks, terms = Snippets(query.terms).of(said, extra=extra)
    return Hit(
        id=one.target,
        snippet=shown,
        highlights=marks,
        score=one.score,
        why=replace(one.why, terms=terms),
        agent=row.agent,
        store=row.store,
        tags=row.tags,
        **fields,
    )


def _message_fields(message: Message, titles: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    return {
        "target": "message",
        "kind": "message",
        "title": titles[message.session_id][1],
        "created_at": message.created_at,
        "session_id": message.session_id,
        "seq": message.seq,
        "role": message.role,
        "author": message.author,
    }


def _memory_fields(memory: Memory) -> dict[str, Any]:
    return {
        "target": "memory",
        "kind": memory.kind,
        "title": memory.title,
        "created_at": memory.updated_at,
        "session_id": memory.session_id,
    }
