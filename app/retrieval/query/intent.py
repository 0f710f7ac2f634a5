"""Query style: a few words, a sentence, or a pasted passage. Pure functions."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from app.core.text_rules.stopwords import stop_words
from app.index import cjk_ngrams

QueryStyle = Literal["search", "sentence", "passage"]

FEW_WORDS: Final = 6
"""A query with at most this many words outside quotations is never a sentence."""
MANY_WORDS: Final = 24
"""A query with more words than this is a passage."""
_LITTLE_WORDS: Final = 3
"""Number of different stop words that make words without a full stop a sentence."""
_LIST_LINES: Final = 2
_STOP: Final = re.compile(r"[^\W_][\"')\]]*(?:[.!?…][\"')\]]*\Z|[。！？])")
_ENDED: Final = re.compile(r"[.!?…]+[\"')\]”’]*(?=\s|\Z)|[。！？]+")
_SHORTENED: Final = re.compile(r"\b(?:dr|mr|mrs|ms|st|prof|vs|e\.g|i\.e|etc)\.", re.IGNORECASE)
_LIST_LINE: Final = re.compile(r"^[ \t]*[-*•]\s?[^\s*-]", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])")
_EDGES: Final = "\"'.,;:!?()[]{}*"


def classify_query(text: str, words: Sequence[str]) -> QueryStyle:
    """Return the style of a query.

    Args:
        text: The whole query.
        words: Its words outside quotations and operators.
    """
    count = sum(map(_count, words))
    if count > MANY_WORDS or len(_LIST_LINE.findall(text)) >= _LIST_LINES:
        return "passage"
    if count <= FEW_WORDS:
        return "search"
    if "\n" in text.strip():
        return "passage"
    little = stop_words(word.strip(_EDGES) for word in words)
    return "sentence" if len(little) >= _LITTLE_WORDS or any(map(_STOP.search, words)) else "search"


def count_sentences(text: str) -> int:
    """Return the number of sentences in ``text``; the last needs no full stop."""
    *ended, rest = _ENDED.split(_SHORTENED.sub("", text))
    return len(ended) + any(map(str.isalnum, rest))


def _count(word: str) -> int:
    """Return the word count of ``word``; Chinese counts a word for two characters."""
    if not any(map(str.isalnum, word)):
        return 0
    return max(1, len(word) // 2) if cjk_ngrams.has_cjk(word) else 1


def without_emphasis(text: str) -> str:
    """Return ``text`` without Markdown emphasis; the star of ``begin*`` stays."""
    return _EMPHASIS.sub(r"\2", text)
