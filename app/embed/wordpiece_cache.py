"""Token numbers of texts, of which those of ASCII words are cached.

BERT's tokenizer splits a text at spaces and punctuation before it splits words into pieces, so the tokens of a text are
those of its words. Texts repeat their words: with the words cached, a text takes a third of the tokenizer's time. The
tokenizer itself reads every word for the first time, and all texts with other characters.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from tokenizers import Tokenizer

MOST_WORDS: Final = 50_000
"""Number of words kept; when there are more, the cache starts anew."""
_LONGEST: Final = 24
"""Characters of a word that is kept; longer ones are rarely repeated."""
_WORDS: Final = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
# The tokenizer drops control characters, which joins the words around them.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class WordPieceCache:
    """BERT's uncased tokenizer with the tokens of words in a cache.

    Any thread may use it.

    Args:
        tokenizer: Lower-cases, splits at spaces and punctuation, and splits words into pieces.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token numbers of each text."""
        words = [
            _WORDS.findall(text.lower()) if text.isascii() and _CONTROL.search(text) is None else None for text in texts
        ]
        known = self._learn(set(chain.from_iterable(part for part in words if part is not None)))
        whole = [text for text, part in zip(texts, words, strict=True) if part is None]
        encoded = iter(self._encode(whole))
        return [
            next(encoded) if part is None else list(chain.from_iterable(map(known.__getitem__, part))) for part in words
        ]

    def _learn(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        """Return the tokens of ``words`` at least."""
        known = self._known
        unknown = [word for word in words if word not in known]
        if not unknown:
            return known
        encoded = dict(zip(unknown, map(tuple, self._encode(unknown)), strict=True))
        if len(known) + len(encoded) > MOST_WORDS:
            known = self._known = {word: known[word] for word in words if word in known}
        kept = {word: tokens for word, tokens in encoded.items() if len(word) <= _LONGEST}
        known.update(kept)
        return known if len(kept) == len(encoded) else known | encoded

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
