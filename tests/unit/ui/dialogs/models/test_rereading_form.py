"""Choosing a model that reads the first results again."""

from pytestqt.qtbot import QtBot

from app.errors import InputError
from app.host import Host
from app.index.token_vectors.model import TokenVectorState
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.dialogs.models.models import ModelsDialog
from ui.dialogs.models.rereading_form import RereadingForm

COLBERT = "answerdotai/answerai-colbert-small-v1"


def _reranker(host: Host) -> object:
    return next(setting.value for setting in host.ask("settings.list") if setting.name == "search.reranker")


def test_a_chosen_model_is_set_and_tells_what_it_gains(models: ModelsDialog, host: Host, rest: Rest) -> None:
    form = models.rereading
    assert form.models.currentData() == ""
    without = form.gain.text()
    form.models.setCurrentIndex(form.models.findData(COLBERT))
    rest(lambda: _reranker(host) == COLBERT)
    rest(lambda: form.gain.text() not in {"", without})


def test_a_refusal_is_said_and_shows_what_holds(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    connection.refused["settings.set"] = InputError("The environment decides search.reranker.")
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


def test_how_far_late_interaction_has_read(qtbot: QtBot) -> None:
    form = RereadingForm()
    qtbot.addWidget(form)
    assert form.progress.isHidden()
    states = {
        TokenVectorState(COLBERT, 5_000, 3_800): "Texts read: 1,200 of 5,000. The others count by words and meaning"
        " alone.",
        TokenVectorState(COLBERT, 5_000, 0): "All texts are read.",
        TokenVectorState(COLBERT, 5_000, 3_800, "The model is gone."): "The model is gone.",
    }
    for state, sentence in states.items():
        form.show_progress(state)
        assert form.progress.text() == sentence
        assert not form.progress.isHidden()
    form.show_progress(TokenVectorState(COLBERT, 0, 0))
    assert form.progress.isHidden()
    form.show_progress(None)
    assert form.progress.isHidden()
