"""Small vectors find the near ones that large ones find."""

import numpy as np
import pytest

from app.index.vectors.quantization import QuantizedVectors, concatenate_codes, fit_rotation, quantize, without_ids

WIDTH = 96


def rows(count: int, seed: int = 1, width: int = WIDTH) -> np.ndarray:
    random = np.random.default_rng(seed)
    around = random.standard_normal((40, width))
    made = around[random.integers(0, 40, count)] + 0.6 * random.standard_normal((count, width))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def codes(vectors: np.ndarray, first: int = 1) -> QuantizedVectors:
    return quantize(fit_rotation(vectors[:2_000]), np.arange(first, first + len(vectors)), vectors)


def test_of_many_nearly_all_of_the_nearest_are_found() -> None:
    vectors, requested = rows(60_000), rows(20, seed=1)[:20]
    small = codes(vectors)
    shares = []
    for one in requested:
        exact = np.argsort(-(vectors @ one))[:50] + 1
        found, scores = small.nearest(one, 50)
        assert list(scores) == sorted(scores, reverse=True)
        shares.append(len(np.intersect1d(exact, found)) / 50)
    assert np.mean(shares) >= 0.95


def test_the_cosine_is_right_to_three_digits() -> None:
    vectors = rows(3_000)
    found, scores = codes(vectors).nearest(vectors[7], 10)
    assert found[0] == 8
    np.testing.assert_allclose(scores, vectors[found - 1] @ vectors[7], atol=0.003)


def test_only_what_is_allowed_is_found() -> None:
    vectors = rows(500)
    for length, wanted in ((10_000, {3, 5, 400}), (401, {3, 5, 400}), (400, {3, 5}), (6, {3, 5})):
        allowed = np.zeros(length, dtype=np.bool_)
        allowed[[one for one in (3, 5, 400, 9_999) if one < length]] = True
        found, _ = codes(vectors).nearest(vectors[0], 10, allowed)
        assert set(found.tolist()) == wanted
    found, _ = codes(vectors).nearest(vectors[0], 10, np.zeros(0, dtype=np.bool_))
    assert not len(found)


def test_parts_joined_are_the_whole_and_the_later_wins() -> None:
    vectors = rows(400)
    whole = codes(vectors)
    around = whole.frame
    again = quantize(around, np.array([5]), vectors[300:301])
    parts = [
        quantize(around, np.arange(201, 401), vectors[200:]),
        quantize(around, np.arange(1, 201), vectors[:200]),
        again,
    ]
    both = concatenate_codes(parts)
    assert both.ids.tolist() == whole.ids.tolist()
    assert set(both.nearest(vectors[300], 2)[0].tolist()) == {5, 301}
    assert 301 not in without_ids(both, np.array([301])).nearest(vectors[300], 400)[0]


@pytest.mark.parametrize("width", [1, 63, 64, 65, 1_025])
def test_any_width_serves(width: int) -> None:
    vectors = rows(300, width=width)
    found, _ = codes(vectors).nearest(vectors[0], 300)
    assert len(found) == 300


def test_a_vector_without_direction_harms_nobody() -> None:
    vectors = rows(100)
    vectors[3] = 0
    found, scores = codes(vectors).nearest(vectors[0], 100)
    assert np.isfinite(scores).all()
    assert found[0] == 1
