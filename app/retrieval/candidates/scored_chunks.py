"""Scored chunks: what a retriever found, as arrays, with the places of its messages."""

from collections.abc import Sequence
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
MessagePlace = tuple[str, int]


@dataclass(frozen=True, slots=True)
class MessagePlaces:
    """Turns and memories as numbers, one after the other.

    Args:
        owner: The number of each one's conversation or memory; see ``ChunkColumns``.
        seq: The number of the turn, ``WHOLE`` for a memory.
    """

    owner: "Ints"
    seq: "Ints"

    @property
    def keys(self) -> "Ints":
        """Return a number for each place."""
        return place_keys(self.owner, self.seq)

    def at(self, rows: "Ids | Flags") -> "MessagePlaces":
        """Return some of them."""
        return MessagePlaces(self.owner[rows], self.seq[rows])

    def beside(self, step: int) -> "MessagePlaces":
        """Return the turns so many numbers further."""
        return MessagePlaces(self.owner, self.seq + step)

    def __len__(self) -> int:
        return len(self.seq)


@dataclass(frozen=True, slots=True)
class ScoredChunks:
    """What a leg found: chunks with their scores, best first; ``matches`` where it looked up whose words fit."""

    columns: ChunkColumns
    ids: "Ids"
    values: "Floats"
    matches: "TermMatches | None" = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def spans(self) -> "Flags":
        """Tell which are passages of several turns, which lend their words to them."""
        return np.asarray(self.columns.of_kind(self.ids, "passage") & (self.columns.more[self.ids] > 0))

    @property
    def places(self) -> MessagePlaces:
        """Return which turn or memory each is a piece of; of a passage the first turn."""
        owner = self.columns.owner[self.ids].astype(np.int64)
        return MessagePlaces(owner, np.where(owner < 0, WHOLE, self.columns.first[self.ids].astype(np.int64)))

    def at(self, rows: "Ids | Flags") -> "ScoredChunks":
        """Return some of them."""
        return ScoredChunks(self.columns, self.ids[rows], self.values[rows])


def unique_inverse(values: "Ints") -> tuple["Ints", "Ints"]:
    """Return the distinct ``values``, ascending, and of each of ``values`` which of them it is."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(values)]
    rows = np.empty(len(values), dtype=np.int64)
    rows[order] = is_new.cumsum() - 1
    return ordered[is_new], rows


def concatenated(parts: Sequence[MessagePlaces]) -> MessagePlaces:
    """Return all of ``parts``, one after the other."""
    return MessagePlaces(np.concatenate([part.owner for part in parts]), np.concatenate([part.seq for part in parts]))


def occurrence_number(owner: "Ints") -> "Ints":
    """Return of each element how many of its equals there are up to it: 1 for the first of its kind."""
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(owner) else order
    nth = np.empty(len(owner), dtype=np.int64)
    nth[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(starts, append=len(owner))) + 1
    return nth
