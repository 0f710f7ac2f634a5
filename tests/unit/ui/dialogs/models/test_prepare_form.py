"""Preparing a search model that is not on this machine: consent, folder, progress."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QProgressBar
from pytestqt.qtbot import QtBot

from app.changes import Progress
from app.errors import InputError, ModelUnavailableError
from app.host import Host
from tests.helpers.screen_reader import words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.app.embed.hub import Hub, files_in, running
from tests.unit.app.embed.sentence_model import NAME as MODEL
from tests.unit.app.embed.sentence_model import write_sentence_model
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.models.test_models import info, status, stored
from ui.dialogs.models.models import ModelsDialog

WEIGHTS = "model.onnx"
HALF = 1_500


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return the folder of a small model."""
    return write_sentence_model(tmp_path / "gazer", ("garden", "boat"))


@pytest.fixture
def hub(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Return a hub that has the model, which this machine has not."""
    folder = tmp_path / "models"
    monkeypatch.setattr("app.index.embedder_opener.models_cache", lambda: folder)
    with running(monkeypatch, files_in(files)) as hub:
        yield hub


@pytest.fixture
def missing(hub: Hub, models: ModelsDialog, rest: Rest) -> ModelsDialog:
    """Return the dialog after a model was asked for that is not on this machine."""
    models.wanted.setCurrentText(MODEL)
    models.prepare.click()
    rest(models.preparing.fetch.isVisible)
    return models


def _allowed(host: Host) -> object:
    name = "embedding.allow_download"
    return next(setting.value for setting in host.ask("settings.list") if setting.name == name)


def test_a_missing_model_is_fetched_only_with_consent(missing: ModelsDialog, host: Host, rest: Rest) -> None:
    assert not _allowed(host)
    assert f"The model {MODEL} is not on this machine." in words(missing)
    missing.preparing.fetch.click()
    rest(lambda: missing.wanted.currentText() == "")
    assert _allowed(host)
    assert not missing.preparing.fetch.isVisible()
    assert "not on this machine" not in words(missing)
    rest(lambda: stored(host).get(MODEL) == "ready")


def test_consent_that_is_refused_from_outside_is_said(
    missing: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    connection.refused["settings.set"] = InputError("The environment decides embedding.allow_download.")
    missing.preparing.fetch.click()
    rest(lambda: "environment" in words(missing))
    assert len(connection.requested("embedding.change")) == 1


def test_where_fetching_is_allowed_only_the_folder_is_offered(
    missing: ModelsDialog, host: Host, hub: Hub, rest: Rest
) -> None:
    host.ask("settings.set", name="embedding.allow_download", value=True)
    rest(lambda: missing._may_fetch)
    hub.files.clear()
    missing.prepare.click()
    rest(lambda: missing.preparing.folder.isVisible() and not missing.preparing.fetch.isVisible())


def test_the_folder_of_a_model_is_named(missing: ModelsDialog, host: Host, files: Path, rest: Rest) -> None:
    missing.preparing.folder.click()
    [dialog] = missing.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(files))
    dialog.reject()
    rest(lambda: stored(host).get(MODEL) == "ready")


def test_another_name_takes_the_offers_back(missing: ModelsDialog) -> None:
    missing.wanted.setCurrentText("fastembed:x/z")
    assert not missing.preparing.fetch.isVisible()
    assert not missing.preparing.folder.isVisible()


@pytest.mark.parametrize(
    ("model", "sentence"), [("openai:x", "OPENAI_API_KEY"), ("fastembed:x/y", "does not support this model")]
)
def test_only_what_can_be_fetched_is_offered(models: ModelsDialog, rest: Rest, model: str, sentence: str) -> None:
    models.wanted.setCurrentText(model)
    models.prepare.click()
    rest(lambda: sentence in words(models))
    assert not models.preparing.fetch.isVisible()
    assert not models.preparing.folder.isVisible()


def far(done: int, model: str = MODEL, state: str = "running") -> Progress:
    return Progress(f"fetching:{model}", f"Fetching {model}", done, 120_000_000, "bytes", state=state)


def test_fetching_shows_how_far_it_is(models: ModelsDialog) -> None:
    preparing = models.preparing
    models.prepare.setFocus()
    preparing.show_busy(MODEL)
    assert not models.prepare.isEnabled()
    assert models.wanted.hasFocus()
    # Only fetching can be stopped.
    assert not preparing.stop.isVisible()
    preparing.show_progress(far(30_000_000))
    assert "30.0 MB of 120.0 MB" in words(preparing)
    assert (preparing.findChild(QProgressBar).value(), preparing.findChild(QProgressBar).maximum()) == (250, 1000)
    assert preparing.stop.isVisible()
    # Another one, fetched in the background, is nothing to who waits for this one.
    preparing.show_progress(far(60_000_000, "fastembed:x/z"))
    assert "30.0 MB of 120.0 MB" in words(preparing)
    preparing.stop.setFocus()
    preparing.show_progress(far(120_000_000, state="finished"))
    assert not preparing.stop.isVisible()
    assert models.wanted.hasFocus()
    preparing.show_busy("")
    assert models.prepare.isEnabled()
    assert not preparing.findChild(QProgressBar).isVisible()
    preparing.show_progress(far(30_000_000))
    assert not preparing.stop.isVisible()


class TestStopping:
    @pytest.fixture
    def fetching(self, models: ModelsDialog, host: Host, hub: Hub, rest: Rest) -> ModelsDialog:
        """Return the dialog while a model is fetched, of which the hub has sent a part."""
        host.ask("settings.set", name="embedding.allow_download", value=True)
        hub.stop_at(WEIGHTS, HALF)
        models.wanted.setCurrentText(MODEL)
        models.prepare.click()
        rest(models.preparing.stop.isVisible)
        return models

    def test_it_is_stopped_and_can_be_gone_on_with(
        self, fetching: ModelsDialog, connection: WatchedConnection, host: Host, hub: Hub, rest: Rest, qtbot: QtBot
    ) -> None:
        preparing = fetching.preparing
        preparing.stop.setFocus()
        qtbot.keyClick(preparing.stop, Qt.Key.Key_Return)
        assert "Stopping…" in words(preparing)
        assert not preparing.stop.isEnabled()
        # The keyboard is where it was begun, and a second Enter begins nothing while it stops.
        assert fetching.wanted.hasFocus()
        qtbot.keyClick(fetching.wanted, Qt.Key.Key_Return)
        rest(lambda: connection.requested("job.cancel") == [{"job": f"fetching:{MODEL}"}])
        assert len(connection.requested("embedding.change")) == 1
        rest(preparing.stopped.isVisible)
        assert preparing.stopped.text().startswith(f"Fetching {MODEL} was stopped. What came of it is kept")
        assert not fetching._error.isVisible()
        assert not preparing.findChild(QProgressBar).isVisible()
        # It is no failure that a folder or consent would help with.
        assert not preparing.folder.isVisible()
        assert fetching.wanted.currentText() == MODEL
        rest(fetching.prepare.isEnabled)
        hub.go_on()
        fetching.prepare.click()
        rest(lambda: len(connection.requested("embedding.change")) == 2)
        assert not preparing.stopped.isVisible()
        rest(lambda: fetching.wanted.currentText() == "")
        rest(lambda: stored(host).get(MODEL) == "ready")

    def test_another_name_takes_the_note_back(self, fetching: ModelsDialog, host: Host, hub: Hub, rest: Rest) -> None:
        host.ask("job.cancel", job=f"fetching:{MODEL}")
        rest(fetching.preparing.stopped.isVisible)
        fetching.wanted.setCurrentText("fastembed:x/z")
        assert not fetching.preparing.stopped.isVisible()
        hub.go_on()

    def test_hiding_the_dialog_stops_nothing(
        self, fetching: ModelsDialog, connection: WatchedConnection, host: Host, hub: Hub, rest: Rest, qtbot: QtBot
    ) -> None:
        qtbot.keyClick(fetching, Qt.Key.Key_Escape)
        assert not fetching.isVisible()
        hub.go_on()
        rest(lambda: stored(host).get(MODEL) == "ready")
        assert connection.requested("job.cancel") == []
        rest(lambda: fetching.wanted.currentText() == "")


def test_how_far_it_is_comes_into_sight_in_a_low_window(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    models.rows.show_status(status([info(number, f"model {number}", "kept") for number in range(2, 9)]))
    models.resize(640, 480)
    connection.hold("embedding.change")
    models.wanted.setCurrentText(MODEL)
    models.prepare.click()
    busy = models.preparing._busy
    rest(lambda: busy.isVisible() and not busy.visibleRegion().isEmpty())
    connection.release("embedding.change")
    rest(lambda: not busy.isVisible())


def test_long_names_do_not_widen_the_page(models: ModelsDialog) -> None:
    long = "openai-compatible:" + "some-company/a-very-long-model-name-" * 4
    models.rows.show_status(status([info(3, long, "ready"), info(2, long, "building"), info(1, "static", "serving")]))
    models.resize(640, 700)
    models.grab()
    page = models.rows.parentWidget()
    assert page is not None
    assert page.width() <= models.width()
    for button in (models.prepare, *models.rows.rows[2].buttons.values()):
        assert button.mapTo(models, button.rect().topRight()).x() < models.width()


def test_offers_come_into_sight_in_a_low_window(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    models.rows.show_status(status([info(number, f"model {number}", "kept") for number in range(2, 9)]))
    models.resize(640, 480)
    connection.hold("embedding.status")  # so that the long list stays
    connection.refused["embedding.change"] = ModelUnavailableError("Set embedding.allow_download.", reason="missing")
    models.wanted.setCurrentText(MODEL)
    models.prepare.click()
    folder = models.preparing.folder
    rest(lambda: folder.isVisible() and not folder.visibleRegion().isEmpty())
    rest(lambda: models._scroll.verticalScrollBar().value() > 0)
