"""BM25, the one formula for words in texts, passages, sessions and former states.

Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. With ``B`` and the
inverse document frequency of ``fts5_idf`` it gives the numbers of SQLite's FTS5.
"""

import math
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1: Final = 1.2
"""Saturation of term frequency: the higher, the longer further occurrences of a word count."""
B: Final = 0.75
"""Share of the normalisation by length; 0 ignores the length."""
LEAST_IDF: Final = 1e-6
"""Inverse document frequency of a word in more than half of all texts, as in FTS5."""

Number = TypeVar("Number", float, "NDArray[np.float64]")


def length_norm(length: Number, b: float = B) -> Number:
    """Return the normalisation of texts by their length.

    Args:
        length: Length divided by the average length.
        b: Share of the normalisation.
    """
    return K1 * (1 - b) + K1 * b * length


def term_frequency(times: Number, norm: Number) -> Number:
    """Return the weight of a word's occurrences, from 0 to less than ``K1 + 1``.

    Args:
        times: How often the word occurs.
        norm: ``length_norm`` of the text.
    """
    return times * (K1 + 1) / (times + norm)


def fts5_idf(texts: float, with_word: float) -> float:
    """Return the inverse document frequency of a word as FTS5 computes it."""
    return max(math.log(max(texts - with_word + 0.5, 0.5) / (with_word + 0.5)), LEAST_IDF)


def positive_idf(texts: float, with_word: float) -> float:
    """Return an inverse document frequency that stays above 0 for words in most texts."""
    return math.log1p((max(texts - with_word, 0) + 0.5) / (with_word + 0.5))
