"""What was read around the candidates, as arrays: a row for each turn and memory, a last one for "nothing there"."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.retrieval.asked import Asked, Sought
from app.retrieval.pool import REACH, WHOLE, Places, Read, Standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.heads import Heads

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_BREAK: Final = "\n\n"
_WINDOW: Final = tuple(range(-REACH, REACH + 1))
_NEAR: Final = 16  # characters that may lie between two words that belong together


class Lines:
    """Turns, and memories put together from their pieces.

    Args:
        question: What to look for in them.
        read: What was read.
        found: The legs' scores; what no words were found in has no score, what is not near is as far as the farthest.
    """

    def __init__(self, question: Asked, read: Read, found: Standing) -> None:
        self.heads: Heads = read.heads
        first, pieces = _heads_of(read.places)
        self.none = len(first)
        self.ids, self.places, self.allowed = read.ids[first], read.places.at(first), read.allowed[first]
        texts = [read.texts[row] for row in first.tolist()]
        self.texts = [text.folded for text in texts]
        self.authors = [text.author for text in texts]
        self.said = texts
        self.said = texts
        self.said = texts
        self.asks = np.array([*(text.asks for text in texts), False])
        for row, more in pieces:
            self.texts[row] = "\n".join([self.texts[row], *(read.texts[piece].folded for piece in more)])
            self.asks[row] = "?" in self.texts[row]
        self.user = np.append(self.heads.where(self.ids, [sort.role == "user" for sort in self.heads.sorts]), False)
        self.memory = self.places.seq == WHOLE
        floor = float(found.cosines.values.min()) if len(found.cosines.values) else 0.0
        self.bm25 = np.append(found.bm25.of(self.places), 0.0)
        self.cosine = np.append(found.cosines.of(self.places, floor), floor)
        self.length = np.array([*map(len, self.texts), 0], dtype=np.float64)
        self._order = np.argsort(self.places.keys, kind="stable")
        self._keys = self.places.keys[self._order]
        self._search(question)

    def rows(self, places: Places) -> "Ints":
        """Return the rows of ``places``, that for "nothing there" where they were not read."""
        if not self.none:
            return np.zeros(len(places), dtype=np.int64)
        wanted = places.keys
        at = np.minimum(np.searchsorted(self._keys, wanted), self.none - 1)
        return np.where(self._keys[at] == wanted, self._order[at], self.none)

    def around(self, places: Places) -> "Ints":
        """Return the rows of each one's window, the turn in the middle; a memory stands alone."""
        columns = [self.rows(places.beside(step)) for step in _WINDOW]
        alone = places.seq == WHOLE
        for step, column in zip(_WINDOW, columns, strict=True):
            if step:
                column[alone] = self.none
        return np.stack(columns, axis=1)

    def _search(self, question: Asked) -> None:
        """Count what is sought in each text, in one pass over all of them for each word."""
        joined = _BREAK.join(self.texts)
        starts = np.concatenate([[0], np.cumsum(self.length[:-1].astype(np.int64) + len(_BREAK))])
        self.hits = np.zeros((self.none + 1, len(question.sought)))
        self.pairs = np.zeros(self.none + 1)
        found: list[list[int]] = []
        for column, sought in enumerate(question.sought):
            places = sorted(place for key in sought.keys for place in _places(joined, key, whole=sought.whole))
            found.append(places)
            rows = np.searchsorted(starts, places, side="right") - 1
            self.hits[:, column] = np.bincount(rows, minlength=self.none + 1)
        for one, other in question.pairs:
            beside = list(_beside(found[one], found[other], question.sought[one]))
            rows = np.unique(np.searchsorted(starts, beside, side="right") - 1)
            self.pairs[rows] += 1 / len(question.pairs)


def _heads_of(places: Places) -> tuple["Ints", list[tuple[int, "NDArray[Any]"]]]:
    """Return the rows of turns and of the first piece of each memory, and for those of several which others follow."""
    whole = places.seq == WHOLE
    if not whole.any():
        return np.arange(len(places)), []
    _, first, inverse = np.unique(places.keys, return_index=True, return_inverse=True)
    rows = np.sort(first)
    kept = np.zeros(len(places), dtype=np.bool_)
    kept[rows] = True
    more: dict[int, list[int]] = {}
    for piece in np.flatnonzero(whole & ~kept).tolist():
        more.setdefault(int(np.searchsorted(rows, first[inverse[piece]])), []).append(piece)
    return rows, [(row, np.array(pieces)) for row, pieces in more.items()]


def _places(text: str, key: str, *, whole: bool) -> Iterator[int]:
    place = text.find(key)
    while place >= 0:
        if not whole or place == 0 or not text[place - 1].isalnum():
            yield place
        place = text.find(key, place + len(key))


def _beside(first: Sequence[int], second: Sequence[int], sought: Sought) -> Iterator[int]:
    """Yield the places of ``first`` soon after which one of ``second`` comes."""
    reach = len(sought.keys[0]) + _NEAR
    for place in first:
        after = bisect_right(second, place)
        if after < len(second) and second[after] - place <= reach:
            yield place
