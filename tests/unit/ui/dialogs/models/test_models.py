"""Search models: states, what can be done about them, and how many questions each finds."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.changes import ChangeSet, Progress
from app.errors import InputError, ModelUnavailableError
from app.evaluation.model import ModelResult
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.model_comparisons import FakeModelBackend, info, opened, status
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog
from ui.theme import Scheme
from ui.window import Window


@pytest.fixture
def backend() -> FakeModelBackend:
    return FakeModelBackend()


@pytest.fixture
def models(qtbot: QtBot, fake_bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    yield from opened(qtbot, fake_bridge, rest)


@pytest.fixture
def compared(models: ModelsDialog, rest: Rest) -> ModelsDialog:
    """Return the dialog with a comparison shown."""
    models.rows.rows[1].buttons["compare"].click()
    rest(lambda: not models.comparing.is_busy)
    return models


def states(models: ModelsDialog) -> list[str]:
    return [one.info.state for one in models.rows.rows]


# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_status_that_cannot_be_had_is_said(
    qtbot: QtBot, fake_bridge: Bridge, backend: FakeModelBackend, rest: Rest
) -> None:
    backend.refuse["embedding.status"] = ModelUnavailableError("The vault is closed.")
    made = ModelsDialog(fake_bridge)
    qtbot.addWidget(made)
    made.bring_to_front()
    rest(made._error.isVisible)
    assert made._error.text() == "The vault is closed."
    assert made.rows.rows == []


def test_a_model_that_cannot_be_opened_is_said(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.refuse["embedding.change"] = ModelUnavailableError("The model is not on this machine.")
    models.wanted.setCurrentText("fastembed:none")
    models.prepare.click()
    rest(models._error.isVisible)
    assert models._error.text() == "The model is not on this machine."


def test_a_comparison_that_fails_is_said_and_can_be_tried_again(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    backend.refuse["embedding.compare"] = InputError("The vectors of hashed are not complete: 3 of 10 are there.")
    compare = models.rows.rows[1].buttons["compare"]
    compare.click()
    rest(lambda: not models.comparing.is_busy)
    assert "3 of 10" in models.comparing.result.text()
    del backend.refuse["embedding.compare"]
    compare.click()
    rest(lambda: not models.comparing.is_busy)
    assert "29" in models.comparing.result.text()


# The models ---------------------------------------------------------------------------------------------------------


def test_every_state_has_its_sentence_and_what_can_be_done(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    backend.status = status(
        info(6, "fifth", "building", 250),
        info(5, "ready one", "ready"),
        info(4, "openai:x", "kept"),
        info(3, "half", "unfinished", 10),
        info(1, "static", "serving"),
        notes=("4 private texts are not sent.",),
    )
    models._bridge.start(models.load())
    rest(lambda: len(models.rows.rows) == 5)
    assert states(models) == ["serving", "building", "ready", "kept", "unfinished"]
    said = [one._state.text() for one in models.rows.rows]
    assert said[0] == "Answers searches — 1,000 of 1,000 texts · 256 numbers each · on this computer"
    assert said[1].startswith("Being prepared — 250 of 1,000 texts")
    assert "until you switch" in said[2]
    assert "28 November 2026" in said[3]
    assert said[3].endswith("a remote service")
    assert [set(one.buttons) for one in models.rows.rows] == [
        set(),
        {"pause", "give_up"},
        {"compare", "give_up", "switch"},
        {"compare", "return"},
        {"prepare"},
    ]
    assert models._notes.text() == "4 private texts are not sent."
    assert models.rows.rows[1]._bar.value() == 250


def test_progress_moves_the_bar_and_its_end_asks_again(
    models: ModelsDialog, backend: FakeModelBackend, fake_bridge: Bridge, rest: Rest
) -> None:
    backend.status = status(info(2, "hashed", "building", 0), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: states(models) == ["serving", "building"])
    backend.listeners[0](Progress("embedding", "t", 500, 1_000, "texts", 100.0))
    rest(lambda: models.rows.rows[1]._bar.value() == 500)
    assert models.rows.rows[1]._state.text() == "Being prepared — 500 of 1,000 texts · 100/s · about 5 s left"
    backend.status = status(info(2, "hashed", "ready"), info(1, "static", "serving"))
    backend.listeners[0](Progress("embedding", "t", 1_000, 1_000, "texts", state="finished"))
    rest(lambda: states(models) == ["serving", "ready"])


@pytest.mark.parametrize(
    ("state", "is_paused", "what", "operation", "arguments"),
    [
        ("building", False, "pause", "embedding.pause", {}),
        ("building", True, "resume", "embedding.resume", {}),
        ("building", False, "give_up", "embedding.rollback", {}),
        ("ready", False, "switch", "embedding.switch", {}),
        ("kept", False, "return", "embedding.rollback", {"generation": 2}),
        ("unfinished", False, "prepare", "embedding.change", {"model": "other", "waits": True}),
    ],
)
def test_buttons_do_what_they_say(
    models: ModelsDialog,
    backend: FakeModelBackend,
    rest: Rest,
    state: Any,
    is_paused: bool,
    what: str,
    operation: str,
    arguments: dict[str, Any],
) -> None:
    backend.status = status(info(2, "other", state, 500), info(1, "static", "serving"), is_paused=is_paused)
    models._bridge.start(models.load())
    rest(lambda: states(models) == ["serving", state])
    models.rows.rows[1].buttons[what].click()
    rest(lambda: bool(backend.requested(operation)))
    assert backend.requested(operation) == [arguments]


def test_preparing_a_model(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    models.prepare.click()
    assert backend.requested("embedding.change") == []
    models.wanted.setCurrentText("  fastembed:x/y ")
    models.waits.setChecked(False)
    models.prepare.click()
    rest(lambda: bool(backend.requested("embedding.change")))
    assert backend.requested("embedding.change") == [{"model": "fastembed:x/y", "waits": False}]


def test_advice_is_shown_where_there_is_any(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    assert "For English, the built-in model is the best choice" in models.preparing.advice.text()
    backend.advice = "A multilingual model would suit this vault better."
    models.bring_to_front()
    rest(lambda: models.preparing.advice.text() == backend.advice)


def test_it_follows_what_others_change(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.status = status(info(2, "hashed", "serving"), info(1, "static", "kept"))
    backend.listeners[0](ChangeSet(frozenset({"index"}), (), "embedding"))
    rest(lambda: states(models) == ["serving", "kept"])


def test_the_keyboard_stays_where_it_was(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    models.rows.rows[1].buttons["compare"].setFocus()
    backend.status = status(info(2, "hashed", "ready", 1_001), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: models.rows.rows[1].info.vectors == 1_001)
    assert models.rows.rows[1].buttons["compare"].hasFocus()


# Comparison ---------------------------------------------------------------------------------------------------------


def test_nothing_is_said_of_a_comparison_before_there_is_one(models: ModelsDialog) -> None:
    assert not models.comparing.isVisible()


def test_it_says_how_many_questions_each_model_finds(compared: ModelsDialog, backend: FakeModelBackend) -> None:
    [requested] = backend.requested("embedding.compare")
    assert requested["other"] == 2
    assert compared.comparing.isVisible()
    assert compared.comparing.result.text() == (
        "Built-in model finds 41 of 60 known answers among its first ten results, hashed finds 29. The questions are"
        " made from your own texts."
    )
    assert not compared.comparing.stop.isVisible()


def test_what_the_counts_leave_out_is_said(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.comparison = replace(
        backend.comparison, other=ModelResult("hashed", 2, 29, 1_204, 3), notes=("A note.",), cancelled=True
    )
    models.rows.rows[1].buttons["compare"].click()
    rest(lambda: not models.comparing.is_busy)
    said = models.comparing.result.text()
    assert "Texts without a vector by hashed: 1,204." in said
    assert "Questions answered by words alone because hashed failed: 3." in said
    assert said.endswith("It was stopped, so this is of part of the questions. A note.")


def test_progress_of_this_comparison_only(models: ModelsDialog, backend: FakeModelBackend) -> None:
    comparing = models.comparing
    models.rows.rows[1].buttons["compare"].click()
    comparing.show_progress(Progress("other", "t", 5, 10, "questions"))
    assert comparing.result.text() == "Asking both models the same questions…"
    comparing.show_progress(Progress(comparing._job, "t", 5, 10, "questions"))
    assert comparing.result.text() == "5 of 10 questions"
    comparing.compare(2)
    assert len(backend.requested("embedding.compare")) <= 1


def test_stop_cancels_the_job(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    models.rows.rows[1].buttons["compare"].click()
    job = models.comparing._job
    models.comparing.stop.click()
    rest(lambda: backend.requested("job.cancel") == [{"job": job}])


@pytest.mark.parametrize("serving", [1, 2])
def test_a_comparison_with_a_model_that_answers_no_more_goes(
    compared: ModelsDialog, backend: FakeModelBackend, rest: Rest, serving: int
) -> None:
    models = {1: info(1, "static", "serving"), 2: info(2, "hashed", "serving")}
    backend.status = status(info(3 - serving, "other", "kept"), models[serving])
    backend.listeners[0](ChangeSet(frozenset({"index"}), (), "embedding"))
    rest(lambda: states(compared) == ["serving", "kept"])
    assert compared.comparing.isVisible() == (serving == 1)


# Behaviour ------------------------------------------------------------------------------------------------------------


def test_everything_that_takes_the_keyboard_has_a_name(compared: ModelsDialog) -> None:
    lost = []
    for widget in compared.findChildren(QWidget):
        parent = widget.parentWidget()
        if (
            widget.focusPolicy() == Qt.FocusPolicy.NoFocus
            or not widget.isVisibleTo(compared)
            or isinstance(widget, QScrollBar)
            or (isinstance(parent, QAbstractScrollArea) and widget is parent.viewport())
        ):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is not None and not interface.text(QAccessible.Text.Name):
            lost.append(f"{type(widget).__name__} in {type(parent).__name__}")
    assert lost == []


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_it_paints_in_every_look(compared: ModelsDialog, look: Any, direction: Any) -> None:
    compared.setLayoutDirection(direction)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look.set_scheme(scheme)
        for width, height in ((1060, 760), (700, 480)):
            compared.resize(width, height)
            assert not compared.grab().isNull()
    look.set_scale(1.5)
    assert not compared.grab().isNull()


def test_all_of_it_stands_in_the_middle_of_a_wide_window(compared: ModelsDialog) -> None:
    compared.resize(1_600, 800)
    compared.grab()
    left = compared.preparing.mapTo(compared, compared.preparing.rect().topLeft()).x()
    right = compared.width() - compared.preparing.mapTo(compared, compared.preparing.rect().topRight()).x()
    assert abs(left - right) <= 20  # a scroll bar


# From the window ----------------------------------------------------------------------------------------------------


def test_the_window_opens_it(window: Window, rest: Rest) -> None:
    assert window.dialogs is not None
    assert window.registry.run("file.models")
    dialog = window.dialogs.models
    rest(lambda: bool(dialog.rows.rows))
    assert dialog.isVisible()
    dialog.hide()


def test_the_settings_lead_to_it(window: Window, rest: Rest) -> None:
    assert window.dialogs is not None
    window.dialogs.open_settings("search")
    settings = window.dialogs.settings
    rest(lambda: settings.is_built)
    panel = next(section.panel for section in settings._sections if section.spec.id == "search")
    panel.models.click()
    dialog = window.dialogs.models
    rest(lambda: bool(dialog.rows.rows))
    assert dialog.isVisible()
    dialog.reject()
    assert settings.isVisible()
    settings.reject()


def test_nothing_is_scrolled_sideways_in_a_narrow_window_with_large_text(
    compared: ModelsDialog, look: Any, rest: Rest
) -> None:
    look.set_scale(2.0)
    compared.resize(788, 600)
    rest(lambda: not compared._scroll.horizontalScrollBar().maximum())
    look.set_scale(1.0)
