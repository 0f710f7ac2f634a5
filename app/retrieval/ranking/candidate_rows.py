"""What was read around the candidates, as arrays: a row for each turn and memory, a last one for "nothing there"."""

from itertools import repeat
from operator import contains
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.style_features import says_when
from app.retrieval.candidates.scored_chunks import WHOLE, MessagePlaces
from app.retrieval.ranking.candidate_pool import REACH, CandidateTexts, RetrieverScores, rows_of
from app.retrieval.ranking.prefix_positions import PrefixPositions
from app.retrieval.ranking.question import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.index.columns.chunk_columns import ChunkColumns

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_WINDOW: Final = np.arange(-REACH, REACH + 1)
_NEAR: Final = 16  # characters that may lie between two words that belong together


class NeighbourRows:
    """Turns, and memories put together from their pieces.

    Args:
        question: What to look for in them.
        read: What was read.
        found: The legs' scores; what no words were found in has no score, what is not near is as far as the farthest.
    """

    def __init__(self, question: Question, read: CandidateTexts, found: RetrieverScores) -> None:
        self.columns: ChunkColumns = read.columns
        first, pieces = _heads_of(read.places)
        self.none = len(first)
        self.ids, self.places, self.allowed = read.ids[first], read.places.at(first), read.allowed[first]
        self.style_features, self.authors, self._as_said = read.style_features, read.authors[first], read.as_said
        self.texts = list(read.texts) if len(first) == len(read.texts) else [read.texts[row] for row in first.tolist()]
        self._put_together = [row for row, _ in pieces]
        for row, more in pieces:
            self.texts[row] = "\n".join([self.texts[row], *(read.texts[piece] for piece in more)])
        self.asks = np.array([*map(contains, self.texts, repeat("?")), False])
        self.user = np.append(self.columns.where(self.ids, [sort.role == "user" for sort in self.columns.types]), False)
        self.memory = self.places.seq == WHOLE
        known = np.append(found.rows(self.places), -1)
        self.bm25, self.cosine = found.bm25[known], found.cosines[known]
        self.length = np.array([*map(len, self.texts), 0], dtype=np.float64)
        wanted = self.places.keys
        order = wanted.argsort(kind="stable")
        self._keys, self._order = wanted[order], np.append(order, self.none)
        self._search(question)

    def rows(self, places: MessagePlaces) -> "Ints":
        """Return the rows of ``places``, that for "nothing there" where they were not read."""
        return np.asarray(self._order[rows_of(self._keys, places.keys)])

    def around(self, places: MessagePlaces) -> "Ints":
        """Return the rows of each one's window, the turn in the middle; a memory stands alone."""
        # The keys beside that of a memory are of nothing.
        return np.asarray(self._order[rows_of(self._keys, places.keys[:, None] + _WINDOW)])

    def persons(self, rows: "Ints") -> "Matrix":
        """Return the shares of words in the first and in the second person."""
        return self.style_features.persons(self.ids[rows], self._as_said)

    def numbers(self, rows: "Ints") -> "Matrix":
        """Return 1 for what says a number."""
        return self.style_features.numbers(self.ids[rows], self._as_said)

    def names(self, rows: "Ints") -> "Matrix":
        """Return how many words look like names."""
        return self.style_features.names(self.ids[rows], self._as_said)

    def time_words(self, rows: "Ints") -> "Matrix":
        """Return 1 for what says when something was."""
        several = np.isin(rows, self._put_together)
        found = np.zeros(len(rows))
        # What is kept is told of one chunk alone.
        found[several] = [says_when(self.texts[row]) for row in rows[several].tolist()]
        alone = rows[~several]
        found[~several] = self.style_features.time_words(self.ids[alone], [self.texts[row] for row in alone.tolist()])
        return found

    def _search(self, question: Question) -> None:
        """Count what is sought in each text, in one pass over all of them for each word."""
        beginnings = PrefixPositions(self.texts)
        self.hits = np.zeros((self.none + 1, len(question.sought)))
        self.pairs = np.zeros(self.none + 1)
        found: list[Ints] = []
        for column, sought in enumerate(question.sought):
            each = [beginnings.of(key, whole=sought.whole) for key in sought.keys]
            found.append(each[0] if len(each) == 1 else np.sort(np.concatenate(each)))
            self.hits[:, column] = np.bincount(beginnings.rows(found[-1]), minlength=self.none + 1)
        for one, other in question.pairs:
            beside = _beside(found[one], found[other], len(question.sought[one].keys[0]) + _NEAR)
            self.pairs[np.unique(beginnings.rows(beside))] += 1 / len(question.pairs)


def _heads_of(places: MessagePlaces) -> tuple["Ints", list[tuple[int, "NDArray[Any]"]]]:
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


def _beside(first: "Ints", second: "Ints", reach: int) -> "Ints":
    """Return the places of ``first`` so soon after which one of ``second`` comes."""
    after = np.searchsorted(second, first, side="right")
    first, after = first[after < len(second)], after[after < len(second)]
    return first[second[after] - first <= reach]
