"""Language coverage: the share of text that the built-in model does not know."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.text_rules.stopwords import ENGLISH, stop_words
from app.embed import character_ngrams

ENOUGH_CHARACTERS: Final = 2_000
"""Characters below which a sample is too small to judge."""

MUCH: Final = 0.25
"""Share of foreign text from which another model is recommended."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_FEW: Final = 4  # too few words to recognise a language by


@dataclass(frozen=True, slots=True)
class LanguageCoverage:
    """Language coverage of a sample of texts.

    Args:
        letters: The number of letters in the sample.
        foreign: The share of them in texts that are not English, or in other scripts.
    """

    letters: int
    foreign: float

    @property
    def is_good(self) -> bool:
        """Return whether the built-in model suits the texts."""
        return self.letters < ENOUGH_CHARACTERS or self.foreign < MUCH


def measure_coverage(texts: Sequence[str]) -> LanguageCoverage:
    """Return the coverage of ``texts`` by the built-in model."""
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
    """Return whether function words of another language are more frequent than English ones."""
    if len(words) < _FEW:
        return False
    english = sum(word in ENGLISH for word in words)
    likeliest = stop_words(set(words))
    return sum(word in likeliest for word in words) > english
