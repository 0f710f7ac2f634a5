"""Character n-gram vectors for scripts outside the static model's vocabulary.

Each n-gram hashes to 256 signs. Texts that share words or parts of words become similar; meaning plays no role.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.embed.model import Vectors

DIMENSIONS = 256
PAIR_WEIGHT = 0.75
SIGN_WEIGHT = 0.5
TRIGRAM_WEIGHT = 0.4

# Everything but Latin letters, marks, punctuation, currency, pictures of controls, blanks and invisible selectors.
_FOREIGN = re.compile(
    "[^\x00-\u036f\u1e00-\u1eff\u2000-\u206f\u20a0-\u20cf\u2400-\u243f\u3000-\u303f\ufe00-\ufe0f\ufff0-\uffff"
    "\U000e0000-\U000e0fff]+"
)
# Scripts without spaces between words, and symbols: an n-gram is two characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2070-\u2bff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00010000-\U0010ffff]"
)
# Characters that have a meaning of their own, such as Chinese ones; syllable letters have none.
_SIGN = re.compile("[\u2070-\u2bff\u2e80-\u303f\u3200-\u9fff\uf900-\ufaff\U00010000-\U0010ffff]")


def split(text: str) -> tuple[str, list[str]]:
    """Return the Latin part of ``text`` and the runs of other scripts, in order.

    Compatibility forms (full width, ligatures) are normalised first if the text has other scripts.
    """
    if text.isascii() or not _FOREIGN.search(text):
        return text, []
    # Normalisation may turn one character into eighteen.
    plain = unicodedata.normalize("NFKC", text)[: 2 * len(text)]
    return _FOREIGN.sub(" ", plain), [run.casefold() for run in _FOREIGN.findall(plain)]


def vector(runs: Sequence[str]) -> "Vectors":
    """Return the sum of the n-gram vectors of ``runs``, shape (256,).

    A run of a script without spaces yields its symbols and pairs; a word yields itself and its trigrams.
    """
    signs: list[str] = []
    pairs: list[str] = []
    trigrams: list[str] = []
    for run in runs:
        if _UNSPACED.match(run):
            signs += run if len(run) == 1 else _SIGN.findall(run)
            pairs += map("".join, pairwise(run))
        else:
            framed = f"\x02{run}\x03"
            trigrams += map("".join, zip(framed, framed[1:], framed[2:], strict=False))
            trigrams.append(framed)
    total: Vectors = SIGN_WEIGHT * _summed(signs) + PAIR_WEIGHT * _summed(pairs) + TRIGRAM_WEIGHT * _summed(trigrams)
    return total


def _summed(pieces: Sequence[str]) -> "Vectors":
    """Return the sum of 256 signs over ``pieces``, scaled to unit length per piece."""
    bits = np.unpackbits(np.frombuffer(b"".join(map(_digest, pieces)), np.uint8)).reshape(len(pieces), DIMENSIONS)
    total = 2 * bits.sum(axis=0, dtype=np.int64) - len(pieces)
    return np.asarray(total / np.sqrt(DIMENSIONS), dtype=np.float32)


@lru_cache(maxsize=16384)
def _digest(piece: str) -> bytes:
    return hashlib.blake2b(piece.encode("utf-8"), digest_size=DIMENSIONS // 8).digest()
