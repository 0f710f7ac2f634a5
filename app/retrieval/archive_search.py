"""Search of archived and superseded memories, which the index does not hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final

import apsw

from app.index.searchable_text import memory_text
from app.memories import repo
from app.memories.archive.archive_repo import contents
from app.memories.model import Memory
from app.retrieval.bm25 import positive_idf
from app.retrieval.candidates.filters import build_filter
from app.retrieval.candidates.phrase_relaxation import phrase_notes, relax_phrases
from app.retrieval.model import Found, Term
from app.retrieval.request import Request
from app.retrieval.results.snippets import spans
from app.retrieval.text_search import QueryWords, answering, found_texts, matching_states, memory_item
from app.sentence import Sentence

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
            Sentence("The archive is searched by words alone; entity: finds nothing there."),
            Sentence("Only the {most} most recently archived memories were searched.", most=MAX_STATES),
        ),
        "superseded": UnindexedMemories(
            "superseded",
            _superseded,
            Sentence("Superseded memories are searched by words alone; entity: finds nothing there."),
            Sentence("Only the {most} most recently superseded memories were searched.", most=MAX_STATES),
        ),
    }
)


def search_unindexed(connection: apsw.Connection, request: Request) -> Found:
    """Return archived or superseded memories that match a query, best first.

    Without words the newest stand first.
    """
    place = next(place for state, place in UNINDEXED.items() if state in request.query.states)
    request = replace(request, recipe=replace(request.recipe, name=place.name))
    kept, is_cut = _matching(connection, place, request)
    texts = {memory.id: memory_text(memory) for memory in kept}
    query, missing = relax_phrases(request.query, lambda term: any(spans(text, [term]) for text in texts.values()))
    request, words = replace(request, query=query), QueryWords(query)
    items = list(answering(request, words, (memory_item(memory, texts[memory.id]) for memory in kept)))
    weights = _weights(words, [item.text for item in items], len(texts))
    result = found_texts(connection, request, items, weights, {})
    notes = (*query.hints, *phrase_notes(missing), place.words_only, *((place.cut,) if is_cut else ()))
    return replace(result, notes=notes, relaxed=missing)


def _matching(connection: apsw.Connection, place: UnindexedMemories, request: Request) -> tuple[list[Memory], bool]:
    """Return the memories that pass the filter, and whether the limit cut them off."""
    states = place.read(connection, request.stores)
    kept = matching_states(connection, build_filter(request.query, request.stores), islice(states, MAX_STATES))
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
