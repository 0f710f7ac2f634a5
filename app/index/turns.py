"""Finds the chunks of turns by their place, so that nobody need ask the database which stand beside a turn.

A chunk never changes and its id is never given again, so later ones are added. Of those that went nothing is taken
back: whoever finds one here looks whether it is still there. Twelve bytes a turn.
"""

import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.heads import keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.heads import Heads

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Part = tuple[Ints, Ids]

_MOST_NEW: Final = 8_192
"""So many new turns are kept apart, for putting all in order takes a while where there are many."""


class Turns:
    """Keeps the places of turns in order; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._upto = 0
        self._parts: list[Part] = []

    def find(self, heads: "Heads", places: "Ints") -> "Ids":
        """Return the chunks of turns at ``places``, in their order; some may be gone.

        Args:
            heads: What is known of the chunks.
            places: As ``app.index.heads.keys`` numbers them.
        """
        return self._between(heads, places, places)

    def of(self, heads: "Heads", owner: "Ints") -> "Ids":
        """Return the chunks of all turns of some conversations, one conversation after the other; some may be gone.

        Args:
            heads: What is known of the chunks.
            owner: The numbers of the conversations.
        """
        return self._between(heads, keys(owner, np.zeros_like(owner)), keys(owner + 1, np.zeros_like(owner)) - 1)

    def _between(self, heads: "Heads", first: "Ints", last: "Ints") -> "Ids":
        """Return the chunks from each of the places ``first`` up to the one of ``last``."""
        with self._lock:
            self._take_in(heads)
            parts = list(self._parts)
        found = [_at(part, first, last) for part in parts]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(row for row, _ in found)])
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *(chunks for _, chunks in found)])
        if len(parts) > 1:
            ids = ids[np.lexsort((ids, rows))]
        # Whoever began earlier does not know what others have taken in meanwhile.
        return np.asarray(ids[ids < len(heads.owner)])

    def _take_in(self, heads: "Heads") -> None:
        if len(heads.owner) <= self._upto:
            return
        ids = np.arange(self._upto, len(heads.owner))
        ids = ids[heads.conversations(ids) > 0]
        new = _in_order(keys(heads.owner[ids], heads.first[ids]), ids)
        recent = _joined([*self._parts[1:], new])
        is_many = not self._parts or len(recent[1]) > _MOST_NEW
        self._parts = [_joined([*self._parts[:1], recent])] if is_many else [self._parts[0], recent]
        self._upto = len(heads.owner)


def _joined(parts: "list[Part]") -> "Part":
    if len(parts) == 1:
        return parts[0]
    return _in_order(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _in_order(places: "Ints", ids: "Ids") -> "Part":
    order = np.argsort(places, kind="stable")
    is_small = int(ids.max(initial=0)) <= np.iinfo(np.int32).max
    return places[order], ids[order].astype(np.int32 if is_small else np.int64)


def _at(part: "Part", first: "Ints", last: "Ints") -> "tuple[Ints, Ids]":
    """Return the rows of spans in which something was found, each with a chunk; several for what was changed."""
    known, ids = part
    begin, end = np.searchsorted(known, first, "left"), np.searchsorted(known, last, "right")
    counts = end - begin
    rows = np.repeat(np.arange(len(first)), counts)
    steps = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, ids[begin[rows] + steps].astype(np.int64)
