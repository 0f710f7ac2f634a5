"""Session similarity: which conversations are like the best ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from app.retrieval.ranking.session_similarity import session_similarity

OWNER = np.array([7, 7, -2, 9, 4])
VECTORS = np.array([[1, 0, 0], [0.8, 0.2, 0], [0, 1, 0], [0.9, 0.1, 0], [0, 0, 0]], dtype=np.float32)


def test_like_the_best_is_what_speaks_of_the_same() -> None:
    found = session_similarity(OWNER, VECTORS).of(np.array([9.0, 0, 0, 0, 0]), np.array([1.0, 1, 1, 0.5, 1]))
    like, recent = found.T
    assert like[0] == like[1]  # of one conversation
    assert like[3] > 0.9 > like[2]
    assert recent[3] == pytest.approx(like[3] / 2)


def test_similarity_to_itself_and_without_a_vector_is_zero() -> None:
    alike = session_similarity(OWNER, VECTORS).alike
    assert np.diag(alike).tolist() == [0] * 4
    number = sorted(set(OWNER.tolist())).index(4)
    assert not alike[number].any()
    assert not alike[:, number].any()


def test_without_vectors_or_candidates_is_nothing() -> None:
    zeros = np.zeros(5)
    assert not session_similarity(OWNER, np.zeros((5, 3), dtype=np.float32)).of(zeros, zeros).any()
    assert session_similarity(OWNER[:0], VECTORS[:0]).of(zeros[:0], zeros[:0]).shape == (0, 2)


@given(
    arrays.arrays(np.int64, 6, elements=st.integers(-3, 3)),
    arrays.arrays(np.float32, (6, 4), elements=st.floats(-1, 1, width=32)),
    arrays.arrays(np.float64, 6, elements=st.floats(-50, 50)),
)
def test_it_is_a_share(owner: np.ndarray, vectors: np.ndarray, scores: np.ndarray) -> None:
    found = session_similarity(owner, vectors).of(scores, np.ones(6))
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found <= 1 + 1e-5).all()
