"""Search models: states and what can be done about them, and two answers side by side."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QBoxLayout, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.changes import ChangeSet, Progress
from app.errors import InputError, ModelUnavailableError
from app.index.generations.model import ModelInfo
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.model_comparisons import FakeModelBackend, info, opened, row, side_by_side, status, total
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog
from ui.panes.pane_state import pack
from ui.shell.navigation import Place
from ui.theme import Scheme
from ui.window import Window

if TYPE_CHECKING:
    from ui.notice import Notice


@pytest.fixture
def backend() -> FakeModelBackend:
    return FakeModelBackend()


@pytest.fixture
def models(qtbot: QtBot, fake_bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    yield from opened(qtbot, fake_bridge, rest, ["roses", "the lake"])


@pytest.fixture
def compared(models: ModelsDialog, rest: Rest) -> ModelsDialog:
    """Return the dialog with a comparison shown."""
    models._tabs.setCurrentWidget(models.comparing)
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    return models


def states(models: ModelsDialog) -> list[str]:
    return [one.info.state for one in models.rows.rows]


# Where something is wrong -------------------------------------------------------------------------------------------


def test_a_page_behind_makes_the_front_one_no_wider(models: ModelsDialog) -> None:
    needed = models.comparing.minimumSizeHint().width()
    assert models._tabs.minimumSizeHint().width() < needed
    models._tabs.setCurrentWidget(models.comparing)
    assert models._tabs.minimumSizeHint().width() >= needed


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
    comparing = models.comparing
    models._tabs.setCurrentWidget(comparing)
    comparing.run()
    rest(lambda: comparing._error.isVisible() and not comparing._job)
    assert "3 of 10" in comparing._error.text()
    assert comparing._pages.currentWidget() is comparing._empty
    del backend.refuse["embedding.compare"]
    comparing.run()
    rest(lambda: comparing._pages.currentWidget() is comparing._result)
    assert not comparing._error.isVisible()


def test_a_side_that_left_meaning_out_shows_why(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.found = side_by_side(row("roses", "ab", "", note="Search by meaning was left out: The model is out."))
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    assert "The model is out." in models.comparing.other._empty


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


# Side by side -------------------------------------------------------------------------------------------------------


def test_before_anything_is_compared_it_says_what_would_happen(models: ModelsDialog) -> None:
    comparing = models.comparing
    assert comparing._pages.currentWidget() is comparing._empty
    assert comparing.queries.toPlainText() == "roses\nthe lake"
    offered = [comparing._what.itemText(at) for at in range(comparing._what.count())]
    assert offered[0] == "hashed — ready"
    assert "Ranking ‘words’" in offered
    assert "Ranking ‘learned’" not in offered


def test_what_is_still_being_made_is_offered_later(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.status = status(info(2, "hashed", "building"), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: models.comparing._what.itemText(0) == "hashed — still being prepared")
    assert models.comparing._what.itemData(0) is None
    assert not models.comparing._what.model().item(0).isEnabled()  # type: ignore[attr-defined]


def test_own_searches_are_compared_and_shown(compared: ModelsDialog, backend: FakeModelBackend) -> None:
    comparing = compared.comparing
    [requested] = backend.requested("embedding.compare")
    assert (requested["queries"], requested["other"], requested["questions"], requested["by_meaning"]) == (
        ["roses", "the lake"],
        2,
        60,
        False,
    )
    assert "3 of 12 queries" in comparing.totals.text
    assert [hit.id for hit in comparing.now.source.rows] == ["a", "b", "c", "s#3"]
    assert [hit.id for hit in comparing.other.source.rows] == ["b", "a", "s#3", "x"]
    assert [comparing._headings[side].text() for side in ("now", "other")] == ["Now: Built-in model", "Instead: hashed"]
    assert comparing.use.text() == "Switch to it"
    assert comparing.list.hasFocus()


def test_what_is_asked_can_be_chosen(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    comparing = models.comparing
    comparing._made.setChecked(False)
    comparing._meaning.setChecked(True)
    comparing.queries.setPlainText("one\n\ntwo\none")
    comparing.run()
    rest(lambda: not comparing._job)
    [requested] = backend.requested("embedding.compare")
    assert (requested["queries"], requested["questions"], requested["by_meaning"]) == (["one", "two"], 0, True)


def test_searches_typed_already_are_not_overwritten(models: ModelsDialog) -> None:
    models.comparing.queries.setPlainText("mine")
    models.bring_to_front(["another"])
    assert models.comparing.queries.toPlainText() == "mine"


def test_a_ranking_is_compared_and_used(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    comparing = models.comparing
    comparing._choose(("recipe", "words"))
    assert not comparing._meaning.isEnabled()
    comparing.run()
    rest(lambda: not comparing._job)
    assert backend.requested("trial.side_by_side")[0]["other"] == "words"
    assert comparing.use.text() == "Use this ranking"
    reported: list[Notice] = []
    models.notice.connect(reported.append)
    comparing.use.click()
    rest(lambda: bool(reported))
    assert backend.requested("settings.set") == [{"name": "search.recipe", "value": "words"}]


@pytest.mark.parametrize(("state", "operation"), [("ready", "embedding.switch"), ("kept", "embedding.rollback")])
def test_what_was_compared_is_switched_to(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest, state: Any, operation: str
) -> None:
    backend.status = status(info(2, "hashed", state), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: states(models) == ["serving", state])
    models.rows.rows[1].buttons["compare"].click()
    assert models._tabs.currentWidget() is models.comparing
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    models.comparing.use.click()
    rest(lambda: bool(backend.requested(operation)))


def test_another_choice_takes_the_offer_back(compared: ModelsDialog) -> None:
    assert compared.comparing.use.isVisible()
    compared.comparing._choose(("recipe", "words"))
    assert not compared.comparing.use.isVisible()


def test_by_keyboard_alone(compared: ModelsDialog, qtbot: QtBot) -> None:
    comparing = compared.comparing
    qtbot.keyClick(comparing.list, Qt.Key.Key_Down)
    assert [hit.id for hit in comparing.now.source.rows] == ["a", "b"]
    qtbot.keyClick(comparing.list, Qt.Key.Key_Up)
    comparing.now.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(comparing.now, Qt.Key.Key_Down)
    places = [column.currentIndex().row() for column in (comparing.now, comparing.other)]
    assert places == [1, 0]
    qtbot.keyClick(comparing.now, Qt.Key.Key_Down)
    assert not comparing.other.currentIndex().isValid()
    opened: list[Place] = []
    compared.navigate.connect(opened.append)
    qtbot.keyClick(comparing.now, Qt.Key.Key_Return)
    qtbot.keyClick(comparing.now, Qt.Key.Key_Down)
    qtbot.keyClick(comparing.now, Qt.Key.Key_Return)
    assert opened == [Place("notes", "c", title="Title c"), Place("sessions", "s", "3", title="Title m")]


def test_control_and_enter_compare(models: ModelsDialog, qtbot: QtBot, backend: FakeModelBackend, rest: Rest) -> None:
    models._tabs.setCurrentWidget(models.comparing)
    qtbot.keyClick(models.comparing.queries, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    rest(lambda: bool(backend.requested("embedding.compare")))
    assert models.comparing.queries.toPlainText() == "roses\nthe lake"


def test_progress_of_this_comparison_only(models: ModelsDialog, backend: FakeModelBackend) -> None:
    comparing = models.comparing
    comparing._job = "mine"
    comparing._show_running(running=True)
    comparing.show_progress(Progress("other", "t", 5, 10, "queries"))
    assert comparing._far.text() == ""
    comparing.show_progress(Progress("mine", "t", 5, 10, "queries"))
    assert comparing._far.text() == "5 of 10 queries"
    assert (comparing._bar.value(), comparing._bar.maximum()) == (5, 10)
    comparing.run()
    assert backend.requested("embedding.compare") == []


def test_stop_cancels_the_job(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    models.comparing._job = "mine"
    models.comparing.stop.click()
    rest(lambda: backend.requested("job.cancel") == [{"job": "mine"}])


def test_where_all_is_alike_it_says_so(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.found = side_by_side()
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    assert models.comparing.now._empty == "Both answer every question alike."
    assert models.comparing.now.source.rows == ()


# Behaviour ------------------------------------------------------------------------------------------------------------


def test_everything_that_takes_the_keyboard_has_a_name(compared: ModelsDialog) -> None:
    lost = []
    for page in range(compared._tabs.count()):
        compared._tabs.setCurrentIndex(page)
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


def test_rows_are_spoken_with_what_moved(compared: ModelsDialog) -> None:
    comparing = compared.comparing
    role = Qt.ItemDataRole.AccessibleTextRole
    assert comparing.list.source.index(0).data(role).startswith("roses, answer 2 → 1")
    assert comparing.now.source.index(2).data(role) == ("3, Title c, not among the hits of the other side, text of c")
    assert "the known answer" in comparing.other.source.index(0).data(role)


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_it_paints_in_every_look(
    compared: ModelsDialog, look: Any, backend: FakeModelBackend, rest: Rest, direction: Any
) -> None:
    backend.found = side_by_side(row("長い検索" * 60, "abc", "cxa", "c"), row("مرحبا 👩‍👩‍👧", "", "a"))
    compared.comparing.run()
    rest(lambda: not compared.comparing._job)
    compared.setLayoutDirection(direction)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look.set_scheme(scheme)
        for page in range(compared._tabs.count()):
            compared._tabs.setCurrentIndex(page)
            for width, height in ((1060, 760), (700, 480)):
                compared.resize(width, height)
                assert not compared.grab().isNull()
    look.set_scale(1.5)
    assert not compared.grab().isNull()


# From the window ----------------------------------------------------------------------------------------------------


def test_the_window_opens_it_with_recent_searches(window: Window, backend: FakeModelBackend, rest: Rest) -> None:
    assert window.panes is not None
    assert window.dialogs is not None
    window.panes.states["search"] = pack({"saved": ["tag:garden"], "recent": ["roses", "tag:garden"]})
    assert window.registry.run("file.models")
    dialog = window.dialogs.models
    rest(lambda: bool(dialog.rows.rows))
    assert dialog.comparing.queries.toPlainText() == "tag:garden\nroses"
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


# What is compared and what holds -------------------------------------------------------------------------------------


def test_a_model_that_becomes_ready_is_what_is_compared(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    comparing = models.comparing
    backend.status = status(info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: states(models) == ["serving"])
    assert comparing._what.currentText().startswith("Ranking")
    backend.status = status(info(2, "hashed", "ready"), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: comparing._what.currentText() == "hashed — ready")


def test_what_the_person_chose_stays_chosen(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest, qtbot: QtBot
) -> None:
    comparing = models.comparing
    models._tabs.setCurrentWidget(comparing)
    qtbot.keyClick(comparing._what, Qt.Key.Key_Down)
    chosen = comparing._what.currentData()
    assert chosen[0] == "recipe"
    backend.status = status(info(2, "hashed", "kept"), info(1, "static", "serving"))
    models._bridge.start(models.load())
    rest(lambda: states(models) == ["serving", "kept"])
    assert comparing._what.currentData() == chosen


def test_a_change_elsewhere_leaves_the_offer(compared: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    backend.status = status(info(2, "hashed", "ready", 1_001), info(1, "static", "serving", 1_001))
    backend.listeners[0](ChangeSet(frozenset({"index"}), (), "embedding"))
    rest(lambda: compared.rows.rows[1].info.vectors == 1_001)
    assert compared.comparing.use.isVisible()
    compared.comparing._choose(("recipe", "words"))
    compared.comparing._choose(("ready", 2))
    assert compared.comparing.use.isVisible()


@pytest.mark.parametrize("by_model", [True, False])
def test_a_comparison_with_what_answers_no_more_goes(
    compared: ModelsDialog, backend: FakeModelBackend, rest: Rest, by_model: bool
) -> None:
    comparing = compared.comparing
    assert comparing._pages.currentWidget() is comparing._result
    if by_model:
        backend.status = replace(
            status(info(2, "hashed", "serving"), info(1, "static", "kept")), serving=ModelInfo("hashed", 512, 1_000)
        )
    else:
        backend.settings_set("search.recipe", "words")
    backend.listeners[0](ChangeSet(frozenset({"index"}), (), "embedding"))
    rest(lambda: comparing._pages.currentWidget() is comparing._empty)
    said = "hashed answers searches now" if by_model else "Ranking ‘words’ answers searches now"
    assert comparing._empty._title.text() == said
    assert not comparing.use.isVisible()
    assert comparing.go.hasFocus()


def test_figures_of_unknown_answers_are_left_out(models: ModelsDialog, backend: FakeModelBackend, rest: Rest) -> None:
    totals = models.comparing.totals
    models._tabs.setCurrentWidget(models.comparing)
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    assert all(head.isVisible() for head in totals._headings)
    assert "favours finding by words" in totals._made.text()
    backend.found = side_by_side(row("roses", "ab", "ba"), now=total("static"), other=total("hashed"))
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    assert [head.isVisible() for head in totals._headings] == [False] * 4 + [True]
    assert not totals._made.isVisible()


def test_queries_and_hits_say_what_their_signs_mean(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest
) -> None:
    backend.found = side_by_side(row("roses", "ab", "ba"), row("lake shore", "ab", "ba", "a", origin="made"))
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    queries = models.comparing.list.source
    tips = [queries.index(at).data(Qt.ItemDataRole.ToolTipRole) for at in (0, 1)]
    assert tips[0] == "roses\n2 of 2 shared · 2 moved"
    assert tips[1].splitlines()[1] == "made from the vault"
    models.comparing.list.setCurrentIndex(queries.index(1))
    known = models.comparing.other.source.index(1).data(Qt.ItemDataRole.ToolTipRole)
    assert known.splitlines() == ["Title a", "down by 1", "The known answer"]
    assert not models.grab().isNull()


def test_the_totals_keep_their_lines_apart_in_a_low_window(compared: ModelsDialog) -> None:
    compared.resize(604, 400)
    compared.grab()
    first, second = compared.comparing.totals._names
    assert second.geometry().top() >= first.geometry().top() + first.fontMetrics().height()


def test_a_low_window_leaves_its_room_to_the_answers(compared: ModelsDialog) -> None:
    made, totals = compared.comparing.totals._made, compared.comparing.totals
    compared.resize(900, 760)
    assert made.isVisible()
    compared.resize(900, 560)
    assert not made.isVisible()
    assert totals.toolTip() == made.text()
    compared.resize(900, 760)
    assert made.isVisible()


def test_nothing_is_scrolled_sideways_in_a_narrow_window_with_large_text(
    compared: ModelsDialog, look: Any, rest: Rest
) -> None:
    look.set_scale(2.0)
    bar = compared._scroll.horizontalScrollBar()
    compared.resize(788, 600)
    rest(lambda: compared.comparing._head.direction() == QBoxLayout.Direction.TopToBottom and not bar.maximum())
    assert all(label.width() >= label.sizeHint().width() for label in compared.comparing.totals._headings)
    look.set_scale(1.0)
    rest(lambda: compared.comparing._head.direction() == QBoxLayout.Direction.LeftToRight and not bar.maximum())


@pytest.mark.parametrize("side", ["now", "other"])
def test_an_empty_column_shows_that_it_has_the_keyboard(
    models: ModelsDialog, backend: FakeModelBackend, rest: Rest, side: str
) -> None:
    backend.found = side_by_side()
    models._tabs.setCurrentWidget(models.comparing)
    models.comparing.run()
    rest(lambda: not models.comparing._job)
    column = getattr(models.comparing, side)
    models.activateWindow()
    models.comparing.go.setFocus()
    without = column.grab().toImage()
    column.setFocus()
    assert column.hasFocus()
    assert column.grab().toImage() != without
