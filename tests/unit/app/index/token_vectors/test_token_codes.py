"""Codes of token vectors: small, and near to what they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.index.token_vectors import token_codes


def unit_rows(count: int, dimensions: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(count=st.integers(0, 300), dimensions=st.sampled_from([8, 96, 128, 384, 1024]), seed=st.integers(0, 99))
def test_codes_are_small_and_near(count: int, dimensions: int, seed: int) -> None:
    rows = unit_rows(count, dimensions, seed)
    code = token_codes.encode(rows)
    assert len(code) <= token_codes.MOST_BYTES
    decoded, counts = token_codes.decode([code], dimensions)
    assert counts.tolist() == [len(decoded)]
    assert np.linalg.norm(decoded, axis=1) == pytest.approx(np.ones(len(decoded)), abs=1e-5)
    if len(decoded) == count:
        least = {8: 0.9, 96: 0.95, 128: 0.8, 384: 0.7, 1024: 0.75}[dimensions]
        assert count == 0 or np.einsum("ij,ij->i", rows, decoded).min() > least


def test_a_long_text_keeps_the_means_of_neighbouring_tokens() -> None:
    rows = np.repeat(unit_rows(20, 384), 10, axis=0)
    decoded, _ = token_codes.decode([token_codes.encode(rows)], 384)
    assert len(decoded) == token_codes.MOST_BYTES // 48
    question = unit_rows(20, 384)
    assert (question @ decoded.T).max(axis=1) == pytest.approx(np.full(20, 0.8), abs=0.1)
    # They stay in their order.
    nearest = (decoded @ question.T).argmax(axis=1)
    assert nearest.tolist() == sorted(nearest.tolist())


@given(lengths=st.lists(st.integers(0, 6), max_size=8), seed=st.integers(0, 99))
def test_scores_are_the_sum_of_the_best_matches(lengths: list[int], seed: int) -> None:
    texts = [unit_rows(length, 96, seed + place) for place, length in enumerate(lengths)]
    question = unit_rows(5, 96, 1000 + seed)
    codes = [token_codes.encode(rows) for rows in texts]
    expected = []
    for code in codes:
        rows = token_codes.decode([code], 96)[0]
        expected.append(sum(max(float(token @ row) for row in rows) for token in question) if len(rows) else 0.0)
    assert token_codes.max_similarities(question, codes) == pytest.approx(expected, abs=1e-4)
