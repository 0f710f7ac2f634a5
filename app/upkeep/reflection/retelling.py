"""Comparison of statements of one speaker: those of one event, by their words."""

import re
from typing import Final

from app.core.text_rules.stopwords import stop_words
from app.entities.duplicates.name_forms import folded
from app.entities.duplicates.other_person import RELATIVES
from app.memories.deduplication.contradiction import is_negated
from app.memories.deduplication.word_sets import jaccard, word_set

_LEAST_COMMON: Final = 6  # telling words: fewer may be a frame that two events have in common
_LEAST_ALIKE: Final = 0.4
_STEM: Final = 5  # letters
_NAME: Final = re.compile(r"(?<=[\w,;:)\"”] )[A-ZÀ-ÖØ-Þ][\w'’-]*")  # not at the beginning of a sentence
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")


def is_same_event(first: str, second: str) -> bool:
    """Return whether two statements tell of one event, said twice within some days.

    They share the most of what they say, and neither has a name, a number or a relative where the other has another,
    nor denies what the other says. Short statements and those in Chinese have too few words to tell.
    """
    if _CHINESE.search(first) or _CHINESE.search(second):
        return False
    words, others = word_set(first), word_set(second)
    telling, other_telling = _telling(words), _telling(others)
    if len(telling & other_telling) < _LEAST_COMMON or jaccard(telling, other_telling) < _LEAST_ALIKE:
        return False
    pairs = (
        (_relatives(words), _relatives(others)),
        (frozenset(_NUMBER.findall(first)), frozenset(_NUMBER.findall(second))),
        (frozenset(_NAME.findall(first)), frozenset(_NAME.findall(second))),
    )
    return is_negated(first) == is_negated(second) and not any(own - other and other - own for own, other in pairs)


def _telling(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words - stop_words(words))


def _relatives(words: frozenset[str]) -> frozenset[str]:
    """Return whom an event is of: my son's and my daughter's are two."""
    return RELATIVES & frozenset(map(folded, words))
