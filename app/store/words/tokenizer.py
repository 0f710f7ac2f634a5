"""The tokenizer of the full-text index, outside SQLite: stems, roots and counts of words.

The stem of some words is that of a stop word they have nothing to do with: ``used`` and ``us`` have one, ``ate`` and
``at``. Such a word is *kept*: beside its stem the index has its root, which only its own inflections share, and a
search for it looks for that. An inflection of a stop word (``owned``, ``wills``) is not kept: a search for it looks for
its base too.
"""

import re
from functools import lru_cache
from typing import Any, Final

import apsw

from app.core.text_rules.spellings import fold
from app.core.text_rules.stopwords import ENGLISH

TOKENIZER: Final = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*")
"""Name and arguments of the index's tokenizer, as the migration that creates ``chunks_fts`` has them."""
KEPT: Final = "\ue000"
"""Ends the root of a kept word. It belongs to words for the tokenizer, and no one types it."""

# The tokenizer keeps its connection open as long as the process runs.
_TOKENIZER: Final = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
_ASCII_WORDS: Final = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))
# Words of Latin letters, also where they touch a script without spaces.
_LATIN_WORD: Final = re.compile("(?<![^\\W_\u1100-\uffff])[a-z]{2,}(?![^\\W_\u1100-\uffff])")
_SHORTEST_INFLECTED: Final = 3  # ``us``, ``in`` and ``at`` have no inflections
_INFLECTIONS: Final = (("ings", "e"), ("ing", "e"), ("ed", "e"), ("es", "e"), ("s", ""))


def _tokens(text: str) -> Any:
    encoded = text.encode("utf-8", "replace")
    return _TOKENIZER(encoded, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)


def count_words(text: str) -> int:
    """Return the number of words that the index has of ``text``."""
    if text.isascii():  # half the time of the tokenizer, and every import counts all its texts
        return len(text.encode("ascii").translate(_ASCII_WORDS).split())
    return len(_tokens(text))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the Porter stem of a folded ``word``, as the index's tokenizer makes it.

    Text that is not one word is returned unchanged.

    Any thread may call it. A call takes 0.3 microseconds, so ranking can afford it.

    Source: M. F. Porter, "An algorithm for suffix stripping", 1980.
    """
    tokens = _tokens(word)
    return str(tokens[0]) if len(tokens) == 1 else word


_STOP_STEMS: Final = frozenset(map(stem, ENGLISH))


@lru_cache(maxsize=16384)
def root(word: str) -> str:
    """Return what inflections of a folded word have in common.

    It is its stem, or the root of a kept word.
    """
    stemmed = stem(word)
    if stemmed not in _STOP_STEMS or word in ENGLISH or not _LATIN_WORD.fullmatch(word):
        return stemmed
    for ending, replacement in _INFLECTIONS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            begun = word.removesuffix(ending)
            is_of_stop_word = len(stemmed) >= _SHORTEST_INFLECTED and stemmed in ENGLISH
            return stemmed if is_of_stop_word and stemmed in (begun, begun + "e") else begun + replacement + KEPT
    return word + KEPT


def kept_roots(text: str) -> str:
    """Return the roots of the kept words of a text."""
    if text.isascii():  # three times as fast
        words: list[str] | list[bytes] = text.lower().encode("ascii").translate(_ASCII_WORDS).split()
    else:
        words = _LATIN_WORD.findall(fold(text))
    return " ".join([kept_word for word in words if (kept_word := _kept_root(word))])


@lru_cache(maxsize=65536)
def _kept_root(word: str | bytes) -> str:
    """Return the root of a kept word, ``""`` for any other."""
    kept_word = root(word if isinstance(word, str) else word.decode("ascii"))
    return kept_word if kept_word.endswith(KEPT) else ""
