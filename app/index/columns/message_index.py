"""Finds the chunks of turns by their place, so that nobody need ask the database which stand beside a turn.

A chunk never changes and its id is never given again, so later ones are added. Of those that went nothing is taken
back: whoever finds one here looks whether it is still there. Twelve bytes a turn.
"""

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from app.index.columns.chunk_columns import place_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]

_MOST_NEW: Final = 8_192
"""So many new turns are kept apart, for putting all in order takes a while where there are many."""


class MessageIndexPart(NamedTuple):
    """Some turns: their places, ascending, their chunks, and whether several chunks are of one place."""

    places: "Ints"
    ids: "Ids"
    has_equals: bool


class MessageIndex:
    """Keeps the places of turns in order; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._upto = 0
        self._parts: list[MessageIndexPart] = []

    def find(self, columns: "ChunkColumns", places: "Ints") -> "Ids":
        """Return the chunks of turns at ``places``, in their order; some may be gone.

        Args:
            heads: What is known of the chunks.
            places: As ``app.index.columns.chunk_columns.place_keys`` numbers them.
        """
        return self._gathered(columns, partial(_here, places=places))

    def of(self, columns: "ChunkColumns", owner: "Ints") -> "Ids":
        """Return the chunks of all turns of some conversations, one conversation after the other; some may be gone.

        Args:
            heads: What is known of the chunks.
            owner: The numbers of the conversations.
        """
        zero = np.zeros_like(owner)
        first, last = place_keys(owner, zero), place_keys(owner + 1, zero) - 1
        return self._gathered(columns, partial(_between, first=first, last=last))

    def _gathered(self, columns: "ChunkColumns", find: "Callable[[MessageIndexPart], tuple[Ints, Ids]]") -> "Ids":
        """Return the chunks that ``find`` gives of each part, in the order of the rows that they are for."""
        with self._lock:
            self._take_in(columns)
            parts = list(self._parts)
        found = [find(part) for part in parts]
        if len(found) == 1:
            ids = found[0][1]
        else:
            rows = np.concatenate([np.zeros(0, dtype=np.int64), *(row for row, _ in found)])
            ids = np.concatenate([np.zeros(0, dtype=np.int64), *(chunks for _, chunks in found)])
            ids = ids[np.lexsort((ids, rows))]
        # Whoever began earlier does not know what others have taken in meanwhile.
        return np.asarray(ids[ids < len(columns.owner)])

    def _take_in(self, columns: "ChunkColumns") -> None:
        if len(columns.owner) <= self._upto:
            return
        ids = np.arange(self._upto, len(columns.owner))
        ids = ids[columns.conversations(ids) > 0]
        new = _in_order(place_keys(columns.owner[ids], columns.first[ids]), ids)
        recent = _joined([*self._parts[1:], new])
        is_many = not self._parts or len(recent.ids) > _MOST_NEW
        self._parts = [_joined([*self._parts[:1], recent])] if is_many else [self._parts[0], recent]
        self._upto = len(columns.owner)


def _joined(parts: list[MessageIndexPart]) -> MessageIndexPart:
    if len(parts) == 1:
        return parts[0]
    return _in_order(np.concatenate([part.places for part in parts]), np.concatenate([part.ids for part in parts]))


def _in_order(places: "Ints", ids: "Ids") -> MessageIndexPart:
    order = np.argsort(places, kind="stable")
    places, is_small = places[order], int(ids.max(initial=0)) <= np.iinfo(np.int32).max
    has_equals = bool((places[1:] == places[:-1]).any())
    return MessageIndexPart(places, ids[order].astype(np.int32 if is_small else np.int64), has_equals)


def _here(part: MessageIndexPart, places: "Ints") -> "tuple[Ints, Ids]":
    """Return the rows of places at which something was found, each with a chunk; several for what was changed."""
    if part.has_equals or not len(part.ids):
        return _between(part, places, places)
    at = part.places.searchsorted(places)
    rows = np.flatnonzero(part.places.take(at, mode="clip") == places)
    return rows, part.ids[at[rows]].astype(np.int64)


def _between(part: MessageIndexPart, first: "Ints", last: "Ints") -> "tuple[Ints, Ids]":
    """Return the rows of spans in which something was found, each with a chunk; several for what was changed."""
    begin, end = part.places.searchsorted(first, "left"), part.places.searchsorted(last, "right")
    counts = end - begin
    rows = np.repeat(np.arange(len(first)), counts)
    steps = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, part.ids[begin[rows] + steps].astype(np.int64)
