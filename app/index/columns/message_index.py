"""Index of messages in memory: their chunks by session and sequence number.

It answers which messages stand next to a message without a query. A chunk never changes and its id is never used
again, so later messages are only added; the caller checks whether a chunk still exists. Takes twelve bytes per message.
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

_MAX_NEW: Final = 8_192
"""New messages that are kept in a part of their own, because sorting a large part takes long."""


class MessageIndexPart(NamedTuple):
    """Part of the index, sorted by key.

    Args:
        keys: Keys of messages, ascending; see ``place_keys``.
        ids: The chunk of each key.
        has_equals: Whether a key occurs twice, as after a message was edited.
    """

    keys: "Ints"
    ids: "Ids"
    has_equals: bool


class MessageIndex:
    """Chunks of messages by session and sequence number; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._size = 0
        self._parts: list[MessageIndexPart] = []

    def find(self, columns: "ChunkColumns", keys: "Ints") -> "Ids":
        """Return the chunks of messages in the order of ``keys``, including deleted ones.

        Args:
            columns: The columns of all chunks.
            keys: Keys of messages; see ``place_keys``.
        """
        return self._find_in_parts(columns, partial(_find_keys, keys=keys))

    def of(self, columns: "ChunkColumns", owner: "Ints") -> "Ids":
        """Return the chunks of all messages of some sessions, including deleted ones.

        Args:
            columns: The columns of all chunks.
            owner: Session numbers.
        """
        zero = np.zeros_like(owner)
        first, last = place_keys(owner, zero), place_keys(owner + 1, zero) - 1
        return self._find_in_parts(columns, partial(_find_ranges, first=first, last=last))

    def _find_in_parts(self, columns: "ChunkColumns", find: "Callable[[MessageIndexPart], tuple[Ints, Ids]]") -> "Ids":
        """Return the chunks that ``find`` returns for each part, in the order of its rows."""
        with self._lock:
            self._add_new(columns)
            parts = list(self._parts)
        matches = [find(part) for part in parts]
        if len(matches) == 1:
            ids = matches[0][1]
        else:
            rows = np.concatenate([np.zeros(0, dtype=np.int64), *(row for row, _ in matches)])
            ids = np.concatenate([np.zeros(0, dtype=np.int64), *(chunks for _, chunks in matches)])
            ids = ids[np.lexsort((ids, rows))]
        # Another thread may have added chunks that the caller's columns do not have.
        return np.asarray(ids[ids < len(columns.owner)])

    def _add_new(self, columns: "ChunkColumns") -> None:
        if len(columns.owner) <= self._size:
            return
        ids = np.arange(self._size, len(columns.owner))
        ids = ids[columns.conversations(ids) > 0]
        new = _sorted_part(place_keys(columns.owner[ids], columns.first[ids]), ids)
        recent = _joined([*self._parts[1:], new])
        is_many = not self._parts or len(recent.ids) > _MAX_NEW
        self._parts = [_joined([*self._parts[:1], recent])] if is_many else [self._parts[0], recent]
        self._size = len(columns.owner)


def _joined(parts: list[MessageIndexPart]) -> MessageIndexPart:
    if len(parts) == 1:
        return parts[0]
    return _sorted_part(np.concatenate([part.keys for part in parts]), np.concatenate([part.ids for part in parts]))


def _sorted_part(keys: "Ints", ids: "Ids") -> MessageIndexPart:
    order = np.argsort(keys, kind="stable")
    keys, is_small = keys[order], int(ids.max(initial=0)) <= np.iinfo(np.int32).max
    has_equals = bool((keys[1:] == keys[:-1]).any())
    return MessageIndexPart(keys, ids[order].astype(np.int32 if is_small else np.int64), has_equals)


def _find_keys(part: MessageIndexPart, keys: "Ints") -> "tuple[Ints, Ids]":
    """Return the rows of ``keys`` that were found, each with a chunk.

    An edited message has several chunks.
    """
    if part.has_equals or not len(part.ids):
        return _find_ranges(part, keys, keys)
    at = part.keys.searchsorted(keys)
    rows = np.flatnonzero(part.keys.take(at, mode="clip") == keys)
    return rows, part.ids[at[rows]].astype(np.int64)


def _find_ranges(part: MessageIndexPart, first: "Ints", last: "Ints") -> "tuple[Ints, Ids]":
    """Return the rows of key ranges that contain messages, once for each of their chunks."""
    begin, end = part.keys.searchsorted(first, "left"), part.keys.searchsorted(last, "right")
    counts = end - begin
    rows = np.repeat(np.arange(len(first)), counts)
    steps = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, part.ids[begin[rows] + steps].astype(np.int64)
