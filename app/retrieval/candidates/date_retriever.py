"""Turns of the times that a question names, which answer it though they have none of its words."""

from typing import TYPE_CHECKING, Any, Final

import apsw
import numpy as np

from app.index.columns.chunk_columns import ChunkColumns
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.candidates.scored_chunks import MessagePlaces
from app.retrieval.ranking.date_proximity import DAY_MS, spans
from app.retrieval.ranking.question import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SPANS: Final = 4
"""Times looked at; a day without a year is that day of the latest years."""
MOST_TURNS: Final = 64
_TOLD_MS: Final = DAY_MS
"""What happened is often told on the day after."""


def messages_of_named_times(
    connection: apsw.Connection, columns: ChunkColumns, question: Question, where: ChunkFilter
) -> MessagePlaces:
    """Return the turns of the times that a question names, at most ``MOST_TURNS``, those within them first.

    Args:
        connection: A reader.
        columns: Knows when chunks were said.
        question: What is asked.
        where: What a turn must satisfy.
    """
    found = [np.zeros(0, dtype=np.int64)]
    created = columns.created
    for begin, end in _times(columns, question):
        near = np.flatnonzero((created >= begin) & (created < end + _TOLD_MS))
        found.append(near[np.argsort(created[near] >= end, kind="stable")])
    ids = np.concatenate(found)
    _, first = np.unique(ids, return_index=True)
    ids = ids[np.sort(first)]
    ids = ids[columns.exists[ids] & columns.of_kind(ids, "message")]
    if where.mask is not None:  # what operators leave out takes nobody's place
        ids = ids[ids < len(where.mask)]
        ids = ids[where.mask[ids]]
    kept: NDArray[Any] = np.sort(ids[:MOST_TURNS])
    kept = kept[passes_filter(connection, columns, kept, where)]
    return MessagePlaces(columns.owner[kept].astype(np.int64), columns.first[kept].astype(np.int64))


def _times(columns: ChunkColumns, question: Question) -> list[tuple[int, int]]:
    named = list(question.moments)
    if question.months:  # a year alone is too long a time
        known = columns.created[columns.exists]
        named += spans(known, question.years, question.months, question.days)
    return named[:MOST_SPANS]
