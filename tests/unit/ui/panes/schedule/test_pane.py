"""The Schedule pane over a real vault: list, page, editor, runs and week."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.history.acts.model import Act, ActPart
from app.host import Host
from app.schedule.model import BUILT_IN, Cadence, Schedule, ScheduleRun
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.schedule.pane import SchedulePane
from ui.panes.schedule.run_labels import state_badge

if TYPE_CHECKING:
    from ui.notice import Notice

DAILY = {"kind": "cron", "expression": "0 8 * * *", "zone": "Europe/Zurich"}


@pytest.fixture
def notices() -> "list[Notice]":
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def pane(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest, notices: "list[Notice]"
) -> Iterator[SchedulePane]:
    """Return the pane once Keepsake's own schedules are listed."""
    rest(lambda: host.ask("schedule.count") > 0)
    actions = Actions()
    pane = SchedulePane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("schedule")
    pane.notice.connect(notices.append)
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    pane.show()
    pane.shown()
    rest(lambda: bool(pane.listing.model.ids) and not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def _choose(pane: SchedulePane, identity: str, bridge: Bridge, rest: Rest) -> None:
    pane.open_place(Place("schedule", identity))
    rest(lambda: not bridge.is_busy)


def _texts(root: QWidget) -> str:
    return "\n".join(
        label.text() for label in root.findChildren(QWidget) if hasattr(label, "text") and label.isVisibleTo(root)
    )


def test_what_is_opened_last_is_shown_however_the_answers_come(
    pane: SchedulePane, bridge: Bridge, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_status, later = pane._load_status, iter(["sch-retention"])

    async def opened_meanwhile() -> None:
        for identity in later:  # while the first waits, the second is opened and shown
            pane._jobs = known
            pane.open_place(Place("schedule", identity))
            while "Retention" not in pane.page._title.text():
                await asyncio.sleep(0)
        await load_status()

    known, pane._jobs = pane._jobs, {}
    monkeypatch.setattr(pane, "_load_status", opened_meanwhile)
    _choose(pane, "sch-housekeeping", bridge, rest)
    assert pane.current_place().id == "sch-retention"
    assert "Retention" in pane.page._title.text()


def runs_of(pane: SchedulePane) -> list[str]:
    """Return the ids of the runs that the page lists, latest first."""
    return list(pane.page.history.list.model().ids)


def test_own_goals_stand_before_built_in_work(pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest) -> None:
    schedule = host.ask("schedule.create", goal="Sum up my week", cadence=DAILY)
    rest(lambda: schedule.id in pane.listing.model.ids and not bridge.is_busy)
    assert pane.listing.model.ids[0] == schedule.id
    assert "sch-housekeeping" in pane.listing.model.ids
    model: QAbstractItemModel = pane.listing.model
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    card = pane.listing.model.card_of(schedule.id)
    assert card is not None
    assert [badge.text for badge in card.badges] == ["Goal"]


def test_a_built_in_schedule_is_run_and_its_run_is_shown(
    pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _choose(pane, "sch-housekeeping", bridge, rest)
    assert not pane.page.delete.isVisible()
    qtbot.mouseClick(pane.page.run, Qt.MouseButton.LeftButton)
    rest(lambda: len(runs_of(pane)) == 1 and not bridge.is_busy)
    assert "optimized" in pane.page.history.output.toPlainText()
    first = pane.page.history.list.current_id()
    notices: list[Notice] = []
    pane.notice.connect(notices.append)
    qtbot.mouseClick(pane.page.run, Qt.MouseButton.LeftButton)
    rest(lambda: len(runs_of(pane)) == 2 and not bridge.is_busy)
    assert pane.page.history.list.current_id() == runs_of(pane)[0] != first
    assert notices == [], "the page shows the run, and a notice would cover it"
    assert "Done" in _texts(pane.page)
    qtbot.mouseClick(pane.page.look, Qt.MouseButton.LeftButton)
    rest(lambda: not bridge.is_busy)
    assert "no content changes" in _texts(pane.page)


def test_a_run_lists_what_it_changed(pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    said = {"role": "user", "content": "I live in Porto with my two cats.", "created_at": "2025-03-01T10:00:00Z"}
    host.ask("session.append", session="s", messages=[said])
    host.ask("session.append", session="next", messages=[{"role": "user", "content": "Hello."}])
    host.ask("vault.settle")
    _choose(pane, "sch-consolidation", bridge, rest)
    qtbot.mouseClick(pane.page.run, Qt.MouseButton.LeftButton)
    rest(lambda: len(runs_of(pane)) == 1 and not bridge.is_busy)
    shown = pane.page.history.output.toPlainText()
    facts = [fact.content for fact in host.ask("fact.list")]
    assert facts
    for fact in facts:
        assert f"•  {fact}" in shown
    qtbot.mouseClick(pane.page.history.undo, Qt.MouseButton.LeftButton)
    rest(lambda: "•" not in pane.page.history.output.toPlainText() and not bridge.is_busy)


def test_an_undone_run_says_so_and_offers_to_bring_back_what_it_did(pane: SchedulePane) -> None:
    now, history = datetime.now(UTC), pane.page.history
    run = ScheduleRun("run-1", "sch-decay", now, now, "succeeded", "2 facts faded", "2 facts faded", 0, 0.0, True)
    act = Act("run-1", now, "upkeep", "decay", parts=(ActPart("DELETE", "fact", 2),))
    requested: list[Act] = []
    history.undo_requested.connect(requested.append)
    history.show_runs([run], [act])
    assert history.undo.text() == "Undo this run"
    undone = replace(act, state="undone", undone_by="undo:run-1")
    history.show_runs([run], [undone])
    assert history.undo.text() == "Bring back"
    assert "Undone" in words(history)
    history.undo.click()
    assert requested == [undone]
    history.show_runs([run])
    assert not history.undo.isVisibleTo(history), "a run that changed nothing has nothing to undo"


@pytest.mark.parametrize(("status", "is_named"), [("succeeded", False), ("failed", True)])
def test_the_last_run_is_called_done_by_its_own_entry_alone(pane: SchedulePane, status: str, is_named: bool) -> None:
    now = datetime.now(UTC)
    schedule = Schedule(
        "sch-decay", BUILT_IN, "Decay", "", Cadence(kind="interval", seconds=7200), "never", "active", now, now,
        next_run_at=now + timedelta(hours=1), last_run_at=now, last_run_status=status,
    )  # fmt: skip
    pane.page.show_schedule(schedule, has_plan=False)
    pane.listing.model.set_rows({schedule.id: schedule})
    card = pane.listing.model.card_of("sch-decay")
    assert card is not None
    ended = state_badge(status).text
    assert (ended in words(pane.page)) is is_named
    assert (ended in [badge.text for badge in card.badges]) is is_named
    assert ended not in card.text
    assert ("ran " in card.text) is not is_named


def test_a_schedule_that_another_machine_runs_says_so_and_can_be_taken(pane: SchedulePane) -> None:
    now = datetime.now(UTC)
    schedule = Schedule(
        "sch-1", "person", "Summary", "Sum up", Cadence(kind="interval", seconds=7200), "never", "active", now, now
    )
    pane.page.show_schedule(schedule, has_plan=False)
    assert not pane.page.take.isVisibleTo(pane.page)
    pane.page.show_schedule(replace(schedule, machine="laptop"), has_plan=False)
    assert pane.page.take.isVisibleTo(pane.page)
    assert "It runs on laptop, for all your machines." in words(pane.page)


def test_a_schedule_is_switched_off_and_on(
    pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _choose(pane, "sch-housekeeping", bridge, rest)
    for status, shown in (("paused", "Switched off"), ("active", "On")):
        qtbot.mouseClick(pane.page.switch, Qt.MouseButton.LeftButton)
        rest(lambda status=status: host.ask("schedule.get", id="sch-housekeeping").status == status)
        rest(lambda: not bridge.is_busy)
        assert (shown in _texts(pane.page)) == (status == "paused")


def test_a_goal_is_made_changed_and_deleted_by_the_form(
    pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    qtbot.mouseClick(pane.listing.new, Qt.MouseButton.LeftButton)
    editor = pane.editor
    rest(lambda: "Next:" in editor.words)
    assert not editor.save.isEnabled(), "a goal is needed"
    qtbot.keyClicks(editor.goal, "Water the roses")
    rest(editor.save.isEnabled)
    qtbot.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    rest(lambda: not host.ask("schedule.get", id=pane.listing.list.current_id()).is_built_in)
    rest(lambda: not bridge.is_busy)
    identity = pane.listing.list.current_id()
    assert host.ask("schedule.get", id=identity).goal == "Water the roses"
    qtbot.mouseClick(pane.page.edit, Qt.MouseButton.LeftButton)
    assert editor.goal.toPlainText() == "Water the roses"
    editor.cadence.mode.setCurrentIndex(3)
    editor.cadence.number.setValue(2)
    rest(lambda: "Every 2 hours" in editor.words)
    qtbot.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("schedule.get", id=identity).cadence.kind == "interval" and not bridge.is_busy)
    qtbot.mouseClick(pane.page.delete, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("schedule.search", text="roses").total == 0 and not bridge.is_busy)
    assert [notice.text.split(" ")[0] for notice in notices] == ["Created", "Changed", "Deleted"]
    host.ask("memory.undo", history_ids=list(notices[-1].history_ids))
    (again,) = host.ask("schedule.search", text="roses").schedules
    assert (again.id, again.goal, again.cadence.seconds) == (identity, "Water the roses", 7200)
    rest(lambda: pane.listing.schedule(identity) is not None)
    host.ask("memory.undo", history_ids=[notices[1].history_ids[0]])
    assert host.ask("schedule.get", id=identity).cadence.kind == "cron"


@pytest.mark.parametrize("expression", ["", "nonsense", "61 * * * *", "0 0 30 2 *"])
def test_a_cadence_that_cannot_be_is_refused_while_typing(pane: SchedulePane, rest: Rest, expression: str) -> None:
    pane.listing.new.click()
    editor = pane.editor
    rest(lambda: "Next:" in editor.words)
    editor.goal.setPlainText("x")
    editor.cadence.mode.setCurrentIndex(5)
    editor.cadence.expression.setText(expression)
    rest(lambda: bool(editor.words) and "Next:" not in editor.words)
    assert not editor.save.isEnabled()


def test_the_week_shows_past_and_coming_runs_and_opens_them(
    pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    host.ask("upkeep.run", job="housekeeping")
    qtbot.mouseClick(pane.as_week, Qt.MouseButton.LeftButton)
    rest(lambda: not bridge.is_busy)
    assert not pane.grab().isNull()
    pane.week.setFocus()
    qtbot.keyClick(pane.week, Qt.Key.Key_Right)
    assert pane.week.current is not None
    assert "Housekeeping" in pane.week.accessibleDescription()
    with qtbot.waitSignal(pane.week.opened) as opened:
        qtbot.keyClick(pane.week, Qt.Key.Key_Return)
    assert opened.args == ["sch-housekeeping"]
    assert pane.listing.isVisible()


def test_everything_is_paused_and_goes_on(
    pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    pane.pause.click()
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    next(action for action in menu.actions() if action.text() == "For an hour").trigger()
    menu.close()
    rest(lambda: pane.pause.text() == "Resume")
    until = host.ask("schedule.status").paused_until
    assert timedelta(minutes=58) < until - datetime.now(UTC) <= timedelta(hours=1)
    qtbot.mouseClick(pane.pause, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("schedule.status").paused_until is None and pane.pause.text() == "Pause all")


def test_the_keyboard_reaches_all_of_it(pane: SchedulePane, bridge: Bridge, rest: Rest, look: object) -> None:
    _choose(pane, "sch-housekeeping", bridge, rest)
    assert _nameless(pane) == []
    pane.listing.new.click()
    assert _nameless(pane) == []
    pane.as_week.click()
    assert _nameless(pane) == []
    rest(lambda: not bridge.is_busy)


def test_a_goal_has_trust_and_limits(pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    pane.listing.new.click()
    editor = pane.editor
    assert editor.limits.trust.currentText() == "what is shared and social"
    editor.goal.setPlainText("Sum up my week")
    editor.limits.trust.setCurrentIndex(3)
    editor.limits.turns.setValue(7)
    editor.limits.cost.setValue(0.5)
    rest(editor.save.isEnabled)
    qtbot.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("schedule.search", text="Sum up my week").total == 1 and not bridge.is_busy)
    (made,) = host.ask("schedule.search", text="Sum up my week").schedules
    assert (made.trust, made.max_turns, made.max_cost) == ("full", 7, 0.5)
    pane.page.edit.click()
    assert (editor.limits.trust.currentIndex(), editor.limits.turns.value(), editor.limits.cost.value()) == (3, 7, 0.5)


def test_escape_leaves_the_form_and_keeps_the_draft(
    pane: SchedulePane, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    _choose(pane, "sch-housekeeping", bridge, rest)
    pane.listing.new.click()
    editor = pane.editor
    assert pane.listing.list.selected_count == 0
    assert not pane.registry.run("schedule.run"), "no schedule is chosen while a new one is written"
    qtbot.keyClick(editor.goal, Qt.Key.Key_Escape)
    assert pane.page.isVisible()
    assert notices == [], "an empty form is no draft"
    pane.listing.new.click()
    qtbot.keyClicks(editor.goal, "Water the roses")
    for field in (editor.name, editor.cadence.mode, editor.limits.turns, editor.save, editor.goal):
        qtbot.keyClick(field, Qt.Key.Key_Escape)
        assert pane.page.isVisible()
        assert pane.listing.list.current_id() == "sch-housekeeping"
        pane.listing.new.click()
        assert editor.goal.toPlainText() == "Water the roses"
    assert notices[-1].text == "Your draft is kept. New schedule opens it again."
    rest(lambda: not bridge.is_busy)


def test_another_row_keeps_the_draft_and_cancel_drops_it(
    pane: SchedulePane, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    _choose(pane, "sch-housekeeping", bridge, rest)
    pane.listing.new.click()
    editor = pane.editor
    editor.goal.setPlainText("Water the roses")
    editor.cadence.mode.setCurrentIndex(3)
    editor.cadence.number.setValue(2)
    editor.limits.turns.setValue(7)
    pane.listing.load()
    rest(lambda: not bridge.is_busy)
    pane.listing.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert pane.listing.list.selected_count == 0
    assert editor.isVisible()
    index = pane.listing.model.index(pane.listing.model.row_of("sch-housekeeping"))
    qtbot.mouseClick(
        pane.listing.list.viewport(), Qt.MouseButton.LeftButton, pos=pane.listing.list.visualRect(index).center()
    )
    rest(lambda: not bridge.is_busy)
    assert pane.page.isVisible()
    assert len(notices) == 1
    pane.listing.new.click()
    assert (editor.goal.toPlainText(), editor.cadence.number.value()) == ("Water the roses", 2)
    assert editor.limits.turns.value() == 7
    qtbot.mouseClick(editor.cancel, Qt.MouseButton.LeftButton)
    pane.listing.new.click()
    assert editor.goal.toPlainText() == ""
    rest(lambda: not bridge.is_busy)


def test_saving_is_in_sight_at_the_usual_size(pane: SchedulePane, qtbot: QtBot, bridge: Bridge, rest: Rest) -> None:
    pane.resize(1224, 700)
    pane.listing.new.click()
    rest(lambda: "Next:" in pane.editor.words)
    for button in (pane.editor.save, pane.editor.cancel):
        assert button.visibleRegion().boundingRect() == button.rect()
    rest(lambda: not bridge.is_busy)


def test_the_fields_of_the_form_begin_at_the_same_place_where_there_is_room(
    pane: SchedulePane, bridge: Bridge, rest: Rest
) -> None:
    pane.registry.run("schedule.new")
    rest(lambda: not bridge.is_busy)
    editor = pane.editor

    def begins() -> set[int]:
        return {field.mapTo(editor, QPoint()).x() for field in (editor.cadence.mode, editor.limits.turns)}

    pane.resize(1400, 1000)
    rest(lambda: len(begins()) == 1)
    pane.resize(700, 1000)
    rest(lambda: editor.limits.turns.mapTo(editor, editor.limits.turns.rect().topRight()).x() <= editor.width())


def test_the_time_of_an_interval_is_called_the_next(pane: SchedulePane, host: Host, bridge: Bridge, rest: Rest) -> None:
    made = host.ask("schedule.create", goal="Look at the frost", cadence={"kind": "interval", "seconds": 7200})
    _choose(pane, made.id, bridge, rest)
    rest(lambda: pane.page._next.text().startswith("Next: "))
