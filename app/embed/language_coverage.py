"""How much of a vault's text is in languages that the built-in model was not made for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.stopwords import ENGLISH, stop_words
from app.embed import character_ngrams

ENOUGH_CHARACTERS: Final = 2_000
"""Less text than this says nothing of a vault."""

MUCH: Final = 0.25
"""From such a share of foreign text on another model is worth it."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_FEW: Final = 4  # words by which no language is told from another


@dataclass(frozen=True, slots=True)
class LanguageCoverage:
    """What was found in a sample.

    Args:
        letters: How many letters were looked at.
        foreign: The share of them in texts of other languages than English, or in other scripts.
    """

    letters: int
    foreign: float

    @property
    def is_good(self) -> bool:
        """Return whether the built-in model suits the texts."""
        return self.letters < ENOUGH_CHARACTERS or self.foreign < MUCH


def measure_coverage(texts: Sequence[str]) -> LanguageCoverage:
    """Return how much of ``texts`` is foreign to the built-in model."""
    letters = foreign = 0
    for text in texts:
        latin, runs = character_ngrams.split(text)
        outside = sum(map(len, runs))
        words = _WORD.findall(latin.lower())
        inside = sum(map(len, words))
        letters += inside + outside
        foreign += outside + (inside if _is_foreign(words) else 0)
    return LanguageCoverage(letters, foreign / letters if letters else 0.0)


def _is_foreign(words: Sequence[str]) -> bool:
    """Return whether more of the words' small change is of another language than English."""
    if len(words) < _FEW:
        return False
    english = sum(word in ENGLISH for word in words)
    likeliest = stop_words(set(words))
    return sum(word in likeliest for word in words) > english
