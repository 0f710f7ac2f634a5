"""Chunk lengths in words, as an array by chunk id, read from FTS5's size table.

FTS5 gives sizes to auxiliary functions only, one matching row at a time, so its ``docsize`` table is read in blocks.
"""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sizes = NDArray[np.uint16]


_LONGEST: Final = 0x3FFF
_SEVEN_BITS: Final = 0x7F
_BLOCK: Final = 100_000


@dataclass(frozen=True, slots=True)
class ChunkLengths:
    """Lengths of chunks in words.

    Args:
        words: By chunk id; 0 for an id without a chunk, 16,383 for anything longer.
        chunks: The number of chunks.
        mean: The average length.
    """

    words: "Sizes"
    chunks: int
    mean: float


class ChunkLengthCache:
    """Chunk lengths of the whole index, extended by later chunks.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lengths = ChunkLengths(np.zeros(1, dtype=np.uint16), 0, 1.0)

    def refresh(self, connection: apsw.Connection, last: int) -> ChunkLengths:
        """Return the lengths of all chunks up to the id ``last`` at least."""
        known = self._lengths
        if len(known.words) <= last:
            known = _extend_lengths(connection, known, last)
            with self._lock:
                if len(known.words) > len(self._lengths.words):
                    self._lengths = known
        return known


def last_chunk(connection: apsw.Connection) -> int:
    """Return the highest chunk id, 0 for an empty index."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get)


def _extend_lengths(connection: apsw.Connection, known: ChunkLengths, last: int) -> ChunkLengths:
    """Return ``known`` lengths with those of the chunks up to the id ``last``."""
    words = np.zeros(max(last + 1, len(known.words)), dtype=np.uint16)
    words[: len(known.words)] = known.words
    for after in range(len(known.words) - 1, last, _BLOCK):
        row = connection.execute(
            "SELECT group_concat(id, ' '), group_concat(substr(hex(sz) || '00000000', 1, 8), '')"
            " FROM chunks_fts_docsize WHERE id > ? AND id <= ?",
            (after, min(after + _BLOCK, last)),
        ).fetchone()
        if row is not None and row[0] is not None:
            words[np.fromstring(str(row[0]), dtype=np.int64, sep=" ")] = _sums(bytes.fromhex(str(row[1])))
    count = int(np.count_nonzero(words))
    return ChunkLengths(words, count, float(words.sum(dtype=np.int64)) / max(count, 1))


def _sums(sizes: bytes) -> "Sizes":
    """Return the summed lengths of both columns.

    They are decoded from the first four bytes of each chunk's two varints.

    A varint of SQLite has seven bits per byte; the highest bit says that another byte follows.
    """
    digits = np.frombuffer(sizes, dtype=np.uint8).reshape(-1, 4).astype(np.uint16)
    more = digits > _SEVEN_BITS
    low = digits & _SEVEN_BITS
    pairs = (low[:, :-1] << 7) | low[:, 1:]
    two = np.where(more[:, 1:], _LONGEST, pairs)  # three bytes or more exceed the longest length kept
    text = np.where(more[:, 0], two[:, 0], low[:, 0])
    grams = np.where(more[:, 0], np.where(more[:, 2], two[:, 2], low[:, 2]), np.where(more[:, 1], two[:, 1], low[:, 1]))
    sums: Sizes = np.clip(text + grams, 1, _LONGEST).astype(np.uint16)
    return sums
