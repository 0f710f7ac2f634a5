"""Unit vectors: the scaling that every embedder applies to its rows."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.embed.model import Vectors


def unit_rows(rows: "Vectors") -> "Vectors":
    """Return the rows scaled to length one.

    A row without direction (zero, or not finite) becomes zero.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    usable = np.isfinite(lengths) & (lengths > np.finfo(np.float32).tiny)
    factors = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=usable)
    out = np.where(usable[:, None], rows, np.float32(0)) * factors.astype(np.float32)[:, None]
    return np.asarray(out, dtype=np.float32)
