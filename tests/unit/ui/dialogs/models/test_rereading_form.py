"""Choosing a model that reads the first results again."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.errors import InputError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.model_comparisons import FakeModelBackend, opened
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog
from ui.dialogs.models.rereading_form import RereadingForm

COLBERT = "answerdotai/answerai-colbert-small-v1"


@pytest.fixture
def backend() -> FakeModelBackend:
    return FakeModelBackend()


@pytest.fixture
def models(qtbot: QtBot, fake_bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    yield from opened(qtbot, fake_bridge, rest)


def test_a_chosen_model_is_set_and_tells_what_it_gains(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    form = models.rereading
    assert form.models.currentData() == ""
    without = form.gain.text()
    form.models.setCurrentIndex(form.models.findData(COLBERT))
    rest(lambda: bool(backend.requested("settings.set")))
    assert backend.requested("settings.set") == [{"name": "search.reranker", "value": COLBERT}]
    assert form.gain.text() not in {"", without}


def test_a_refusal_is_said_and_shows_what_holds(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.refuse["settings.set"] = InputError("The environment decides search.reranker.")
    models.rereading.models.setCurrentIndex(1)
    rest(models._error.isVisible)
    assert models._error.text() == "The environment decides search.reranker."
    rest(lambda: models.rereading.models.currentData() == "")


def test_showing_a_model_chooses_none_and_an_unknown_one_is_listed(qtbot: QtBot) -> None:
    form = RereadingForm()
    qtbot.addWidget(form)
    chosen: list[str] = []
    form.chosen.connect(chosen.append)
    form.show_model("Xenova/ms-marco-MiniLM-L-6-v2")
    assert form.models.currentData() == "Xenova/ms-marco-MiniLM-L-6-v2"
    assert form.gain.text() == "What this model gains has not been measured."
    count = form.models.count()
    form.show_model("Xenova/ms-marco-MiniLM-L-6-v2")
    assert form.models.count() == count
    assert chosen == []
