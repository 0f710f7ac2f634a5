"""Rerankers from this machine's files."""

from pathlib import Path

import pytest

from app.embed.fastembed_reranker import FastembedReranker
from app.embed.reranking_model import RerankingModel
from app.errors import InputError, ModelUnavailableError
from tests.unit.app.embed.rerank_model import write_rerank_model

MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"


def test_a_model_nobody_knows() -> None:
    with pytest.raises(InputError, match=MODEL):
        FastembedReranker(RerankingModel("no/body")).scores("q", ["a"])


def test_a_model_that_is_not_here(tmp_path: Path) -> None:
    judge = FastembedReranker(RerankingModel(MODEL, cache=tmp_path))
    for _ in range(2):
        with pytest.raises(
            ModelUnavailableError, match=r"embedding\.allow_download .*, or leave search\.reranker empty"
        ):
            judge.scores("q", ["a"])


def test_a_damaged_model(tmp_path: Path) -> None:
    folder = write_rerank_model(tmp_path / "judge")
    (folder / "onnx" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError, match=r"damaged; .* or leave search\.reranker empty"):
        FastembedReranker(RerankingModel(MODEL, folder=folder)).scores("q", ["a"])


def test_a_model_that_breaks_while_it_judges(tmp_path: Path) -> None:
    folder = write_rerank_model(tmp_path / "judge")
    judge = FastembedReranker(RerankingModel(MODEL, folder=folder))
    judge.scores("q", ["a"])
    judge._model.opened().model.model = object()
    with pytest.raises(ModelUnavailableError, match="failed; results keep their original order"):
        judge.scores("q", ["a"])


def test_scores_of_texts_in_their_order(tmp_path: Path) -> None:
    judge = FastembedReranker(RerankingModel(MODEL, folder=write_rerank_model(tmp_path / "judge")))
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
