"""What a question asks for, in the form the learned recipe compares with texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.core.stopwords import stop_words
from app.index import cjk_ngrams
from app.retrieval.model import Query
from app.retrieval.query.intent import count_sentences
from app.retrieval.query.match_expression import fold, quote, stem

MAX_SEARCH_WORDS: Final = 24
"""Words looked for in texts at most; of a longer question the longest, which are likely the rarest."""

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
    """One word asked for: beginnings to look for in a folded text, and the expression that finds it in the index.

    Args:
        whole: Only words that begin with a key count; false for scripts written without spaces.
    """

    keys: tuple[str, ...]
    expression: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Args:
        sought: Its words that say something.
        pairs: Places in ``sought`` of words that stand next to each other in it.
        words: All its words, folded, with where each stands first: a name among them may be a speaker's.
        about_time: It asks when something was.
        about_number: It asks how many or how much.
        about_name: It asks for somebody, some place or one of several.
        years, months, days: Parts of dates that it names.
        moments: Spans of time that it names, milliseconds UTC.
        sentences: How many it has.
    """

    sought: tuple[SearchWord, ...]
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
    """Return what ``query`` asks for."""
    text = " ".join(term.text for term in query.terms if not term.excluded)
    words: list[str] = WORD.findall(fold(cjk_ngrams.normal(text)))
    kept = _kept(words)
    sought: list[SearchWord] = []
    places: dict[str, int] = {}
    for word in kept:
        places[word] = len(sought)
        sought += _sought(word)
    said = [word for word in words if word in places]
    pairs = [(places[one], places[other]) for one, other in pairwise(said) if one != other]
    lower = text.lower()
    numbers = {int(word) for word in words if word.isascii() and word.isdecimal() and len(word) <= 4}  # noqa: PLR2004
    return Question(
        tuple(sought),
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


def _sought(word: str) -> list[SearchWord]:
    if cjk_ngrams.has_cjk(word):
        entries, _ = cjk_ngrams.phrase(word)
        return [SearchWord((entry,), f"grams : {quote(entry)}", whole=False) for entry in entries[:MAX_SEARCH_WORDS]]
    return [SearchWord(_keys(word), quote(word))]


def _keys(word: str) -> tuple[str, ...]:
    """Return beginnings that words with the stem of ``word`` have."""
    root = stem(word)
    if root.endswith("i") and len(root) > 2:  # noqa: PLR2004  (studi: studied and study)
        return (root, root[:-1] + "y")
    return (root,) if word.startswith(root) else (root, word)
