"""Neighbour rows: arrays over candidates and their neighbours; the last row means "not there"."""

from itertools import repeat
from operator import contains
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.columns.style_features import says_when
from app.retrieval.candidates.scored_chunks import WHOLE, MessagePlaces
from app.retrieval.query.question import Question
from app.retrieval.ranking.candidate_pool import REACH, RankingInput, rows_of
from app.retrieval.ranking.prefix_positions import PrefixPositions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_WINDOW: Final = np.arange(-REACH, REACH + 1)
_MAX_GAP: Final = 16  # characters between two adjacent words at most


class NeighbourRows:
    """Rows of messages, and of memories joined from their pieces.

    Args:
        gathered: Candidates with their scores and texts.
    """

    def __init__(self, gathered: RankingInput) -> None:
        read, scores = gathered.texts, gathered.found
        self.columns = scores.columns
        first, pieces = _first_rows(read.places)
        self.none = len(first)
        self.ids, self.places, self.allowed = read.ids[first], read.places.at(first), read.allowed[first]
        self.style_cache, self.authors, self._unfolded = read.style_cache, read.authors[first], read.unfolded
        self.texts = list(read.texts) if len(first) == len(read.texts) else [read.texts[row] for row in first.tolist()]
        self._put_together = [row for row, _ in pieces]
        for row, more in pieces:
            self.texts[row] = "\n".join([self.texts[row], *(read.texts[piece] for piece in more)])
        self.asks = np.array([*map(contains, self.texts, repeat("?")), False])
        self.user = np.append(
            self.columns.where(self.ids, [chunk_type.role == "user" for chunk_type in self.columns.types]), False
        )
        self.memory = self.places.seq == WHOLE
        # 0 without lexical score, the lowest cosine without vector score.
        known = np.append(scores.rows(self.places), -1)
        self.bm25, self.cosine = scores.bm25[known], scores.cosines[known]
        self.length = np.array([*map(len, self.texts), 0], dtype=np.float64)
        wanted = self.places.keys
        order = wanted.argsort(kind="stable")
        self._keys, self._order = wanted[order], np.append(order, self.none)
        self._search(gathered.question)

    def around(self, places: MessagePlaces) -> "Ints":
        """Return the window rows of ``places``, the message itself in the middle.

        A message that was not read has the last row. The window of a memory is the memory alone.
        """
        # No place has the keys next to that of a memory.
        return np.asarray(self._order[rows_of(self._keys, places.keys[:, None] + _WINDOW)])

    def persons(self, rows: "Ints") -> "Matrix":
        """Return the shares of first person and second person words."""
        return self.style_cache.persons(self.ids[rows], self._unfolded)

    def numbers(self, rows: "Ints") -> "Matrix":
        """Return 1 for rows whose text has a number."""
        return self.style_cache.numbers(self.ids[rows], self._unfolded)

    def names(self, rows: "Ints") -> "Matrix":
        """Return the number of words that look like names."""
        return self.style_cache.names(self.ids[rows], self._unfolded)

    def time_words(self, rows: "Ints") -> "Matrix":
        """Return 1 for rows whose text has a time expression."""
        several = np.isin(rows, self._put_together)
        sums = np.zeros(len(rows))
        # The cache holds features of single chunks.
        sums[several] = [says_when(self.texts[row]) for row in rows[several].tolist()]
        alone = rows[~several]
        sums[~several] = self.style_cache.time_words(self.ids[alone], [self.texts[row] for row in alone.tolist()])
        return sums

    def _search(self, question: Question) -> None:
        """Count the search words in each text, one pass over all texts for each word."""
        positions = PrefixPositions(self.texts)
        self.hits = np.zeros((self.none + 1, len(question.search_words)))
        self.pairs = np.zeros(self.none + 1)
        rows_by_pair: list[Ints] = []
        for column, search_word in enumerate(question.search_words):
            each = [positions.of(key, whole=search_word.whole) for key in search_word.keys]
            rows_by_pair.append(each[0] if len(each) == 1 else np.sort(np.concatenate(each)))
            self.hits[:, column] = np.bincount(positions.rows(rows_by_pair[-1]), minlength=self.none + 1)
        for first, other in question.pairs:
            close = _followed_soon(
                rows_by_pair[first], rows_by_pair[other], len(question.search_words[first].keys[0]) + _MAX_GAP
            )
            self.pairs[np.unique(positions.rows(close))] += 1 / len(question.pairs)


def _first_rows(places: MessagePlaces) -> tuple["Ints", list[tuple[int, "NDArray[Any]"]]]:
    """Return the rows of messages and of memories' first pieces, and the pieces that follow."""
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


def _followed_soon(first: "Ints", second: "Ints", reach: int) -> "Ints":
    """Return the positions of ``first`` that ``second`` follows within ``reach`` characters."""
    after = np.searchsorted(second, first, side="right")
    first, after = first[after < len(second)], after[after < len(second)]
    return first[second[after] - first <= reach]
