"""Question analysis for the learned recipe: search words, names, numbers and dates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.core.text_rules.spellings import fold
from app.core.text_rules.stopwords import stop_words
from app.index import cjk_ngrams
from app.retrieval.model import Query
from app.retrieval.query.intent import count_sentences
from app.retrieval.query.match_expression import quote, word_expression
from app.store.words.tokenizer import KEPT, root

MAX_SEARCH_WORDS: Final = 24
"""Maximum number of search words; of a longer question the longest, which are likely the rarest."""

WORD: Final = re.compile(r"\w+")
_WHEN: Final = re.compile(r"\bwhen\b|\b(?:what|which) (?:date|day|week|month|year|time)\b|\bhow (?:long|many days)\b")
_HOW_MANY: Final = re.compile(r"\bhow (?:many|much|long|old|often|far|big|tall)\b|\bnumber of\b")
_WHICH: Final = re.compile(
    r"\b(?:who|whose|whom|which|where|named?)\b|\bwhat (?:is|was|are|were) the name\b"
    r"|\bwhat \w+ (?:did|does|is|was|has)\b"
)
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_YEARS: Final = range(1900, 2200)
_DAYS: Final = range(1, 32)


@dataclass(frozen=True, slots=True)
class SearchWord:
    """Search word of a question: its prefixes in folded texts, and its full-text expression.

    Args:
        whole: Whether a key must begin a word; false for scripts without spaces.
    """

    keys: tuple[str, ...]
    expression: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question.

    Args:
        search_words: Its words without stop words.
        pairs: Indexes of adjacent words in ``search_words``.
        words: All its folded words with their first position; one may be a speaker's name.
        about_time: Whether it asks for a time.
        about_number: Whether it asks for a number.
        about_name: Whether it asks for a person, a place or one of several.
        years, months, days: Parts of the dates that it names.
        moments: Spans of time that it names, milliseconds UTC.
        sentences: Number of sentences.
    """

    search_words: tuple[SearchWord, ...]
    pairs: tuple[tuple[int, int], ...]
    words: Mapping[str, int]
    about_time: bool
    about_number: bool
    about_name: bool
    years: frozenset[int]
    months: frozenset[int]
    days: frozenset[int]
    moments: tuple[tuple[int, int], ...]
    sentences: int


def analyse_question(query: Query) -> Question:
    """Return the analysis of ``query``."""
    text = query.words
    words: list[str] = WORD.findall(fold(cjk_ngrams.normal(text)))
    kept = _kept(words)
    search_words: list[SearchWord] = []
    places: dict[str, int] = {}
    for word in kept:
        places[word] = len(search_words)
        search_words += _search_words(word)
    known_words = [word for word in words if word in places]
    pairs = [(places[first], places[other]) for first, other in pairwise(known_words) if first != other]
    lower = text.lower()
    numbers = {int(word) for word in words if word.isascii() and word.isdecimal() and len(word) <= 4}  # noqa: PLR2004
    return Question(
        tuple(search_words),
        tuple(dict.fromkeys(pairs)),
        {word: place for place, word in reversed(list(enumerate(words)))},
        bool(_WHEN.search(lower)),
        bool(_HOW_MANY.search(lower)),
        bool(_WHICH.search(lower)),
        frozenset(number for number in numbers if number in _YEARS),
        frozenset(place for place, name in enumerate(_MONTHS, 1) if name in words and (name != "may" or "May" in text)),
        frozenset(number for number in numbers if number in _DAYS),
        query.moments,
        count_sentences(query.text),
    )


def _kept(words: Sequence[str]) -> list[str]:
    distinct = list(dict.fromkeys(words))
    dropped = stop_words(distinct)
    kept = [word for word in distinct if word not in dropped] or distinct
    chosen = set(sorted(kept, key=len, reverse=True)[:MAX_SEARCH_WORDS])
    return [word for word in kept if word in chosen]


def _search_words(word: str) -> list[SearchWord]:
    if cjk_ngrams.has_cjk(word):
        entries, _ = cjk_ngrams.phrase(word)
        return [SearchWord((entry,), f"grams : {quote(entry)}", whole=False) for entry in entries[:MAX_SEARCH_WORDS]]
    return [SearchWord(_keys(word), word_expression(word))]


def _keys(word: str) -> tuple[str, ...]:
    """Return the prefixes of words with the same root as ``word``."""
    stem = root(word)
    if stem.endswith(KEPT):
        return (word,)
    if stem.endswith("i") and len(stem) > 2:  # noqa: PLR2004  (studi: studied and study)
        return (stem, stem[:-1] + "y")
    return (stem,) if word.startswith(stem) else (stem, word)
