"""Unit vectors from any input."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from app.embed.unit_vectors import unit_rows


@given(hnp.arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(1, 8)), elements=st.floats(width=32)))
def test_rows_are_unit_or_zero(rows: np.ndarray) -> None:
    out = unit_rows(rows)
    assert out.dtype == np.float32
    assert np.isfinite(out).all()
    lengths = np.linalg.norm(out.astype(np.float64), axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-5))


def test_direction_is_kept() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [3e38, 4e-38]], dtype=np.float32)
    assert np.allclose(unit_rows(rows), [[0.6, 0.8], [0, 0], [0, 0], [0, 0], [1, 0]])
