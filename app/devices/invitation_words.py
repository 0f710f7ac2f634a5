"""Words of an invitation: a secret of 128 bits with a checksum, as twelve words.

Words, list and checksum are those of BIP-39 (Palatinus and others, 2013), of which no two words begin with the same
four letters.
"""

import difflib
import hashlib
import secrets
from functools import lru_cache
from typing import Final

from app.core.paths import resources
from app.errors import InputError
from app.sentence import Sentence

SECRET_BYTES: Final = 16
_WORDS: Final = 12
_WORD_BITS: Final = 11
_CHECKSUM_BITS: Final = 4


def new_secret() -> bytes:
    """Return a fresh secret."""
    return secrets.token_bytes(SECRET_BYTES)


def words_of(secret: bytes) -> str:
    """Return the words that say a secret."""
    value = int.from_bytes(secret) << _CHECKSUM_BITS | _checksum(secret)
    words = _list()
    places = range(_WORD_BITS * (_WORDS - 1), -1, -_WORD_BITS)
    return " ".join(words[value >> place & (1 << _WORD_BITS) - 1] for place in places)


def secret_of(text: str) -> bytes:
    """Return the secret that some words say, however they are spaced and written.

    Raises:
        InputError: There are too few or too many, one is not in the list, or they do not belong together.
    """
    words = text.lower().split()
    if len(words) != _WORDS:
        raise InputError(
            Sentence("An invitation has twelve words; these are {count}.", count=len(words)), field="words"
        )
    known = {word: number for number, word in enumerate(_list())}
    value = 0
    for number, word in enumerate(words, 1):
        if word not in known:
            raise InputError(_unknown(number, word, list(known)), field="words")
        value = value << _WORD_BITS | known[word]
    secret = (value >> _CHECKSUM_BITS).to_bytes(SECRET_BYTES)
    if value & (1 << _CHECKSUM_BITS) - 1 != _checksum(secret):
        raise InputError(
            "These words do not belong together: one of them is another word, or two have changed places.",
            field="words",
        )
    return secret


def _unknown(number: int, word: str, known: list[str]) -> Sentence:
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return Sentence(
            "The word in place {number} is none of an invitation. Is it {word}?", number=number, word=near[0]
        )
    return Sentence("The word in place {number} is none of an invitation.", number=number)


def _checksum(secret: bytes) -> int:
    return hashlib.sha256(secret).digest()[0] >> 8 - _CHECKSUM_BITS


@lru_cache(maxsize=1)
def _list() -> tuple[str, ...]:
    return tuple((resources() / "words" / "english.txt").read_text("ascii").split())
