"""Date retriever: messages from the times that a question names."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.core.clock import DAY_MS
from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.scored_chunks import MessagePlaces, places_of
from app.retrieval.query.date_proximity import spans
from app.retrieval.query.question import Question
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SPANS: Final = 4
"""Maximum number of times; a day without a year means that day of the latest years."""
MAX_MESSAGES: Final = 64
_GRACE_MS: Final = DAY_MS
"""Messages about a day are often written on the day after."""


def messages_of_named_times(snapshot: SearchSnapshot, question: Question, where: ChunkFilter) -> MessagePlaces:
    """Return messages from the times that a question names, at most ``MAX_MESSAGES``.

    Messages within a time come before those from the day after it.

    Args:
        snapshot: The index.
        question: The analysed question.
        where: Filter of the messages.
    """
    parts = [np.zeros(0, dtype=np.int64)]
    columns, created = snapshot.columns, snapshot.columns.created
    for begin, end in _times(columns, question):
        in_span = np.flatnonzero((created >= begin) & (created < end + _GRACE_MS))
        parts.append(in_span[np.argsort(created[in_span] >= end, kind="stable")])
    ids = np.concatenate(parts)
    _, first = np.unique(ids, return_index=True)
    ids = ids[np.sort(first)]
    ids = ids[columns.exists[ids] & columns.of_kind(ids, "message")]
    if where.mask is not None:  # excluded messages do not count towards the limit
        ids = ids[ids < len(where.mask)]
        ids = ids[where.mask[ids]]
    kept: NDArray[Any] = np.sort(ids[:MAX_MESSAGES])
    kept = kept[passes_filter(snapshot, kept, where)]
    return places_of(columns, kept)


def _times(columns: ChunkColumns, question: Question) -> list[tuple[int, int]]:
    named = list(question.moments)
    if question.months:  # a year alone is too long
        known = columns.created[columns.exists]
        named += spans(known, question.years, question.months, question.days)
    return named[:MOST_SPANS]
