"""Rerankers from this machine's files."""

from pathlib import Path

import pytest

from app.embed.fastembed_reranker import FastembedReranker
from app.errors import InputError, ModelUnavailableError
from tests.unit.app.embed.rerank_model import write_late_interaction_model, write_rerank_model

MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"


def test_a_model_nobody_knows() -> None:
    with pytest.raises(InputError, match=MODEL):
        FastembedReranker("no/body").scores("q", ["a"])


def test_a_model_that_is_not_here(tmp_path: Path) -> None:
    judge = FastembedReranker(MODEL, cache=tmp_path)
    for _ in range(2):
        with pytest.raises(
            ModelUnavailableError, match=r"embedding\.allow_download .*, or leave search\.reranker empty"
        ):
            judge.scores("q", ["a"])


def test_a_damaged_model(tmp_path: Path) -> None:
    folder = write_rerank_model(tmp_path / "judge")
    (folder / "onnx" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError, match=r"damaged; .* or leave search\.reranker empty"):
        FastembedReranker(MODEL, folder=folder).scores("q", ["a"])


def test_a_model_that_breaks_while_it_judges(tmp_path: Path) -> None:
    folder = write_rerank_model(tmp_path / "judge")
    judge = FastembedReranker(MODEL, folder=folder)
    judge.scores("q", ["a"])
    judge._model.model.model = object()
    with pytest.raises(ModelUnavailableError, match="failed; results keep their original order"):
        judge.scores("q", ["a"])


def test_scores_of_texts_in_their_order(tmp_path: Path) -> None:
    judge = FastembedReranker(MODEL, folder=write_rerank_model(tmp_path / "judge"))
    scores = judge.scores("a question", ["one", "one two three", "", "one \x00 two \ud800"])
    assert scores[3] > scores[1] > scores[0] > scores[2]
    assert judge.scores("a question", []) == []
    assert len(judge.scores("q", [f"text {number}" for number in range(50)])) == 50
    lengths = [number * 37 % 300 for number in range(50)]
    scores = judge.scores("q", [" ".join(["word"] * length) for length in lengths])
    assert [score - scores[0] for score in scores] == lengths
    judge.close()
    judge.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        judge.scores("q", ["a"])


def test_late_interaction_counts_the_words_that_a_text_shares(tmp_path: Path) -> None:
    folder = write_late_interaction_model(tmp_path / "interaction", ("boat", "harbour", "red", "storm"))
    judge = FastembedReranker("answerdotai/answerai-colbert-small-v1", folder=folder)
    texts = ["harbour", "a red boat in the harbour", "!", "boat boat boat", "storm"]
    scores = judge.scores("red boat harbour", texts)
    assert scores == pytest.approx([1, 3, 0, 1, 0])
    assert judge.scores("storm", texts) == pytest.approx([0, 0, 0, 0, 1])
    many = ["boat " * (number % 60 + 1) for number in range(50)]
    assert judge.scores("boat", many) == pytest.approx([1] * 50)
