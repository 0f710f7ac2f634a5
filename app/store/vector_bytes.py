"""Stored form of vectors: a signed byte for each dimension.

A vector is scaled so that its largest number becomes 127, because sqlite-vec compares by cosine, for which the length
does not matter. Cosines of 256 dimensions are then right to about a thousandth, in a quarter of the space of floats.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import apsw
import numpy as np

from app.errors import VaultDamagedError
from app.sentence import Sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMN_TYPE: Final = "int8"
"""The type of the stored numbers, in words of sqlite-vec."""
_MOST: Final = 127
_ROWS_AT_ONCE: Final = 4_096


def encode(vectors: Sequence[bytes]) -> list[bytes]:
    """Return vectors of equal length, float32 little-endian, as signed bytes."""
    encoded: list[bytes] = []
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part = vectors[start : start + _ROWS_AT_ONCE]
        rows = np.frombuffer(b"".join(part), dtype="<f4").reshape(len(part), -1)
        largest = np.abs(rows).max(axis=1, initial=0.0)
        # Whatever is no number, as in a damaged vector, has no direction.
        is_usable = np.isfinite(largest) & (largest > 0)
        # Divided first: 127 over a number near the smallest there are is more than a float can hold.
        scaled = np.where(is_usable[:, None], rows, 0.0) / np.where(is_usable, largest, 1.0)[:, None] * _MOST
        encoded += [row.tobytes() for row in np.rint(scaled).astype(np.int8)]
    return encoded


def decode(stored: Sequence[bytes], dimensions: int) -> "NDArray[np.float32]":
    """Return stored vectors with length one, a row each; one without a direction stays zero."""
    rows = np.frombuffer(b"".join(stored), dtype=np.int8).reshape(len(stored), dimensions).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return (rows / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)


def as_stored(vector: bytes) -> bytes:
    """Return one vector as it is compared with stored ones; see ``encode``."""
    return encode([vector])[0]


def convert_tables(connection: apsw.Connection) -> None:
    """Convert the floats of an older vault, in the caller's transaction.

    The blobs in which sqlite-vec keeps the vectors are rewritten where they are: to store a million of them anew would
    take a minute, and twice the space.

    Raises:
        VaultDamagedError: A blob does not hold whole vectors.
    """
    rows = connection.execute(
        "SELECT g.id, g.dimensions FROM generations g JOIN sqlite_schema s"
        " ON s.name = 'vectors_' || g.id WHERE s.sql LIKE '%float[%'"
    ).fetchall()
    for number, dimensions in rows:
        _convert(connection, f"vectors_{int(str(number))}_vector_chunks00", int(str(dimensions)))
    if rows:
        connection.pragma("writable_schema", True)
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ' float[', ' int8[') WHERE type = 'table' AND name IN"
            " (SELECT 'vectors_' || id FROM generations)"
        )
        connection.execute("PRAGMA writable_schema = RESET")


def _convert(connection: apsw.Connection, table: str, dimensions: int) -> None:
    width = dimensions * 4
    for (row,) in connection.execute(f"SELECT rowid FROM {table}").fetchall():
        block = connection.execute(f"SELECT vectors FROM {table} WHERE rowid = ?", (row,)).get
        if not isinstance(block, bytes) or not block or len(block) % width:
            raise VaultDamagedError(
                Sentence("Block {row} of {table} does not hold whole vectors.", row=row, table=table)
            )
        rows = [block[start : start + width] for start in range(0, len(block), width)]
        connection.execute(f"UPDATE {table} SET vectors = ? WHERE rowid = ?", (b"".join(encode(rows)), row))
