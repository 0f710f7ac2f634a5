"""Preparing a search model that is not on this machine: consent, folder, progress."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.changes import Progress
from app.errors import InputError, ModelUnavailableError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.beside import ModelShelf, info, opened, status
from ui.bridge import Bridge
from ui.dialogs.models import Models


@pytest.fixture
def shelf() -> ModelShelf:
    return ModelShelf()


@pytest.fixture
def models(qtbot: QtBot, door: Bridge, rest: Rest) -> Iterator[Models]:
    yield from opened(qtbot, door, rest)


@pytest.fixture
def missing(models: Models, shelf: ModelShelf, rest: Rest) -> Models:
    """Return the dialog after a model was asked for that is not on this machine."""
    shelf.refuse["embedding.change"] = ModelUnavailableError("Set embedding.allow_download.", reason="missing")
    models.wanted.setCurrentText("fastembed:x/y")
    models.prepare.click()
    rest(models.preparing.fetch.isVisible)
    return models


def test_a_missing_model_is_fetched_only_with_consent(missing: Models, shelf: ModelShelf, rest: Rest) -> None:
    assert shelf.asked("settings.set") == []
    assert missing._error.text() == "The model fastembed:x/y is not on this machine."
    del shelf.refuse["embedding.change"]
    missing.preparing.fetch.click()
    rest(lambda: len(shelf.asked("embedding.change")) == 2)
    assert shelf.asked("settings.set") == [{"name": "embedding.allow_download", "value": True}]
    assert shelf.asked("embedding.change")[1] == {"model": "fastembed:x/y", "waits": True}
    rest(lambda: missing.wanted.currentText() == "")
    assert not missing.preparing.fetch.isVisible()
    assert not missing._error.isVisible()


def test_consent_that_is_refused_from_outside_is_said(missing: Models, shelf: ModelShelf, rest: Rest) -> None:
    shelf.refuse["settings.set"] = InputError("The environment decides embedding.allow_download.")
    missing.preparing.fetch.click()
    rest(lambda: "environment" in missing._error.text())
    assert len(shelf.asked("embedding.change")) == 1


def test_where_fetching_is_allowed_only_the_folder_is_offered(
    models: Models, shelf: ModelShelf, rest: Rest, missing: Models
) -> None:
    shelf.settings_set("embedding.allow_download", True)
    models._bridge.start(models.load())
    rest(lambda: models._may_fetch)
    models.prepare.click()
    rest(lambda: len(shelf.asked("embedding.change")) == 2 and models.preparing.folder.isVisible())
    assert not models.preparing.fetch.isVisible()


def test_the_folder_of_a_model_is_named(missing: Models, shelf: ModelShelf, rest: Rest, tmp_path: Path) -> None:
    del shelf.refuse["embedding.change"]
    missing.preparing.folder.click()
    [dialog] = missing.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path))
    dialog.reject()
    rest(lambda: len(shelf.asked("embedding.change")) == 2)
    assert shelf.asked("embedding.change")[1]["folder"] == str(tmp_path)


def test_another_name_takes_the_offers_back(missing: Models) -> None:
    missing.wanted.setCurrentText("fastembed:x/z")
    assert not missing.preparing.fetch.isVisible()
    assert not missing.preparing.folder.isVisible()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [("openai:x", "The service does not answer."), ("fastembed:x/y", "fastembed is not installed.")],
)
def test_only_what_can_be_fetched_is_offered(
    models: Models, shelf: ModelShelf, rest: Rest, model: str, sentence: str
) -> None:
    shelf.refuse["embedding.change"] = ModelUnavailableError(sentence)
    models.wanted.setCurrentText(model)
    models.prepare.click()
    rest(models._error.isVisible)
    assert not models.preparing.fetch.isVisible()
    assert not models.preparing.folder.isVisible()


def test_fetching_shows_how_far_it_is(models: Models, shelf: ModelShelf) -> None:
    preparing = models.preparing
    models.prepare.setFocus()
    preparing.show_busy("fastembed:x/y")
    assert not models.prepare.isEnabled()
    assert models.wanted.hasFocus()
    shelf.listeners[0](Progress("embedding-model", "Fetching fastembed:x/y", 30_000_000, 120_000_000, "bytes"))
    preparing.show_progress(Progress("embedding-model", "Fetching x", 30_000_000, 120_000_000, "bytes"))
    assert "30.0 MB of 120.0 MB" in preparing._far.text()
    assert (preparing._bar.value(), preparing._bar.maximum()) == (250, 1000)
    preparing.show_busy("")
    assert models.prepare.isEnabled()
    assert not preparing._bar.isVisible()


def test_long_names_do_not_widen_the_page(models: Models, shelf: ModelShelf, rest: Rest) -> None:
    long = "openai-compatible:" + "some-company/a-very-long-model-name-" * 4
    shelf.status = status(info(3, long, "ready"), info(2, long, "building"), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: len(models.rows.rows) == 3)
    models.resize(640, 700)
    models.grab()
    page = models.rows.parentWidget()
    assert page is not None
    assert page.width() <= models.width()
    for button in (models.prepare, *models.rows.rows[2].buttons.values()):
        assert button.mapTo(models, button.rect().topRight()).x() < models.width()


def test_offers_come_into_sight_in_a_low_window(models: Models, shelf: ModelShelf, rest: Rest) -> None:
    shelf.status = status(*(info(number, f"model {number}", "kept") for number in range(2, 9)), info(1, "s", "serving"))
    models._bridge.start(models.load())
    rest(lambda: len(models.rows.rows) == 8)
    models.resize(640, 480)
    shelf.refuse["embedding.change"] = ModelUnavailableError("Set embedding.allow_download.", reason="missing")
    models.wanted.setCurrentText("fastembed:x/y")
    models.prepare.click()
    folder = models.preparing.folder
    rest(lambda: folder.isVisible() and not folder.visibleRegion().isEmpty())
    assert models._area.verticalScrollBar().value() > 0
