"""Hashed embedder for tests: equal texts get equal vectors, different texts unrelated ones.

The hash is BLAKE2b from Python's library; the original description uses BLAKE3.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.embed.model import EmbeddingIdentity
from app.embed.unit_vectors import unit_rows

if TYPE_CHECKING:
    from app.embed.model import Vectors

DIMENSIONS = 512
_FILLED = 64


class HashedEmbedder:
    """Embedder that expands a hash of the text to 512 numbers.

    The 32-byte hash gives 64 numbers; the others are zeros.
    """

    identity = EmbeddingIdentity("hashed", "blake2b-64", DIMENSIONS, "1")

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text; see :class:`app.embed.model.Embedder`."""
        out = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            if text.strip():
                row[:_FILLED] = _numbers(text)
        return unit_rows(out)

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, computed like that of any text."""
        row: Vectors = self.embed([text])[0]
        return row

    def close(self) -> None:
        """Do nothing, because there is no model to free."""


def _numbers(text: str) -> "Vectors":
    """Return 64 nonzero numbers between -1 and 1, derived from every byte of ``text``."""
    seed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    stream = b"".join(hashlib.blake2b(seed, salt=bytes([part])).digest() for part in range(2))
    return np.asarray((np.frombuffer(stream, dtype="<u2") + 0.5) / 32768 - 1, dtype=np.float32)
