"""Whether a search is a few words or something someone wrote: a sentence, or a passage that was pasted. Pure."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from app.core.stopwords import stop_words
from app.index import cjk_ngrams

QueryStyle = Literal["search", "sentence", "passage"]

FEW_WORDS: Final = 6
"""A search of no more words than these beside its quotations is never a sentence."""
MANY_WORDS: Final = 24
"""A sentence of more words than these is a passage."""
_LITTLE_WORDS: Final = 3
"""So many different stop words make a sentence of words without a full stop."""
_LIST_LINES: Final = 2
_STOP: Final = re.compile(r"[^\W_][\"')\]]*(?:[.!?…][\"')\]]*\Z|[。！？])")
_ENDED: Final = re.compile(r"[.!?…]+[\"')\]”’]*(?=\s|\Z)|[。！？]+")
_SHORTENED: Final = re.compile(r"\b(?:dr|mr|mrs|ms|st|prof|vs|e\.g|i\.e|etc)\.", re.IGNORECASE)
_LIST_LINE: Final = re.compile(r"^[ \t]*[-*•]\s?[^\s*-]", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])")
_EDGES: Final = "\"'.,;:!?()[]{}*"


def classify_query(text: str, words: Sequence[str]) -> QueryStyle:
    """Return how ``text`` reads.

    Args:
        text: All of it.
        words: Its words outside quotations and operators, as they stand.
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
    """Return how many sentences ``text`` has, the last with or without its full stop."""
    *ended, rest = _ENDED.split(_SHORTENED.sub("", text))
    return len(ended) + any(map(str.isalnum, rest))


def _count(word: str) -> int:
    """Return how many words ``word`` is: a run of Chinese and the like is one for every two characters."""
    if not any(map(str.isalnum, word)):
        return 0
    return max(1, len(word) // 2) if cjk_ngrams.has_cjk(word) else 1


def without_emphasis(text: str) -> str:
    """Return ``text`` without the stars around what Markdown stresses; the star of ``begin*`` stays."""
    return _EMPHASIS.sub(r"\2", text)
