"""The tokenizer of the full-text index, outside SQLite: stems and counts of words."""

from functools import lru_cache
from typing import Any, Final

import apsw

TOKENIZER: Final = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*")
"""Name and arguments of the index's tokenizer, as the migration that creates ``chunks_fts`` has them."""

# The tokenizer keeps its connection open as long as the process runs.
_TOKENIZER: Final = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
_ASCII_WORDS: Final = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))


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
