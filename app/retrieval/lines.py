"""What was read around the candidates, as arrays: a row for each turn and memory, a last one for "nothing there"."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from app.retrieval.asked import Asked, Sought
from app.retrieval.fts import fold
from app.retrieval.pool import REACH, WHOLE, Line, Place, Standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BREAK: Final = "\n\n"
_WINDOW: Final = tuple(range(-REACH, REACH + 1))
_NEAR: Final = 16  # characters that may lie between two words that belong together


class Lines:
    """Turns, and memories put together from their pieces.

    Args:
        question: What to look for in them.
        read: The rows.
        found: The legs' scores; what no words were found in has no score, what is not near is as far as the farthest.
    """

    def __init__(self, question: Asked, read: Sequence[Line], found: Standing) -> None:
        self.rows: dict[Place, int] = {}
        self.heads: list[Line] = []
        self.texts: list[str] = []
        self._add(read)
        self.none = len(self.heads)
        floor = min(found.cosines.values(), default=0.0)
        self.bm25 = np.array([*(found.bm25.get(place, 0.0) for place in self.rows), 0.0])
        self.cosine = np.array([*(found.cosines.get(place, floor) for place in self.rows), floor])
        self.length = np.array([*map(len, self.texts), 0], dtype=np.float64)
        self._search(question)

    def _add(self, read: Sequence[Line]) -> None:
        for line in read:
            is_memory = line.kind == "memory"
            row = self.rows.setdefault((line.owner, WHOLE if is_memory else line.seq), len(self.heads))
            if row == len(self.heads):
                self.heads.append(line)
                self.texts.append(_plain(line.text))
            elif is_memory:
                self.texts[row] = f"{self.texts[row]}\n{_plain(line.text)}"

    def _search(self, question: Asked) -> None:
        """Count what is sought in each text, in one pass over all of them for each word."""
        joined = _BREAK.join(self.texts)
        starts = [0, *accumulate(len(text) + len(_BREAK) for text in self.texts)]
        self.hits = np.zeros((self.none + 1, len(question.sought)))
        self.pairs = np.zeros(self.none + 1)
        found: list[list[int]] = []
        for column, sought in enumerate(question.sought):
            places = sorted(place for key in sought.keys for place in _places(joined, key, whole=sought.whole))
            found.append(places)
            rows = np.searchsorted(starts, places, side="right") - 1
            np.add.at(self.hits[:, column], rows, 1.0)
        for one, other in question.pairs:
            beside = {
                bisect_right(starts, place) - 1 for place in _beside(found[one], found[other], question.sought[one])
            }
            self.pairs[list(beside)] += 1 / len(question.pairs)

    def around(self, place: Place) -> list[int]:
        """Return the rows of a turn's window, the turn in the middle; a memory stands alone."""
        owner, seq = place
        if seq == WHOLE:
            return [self.none] * REACH + [self.rows[place]] + [self.none] * REACH
        rows, none = self.rows, self.none
        return [rows.get((owner, seq + step), none) for step in _WINDOW]


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else fold(text)


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
