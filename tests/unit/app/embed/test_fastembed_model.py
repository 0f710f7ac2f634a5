"""Sentence models from this machine's files, never from the network."""

from pathlib import Path

import numpy as np
import pytest

from app.embed.model import Embedder
from app.embed.registry import open_embedder
from app.errors import InputError, ModelUnavailableError
from tests.unit.app.embed.conftest import MINILM


def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="sentence-transformers/all-MiniLM-L6-v2"):
        open_embedder("fastembed:nobody/nothing")


def test_a_model_that_is_not_in_the_cache(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="not on this machine"):
        open_embedder(MINILM, cache=tmp_path)


def test_a_folder_without_the_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx"):
        open_embedder(MINILM, folder=tmp_path)


def test_a_folder_with_a_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError, match="damaged"):
        open_embedder(MINILM, folder=tmp_path)


def test_the_published_cosines(minilm: Embedder) -> None:
    rows = minilm.embed(
        ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    )
    assert rows.shape == (4, 384)
    assert rows.dtype == np.float32
    assert np.allclose(rows @ rows[0], [1, 0.695, 0.943, 0.257], atol=6e-4)


def test_empty_texts_are_zero_and_the_others_keep_their_places(minilm: Embedder) -> None:
    rows = minilm.embed(["", "a garden", " \n", "a \x00 strange \ud800 garden"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [0, 1, 0, 1], atol=1e-5)
    assert np.allclose(rows[1], minilm.embed_query("a garden"), atol=1e-5)
    assert minilm.embed([]).shape == (0, 384)


def test_the_identity_names_the_files(minilm: Embedder, minilm_folder: Path) -> None:
    again = open_embedder(MINILM.lower(), folder=minilm_folder)
    assert again.identity == minilm.identity
    assert again.identity.model == "sentence-transformers/all-MiniLM-L6-v2"
    again.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        again.embed(["a"])
