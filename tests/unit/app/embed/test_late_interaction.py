"""Token vectors of texts and questions by a real model in this machine's files."""

from pathlib import Path

import numpy as np
import pytest

from app.embed.late_interaction import LateInteractionModel
from app.embed.model import TextInContext
from app.embed.reranking_model import RerankingModel
from app.errors import InputError, ModelUnavailableError
from tests.unit.app.embed.rerank_model import write_late_interaction_model

NAME = "answerdotai/answerai-colbert-small-v1"
WORDS = ("boat", "harbour", "red", "storm")


def opened(folder: Path) -> LateInteractionModel:
    return LateInteractionModel(RerankingModel(NAME, folder=folder))


def words_of(rows: np.ndarray) -> list[int]:
    return [int(place) for place in rows.argmax(axis=1)]


def test_each_token_of_a_text_has_a_vector(tmp_path: Path) -> None:
    model = opened(write_late_interaction_model(tmp_path / "model", WORDS))
    rows = model.embed([TextInContext("", "red boat"), TextInContext("", "storm"), TextInContext("", "")])
    boat, harbour, red, storm = range(4, 8)  # after padding, unknown, and the two marks
    assert {red, boat} <= set(words_of(rows[0]))
    assert storm in words_of(rows[1])
    assert harbour not in words_of(rows[0])
    question = model.embed_query("red boat")
    assert {red, boat} <= set(words_of(question))
    assert model.identity().dimensions == question.shape[1]


def test_what_came_before_is_read_but_gets_no_vectors(tmp_path: Path) -> None:
    model = opened(write_late_interaction_model(tmp_path / "model", WORDS))
    (rows,) = model.embed([TextInContext("storm storm storm", "boat boat boat")])
    # As large a share of the tokens as of the letters, rounded up.
    assert words_of(rows) == [7, 4, 4, 4]
    (long,) = model.embed([TextInContext("", "boat " * 2_000)])
    assert 0 < len(long) < 2_000


def test_the_kind_of_a_model_and_its_build(tmp_path: Path) -> None:
    assert RerankingModel(NAME).is_late_interaction()
    assert not RerankingModel("Xenova/ms-marco-MiniLM-L-12-v2").is_late_interaction()
    with pytest.raises(InputError, match="only with"):
        RerankingModel("no/body").is_late_interaction()
    one, other = (opened(write_late_interaction_model(tmp_path / name, WORDS)) for name in ("one", "other"))
    assert one.identity() == other.identity()
    folder = write_late_interaction_model(tmp_path / "third", WORDS)
    file = folder / "vespa_colbert.onnx"
    file.write_bytes(file.read_bytes() + b"\x3a\x00")  # an empty graph merged into it: another build
    assert opened(folder).identity() != one.identity()


def test_a_missing_a_damaged_and_a_closed_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="which is not there"):
        opened(tmp_path / "none").embed_query("boat")
    folder = write_late_interaction_model(tmp_path / "model", WORDS)
    model = opened(folder)
    model.embed_query("boat")
    model.close()
    with pytest.raises(ModelUnavailableError, match="closed; results keep their original order"):
        model.embed([TextInContext("", "boat")])
    (folder / "vespa_colbert.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailableError, match=r"damaged; .* or leave search\.reranker empty"):
        opened(folder).identity()
