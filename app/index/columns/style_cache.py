"""Style features and authors of messages, kept by chunk id once they were computed.

A chunk never changes and its id is never used again, so a feature stays true. All take 13 bytes per chunk.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.style_features import count_names, count_person_words, says_number, says_when
from app.index.id_arrays import grown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]
    Matrix = NDArray[np.float64]

Read = Callable[[Sequence[int]], Sequence[str]]
"""A function that returns the texts of chunks, given their ids."""

_SMOOTHING: Final = 5
"""Words added to each length, so that a message of two words gets no extreme share."""


class StyleFeatureCache:
    """Style features and authors by chunk id; safe to use from several threads.

    An array holds 0 for a chunk that was not read yet, and otherwise one more than the value.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._persons = np.zeros((1, 3), dtype=np.uint16)
        self._columns = {name: np.zeros(1, dtype=np.uint8) for name in ("number", "names", "when")}
        self._author = np.zeros(1, dtype=np.int32)
        self._numbers = {"": 0}
        self.authors = [""]

    def authors_of(self, ids: "Ids") -> "Ids":
        """Return each chunk's author index in ``authors``, -1 if not known yet."""
        with self._lock:
            self._grow(ids)
            return np.asarray(self._author[ids] - 1)

    def keep_authors(self, ids: "Ids", names: Sequence[str]) -> None:
        """Keep the authors of chunks, ``""`` for a message without an author."""
        with self._lock:
            self._grow(ids)
            for author in dict.fromkeys(names):
                if author not in self._numbers:
                    self._numbers[author] = len(self.authors)
                    self.authors.append(author)
            self._author[ids] = [self._numbers[author] + 1 for author in names]

    def persons(self, ids: "Ids", read: Read) -> "Matrix":
        """Return the shares of first-person and second-person words: a row for each chunk."""
        with self._lock:
            self._grow(ids)
            persons = self._persons[ids].astype(np.int64)
        rows = np.flatnonzero(persons[:, 0] == 0)
        if len(rows):
            persons[rows] = count_person_words(read(ids[rows].tolist()))
            persons[rows, 0] += 1
            with self._lock:
                self._persons[ids[rows]] = persons[rows]
        return np.asarray(persons[:, 1:] / (persons[:, :1] - 1 + _SMOOTHING))

    def numbers(self, ids: "Ids", read: Read) -> "Matrix":
        """Return 1 for each text that contains a number, 0 for others."""
        return self._feature("number", ids, lambda rows: map(says_number, read(ids[rows].tolist())))

    def names(self, ids: "Ids", read: Read) -> "Matrix":
        """Return how many words of each text look like names; see ``style_features.count_names``."""
        return self._feature("names", ids, lambda rows: map(count_names, read(ids[rows].tolist())))

    def time_words(self, ids: "Ids", folded: Sequence[str]) -> "Matrix":
        """Return 1 for each text with a time word, 0 for others.

        Args:
            ids: Chunk ids.
            folded: Their texts in lower case.
        """
        return self._feature("when", ids, lambda rows: (says_when(folded[row]) for row in rows.tolist()))

    def _feature(self, name: str, ids: "Ids", compute: "Callable[[Ids], Iterable[int]]") -> "Matrix":
        with self._lock:
            self._grow(ids)
            values = self._columns[name][ids]
        rows = np.flatnonzero(values == 0)
        if len(rows):
            values[rows] = [value + 1 for value in compute(rows)]
            with self._lock:
                self._columns[name][ids[rows]] = values[rows]
        return values.astype(np.float64) - 1

    def _grow(self, ids: "Ids") -> None:
        size = int(ids.max(initial=0)) + 1
        if size > len(self._author):
            self._persons, self._author = grown(self._persons, size), grown(self._author, size)
            self._columns = {name: grown(column, size) for name, column in self._columns.items()}
