"""Search models: states, what can be done about them, and how many questions each finds."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.changes import Progress
from app.errors import InputError
from app.evaluation.model import ModelComparison, ModelResult
from app.host import Host
from app.index.generations.model import EmbeddingStatus, GenerationInfo, ModelInfo, State
from tests.helpers.screen_reader import press, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.dialogs.models.comparison_panel import ComparisonPanel
from ui.dialogs.models.model_rows import ModelRows
from ui.dialogs.models.models import ModelsDialog
from ui.theme import Scheme
from ui.window import Window

UNTIL = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture
def compared(models: ModelsDialog, rest: Rest) -> ModelsDialog:
    """Return the dialog with a comparison shown."""
    models.rows.rows[1].buttons["compare"].click()
    rest(lambda: not models.comparing.is_busy)
    return models


def states(models: ModelsDialog) -> list[str]:
    return [row.info.state for row in models.rows.rows]


def stored(host: Host) -> dict[str, str]:
    """Return the state of each model that the vault has vectors of."""
    return {generation.model: generation.state for generation in host.ask("embedding.status").generations}


# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_status_that_cannot_be_had_is_said(qtbot: QtBot, bridge: Bridge, host: Host, rest: Rest) -> None:
    host.stop()
    dialog = ModelsDialog(bridge)
    qtbot.addWidget(dialog)
    dialog.bring_to_front()
    rest(lambda: "The vault is closed." in words(dialog))
    assert dialog.rows.rows == []


def test_a_model_that_cannot_be_opened_is_said(models: ModelsDialog, host: Host, rest: Rest) -> None:
    models.wanted.setCurrentText("openai:text-embedding-3-small")
    models.prepare.click()
    rest(lambda: "OPENAI_API_KEY" in words(models))
    assert set(stored(host)) == {"static", "hashed"}


def test_a_comparison_that_fails_is_said_and_can_be_tried_again(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    connection.refused["embedding.compare"] = InputError("The vectors of hashed are not complete: 3 of 10 are there.")
    compare = models.rows.rows[1].buttons["compare"]
    compare.click()
    rest(lambda: not models.comparing.is_busy)
    assert "3 of 10" in models.comparing.result.text()
    connection.refused.clear()
    compare.click()
    rest(lambda: not models.comparing.is_busy)
    assert "of 20 known answers" in models.comparing.result.text()


# The models ---------------------------------------------------------------------------------------------------------


def info(number: int, model: str, state: State, vectors: int = 1_000) -> GenerationInfo:
    until = UNTIL if state in ("kept", "unfinished") else None
    return GenerationInfo(number, model, 256, vectors, state, model.startswith("openai"), until)


def status(generations: Sequence[GenerationInfo], *, is_paused: bool = False) -> EmbeddingStatus:
    serving = ModelInfo("static", 256, 1_000)
    return EmbeddingStatus(serving, None, 1_000, is_paused, None, None, 0, (), tuple(generations))


@pytest.fixture
def rows(qtbot: QtBot, look: object) -> ModelRows:
    rows = ModelRows()
    qtbot.addWidget(rows)
    return rows


def test_every_state_has_its_sentence_and_what_can_be_done(rows: ModelRows) -> None:
    rows.show_status(
        status([
            info(6, "fifth", "building", 250),
            info(5, "ready one", "ready"),
            info(4, "openai:x", "kept"),
            info(3, "half", "unfinished", 10),
            info(1, "static", "serving"),
        ])
    )  # fmt: skip
    assert [row.info.state for row in rows.rows] == ["serving", "building", "ready", "kept", "unfinished"]
    said = [words(row) for row in rows.rows]
    assert "Answers searches — 1,000 of 1,000 texts · 256 numbers each · on this computer" in said[0]
    assert "Being prepared — 250 of 1,000 texts" in said[1]
    assert "until you switch" in said[2]
    assert "28 November 2026" in said[3]
    assert said[3].endswith("a remote service")
    assert [set(row.buttons) for row in rows.rows] == [
        set(),
        {"pause", "give_up"},
        {"compare", "give_up", "switch"},
        {"compare", "return"},
        {"prepare"},
    ]


def test_progress_moves_the_bar(rows: ModelRows) -> None:
    rows.show_status(status([info(2, "hashed", "building", 0), info(1, "static", "serving")]))
    rows.show_progress(Progress("embedding", "t", 500, 1_000, "texts", 100.0))
    assert "Being prepared — 500 of 1,000 texts · 100/s · about 5 s left" in words(rows)


def test_a_ready_model_is_switched_to_and_back(models: ModelsDialog, host: Host, rest: Rest) -> None:
    press(models, "Switch to it: hashed")
    rest(lambda: states(models) == ["serving", "kept"])
    press(models, "Switch back: Built-in model")
    rest(lambda: stored(host) == {"static": "serving", "hashed": "kept"})


def test_a_ready_model_is_given_up_and_gone_on_with(models: ModelsDialog, host: Host, rest: Rest) -> None:
    models.rows.rows[1].buttons["give_up"].click()
    rest(lambda: stored(host)["hashed"] == "unfinished" and states(models) == ["serving", "unfinished"])
    models.rows.rows[1].buttons["prepare"].click()
    rest(lambda: stored(host)["hashed"] == "ready" and states(models) == ["serving", "ready"])


@pytest.mark.parametrize(("is_paused", "what"), [(False, "pause"), (True, "resume")])
def test_what_is_being_prepared_is_paused_and_gone_on_with(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest, is_paused: bool, what: str
) -> None:
    building = info(2, "hashed", "building", 500)
    models.rows.show_status(status([building, info(1, "static", "serving")], is_paused=is_paused))
    models.rows.rows[1].buttons[what].click()
    rest(lambda: bool(connection.requested(f"embedding.{what}")) and not models._bridge.is_busy)
    assert connection.requested(f"embedding.{what}") == [{}]


def test_preparing_a_model(models: ModelsDialog, connection: WatchedConnection, host: Host, rest: Rest) -> None:
    models.prepare.click()
    assert connection.requested("embedding.change") == []
    host.ask("embedding.rollback")
    models.wanted.setCurrentText("  hashed ")
    models.waits.setChecked(False)
    models.prepare.click()
    rest(lambda: stored(host) == {"static": "kept", "hashed": "serving"})
    assert connection.requested("embedding.change") == [{"model": "hashed", "waits": False}]


def test_advice_is_shown_where_there_is_any(models: ModelsDialog) -> None:
    assert "For English, the built-in model is the best choice" in models.preparing.advice.text()


def test_it_follows_what_others_change(models: ModelsDialog, host: Host, rest: Rest) -> None:
    host.ask("embedding.switch")
    rest(lambda: states(models) == ["serving", "kept"])
    assert models.rows.rows[0].info.model == "hashed"


def test_the_keyboard_stays_where_it_was(rows: ModelRows, qtbot: QtBot) -> None:
    rows.show()
    rows.show_status(status([info(2, "hashed", "ready"), info(1, "static", "serving")]))
    rows.activateWindow()
    qtbot.waitUntil(rows.isActiveWindow)
    rows.rows[1].buttons["compare"].setFocus()
    rows.show_status(status([info(2, "hashed", "ready", 1_001), info(1, "static", "serving")]))
    assert rows.rows[1].buttons["compare"].hasFocus()


# Comparison ---------------------------------------------------------------------------------------------------------


def test_nothing_is_said_of_a_comparison_before_there_is_one(models: ModelsDialog) -> None:
    assert not models.comparing.isVisible()


def test_it_says_how_many_questions_each_model_finds(compared: ModelsDialog, host: Host) -> None:
    comparison = host.ask("embedding.compare")
    assert compared.comparing.isVisible()
    assert compared.comparing.result.text() == (
        f"Built-in model finds {comparison.now.found} of 20 known answers among its first ten results, hashed finds"
        f" {comparison.other.found}. The questions are made from your own texts."
    )
    assert not compared.comparing.stop.isVisible()


def test_what_the_counts_leave_out_is_said(bridge: Bridge, qtbot: QtBot) -> None:
    panel = ComparisonPanel(bridge)
    qtbot.addWidget(panel)
    said = panel.sentences(
        ModelComparison(
            ModelResult("static", 1, 41, 0, 0), ModelResult("hashed", 2, 29, 1_204, 3), 60, ("A note.",), cancelled=True
        )
    )
    assert "Texts without a vector by hashed: 1,204." in said
    assert "Questions answered by words alone because hashed failed: 3." in said
    assert said.endswith("It was stopped, so this is of part of the questions. A note.")


def test_progress_of_this_comparison_only_and_stop(
    models: ModelsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    comparing = models.comparing
    connection.hold("embedding.compare")
    models.rows.rows[1].buttons["compare"].click()
    rest(lambda: bool(connection.requested("embedding.compare")))
    job = connection.requested("embedding.compare")[0]["job"]
    connection.publish(Progress("other", "t", 7, 10, "questions"))
    connection.publish(Progress(job, "t", 5, 10, "questions"))
    rest(lambda: comparing.result.text() == "5 of 10 questions")
    models.rows.rows[1].buttons["compare"].click()
    assert len(connection.requested("embedding.compare")) == 1
    comparing.stop.click()
    rest(lambda: connection.requested("job.cancel") == [{"job": job}])
    connection.release("embedding.compare")
    rest(lambda: not comparing.is_busy)


def test_a_comparison_with_a_model_that_answers_no_more_goes(compared: ModelsDialog, host: Host, rest: Rest) -> None:
    host.ask("embedding.switch")
    rest(lambda: states(compared) == ["serving", "kept"])
    assert not compared.comparing.isVisible()


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
