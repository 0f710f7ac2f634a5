"""How turns speak and who said them, kept by chunk id once it was read: numbers take less room than texts.

A chunk never changes and its id is never given again, so what was read stays true. It takes 13 bytes a chunk.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.style_features import count_names, count_person_words, says_number, says_when

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Matrix = NDArray[np.float64]

Read = Callable[[Sequence[int]], Sequence[str]]
"""Returns texts: those of chunks by id, as they were said."""

_SPARE: Final = 16
_SHORTEST: Final = 5
"""A few words more than there are, so that a turn of two words is not all about its speaker."""


class StyleFeatureCache:
    """Keeps them; safe to use from several threads. A column holds 0 for what was not read yet, else one more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._persons = np.zeros((1, 3), dtype=np.uint16)
        self._columns = {name: np.zeros(1, dtype=np.uint8) for name in ("number", "names", "when")}
        self._author = np.zeros(1, dtype=np.int32)
        self._numbers = {"": 0}
        self.authors = [""]

    def authors_of(self, ids: "Ids") -> "Ids":
        """Return of each chunk the place of its author in ``authors``, -1 where that is not known."""
        with self._lock:
            self._make_room(ids)
            return np.asarray(self._author[ids] - 1)

    def keep_authors(self, ids: "Ids", said_by: Sequence[str]) -> None:
        """Keep who said what chunks hold, ``""`` for nobody by name."""
        with self._lock:
            self._make_room(ids)
            for author in dict.fromkeys(said_by):
                if author not in self._numbers:
                    self._numbers[author] = len(self.authors)
                    self.authors.append(author)
            self._author[ids] = [self._numbers[author] + 1 for author in said_by]

    def persons(self, ids: "Ids", read: Read) -> "Matrix":
        """Return the shares of words in the first and in the second person."""
        with self._lock:
            self._make_room(ids)
            found = self._persons[ids].astype(np.int64)
        rows = np.flatnonzero(found[:, 0] == 0)
        if len(rows):
            found[rows] = count_person_words(read(ids[rows].tolist()))
            found[rows, 0] += 1
            with self._lock:
                self._persons[ids[rows]] = found[rows]
        return np.asarray(found[:, 1:] / (found[:, :1] - 1 + _SHORTEST))

    def numbers(self, ids: "Ids", read: Read) -> "Matrix":
        """Return 1 for what says a number."""
        return self._told("number", ids, lambda rows: map(says_number, read(ids[rows].tolist())))

    def names(self, ids: "Ids", read: Read) -> "Matrix":
        """Return how many words look like names; see ``app.index.columns.style_features.count_names``."""
        return self._told("names", ids, lambda rows: map(count_names, read(ids[rows].tolist())))

    def time_words(self, ids: "Ids", folded: Sequence[str]) -> "Matrix":
        """Return 1 for what says when something was, given the texts in lower case."""
        return self._told("when", ids, lambda rows: (says_when(folded[row]) for row in rows.tolist()))

    def _told(self, name: str, ids: "Ids", judge: "Callable[[Ids], Iterable[int]]") -> "Matrix":
        with self._lock:
            self._make_room(ids)
            found = self._columns[name][ids]
        rows = np.flatnonzero(found == 0)
        if len(rows):
            found[rows] = [told + 1 for told in judge(rows)]
            with self._lock:
                self._columns[name][ids[rows]] = found[rows]
        return found.astype(np.float64) - 1

    def _make_room(self, ids: "Ids") -> None:
        size = int(ids.max(initial=0)) + 1
        if size > len(self._author):
            more = size + size // _SPARE
            self._persons, self._author = _longer(self._persons, more), _longer(self._author, more)
            self._columns = {name: _longer(column, more) for name, column in self._columns.items()}


def _longer(array: "NDArray[Any]", size: int) -> "NDArray[Any]":
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
