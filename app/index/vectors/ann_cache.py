"""Approximate vector index: quantized vectors of one generation, in memory and in a file.

The index is rebuilt whenever the file may be wrong.

It answers with ids and approximate cosines only. The caller looks the chunks up in the database, so deleted ones are
not found. While there is no such index, sqlite-vec answers exactly.
"""

import hashlib
import io
import json
import logging
import math
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import apsw
import numpy as np

from app.core.files import from_os
from app.core.regular_files import open_for_reading, open_replacing
from app.encryption.sealed_files import MAGIC as SEALED_MAGIC
from app.encryption.sealed_files import is_sealed, open_parts, sealed_parts
from app.encryption.vault_keys import is_plain_expected, key_for_encrypted_file, key_for_new_file
from app.errors import VaultDamagedError
from app.index.id_arrays import parse_ids
from app.index.vectors.quantization import (
    QuantizedVectors,
    Rotation,
    concatenate_codes,
    fit_rotation,
    quantize,
    without_ids,
)
from app.index.vectors.vector_repo import HAS_VECTOR, Generation
from app.store.vector_bytes import decode, encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]

_log = logging.getLogger(__name__)

FILE: Final = "vectors.cache"
MAX_BYTES: Final = 512 << 20
"""Size above which the index is not built, to save memory; the database answers then."""

_MAGIC: Final = b"keepsake vectors 1\n"
_SAMPLE: Final = 20_000
_ROWS_A_PART: Final = 16_384
_TAIL: Final = 16_384
_MAX_LOOKUPS: Final = 20_000
_SAVE_SHARE: Final = 0.02
_CHECKED: Final = 200
_MAPPED: Final = "numbers"
"""The largest array, of which a search reads little; it is mapped from the file."""
_MAPS: Final = os.name == "posix"  # other systems can neither replace nor delete a file in use
_BLOCK: Final = 1 << 20


class AnnCache:
    """Approximate vector index of one generation; safe to use from several threads.

    Args:
        folder: The folder of the file.
        least: The number of vectors from which the index is used.
    """

    def __init__(self, folder: Path, least: int) -> None:
        self._path = folder / FILE
        self._least = least
        self._lock = threading.Lock()
        self._generation = 0
        self._codes: QuantizedVectors | None = None
        self._tail: QuantizedVectors | None = None
        self._unsaved = 0
        self._discards = 0
        self._unchecked = 0

    def count(self) -> int:
        """Return how many vectors the index has."""
        return sum(len(part.ids) for part in (self._codes, self._tail) if part is not None)

    def nearest(
        self, generation: Generation, vector: bytes, k: int, allowed: "NDArray[np.bool_] | None" = None
    ) -> "tuple[Ids, Floats] | None":
        """Return about the ``k`` nearest chunks with their cosine, best first; ``None`` without an index.

        Args:
            generation: The generation to search.
            vector: The query, float32 little-endian, of length one.
            k: The number of chunks.
            allowed: The allowed chunk ids as a mask, none beyond its end; all when ``None``.
        """
        with self._lock:
            parts = [part for part in (self._codes, self._tail) if part is not None]
            if self._codes is None or self._generation != generation.id:
                return None
        query = np.frombuffer(vector, dtype="<f4")
        if not query.any():
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        nearest_of_parts = [part.nearest(query, k, allowed) for part in parts]
        if len(nearest_of_parts) == 1:
            return nearest_of_parts[0]
        ids, scores = (np.concatenate(column) for column in zip(*nearest_of_parts, strict=True))
        # If both parts have an id, the later vector counts.
        _, last = np.unique(ids[::-1], return_index=True)
        rows = len(ids) - 1 - last
        order = np.lexsort((-ids[rows], -scores[rows]))[:k]
        return ids[rows[order]], scores[rows[order]]

    def add(self, generation: Generation, stored: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors that were just stored, by chunk id."""
        with self._lock:
            if self._codes is None or self._generation != generation.id or not stored:
                return
            # As they are read from the database again, so that both always agree.
            codes = encode([vector for _, vector in stored])
            rounded = [(one, code) for (one, _), code in zip(stored, codes, strict=True)]
            part = _encoded(self._codes.frame, rounded, generation.dimensions)
            self._tail = part if self._tail is None else concatenate_codes([self._tail, part])
            if len(self._tail.ids) > max(_TAIL, len(self._codes.ids) // 16):
                self._codes, self._tail = concatenate_codes([self._codes, self._tail]), None
            self._unsaved += len(stored)
            self._unchecked += len(stored)

    def needs_refresh(self, generation: Generation, count: int) -> bool:
        """Return whether to call ``refresh``, given the approximate number of vectors in the database."""
        if count < self._least or count * _bytes_each(generation.dimensions) > MAX_BYTES:
            return False
        return self._codes is None or self._generation != generation.id or self._unchecked > max(1_000, count // 16)

    def refresh(self, connection: apsw.Connection, generation: Generation) -> None:
        """Bring the index up to date from memory, the file, or all vectors.

        Reading all vectors takes seconds.

        Nothing may be added meanwhile.

        Args:
            connection: A reader.
            generation: The active generation.
        """
        discards = self._discards
        before = self._whole(generation) or _read(self._path, generation)
        agreeing = None if before is None else _agreeing(connection, generation, before, _stored(connection))
        codes, tail = agreeing or (_built(connection, generation), None)
        late = 0 if tail is None else len(tail.ids)
        if tail is not None and late >= (len(codes.ids) + late) * _SAVE_SHARE:
            codes, tail = concatenate_codes([codes, tail]), None
        with self._lock:
            if self._discards != discards:
                return  # erased vectors may have been read; the next call reads again
            self._generation, self._codes, self._tail, self._unchecked = generation.id, codes, tail, 0
            self._unsaved = max(self._unsaved, late)
            # Deleted vectors must leave the file, even a single one.
            if before is None or not np.isin(before.ids, codes.ids, assume_unique=True).all():
                self._unsaved += len(codes.ids)
            self._save(generation, codes)

    def discard(self) -> None:
        """Delete all vectors in memory and in the file; the next ``refresh`` reads them again.

        Raises:
            MachineError: The file cannot be deleted.
        """
        with self._lock:
            self._codes = self._tail = None
            self._discards += 1
            for path in (self._path, self._path.with_suffix(".new")):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise from_os(error, path) from error

    def _whole(self, generation: Generation) -> QuantizedVectors | None:
        with self._lock:
            if self._codes is None or self._generation != generation.id:
                return None
            if self._tail is not None:
                self._codes, self._tail = concatenate_codes([self._codes, self._tail]), None
            return self._codes

    def _save(self, generation: Generation, codes: QuantizedVectors) -> None:
        if _header(self._path, generation) is not None and self._unsaved < len(codes.ids) * _SAVE_SHARE:
            return
        try:
            self._codes = _write(self._path, generation, codes)
            self._unsaved = 0 if self._tail is None else len(self._tail.ids)
        except OSError as error:
            # The only consequence is a slower next start.
            _log.info("the vectors' cache was not written: %s", error.strerror)


def _stored(connection: apsw.Connection) -> "Ids":
    """Return the ids of the chunks that have a vector, ascending."""
    sql = (
        f"SELECT group_concat(id, ' ') FROM chunks WHERE {HAS_VECTOR}"
        " AND id NOT IN (SELECT chunk_id FROM pending_vectors)"
    )
    return np.sort(parse_ids(connection.execute(sql).get))


def _agreeing(
    connection: apsw.Connection, generation: Generation, codes: QuantizedVectors, wanted: "Ids"
) -> tuple[QuantizedVectors, QuantizedVectors | None] | None:
    """Return ``codes`` limited to ``wanted``, and the missing vectors; ``None`` if too many are missing."""
    missing = np.setdiff1d(wanted, codes.ids, assume_unique=True)
    gone = np.setdiff1d(codes.ids, wanted, assume_unique=True)
    if len(missing) > min(_MAX_LOOKUPS, len(wanted) // 4):
        return None
    if len(gone):
        codes = without_ids(codes, gone)
    if not _matches_database(connection, generation, codes):
        return None
    rows = _read_vectors(connection, generation, missing)
    # Kept apart, because joining would copy all vectors into memory.
    return codes, _encoded(codes.frame, rows, generation.dimensions) if rows else None


def _matches_database(connection: apsw.Connection, generation: Generation, codes: QuantizedVectors) -> bool:
    """Return whether a sample of ``codes`` agrees with the database.

    A database restored from a backup assigns ids again, so the last ids of the file may mean other chunks.
    """
    step = max(len(codes.ids) // _CHECKED, 1)
    ids = np.union1d(codes.ids[::step], codes.ids[-_CHECKED:])
    ids, rows = _floats(_read_vectors(connection, generation, ids), generation.dimensions)
    at = np.searchsorted(codes.ids, ids)
    differences = np.abs(codes.numbers[at] * codes.scales[at][:, None] - rows).max(axis=1, initial=0.0)
    return bool((differences <= codes.scales[at]).all())


def _read_vectors(connection: apsw.Connection, generation: Generation, ids: "Ids") -> list[tuple[int, bytes]]:
    sql = f"SELECT embedding FROM {generation.table} WHERE chunk_id = ?"
    rows = ((one, connection.execute(sql, (one,)).get) for one in ids.tolist())
    return [(one, row) for one, row in rows if row is not None]


def _built(connection: apsw.Connection, generation: Generation) -> QuantizedVectors:
    rows = connection.execute(f"SELECT chunk_id, embedding FROM {generation.table}")
    width = generation.dimensions
    first = list(islice(rows, _SAMPLE))
    rotation = fit_rotation(_floats(first, width)[1] if first else np.zeros((1, width), dtype=np.float32))
    parts = [_encoded(rotation, first, width)]
    while part := list(islice(rows, _ROWS_A_PART)):
        parts.append(_encoded(rotation, part, width))
    return concatenate_codes(parts)


def _encoded(rotation: Rotation, stored: Sequence[tuple[int, bytes]], width: int) -> QuantizedVectors:
    return quantize(rotation, *_floats(stored, width))


def _floats(stored: Sequence[tuple[int, bytes]], width: int) -> "tuple[Ids, Floats]":
    """Return ascending ids and their vectors, of length one."""
    ordered = sorted(stored, key=lambda pair: pair[0])
    ids = np.array([one for one, _ in ordered], dtype=np.int64)
    return ids, decode([row for _, row in ordered], width)


def _bytes_each(width: int) -> int:
    return width + width // 8 + 12


# The file -----------------------------------------------------------------------------------------------------------


def _write(path: Path, generation: Generation, codes: QuantizedVectors) -> QuantizedVectors:
    """Write a new file in place of the old one; return its mapped vectors."""
    arrays = _arrays(codes)
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array).data)
    header = {
        "generation": generation.id,
        "dimensions": generation.dimensions,
        "digest": digest.hexdigest(),
        "arrays": {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()},
    }
    fresh = path.with_suffix(".new")
    begins = _MAGIC + json.dumps(header).encode() + b"\n"
    key = key_for_new_file(path)
    # A fixed name, so that ``discard`` finds the file of a killed writer.
    with os.fdopen(open_replacing(fresh), "wb") as file:
        parts = chain([memoryview(begins)], (np.ascontiguousarray(array).data for array in arrays.values()))
        for part in parts if key is None else sealed_parts(key, parts):
            file.write(part)
    if _MAPS and key is None:
        before = [array.nbytes for name, array in arrays.items()][: list(arrays).index(_MAPPED)]
        with open_for_reading(fresh) as file:
            codes = replace(codes, numbers=_mapped(file, len(begins) + sum(before), codes.numbers.shape))
    fresh.replace(path)
    return codes


def _parts(path: Path) -> Iterator[bytes]:
    """Yield the contents of a sealed file, nothing of a plain one."""
    with open_for_reading(path) as file:
        if not is_sealed(file.read(len(SEALED_MAGIC))):
            if not is_plain_expected(path):
                raise VaultDamagedError("The cache is plain, and its vault is encrypted.", path=str(path))
            return
        key = key_for_encrypted_file(path)
        if key is not None:
            file.seek(0)
            yield from open_parts(key, file)


def _mapped(file: BinaryIO, start: int, shape: Sequence[int]) -> "NDArray[np.int8]":
    """Return an array mapped from a file; bytes are read on demand.

    The file is only ever replaced, never truncated, so the mapping stays valid.
    """
    if not math.prod(shape):
        return np.zeros(shape, dtype=np.int8)
    place = file.tell()
    mapped = np.asarray(np.memmap(file, dtype=np.int8, mode="r", offset=start, shape=tuple(shape)))
    file.seek(place)
    return mapped


def _arrays(codes: QuantizedVectors) -> "dict[str, NDArray[Any]]":
    rotation = codes.frame.rotation
    return {
        "middle": codes.frame.middle,
        "rotation": np.zeros((0, 0), dtype=np.float32) if rotation is None else rotation,
        "ids": codes.ids,
        "bits": codes.bits,
        "numbers": codes.numbers,
        "scales": codes.scales,
    }


def _header(path: Path, generation: Generation) -> dict[str, Any] | None:
    """Return the header of the file if it is of this generation."""
    try:
        first = next(_parts(path), b"")
        with io.BytesIO(first) if first else open_for_reading(path) as file:
            if file.readline(64) != _MAGIC:
                return None
            header = json.loads(file.readline(4_096))
        return header if header["generation"] == generation.id else None
    except (OSError, ValueError, KeyError, TypeError, VaultDamagedError):
        return None


def _skip(file: BinaryIO, size: int, digest: "hashlib.blake2b") -> int:
    """Add the next ``size`` bytes to the digest and return their position.

    Raises:
        EOFError: The file has fewer bytes.
    """
    start = file.tell()
    while remaining := start + size - file.tell():
        block = file.read(min(remaining, _BLOCK))
        if not block:
            raise EOFError
        digest.update(block)
    return start


def _read(path: Path, generation: Generation) -> QuantizedVectors | None:
    """Return the vectors in the file.

    Return ``None`` if it is missing, damaged, or of another generation.
    """
    header = _header(path, generation)
    if header is None:
        return None
    try:
        digest, header_fields = hashlib.blake2b(digest_size=16), dict[str, Any]()
        sealed = b"".join(_parts(path))
        with io.BytesIO(sealed) if sealed else open_for_reading(path) as file:
            file.readline()
            file.readline()
            for name, (dtype, shape) in header["arrays"].items():
                if name == _MAPPED and _MAPS and not sealed:
                    header_fields[name] = _mapped(file, _skip(file, math.prod(shape), digest), shape)
                    continue
                size = math.prod(shape) * np.dtype(dtype).itemsize
                array = np.frombuffer(file.read(size), dtype=np.dtype(dtype)).reshape(shape)
                digest.update(array.data)
                header_fields[name] = array
        is_intact = digest.hexdigest() == header["digest"]
        rotation = Rotation(
            header_fields["middle"], header_fields["rotation"] if header_fields["rotation"].size else None
        )
        codes = QuantizedVectors(
            rotation, header_fields["ids"], header_fields["bits"], header_fields["numbers"], header_fields["scales"]
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, VaultDamagedError) as error:
        _log.info("the vectors' cache is damaged and made anew: %s", type(error).__name__)
        return None
    if not is_intact:
        _log.info("the vectors' cache is damaged and made anew")
    return codes if is_intact else None
