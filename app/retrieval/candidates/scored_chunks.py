"""Scored chunks: arrays of chunk ids, scores and message places."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.chunk_columns import ChunkColumns, place_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.retrieval.candidates.lexical import TermMatches

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


WHOLE: Final = -1
"""Message number that stands for all of a memory."""
MessagePlace = tuple[str, int]
"""A message (session id, number) or a memory (id, ``WHOLE``)."""


@dataclass(frozen=True, slots=True)
class MessagePlaces:
    """Places of messages and memories as arrays of numbers.

    Args:
        owner: Number of the session or memory; see ``ChunkColumns``.
        seq: Number of the message, ``WHOLE`` for a memory.
    """

    owner: "Ints"
    seq: "Ints"

    @property
    def keys(self) -> "Ints":
        """Return a unique number for each place."""
        return place_keys(self.owner, self.seq)

    def at(self, rows: "Ids | Flags | slice") -> "MessagePlaces":
        """Return the places in ``rows``."""
        return MessagePlaces(self.owner[rows], self.seq[rows])

    def shifted(self, step: int) -> "MessagePlaces":
        """Return the places ``step`` messages further on."""
        return MessagePlaces(self.owner, self.seq + step)

    def __len__(self) -> int:
        return len(self.seq)


@dataclass(frozen=True, slots=True)
class ScoredChunks:
    """Chunks with their scores, best first; ``matches`` holds the posting lists of a lexical search."""

    columns: ChunkColumns
    ids: "Ids"
    values: "Floats"
    matches: "TermMatches | None" = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def spans(self) -> "Flags":
        """Return a mask of the passages that span several messages."""
        return np.asarray(self.columns.of_kind(self.ids, "passage") & (self.columns.more[self.ids] > 0))

    @property
    def places(self) -> MessagePlaces:
        """Return the message or memory of each chunk; see ``places_of``."""
        return places_of(self.columns, self.ids)

    @property
    def targets(self) -> list[str]:
        """Return the id of the message or memory of each chunk."""
        return list(map(self.columns.target, self.ids.tolist()))

    def one_per_target(self) -> "ScoredChunks":
        """Return the best chunk of each message and memory."""
        return self.at(np.sort(np.unique(self.places.keys, return_index=True)[1]))

    def at(self, rows: "Ids | Flags | slice") -> "ScoredChunks":
        """Return the chunks in ``rows``."""
        return ScoredChunks(self.columns, self.ids[rows], self.values[rows])


def places_of(columns: ChunkColumns, ids: "Ids") -> MessagePlaces:
    """Return the message or memory of each chunk, for a passage its first message."""
    owner = columns.owner[ids].astype(np.int64)
    return MessagePlaces(owner, np.where(owner < 0, WHOLE, columns.first[ids].astype(np.int64)))


def empty_chunks(columns: ChunkColumns) -> ScoredChunks:
    """Return no chunks."""
    return ScoredChunks(columns, np.zeros(0, dtype=np.int64), np.zeros(0))


def scored_rows(columns: ChunkColumns, rows: Iterable[Sequence[Any]]) -> ScoredChunks:
    """Return the chunks of rows, which hold chunk id and score."""
    pairs = [(int(row[0]), float(row[1])) for row in rows]
    ids, values = [chunk for chunk, _ in pairs], [score for _, score in pairs]
    return ScoredChunks(columns, np.array(ids, dtype=np.int64), np.array(values, dtype=np.float64))


def concatenated_chunks(columns: ChunkColumns, parts: Iterable[ScoredChunks]) -> ScoredChunks:
    """Return the chunks of all ``parts`` in their order."""
    every = [empty_chunks(columns), *parts]
    ids, values = np.concatenate([part.ids for part in every]), np.concatenate([part.values for part in every])
    return ScoredChunks(columns, ids, values)


def unique_inverse(values: "Ints") -> tuple["Ints", "Ints"]:
    """Return the distinct ``values``, ascending, and the index of each value among them."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(values)]
    rows = np.empty(len(values), dtype=np.int64)
    rows[order] = is_new.cumsum() - 1
    return ordered[is_new], rows


def concatenated(parts: Sequence[MessagePlaces]) -> MessagePlaces:
    """Return the places of all ``parts`` in their order."""
    return MessagePlaces(np.concatenate([part.owner for part in parts]), np.concatenate([part.seq for part in parts]))


def occurrence_number(owner: "Ints") -> "Ints":
    """Return the running count of each element among its equals, from 1."""
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(owner) else order
    nth = np.empty(len(owner), dtype=np.int64)
    nth[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(starts, append=len(owner))) + 1
    return nth
