"""Contradiction of two sentences by their words: another number, another name, or a negation."""

import re
from typing import Final

from app.core.text_rules.stopwords import stop_words
from app.memories.deduplication.word_sets import NEGATIONS

_WORD: Final = re.compile(r"[^\W_]+(?:[.,:'’-][^\W_]+)*")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_MARKS: Final = " \t#>*-+[]x"
_IMPATIENT: Final = re.compile(
    r"\b(?:can(?:['’]?t|not| not)|could(?:n['’]?t| not)) (?:wait|believe|be (?:happier|prouder))\b", re.IGNORECASE
)
_LEAST_SHARED: Final = 0.5
_LEAST_WORDS: Final = 3
_LONGEST: Final = 300


def sentences(text: str, limit: int) -> list[str]:
    """Return the first sentences of a text that say enough to contradict another one."""
    parts = (part.strip(_MARKS) for part in _SENTENCE.split(text))
    return [part for part in parts if len(_WORD.findall(part)) >= _LEAST_WORDS and len(part) <= _LONGEST][:limit]


def may_contradict(first: str, second: str) -> bool:
    """Return whether two sentences on one matter may contradict each other.

    They begin with the same matter, share half of what they say, and differ in a number, a name or a negation. A person
    decides what is true.
    """
    former, other = _weighty(first), _weighty(second)
    if not former or not other or former[0].lower() != other[0].lower():
        return False
    words, others = ({word.lower() for word in part} for part in (former, other))
    if len(words & others) < _LEAST_SHARED * min(len(words), len(others)):
        return False
    if is_negated(first) != is_negated(second):
        return True
    own, theirs = (
        [word for word in part if word.lower() not in both] for part, both in ((former, others), (other, words))
    )
    return (any(map(_is_number, own)) and any(map(_is_number, theirs))) or (
        any(word[0].isupper() for word in own) and any(word[0].isupper() for word in theirs)
    )


def _weighty(text: str) -> list[str]:
    """Return the words that carry meaning, in order."""
    words = _WORD.findall(text)
    stops = stop_words({word.lower() for word in words})
    return [word for word in words if word.lower() not in stops and word.lower() not in NEGATIONS]


def is_negated(text: str) -> bool:
    """Return whether a sentence denies something; who can't wait denies nothing."""
    words = {word.lower() for word in _WORD.findall(_IMPATIENT.sub("", text))}
    return bool(words & NEGATIONS) or any(word.endswith(("n't", "n’t")) for word in words)


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word))
