"""Session similarity: sessions that resemble those that fit a message best. Pure functions.

A message that continues a topic says little about it. Its words find some session on the topic, the others are similar
to that one, and the latest of them is likely meant.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]

_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class SessionSimilarity:
    """Similarity between the owners of candidates: sessions, and memories each by itself.

    Args:
        owner: Index of each candidate's owner, from 0.
        alike: Cosine of each two owners' centred mean vectors, 0 where that is below 0, for an
            owner and itself, and for what has no vector.
    """

    owner: "Ints"
    alike: "NDArray[Any]"

    def of(self, scores: "Matrix", recent: "Matrix") -> "Matrix":
        """Return the similarity of each candidate's owner to the best, and its product with recency.

        Args:
            scores: Of the candidates; an owner has its best candidate's score, and owners are weighted by softmax.
            recent: Recency of the candidates, 0 to 1.
        """
        best = np.full(len(self.alike), -np.inf)
        np.maximum.at(best, self.owner, scores)
        chance = np.exp(best - best.max(initial=-np.inf))
        like = (self.alike.astype(np.float64) @ (chance / max(float(chance.sum()), _LEAST)))[self.owner]
        return np.stack([like, like * recent], axis=1)


def session_similarity(owner: "Ints", vectors: "NDArray[Any]") -> SessionSimilarity:
    """Return the similarity of owners by the mean of their candidates' vectors.

    Args:
        owner: Owner number of each candidate.
        vectors: Vectors of the candidates, zeros for none.
    """
    _, row = np.unique(owner, return_inverse=True)
    order = np.argsort(row, kind="stable")
    starts = np.flatnonzero(np.diff(row[order], prepend=-1))
    sums = np.add.reduceat(vectors[order], starts, axis=0) if len(row) else np.zeros((0, vectors.shape[1]))
    there = np.bincount(row, vectors.any(axis=1))
    middles = sums / np.maximum(there, 1)[:, None]
    middles = (middles - middles[there > 0].mean(axis=0) if there.any() else middles) * (there > 0)[:, None]
    middles /= np.maximum(np.linalg.norm(middles, axis=1), _LEAST)[:, None]
    alike = (middles @ middles.T).clip(0.0)
    np.fill_diagonal(alike, 0.0)
    return SessionSimilarity(row.astype(np.int64), alike)
