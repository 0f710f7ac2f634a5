"""Search of archived and superseded memories, which the index does not hold.

They are read from the database and matched here by their words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final

import apsw

from app.core.clock import to_ms
from app.core.stop_signal import StopSignal
from app.core.stores import STORES
from app.index.searchable_text import memory_text
from app.memories import repo
from app.memories.archive.archive_repo import contents
from app.memories.model import Memory
from app.retrieval.bm25 import positive_idf
from app.retrieval.candidates.filters import build_filter
from app.retrieval.candidates.phrase_relaxation import phrase_notes, relax_phrases
from app.retrieval.historical_search import (
    HistoricalItem,
    QueryWords,
    add_matching,
    historical_hit,
    historical_row,
    matching_states,
    ranked_item,
    with_rank,
)
from app.retrieval.model import Found, Hit, Leg, Query, RankedCandidate, Term
from app.retrieval.results.hits import count_facets
from app.retrieval.results.snippets import spans

MAX_STATES: Final = 5_000  # searched at most, in one or two seconds


@dataclass(frozen=True, slots=True)
class UnindexedMemories:
    """Memories of a state that the index does not hold.

    Args:
        name: The recipe name in the result.
        read: Yields the memories, the latest in this state first, none of them as deleted.
        words_only: Note that they are found by words alone.
        cut: Note that not all were searched.
    """

    name: str
    read: Callable[[apsw.Connection, Sequence[str]], Iterator[Memory]]
    words_only: str
    cut: str


def _superseded(connection: apsw.Connection, stores: Sequence[str]) -> Iterator[Memory]:
    for memory in repo.superseded(connection, MAX_STATES + 1, stores=stores):
        yield replace(memory, deleted_at=None)


UNINDEXED: Final = MappingProxyType(
    {
        "archived": UnindexedMemories(
            "archive",
            contents,
            "The archive is searched by words alone; entity: finds nothing there.",
            f"Only the {MAX_STATES:,} most recently archived memories were searched.",
        ),
        "superseded": UnindexedMemories(
            "superseded",
            _superseded,
            "Superseded memories are searched by words alone; entity: finds nothing there.",
            f"Only the {MAX_STATES:,} most recently superseded memories were searched.",
        ),
    }
)


def search_unindexed(
    connection: apsw.Connection,
    query: Query,
    limit: int,
    offset: int = 0,
    stores: Sequence[str] = STORES,
    stop: StopSignal | None = None,
) -> Found:
    """Return the memories of a state that match ``query``, best first.

    A query without words returns the newest first.
    """
    place = next(place for state, place in UNINDEXED.items() if state in query.states)
    kept, is_cut = _matching(connection, place, query, stores)
    texts = {memory.id: memory_text(memory) for memory in kept}
    query, missing = relax_phrases(query, lambda term: any(spans(text, [term]) for text in texts.values()))
    words = QueryWords(query)
    items: list[HistoricalItem] = []
    for memory in kept:
        if stop is not None:
            stop.check()
        add_matching(items, words, texts[memory.id], HistoricalItem(memory.id, 0, "", to_ms(memory.updated_at), memory))
    weights = _weights(words, [item.text for item in items], len(texts))
    by_chunk = {item.chunk_id: item for item in items}
    ranked = [ranked_item(item, words, weights) for item in items]
    ranked.sort(key=lambda one: (-one.score, -by_chunk[one.chunk_id].created_ms, one.target))
    rows = {item.chunk_id: historical_row(item, {}) for item in items}
    shown = [with_rank(one, rank) for rank, one in enumerate(ranked, 1)][offset : offset + limit]
    hits = tuple(_hit(one, by_chunk, query) for one in shown)
    notes = (*query.hints, *phrase_notes(missing), place.words_only, *((place.cut,) if is_cut else ()))
    legs: tuple[Leg, ...] = ("words",) if words.wanted else ()
    return Found(query, place.name, hits, count_facets(rows), len(ranked), legs, notes, relaxed=missing)


def _matching(
    connection: apsw.Connection, place: UnindexedMemories, query: Query, stores: Sequence[str]
) -> tuple[list[Memory], bool]:
    """Return the memories that pass the filter, and whether the limit cut them off."""
    states = place.read(connection, stores)
    kept = matching_states(connection, build_filter(query, stores), islice(states, MAX_STATES))
    return kept, next(states, None) is not None


def _weights(words: QueryWords, texts: Sequence[str], total: int) -> dict[Term, float]:
    """Return the inverse document frequency of each word.

    Args:
        words: The words of the query.
        texts: The texts that match.
        total: Number of texts that were read.
    """
    counts = {term: sum(bool(spans(text, [term])) for text in texts) for term in words.wanted}
    return {term: positive_idf(total, count) for term, count in counts.items()}


def _hit(one: RankedCandidate, items: Mapping[int, HistoricalItem], query: Query) -> Hit:
    item = items[one.chunk_id]
    if item.state is None:
        raise ValueError("items of an unindexed state have a value")
    hit = historical_hit(one, item.state, historical_row(item, {}), query, {})
    return replace(hit, why=replace(hit.why, features={}))
