"""Vectors made small enough to look at all of them: a bit and a byte for each number.

The bits of a rotated vector, counted where they differ from the question's, choose a few thousand of a million; their
bytes then give the cosine to three digits. Nothing is trained, so vectors are added as they come.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]

SHORTLIST: Final = 8_000
SHORTLIST_SHARE: Final = 1 / 128
"""How many are looked at closely: so many, and this share of all; finds 99 % of the nearest fifty and more."""
FEWEST: Final = 3_500
FEWEST_SHARE: Final = 1 / 20
"""Where there are fewer vectors, so many and this share of them are enough for that."""

_WORD_BITS: Final = 64
_ROTATED_MOST: Final = 1_024  # wider vectors would take seconds to rotate
_BLOCK: Final = 1 << 16  # vectors whose bits fit the processor's cache
_SAMPLED: Final = 16
_TOGETHER: Final = 4
"""Words of 64 bits whose differences a byte adds up; where all 256 differ it begins anew, and the bytes tell later."""
_STEP: Final = 8_192
_BYTE_MOST: Final = 127


@dataclass(frozen=True, slots=True)
class Rotation:
    """How vectors are made bits: their middle, and a rotation that spreads what they say over all bits."""

    middle: "Floats"
    rotation: "Floats | None"

    def turned(self, rows: "Floats") -> "Floats":
        """Return rows around the middle, rotated."""
        centred: Floats = rows - self.middle
        return centred if self.rotation is None else np.asarray(centred @ self.rotation)


def fit_rotation(sample: "Floats") -> Rotation:
    """Return the frame for vectors like those of ``sample``."""
    width = sample.shape[1]
    rotation = None
    if width <= _ROTATED_MOST:
        normal = np.random.default_rng(1).standard_normal((width, width))
        rotation = np.linalg.qr(normal)[0].astype(np.float32)
    return Rotation(sample.mean(axis=0, dtype=np.float64).astype(np.float32), rotation)


@dataclass(frozen=True, slots=True)
class QuantizedVectors:
    """So many vectors, made small; adding gives another one that may share memory with it.

    Args:
        ids: Chunk ids, ascending.
        bits: A row for each 64 dimensions.
        numbers: A row of bytes for each vector.
        scales: What a byte of each vector is worth.
    """

    frame: Rotation
    ids: "Ids"
    bits: "NDArray[np.uint64]"
    numbers: "NDArray[np.int8]"
    scales: "Floats"

    def nearest(self, vector: "Floats", k: int, allowed: "NDArray[np.bool_] | None" = None) -> "tuple[Ids, Floats]":
        """Return the ids of about the ``k`` nearest with their cosine, best first.

        Args:
            vector: The question, of length one.
            k: How many.
            allowed: Which ids, none beyond its end; all when ``None``.
        """
        rows = self._shortlist(vector, k) if allowed is None else self._of(allowed, vector, k)
        scores = self._cosines(rows, vector)
        if len(rows) > k:
            kept = np.argpartition(-scores, k - 1)[:k]
            rows, scores = rows[kept], scores[kept]
        order = np.lexsort((-self.ids[rows], -scores))
        return self.ids[rows[order]], scores[order]

    def _cosines(self, rows: "Ids", vector: "Floats") -> "Floats":
        scores = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _STEP):
            part = rows[start : start + _STEP]
            # Not a matrix product: its library would start threads for what one does in a millisecond.
            scores[start : start + _STEP] = np.einsum("ij,j->i", np.take(self.numbers, part, axis=0), vector)
        return scores * self.scales[rows]

    def _of(self, allowed: "NDArray[np.bool_]", vector: "Floats", k: int) -> "Ids":
        within = int(np.searchsorted(self.ids, len(allowed)))
        rows = np.flatnonzero(allowed[self.ids[:within]])
        most = _most(len(rows), k)
        if len(rows) <= most:
            return np.asarray(rows)
        apart = self._apart(vector)[rows]
        return np.asarray(rows[np.argpartition(apart, most)[:most]])

    def _shortlist(self, vector: "Floats", k: int) -> "Ids":
        count = len(self.ids)
        most = _most(count, k)
        if count <= most + most // 2:
            return np.arange(count)
        apart = self._apart(vector)
        sampled = np.cumsum(np.bincount(apart[::_SAMPLED]))
        limit = int(np.searchsorted(sampled, most / _SAMPLED))
        return np.flatnonzero(apart <= limit)

    def _apart(self, vector: "Floats") -> "NDArray[np.uint16]":
        """Return in how many bits each differs from the question, those where it says most counted twice."""
        turned = self.frame.turned(vector[None, :])[0]
        sign = _bits(turned[None, :])[:, 0]
        size = np.abs(turned)
        heavy = _bits((size > np.median(size))[None, :])[:, 0]
        count, planes = len(self.ids), len(self.bits)
        apart = np.zeros(count, dtype=np.uint16)
        differs = np.empty(_BLOCK, dtype=np.uint64)
        ones, plain, weighed = np.empty((3, _BLOCK), dtype=np.uint8)
        for start in range(0, count, _BLOCK):
            end = min(start + _BLOCK, count)
            block = slice(end - start)
            word, one, out = differs[block], ones[block], apart[start:end]
            for first in range(0, planes, _TOGETHER):
                plain[block], weighed[block] = 0, 0
                for plane in range(first, min(first + _TOGETHER, planes)):
                    np.bitwise_xor(self.bits[plane, start:end], sign[plane], out=word)
                    plain[block] += np.bitwise_count(word, out=one)
                    np.bitwise_and(word, heavy[plane], out=word)
                    weighed[block] += np.bitwise_count(word, out=one)
                out += plain[block]
                out += weighed[block]
        return apart


def _most(count: int, k: int) -> int:
    """Return how many of ``count`` vectors are looked at closely to find ``k``."""
    return max(min(SHORTLIST, FEWEST + int(count * FEWEST_SHARE)) + int(count * SHORTLIST_SHARE), 4 * k)


def quantize(around: Rotation, ids: "Ids", rows: "Floats") -> QuantizedVectors:
    """Return vectors made small.

    Args:
        around: The frame.
        ids: Of the vectors, ascending.
        rows: The vectors, of length one or zero.
    """
    numbers = np.empty(rows.shape, dtype=np.int8)
    scales = np.empty(len(rows), dtype=np.float32)
    bits = np.empty((_words(rows.shape[1]), len(rows)), dtype=np.uint64)
    for start in range(0, len(rows), _STEP):
        part = rows[start : start + _STEP]
        scale = np.maximum(np.abs(part).max(axis=1) / _BYTE_MOST, np.finfo(np.float32).tiny)
        scales[start : start + _STEP] = scale
        numbers[start : start + _STEP] = np.rint(part / scale[:, None])
        bits[:, start : start + _STEP] = _bits(around.turned(part))
    return QuantizedVectors(around, ids, bits, numbers, scales)


def concatenate_codes(parts: "list[QuantizedVectors]") -> QuantizedVectors:
    """Return the codes of all ``parts``, which share their frame; of an id that is in several, the last."""
    if len(parts) == 1:
        return parts[0]
    ids = np.concatenate([part.ids for part in parts])
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    is_last = np.append(ordered[1:] != ordered[:-1], True)
    chosen = order[is_last]
    return QuantizedVectors(
        parts[0].frame,
        ids[chosen],
        np.ascontiguousarray(np.concatenate([part.bits for part in parts], axis=1)[:, chosen]),
        np.concatenate([part.numbers for part in parts])[chosen],
        np.concatenate([part.scales for part in parts])[chosen],
    )


def without_ids(codes: QuantizedVectors, ids: "Ids") -> QuantizedVectors:
    """Return ``codes`` without the vectors of ``ids``."""
    kept = ~np.isin(codes.ids, ids)
    return QuantizedVectors(
        codes.frame,
        codes.ids[kept],
        np.ascontiguousarray(codes.bits[:, kept]),
        codes.numbers[kept],
        codes.scales[kept],
    )


def _words(width: int) -> int:
    return -(-width // _WORD_BITS)


def _bits(rows: "NDArray[Any]") -> "NDArray[np.uint64]":
    """Return which numbers are above zero: a row for each 64 of them, a column for each vector."""
    padded = np.zeros((len(rows), _words(rows.shape[1]) * _WORD_BITS), dtype=np.bool_)
    padded[:, : rows.shape[1]] = rows > 0
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)
