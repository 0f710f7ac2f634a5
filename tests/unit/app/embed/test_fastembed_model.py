"""Sentence models from this machine's files, never from the network."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.embed.batching import MAX_TEXTS
from app.embed.embedder_factory import open_embedder
from app.embed.fastembed_model import FastembedEmbedder
from app.embed.model import Embedder
from app.errors import InputError, ModelUnavailableError
from tests.unit.app.embed.conftest import MINILM
from tests.unit.app.embed.rerank_model import write_rerank_model
from tests.unit.app.embed.sentence_model import write_sentence_model

WORDS = ("a", "garden", "boat", "lake")


def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="sentence-transformers/all-MiniLM-L6-v2"):
        open_embedder("fastembed:nobody/nothing")


def test_a_model_that_is_not_in_the_cache(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="not on this machine"):
        open_embedder(MINILM, cache=tmp_path)


def test_a_folder_without_the_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx"):
        open_embedder(MINILM, folder=tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"should lie in .*nowhere, which is not there"):
        open_embedder(MINILM, folder=tmp_path / "nowhere")


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
def test_a_folder_without_one_of_the_files(tmp_path: Path, file: str) -> None:
    folder = write_sentence_model(tmp_path / "gazer", WORDS)
    (folder / file).unlink()
    with pytest.raises(ModelUnavailableError, match=f"holds no {file}, which the model"):
        open_embedder(MINILM, folder=folder)


def test_a_folder_with_a_damaged_model(tmp_path: Path) -> None:
    folder = write_sentence_model(tmp_path / "gazer", WORDS)
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError, match="damaged"):
        open_embedder(MINILM, folder=folder)


def test_a_folder_with_another_model(tmp_path: Path) -> None:
    judge = write_rerank_model(tmp_path / "judge")
    (judge / "onnx" / "model.onnx").rename(judge / "model.onnx")
    for folder in (judge, write_sentence_model(tmp_path / "gazer", WORDS, dimensions=512)):
        with pytest.raises(ModelUnavailableError, match=r"not those of the model .*MiniLM-L6-v2, but another one's"):
            open_embedder(MINILM, folder=folder)


def test_rows_stand_where_their_texts_do(tmp_path: Path) -> None:
    embedder = open_embedder(MINILM, folder=write_sentence_model(tmp_path / "gazer", WORDS))
    texts = [" ".join([WORDS[number % 4]] * (number * 37 % 300)) for number in range(100)]
    rows = embedder.embed(texts)
    for number, text in enumerate(texts):
        assert (rows[number].argmax() == 2 + number % 4) == bool(text)
        assert np.allclose(rows[number], embedder.embed_query(text))
    assert not embedder.embed_query(" \n").any()


def test_a_model_that_breaks_while_it_embeds(tmp_path: Path) -> None:
    embedder = open_embedder(MINILM, folder=write_sentence_model(tmp_path / "gazer", WORDS))
    assert isinstance(embedder, FastembedEmbedder)
    embedder._model.model.model = object()
    with pytest.raises(ModelUnavailableError, match=r"all-MiniLM-L6-v2 failed; see that the machine has memory"):
        embedder.embed(["a"])


def test_a_question_does_not_wait_for_documents(tmp_path: Path) -> None:
    embedder = open_embedder(MINILM, folder=write_sentence_model(tmp_path / "gazer", WORDS))
    assert isinstance(embedder, FastembedEmbedder)
    with embedder._lock:
        assert embedder.embed_query("garden").argmax() == 3


def test_half_of_the_machine_is_left_to_others(tmp_path: Path) -> None:
    folder = write_sentence_model(tmp_path / "gazer", WORDS)
    for threads, used in ((None, max(1, (os.cpu_count() or 2) // 2)), (3, 3)):
        embedder = open_embedder(MINILM, folder=folder, threads=threads)
        assert isinstance(embedder, FastembedEmbedder)
        assert embedder._model.model.model.get_session_options().intra_op_num_threads == used
        embedder.close()


def test_closing_ends_what_is_under_way(tmp_path: Path) -> None:
    embedder = open_embedder(MINILM, folder=write_sentence_model(tmp_path / "gazer", WORDS))
    assert isinstance(embedder, FastembedEmbedder)
    passage_embed, seen = embedder._model.passage_embed, list[int]()

    def closing(texts: list[str], **options: int) -> Any:
        seen.append(len(texts))
        embedder.close()
        return passage_embed(texts, **options)

    embedder._model.passage_embed = closing
    with pytest.raises(ModelUnavailableError, match="closed"):
        embedder.embed(["garden"] * 100)
    assert seen == [MAX_TEXTS]


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
