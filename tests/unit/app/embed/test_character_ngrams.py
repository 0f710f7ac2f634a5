"""Character n-grams: text is split into Latin and other scripts without loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embed import character_ngrams


@pytest.mark.parametrize(
    ("text", "latin", "runs"),
    [
        ("plain words", "plain words", []),
        ("“naïve” – Łódź, tiếng Việt, 5 €", "“naïve” – Łódź, tiếng Việt, 5 €", []),
        ("we saw 北京 today", "we saw   today", ["北京"]),
        ("Привет, Мир!", " ,  !", ["привет", "мир"]),
        ("ＡＢＣ", "ABC", []),
        ("ok 👍🏿", "ok  ", ["👍🏿"]),
    ],
)
def test_split(text: str, latin: str, runs: list[str]) -> None:
    assert character_ngrams.split(text) == (latin, runs)


@given(st.text(max_size=100))
def test_split_grows_no_text(text: str) -> None:
    latin, runs = character_ngrams.split(text)
    assert len(latin) <= max(2 * len(text), 0)
    assert all(runs)


@given(st.lists(st.text("漢字кириллицаไทย한글🎉", min_size=1, max_size=20), max_size=5))
def test_a_vector_is_the_sum_of_its_runs(runs: list[str]) -> None:
    total = character_ngrams.vector(runs)
    assert total.shape == (256,)
    assert total.dtype == np.float32
    parts = np.sum([character_ngrams.vector([run]) for run in runs], axis=0) if runs else np.zeros(256)
    assert np.allclose(total, parts, atol=1e-4)


def test_no_runs_are_zero() -> None:
    assert not character_ngrams.vector([]).any()
