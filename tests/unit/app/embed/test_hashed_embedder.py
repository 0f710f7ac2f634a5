"""The deterministic embedder: equal or not, nothing in between, and the same for ever."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.embed.hashed_embedder import HashedEmbedder

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)


@given(st.lists(ANY_TEXT, max_size=6))
def test_rows_are_unit_or_zero_and_do_not_depend_on_the_batch(texts: list[str]) -> None:
    embedder = HashedEmbedder()
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), 512)
    assert rows.dtype == np.float32
    for row, text in zip(rows, texts, strict=True):
        assert abs(np.linalg.norm(row) - bool(text.strip())) < 1e-5
        assert np.array_equal(row, embedder.embed_query(text))


def test_only_equal_texts_are_near() -> None:
    rows = HashedEmbedder().embed(["a garden", "a garden", "a garden.", "the garden"])
    cosines = rows @ rows[0]
    assert cosines[1] > 0.9999
    assert np.abs(cosines[2:]).max() < 0.6


def test_sixty_four_numbers_then_zeros() -> None:
    row = HashedEmbedder().embed_query("a garden")
    assert np.count_nonzero(row[:64]) == 64
    assert not row[64:].any()


def test_vectors_stay_what_they_were() -> None:
    row = HashedEmbedder().embed_query("a garden")
    assert np.allclose(row[:4], [0.0752985, -0.0536479, 0.0495023, 0.140085], atol=1e-6)


def test_it_is_the_same_after_closing() -> None:
    embedder = HashedEmbedder()
    embedder.close()
    assert embedder.embed(["a"]).any()
