"""Search of texts outside the index: former states, archived and superseded memories.

Texts are matched and scored here by the rules of the index: its tokenizer, its words, one BM25. Historical search and
archive search gather the texts; ranking, pages, hits and facets are made here for both.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import apsw

from app.core import message_ids
from app.core.clock import to_ms
from app.index.searchable_text import memory_text
from app.memories.model import Memory
from app.memories.queries import memory_snapshots as memories
from app.retrieval.bm25 import length_norm, term_frequency
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.model import Found, Leg, LegScore, Query, RankedCandidate, Term, Why
from app.retrieval.query.match_expression import has_token, search_terms
from app.retrieval.request import Request
from app.retrieval.results.hits import CandidateRow, build_hits, candidate_rows, count_facets
from app.retrieval.results.snippets import spans

CHUNK_COLUMNS: Final = "chunks (id, kind, session_id, memory_id, seq_start, seq_end, store, role, created_at)"
"""Table expression with the columns of chunks, which a ``ChunkFilter`` reads."""
_LENGTH = 400.0  # characters of an average text
_CHUNKS_OF_STATES = (
    f"{memories.TABLES}, {CHUNK_COLUMNS} AS MATERIALIZED (SELECT rowid, 'memory', session_id, id, 0, 0, store, kind,"
    " updated_at FROM memories WHERE valid_until IS NULL)"
)


@dataclass(frozen=True, slots=True)
class TextItem:
    """A message or memory whose text matches.

    Args:
        target: Id of the message or memory, as in a hit.
        text: The searched text.
        created_ms: Its time, milliseconds UTC.
        chunk_id: Its chunk, 0 where the index does not hold the text.
        row: Stands for the row of the chunk where there is none.
        memory: The former value of a memory.
    """

    target: str
    text: str
    created_ms: int
    chunk_id: int = 0
    row: CandidateRow | None = None
    memory: Memory | None = None


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
        self.is_empty = not query.has_words

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

    def score(self, text: str, weights: Mapping[Term, float]) -> float:
        """Return the BM25 of a text, given the inverse document frequency of each word."""
        norm = length_norm(len(text) / _LENGTH)
        return sum(weights[term] * term_frequency(float(len(spans(text, [term]))), norm) for term in self.wanted)


def memory_item(memory: Memory, text: str | None = None) -> TextItem:
    """Return the item of a former memory; ``text`` saves building its searched text."""
    row = CandidateRow(0, "memory", memory.kind, memory.store, memory.session_id, memory.id, memory.source, memory.tags)
    content = memory_text(memory) if text is None else text
    return TextItem(memory.id, content, to_ms(memory.updated_at), row=row, memory=memory)


def matching_states(connection: apsw.Connection, where: ChunkFilter, states: Iterator[Memory]) -> list[Memory]:
    """Return the undeleted ``states`` that satisfy ``where``."""
    kept: list[Memory] = []
    for batch in memories.batches(states):
        by_id = {memory.id: memory for memory in batch}
        if not where.is_restrictive:
            kept += [memory for memory in batch if memory.deleted_at is None]
            continue
        rows = connection.execute(
            f"WITH {_CHUNKS_OF_STATES} SELECT c.memory_id FROM chunks c WHERE {where.sql}",
            (memories.as_json(batch), *where.values),
        )
        kept += [by_id[str(row[0])] for row in rows]
    return kept


def answering(request: Request, words: QueryWords, items: Iterable[TextItem]) -> Iterator[TextItem]:
    """Yield the items whose text matches, until the request is stopped."""
    for item in items:
        request.stop.check()
        if words.answers(item.text):
            yield item


def found_texts(
    connection: apsw.Connection,
    request: Request,
    items: Iterable[TextItem],
    weights: Mapping[Term, float],
    features: Mapping[str, float],
) -> Found:
    """Return the hits of matching items, best first, with the facets of all.

    Args:
        connection: A read connection.
        request: The search; its recipe names the result.
        items: All matching items.
        weights: Inverse document frequency of each word.
        features: Reasons of hits that the index does not hold.
    """
    words = QueryWords(request.query)
    # Those without a chunk get a negative number in its place.
    known = {item.chunk_id or -number: item for number, item in enumerate(items, 1)}
    scored = [(words.score(item.text, weights), chunk, item) for chunk, item in known.items()]
    scored.sort(key=lambda entry: (-entry[0], -entry[2].created_ms, entry[2].target))
    ranked: list[RankedCandidate] = []
    for score, chunk, item in _within_session_limit(scored, request.per_session):
        legs = (LegScore("words", len(ranked) + 1, score),) if score else ()
        ranked.append(RankedCandidate(item.target, chunk, score, Why(legs, (), dict(features) if item.row else {})))
    rows = candidate_rows(connection, [candidate.chunk_id for candidate in ranked if candidate.chunk_id > 0])
    rows |= {candidate.chunk_id: row for candidate in ranked if (row := known[candidate.chunk_id].row) is not None}
    former = {item.target: item.memory for item in known.values() if item.memory is not None}
    shown = ranked[request.offset : request.last]
    hits = build_hits(connection, shown, rows, words.wanted, labelled=True, former=former)
    legs_run: tuple[Leg, ...] = ("words",) if words.wanted else ()
    return Found(request.query, request.recipe.name, hits, count_facets(rows), len(ranked), legs_run)


def _within_session_limit(
    scored: Sequence[tuple[float, int, TextItem]], per_session: int | None
) -> Iterator[tuple[float, int, TextItem]]:
    """Yield the items with at most ``per_session`` messages of one session; ``None`` keeps all."""
    seen: Counter[str] = Counter()
    for candidate in scored:
        message = message_ids.parse(candidate[2].target)
        if message is not None:
            seen[message.session] += 1
        if per_session is None or message is None or seen[message.session] <= per_session:
            yield candidate
