"""Stored form of token vectors: a few bits for each number.

A text takes 3 kB at most; one with more tokens than fit keeps the means of neighbouring ones. Nothing is trained and no
table is stored, so codes can be read on another machine. Product codes with residuals, as in ColBERTv2 (Santhanam et
al. 2021), need centroids trained on the vault.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MOST_BYTES: Final = 3_000
"""Bytes that the codes of one text take at most."""
FORM: Final = 1
"""Number of this form and of the text that is read; codes of another one are made anew."""
_CODE_BYTES: Final = 48
_MOST_BITS: Final = 4
_BITS_OF_BYTE: Final = 8
_REACH: Final = 2.5
"""Largest number that a code tells apart, in standard deviations of a unit vector's numbers."""
_SHORTEST: Final = 1e-12


def bits_of(dimensions: int) -> int:
    """Return the bits for each number of a vector, one to four.

    They are as many as fit 48 bytes.
    """
    return max(1, min(_MOST_BITS, _CODE_BYTES * _BITS_OF_BYTE // dimensions))


def encode(vectors: "Floats") -> bytes:
    """Return the codes of a text's token vectors, a row each.

    The vectors have length one. With one bit a number keeps its sign.
    """
    if not len(vectors):
        return b""
    dimensions = vectors.shape[1]
    bits = bits_of(dimensions)
    rows = _pooled(vectors, MOST_BYTES // _width(dimensions))
    levels = 1 << bits
    scaled = rows * (np.sqrt(dimensions) / _REACH)  # from -1 to 1, but for a few
    numbers = np.clip(np.floor((scaled + 1) / 2 * levels), 0, levels - 1).astype(np.uint8)
    planes = np.unpackbits(numbers[:, :, None], axis=2)[:, :, -bits:]
    return np.packbits(planes.reshape(len(rows), -1), axis=1).tobytes()


def decode(codes: Sequence[bytes], dimensions: int) -> "tuple[Floats, NDArray[np.int64]]":
    """Return the token vectors of several texts, and how many belong to each.

    Args:
        codes: Codes of texts, as ``encode`` returns them.
        dimensions: The length of a vector.
    """
    bits, width = bits_of(dimensions), _width(dimensions)
    counts = np.array([len(code) // width for code in codes], dtype=np.int64)
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, width)
    planes = np.unpackbits(packed, axis=1, count=dimensions * bits)
    numbers = planes[:, ::bits]
    for bit in range(1, bits):
        numbers = numbers * 2 + planes[:, bit::bits]
    # The middle of a level is never zero, so no row is.
    rows = numbers.astype(np.float32) + np.float32(0.5 - (1 << bits) / 2)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows, counts


def max_similarities(question: "Floats", codes: Sequence[bytes]) -> list[float]:
    """Return for each text the sum of the best matches of the question's tokens.

    The score is ColBERT's MaxSim (Khattab and Zaharia 2020), 0 for a text without tokens.

    Args:
        question: Token vectors of the question, a row each.
        codes: Codes of the texts.
    """
    vectors, counts = decode(codes, question.shape[1])
    scores = np.zeros(len(codes))
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = np.cumsum([0, *counts[filled][:-1]])
        scores[filled] = np.maximum.reduceat(question @ vectors.T, starts, axis=1).sum(axis=0)
    return [float(score) for score in scores]


def _width(dimensions: int) -> int:
    return -(-dimensions * bits_of(dimensions) // _BITS_OF_BYTE)


def _pooled(vectors: "Floats", most: int) -> "Floats":
    """Return at most ``most`` vectors of length one: means of equally many neighbours."""
    if len(vectors) <= most:
        return vectors
    starts = np.arange(most) * len(vectors) // most
    sums = np.add.reduceat(vectors, starts, axis=0)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _SHORTEST), dtype=np.float32)
