"""Relevance cutoff: where the results of a search end, and in which parts.

A result has words of the query, stands among messages that have them, or is only near in meaning. The last are shown
from a cosine on, and only a few of them. The numbers were set on questions and keywords over LoCoMo: no evidence among
the first ten results of a question is lost, and 95 of 100 searches for what is not there show nothing by meaning.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from app.retrieval.model import Part, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_NEAR: Final = 10
"""Results that are only near in meaning at most."""
NEARNESS: Final = 1 / 3
"""Part of the way from the cosine of unrelated texts to 1 that a result must have gone to be near."""
UNRELATED: Final = 0.05
"""Median cosine of unrelated texts by the built-in table; bge-small-en has 0.47, so of a model it is measured."""
SAMPLE: Final = 128
"""Texts of the vault that it is measured on."""
NEIGHBOUR_ODDS: Final = 4.0
"""Log odds that a message beside the words of a few keywords may be below the best result with words."""
_QUESTION_WORDS: Final = 5
"""With so many words, a query is a question; messages beside its words often answer it."""
_PARTS: Final[tuple[Part, ...]] = get_args(Part)
_WORDS, _NEIGHBOUR, _MEANING = range(len(_PARTS))


@dataclass(frozen=True, slots=True)
class MatchSignals:
    """Matches of each result of a ranking, in its order.

    Args:
        has_words: It has a word or name of the query, or is from a time that the query names.
        is_neighbour: It stands among messages that have words of the query.
        cosines: Its cosine, -1 where vector search did not find it.
        scores: Its score.
    """

    has_words: "Flags"
    is_neighbour: "Flags"
    cosines: "Floats"
    scores: "Floats"


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The results that are kept.

    Args:
        rows: Row of each in the ranking, ascending.
        parts: Number of the part of each.
    """

    rows: "Ints"
    parts: "Ints"

    @property
    def near_count(self) -> int:
        """Return how many are only near in meaning."""
        return int((self.parts == _MEANING).sum())

    def at(self, rows: "Ints") -> "Cutoff":
        """Return the results in ``rows``."""
        return Cutoff(self.rows[rows], self.parts[rows])

    def named(self, start: int, end: int) -> list[Part]:
        """Return the parts of the results from number ``start`` up to ``end``."""
        return [_PARTS[part] for part in self.parts[start:end].tolist()]


def cut_off(signals: MatchSignals, query: Query, least_cosine: float) -> Cutoff:
    """Return the results that are kept, in their order.

    Args:
        signals: What matched in each result.
        query: The parsed query.
        least_cosine: Cosine from which a result is near in meaning.
    """
    best = signals.scores[signals.has_words].max(initial=-np.inf)
    neighbours = signals.is_neighbour & ~signals.has_words
    if not is_question(query):
        neighbours &= signals.scores >= best - NEIGHBOUR_ODDS
    near = ~signals.has_words & ~neighbours & (signals.cosines >= least_cosine)
    near &= near.cumsum() <= MOST_NEAR
    parts = np.select([signals.has_words, neighbours], [_WORDS, _NEIGHBOUR], _MEANING)
    rows = np.flatnonzero(signals.has_words | neighbours | near)
    return Cutoff(rows, parts[rows])


def all_kept(signals: MatchSignals) -> Cutoff:
    """Return all results of a search that does not end.

    What vector search found is near in meaning there, also beside words.
    """
    is_around = signals.is_neighbour & (signals.cosines < 0)
    parts = np.select([signals.has_words, is_around], [_WORDS, _NEIGHBOUR], _MEANING)
    return Cutoff(np.arange(len(parts)), parts)


def is_question(query: Query) -> bool:
    """Return whether a query is a question or a sentence, not a few keywords."""
    return "?" in query.text or sum(not term.excluded for term in query.terms) >= _QUESTION_WORDS


def unrelated_cosine(vector: bytes, sample: "NDArray[np.float32]") -> float:
    """Return the median cosine of a query and a sample of texts.

    Args:
        vector: The query's vector, of unit length, float32 little-endian.
        sample: Vectors of texts of the vault, of unit length, one row each; zeros for none.
    """
    known = sample[sample.any(axis=1)]
    return float(np.median(known @ np.frombuffer(vector, dtype="<f4"))) if len(known) else UNRELATED


def least_near(unrelated: float, nearness: float = NEARNESS) -> float:
    """Return the least cosine of a near text, given that of unrelated ones."""
    return unrelated + nearness * (1.0 - unrelated)
