"""Quantized vectors: a bit and a byte per dimension, for fast scans.

The Hamming distance of rotated sign bits selects a few thousand of a million vectors; their bytes then give the cosine
to three digits. Nothing is trained, so vectors can be added at any time. The bit vectors of sqlite-vec and the index of
usearch were not tried as replacements.
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
"""Size of the shortlist: this number plus this share of all vectors. It finds 99 % of the nearest fifty."""
FEWEST: Final = 3_500
FEWEST_SHARE: Final = 1 / 20
"""Size of the shortlist in a smaller vault: this number plus this share of its vectors."""

_WORD_BITS: Final = 64
_ROTATED_MOST: Final = 1_024  # wider vectors would take seconds to rotate
_BLOCK: Final = 1 << 16  # a block of vectors whose bits fit the processor's cache
_SAMPLED: Final = 16
_TOGETHER: Final = 4
"""Words of 64 bits whose differences are summed in a byte. It overflows only if all 256 bits differ."""
_STEP: Final = 8_192
_BYTE_MOST: Final = 127


@dataclass(frozen=True, slots=True)
class Rotation:
    """Transformation before taking signs: centring, and a rotation that spreads information over all dimensions."""

    middle: "Floats"
    rotation: "Floats | None"

    def rotate(self, rows: "Floats") -> "Floats":
        """Return the rows centred and rotated."""
        centred: Floats = rows - self.middle
        return centred if self.rotation is None else np.asarray(centred @ self.rotation)


def fit_rotation(sample: "Floats") -> Rotation:
    """Return a rotation for vectors like those of ``sample``."""
    width = sample.shape[1]
    rotation = None
    if width <= _ROTATED_MOST:
        normal = np.random.default_rng(1).standard_normal((width, width))
        rotation = np.linalg.qr(normal)[0].astype(np.float32)
    return Rotation(sample.mean(axis=0, dtype=np.float64).astype(np.float32), rotation)


@dataclass(frozen=True, slots=True)
class QuantizedVectors:
    """Quantized vectors; immutable, and may share memory with others.

    Args:
        frame: The rotation applied before signs are taken.
        ids: Chunk ids, ascending.
        bits: Sign bits, a row for each 64 dimensions.
        numbers: Bytes, a row for each vector.
        scales: The value of a byte of 1 in each vector.
    """

    frame: Rotation
    ids: "Ids"
    bits: "NDArray[np.uint64]"
    numbers: "NDArray[np.int8]"
    scales: "Floats"

    def nearest(self, vector: "Floats", k: int, allowed: "NDArray[np.bool_] | None" = None) -> "tuple[Ids, Floats]":
        """Return the ids of about the ``k`` nearest with their cosine, best first.

        Args:
            vector: The query, of length one.
            k: The number of ids.
            allowed: The allowed ids as a mask, none beyond its end; all when ``None``.
        """
        rows = self._shortlist(vector, k) if allowed is None else self._allowed_shortlist(allowed, vector, k)
        scores = self._cosines(rows, vector)
        if len(rows) > k:
            nearest = np.argpartition(-scores, k - 1)[:k]
            rows, scores = rows[nearest], scores[nearest]
        order = np.lexsort((-self.ids[rows], -scores))
        return self.ids[rows[order]], scores[order]

    def _cosines(self, rows: "Ids", vector: "Floats") -> "Floats":
        scores = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _STEP):
            part = rows[start : start + _STEP]
            # Not a matrix product, because BLAS would start threads for work of a millisecond.
            scores[start : start + _STEP] = np.einsum("ij,j->i", np.take(self.numbers, part, axis=0), vector)
        return scores * self.scales[rows]

    def _allowed_shortlist(self, allowed: "NDArray[np.bool_]", vector: "Floats", k: int) -> "Ids":
        within = int(np.searchsorted(self.ids, len(allowed)))
        rows = np.flatnonzero(allowed[self.ids[:within]])
        most = _shortlist_size(len(rows), k)
        if len(rows) <= most:
            return np.asarray(rows)
        distances = self._distances(vector)[rows]
        return np.asarray(rows[np.argpartition(distances, most)[:most]])

    def _shortlist(self, vector: "Floats", k: int) -> "Ids":
        count = len(self.ids)
        most = _shortlist_size(count, k)
        if count <= most + most // 2:
            return np.arange(count)
        distances = self._distances(vector)
        sampled = np.cumsum(np.bincount(distances[::_SAMPLED]))
        limit = int(np.searchsorted(sampled, most / _SAMPLED))
        return np.flatnonzero(distances <= limit)

    def _distances(self, vector: "Floats") -> "NDArray[np.uint16]":
        """Return the Hamming distance of each vector to the query.

        The query's larger dimensions count twice.
        """
        rotated = self.frame.rotate(vector[None, :])[0]
        sign = _bits(rotated[None, :])[:, 0]
        size = np.abs(rotated)
        heavy = _bits((size > np.median(size))[None, :])[:, 0]
        count, planes = len(self.ids), len(self.bits)
        distances = np.zeros(count, dtype=np.uint16)
        differs = np.empty(_BLOCK, dtype=np.uint64)
        ones, plain, weighed = np.empty((3, _BLOCK), dtype=np.uint8)
        for start in range(0, count, _BLOCK):
            end = min(start + _BLOCK, count)
            block = slice(end - start)
            word, one, out = differs[block], ones[block], distances[start:end]
            for first in range(0, planes, _TOGETHER):
                plain[block], weighed[block] = 0, 0
                for plane in range(first, min(first + _TOGETHER, planes)):
                    np.bitwise_xor(self.bits[plane, start:end], sign[plane], out=word)
                    plain[block] += np.bitwise_count(word, out=one)
                    np.bitwise_and(word, heavy[plane], out=word)
                    weighed[block] += np.bitwise_count(word, out=one)
                out += plain[block]
                out += weighed[block]
        return distances


def _shortlist_size(count: int, k: int) -> int:
    """Return how many of ``count`` vectors are rescored to find the nearest ``k``."""
    return max(min(SHORTLIST, FEWEST + int(count * FEWEST_SHARE)) + int(count * SHORTLIST_SHARE), 4 * k)


def quantize(rotation: Rotation, ids: "Ids", rows: "Floats") -> QuantizedVectors:
    """Return quantized vectors.

    Args:
        rotation: The rotation.
        ids: The ids of the vectors, ascending.
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
        bits[:, start : start + _STEP] = _bits(rotation.rotate(part))
    return QuantizedVectors(rotation, ids, bits, numbers, scales)


def concatenate_codes(parts: "list[QuantizedVectors]") -> QuantizedVectors:
    """Return the vectors of all ``parts``, which share a rotation; the last part counts."""
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
    """Return the vectors without those of ``ids``."""
    mask = ~np.isin(codes.ids, ids)
    return QuantizedVectors(
        codes.frame,
        codes.ids[mask],
        np.ascontiguousarray(codes.bits[:, mask]),
        codes.numbers[mask],
        codes.scales[mask],
    )


def _words(width: int) -> int:
    return -(-width // _WORD_BITS)


def _bits(rows: "NDArray[Any]") -> "NDArray[np.uint64]":
    """Return the bits of positive numbers.

    The result has a row for each 64 dimensions and a column for each vector.
    """
    padded = np.zeros((len(rows), _words(rows.shape[1]) * _WORD_BITS), dtype=np.bool_)
    padded[:, : rows.shape[1]] = rows > 0
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)
