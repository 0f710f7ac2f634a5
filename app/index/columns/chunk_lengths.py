"""Chunk lengths in words, as an array by chunk id, read from FTS5's size table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sizes = NDArray[np.uint16]


_LONGEST: Final = 0x3FFF
_SEVEN_BITS: Final = 0x7F
_LENGTHS_AT_ONCE: Final = 100_000


@dataclass(frozen=True, slots=True)
class ChunkLengths:
    """How many words each chunk has, by id; 0 for an id that no chunk has.

    Args:
        words: By chunk id; what is longer than 16,383 words counts as that long.
        chunks: How many chunks there are.
        mean: Words of a chunk on average.
    """

    words: "Sizes"
    chunks: int
    mean: float


def last_chunk(connection: apsw.Connection) -> int:
    """Return the highest chunk id, 0 for an empty index."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get)


def extend_lengths(connection: apsw.Connection, known: ChunkLengths, last: int) -> ChunkLengths:
    """Return ``known`` lengths with those of chunks up to the id ``last``."""
    words = np.zeros(max(last + 1, len(known.words)), dtype=np.uint16)
    words[: len(known.words)] = known.words
    for after in range(len(known.words) - 1, last, _LENGTHS_AT_ONCE):
        row = connection.execute(
            "SELECT group_concat(id, ' '), group_concat(substr(hex(sz) || '00000000', 1, 8), '')"
            " FROM chunks_fts_docsize WHERE id > ? AND id <= ?",
            (after, min(after + _LENGTHS_AT_ONCE, last)),
        ).fetchone()
        if row is not None and row[0] is not None:
            words[np.fromstring(str(row[0]), dtype=np.int64, sep=" ")] = _sums(bytes.fromhex(str(row[1])))
    count = int(np.count_nonzero(words))
    return ChunkLengths(words, count, float(words.sum(dtype=np.int64)) / max(count, 1))


def _sums(sizes: bytes) -> "Sizes":
    """Return the words of both columns together, from the first four bytes of each chunk's two numbers.

    SQLite's numbers have seven bits a byte, and the highest bit says that more follow.
    """
    digits = np.frombuffer(sizes, dtype=np.uint8).reshape(-1, 4).astype(np.uint16)
    more = digits > _SEVEN_BITS
    low = digits & _SEVEN_BITS
    pairs = (low[:, :-1] << 7) | low[:, 1:]
    two = np.where(more[:, 1:], _LONGEST, pairs)  # a number of three bytes and more is long enough
    text = np.where(more[:, 0], two[:, 0], low[:, 0])
    grams = np.where(more[:, 0], np.where(more[:, 2], two[:, 2], low[:, 2]), np.where(more[:, 1], two[:, 1], low[:, 1]))
    sums: Sizes = np.clip(text + grams, 1, _LONGEST).astype(np.uint16)
    return sums
