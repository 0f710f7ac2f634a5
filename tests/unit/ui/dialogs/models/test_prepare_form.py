"""Preparing a search model that is not on this machine: consent, folder, progress."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.api.registry import Reply
from app.changes import Progress
from app.errors import CancelledByPersonError, InputError, ModelUnavailableError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.model_comparisons import FakeModelBackend, info, opened, status
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog


@pytest.fixture
def backend() -> FakeModelBackend:
    return FakeModelBackend()


@pytest.fixture
def models(qtbot: QtBot, fake_bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    yield from opened(qtbot, fake_bridge, rest)


@pytest.fixture
def missing(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> ModelsDialog:
    """Return the dialog after a model was asked for that is not on this machine."""
    backend.refuse["embedding.change"] = ModelUnavailableError("Set embedding.allow_download.", reason="missing")
    models.wanted.setCurrentText("fastembed:x/y")
    models.prepare.click()
    rest(models.preparing.fetch.isVisible)
    return models


def test_a_missing_model_is_fetched_only_with_consent(
    missing: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    assert backend.requested("settings.set") == []
    assert missing._error.text() == "The model fastembed:x/y is not on this machine."
    del backend.refuse["embedding.change"]
    missing.preparing.fetch.click()
    rest(lambda: len(backend.requested("embedding.change")) == 2)
    assert backend.requested("settings.set") == [{"name": "embedding.allow_download", "value": True}]
    assert backend.requested("embedding.change")[1] == {"model": "fastembed:x/y", "waits": True}
    rest(lambda: missing.wanted.currentText() == "")
    assert not missing.preparing.fetch.isVisible()
    assert not missing._error.isVisible()


def test_consent_that_is_refused_from_outside_is_said(
    missing: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    backend.refuse["settings.set"] = InputError("The environment decides embedding.allow_download.")
    missing.preparing.fetch.click()
    rest(lambda: "environment" in missing._error.text())
    assert len(backend.requested("embedding.change")) == 1


def test_where_fetching_is_allowed_only_the_folder_is_offered(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest, missing: ModelsDialog
) -> None:
    backend.settings_set("embedding.allow_download", True)
    models._bridge.start(models.load())
    rest(lambda: models._may_fetch)
    models.prepare.click()
    rest(lambda: len(backend.requested("embedding.change")) == 2 and models.preparing.folder.isVisible())
    assert not models.preparing.fetch.isVisible()


def test_the_folder_of_a_model_is_named(
    missing: ModelsDialog, backend: FakeModelBackend, rest: Rest, tmp_path: Path
) -> None:
    del backend.refuse["embedding.change"]
    missing.preparing.folder.click()
    [dialog] = missing.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path))
    dialog.reject()
    rest(lambda: len(backend.requested("embedding.change")) == 2)
    assert backend.requested("embedding.change")[1]["folder"] == str(tmp_path)


def test_another_name_takes_the_offers_back(missing: ModelsDialog) -> None:
    missing.wanted.setCurrentText("fastembed:x/z")
    assert not missing.preparing.fetch.isVisible()
    assert not missing.preparing.folder.isVisible()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [("openai:x", "The service does not answer."), ("fastembed:x/y", "fastembed is not installed.")],
)
def test_only_what_can_be_fetched_is_offered(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest, model: str, sentence: str
) -> None:
    backend.refuse["embedding.change"] = ModelUnavailableError(sentence)
    models.wanted.setCurrentText(model)
    models.prepare.click()
    rest(models._error.isVisible)
    assert not models.preparing.fetch.isVisible()
    assert not models.preparing.folder.isVisible()


MODEL = "fastembed:x/y"


def far(done: int, model: str = MODEL, state: str = "running") -> Progress:
    return Progress(f"fetching:{model}", f"Fetching {model}", done, 120_000_000, "bytes", state=state)


def test_fetching_shows_how_far_it_is(models: ModelsDialog, backend: FakeModelBackend) -> None:
    preparing = models.preparing
    models.prepare.setFocus()
    preparing.show_busy(MODEL)
    assert not models.prepare.isEnabled()
    assert models.wanted.hasFocus()
    # Only fetching can be stopped.
    assert not preparing.stop.isVisible()
    backend.listeners[0](far(30_000_000))
    preparing.show_progress(far(30_000_000))
    assert "30.0 MB of 120.0 MB" in preparing._far.text()
    assert (preparing._bar.value(), preparing._bar.maximum()) == (250, 1000)
    assert preparing.stop.isVisible()
    # Another one, fetched in the background, is nothing to who waits for this one.
    preparing.show_progress(far(60_000_000, "fastembed:x/z"))
    assert "30.0 MB of 120.0 MB" in preparing._far.text()
    preparing.stop.setFocus()
    preparing.show_progress(far(120_000_000, state="finished"))
    assert not preparing.stop.isVisible()
    assert models.wanted.hasFocus()
    preparing.show_busy("")
    assert models.prepare.isEnabled()
    assert not preparing._bar.isVisible()
    preparing.show_progress(far(30_000_000))
    assert not preparing.stop.isVisible()


class SlowBackend(FakeModelBackend):
    """Changes the model only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.changing: Future[Reply] = Future()

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        if operation != "embedding.change":
            return super().call(operation, arguments)
        self.calls.append((operation, dict(arguments)))
        self.changing = Future()
        return self.changing

    def job_cancel(self, job: str) -> bool:
        del job
        return True


class TestStopping:
    @pytest.fixture
    def backend(self) -> SlowBackend:
        return SlowBackend()

    @pytest.fixture
    def fetching(self, models: ModelsDialog, backend: SlowBackend, rest: Rest) -> ModelsDialog:
        """Return the dialog while a model is fetched."""
        models.wanted.setCurrentText(MODEL)
        models.prepare.click()
        rest(lambda: bool(backend.requested("embedding.change")))
        backend.listeners[0](far(30_000_000))
        rest(models.preparing.stop.isVisible)
        return models

    def test_it_is_stopped_and_can_be_gone_on_with(
        self, fetching: ModelsDialog, backend: SlowBackend, rest: Rest, qtbot: QtBot
    ) -> None:
        preparing = fetching.preparing
        preparing.stop.setFocus()
        qtbot.keyClick(preparing.stop, Qt.Key.Key_Return)
        assert preparing._far.text() == "Stopping…"
        assert not preparing.stop.isEnabled()
        # The keyboard is where it was begun, and a second Enter begins nothing while it stops.
        assert fetching.wanted.hasFocus()
        qtbot.keyClick(fetching.wanted, Qt.Key.Key_Return)
        preparing.show_progress(far(40_000_000))
        assert preparing._far.text() == "Stopping…"
        rest(lambda: backend.requested("job.cancel") == [{"job": f"fetching:{MODEL}"}])
        assert len(backend.requested("embedding.change")) == 1
        backend.changing.set_exception(CancelledByPersonError("Fetching was cancelled."))
        rest(preparing.stopped.isVisible)
        assert preparing.stopped.text().startswith(f"Fetching {MODEL} was stopped. What came of it is kept")
        assert not fetching._error.isVisible()
        assert not preparing._bar.isVisible()
        # It is no failure that a folder or consent would help with.
        assert not preparing.folder.isVisible()
        assert fetching.wanted.currentText() == MODEL
        rest(fetching.prepare.isEnabled)
        fetching.prepare.click()
        rest(lambda: len(backend.requested("embedding.change")) == 2)
        assert not preparing.stopped.isVisible()
        backend.listeners[0](far(50_000_000))
        rest(lambda: preparing.stop.isVisible() and preparing.stop.isEnabled())
        assert "50.0 MB" in preparing._far.text()
        backend.changing.set_result(Reply(backend.status, None))
        rest(lambda: fetching.wanted.currentText() == "")

    def test_another_name_takes_the_note_back(self, fetching: ModelsDialog, backend: SlowBackend, rest: Rest) -> None:
        backend.changing.set_exception(CancelledByPersonError("Somebody else cancelled it."))
        rest(fetching.preparing.stopped.isVisible)
        fetching.wanted.setCurrentText("fastembed:x/z")
        assert not fetching.preparing.stopped.isVisible()

    def test_hiding_the_dialog_stops_nothing(
        self, fetching: ModelsDialog, backend: SlowBackend, rest: Rest, qtbot: QtBot
    ) -> None:
        qtbot.keyClick(fetching, Qt.Key.Key_Escape)
        assert not fetching.isVisible()
        backend.listeners[0](far(90_000_000))
        rest(lambda: "90.0 MB" in fetching.preparing._far.text())
        assert backend.requested("job.cancel") == []
        backend.changing.set_result(Reply(backend.status, None))
        rest(lambda: fetching.wanted.currentText() == "")

    def test_how_far_it_is_comes_into_sight_in_a_low_window(
        self, models: ModelsDialog, backend: SlowBackend, rest: Rest
    ) -> None:
        backend.status = status(*(info(number, f"model {number}", "kept") for number in range(2, 9)))
        models._bridge.start(models.load())
        rest(lambda: len(models.rows.rows) == 7)
        models.resize(640, 480)
        models.wanted.setCurrentText(MODEL)
        models.prepare.click()
        busy = models.preparing._busy
        rest(lambda: busy.isVisible() and not busy.visibleRegion().isEmpty())
        backend.changing.set_result(Reply(backend.status, None))
        rest(lambda: not busy.isVisible())


def test_long_names_do_not_widen_the_page(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    long = "openai-compatible:" + "some-company/a-very-long-model-name-" * 4
    backend.status = status(info(3, long, "ready"), info(2, long, "building"), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: len(models.rows.rows) == 3)
    models.resize(640, 700)
    models.grab()
    page = models.rows.parentWidget()
    assert page is not None
    assert page.width() <= models.width()
    for button in (models.prepare, *models.rows.rows[2].buttons.values()):
        assert button.mapTo(models, button.rect().topRight()).x() < models.width()


def test_offers_come_into_sight_in_a_low_window(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.status = status(
        *(info(number, f"model {number}", "kept") for number in range(2, 9)), info(1, "s", "serving")
    )
    models._bridge.start(models.load())
    rest(lambda: len(models.rows.rows) == 8)
    models.resize(640, 480)
    backend.refuse["embedding.change"] = ModelUnavailableError("Set embedding.allow_download.", reason="missing")
    models.wanted.setCurrentText("fastembed:x/y")
    models.prepare.click()
    folder = models.preparing.folder
    rest(lambda: folder.isVisible() and not folder.visibleRegion().isEmpty())
    assert models._scroll.verticalScrollBar().value() > 0
