"""Background work ends with its object, and its calls are carried out."""

import asyncio
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from shiboken6 import delete

from app.changes import ChangeSet
from app.errors import InputError, KeepsakeError, NotFoundError
from app.host import Host
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui import operations
from ui.bridge import Bridge
from ui.work import Work


class Panel(QWidget):
    """A widget that shows what it is given, after a while."""

    def __init__(self, bridge: Bridge, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = QLabel(self)
        self.work = Work(self, bridge)
        self.steps: list[str] = []

    async def show_after(self, gate: asyncio.Event, text: str) -> None:
        await gate.wait()
        self.label.setText(text)
        self.steps.append(text)

    async def begin(self, gate: asyncio.Event) -> None:
        self.steps.append("begun")
        await asyncio.sleep(0)
        await self.show_after(gate, "late")

    def load(self) -> None:
        self.steps.append("loaded")

    def note_end(self) -> None:
        self.steps.append("end")

    async def refuse(self) -> None:
        raise NotFoundError("That is no cadence.")


@pytest.fixture
def ground(qtbot: Any) -> QWidget:
    ground = QWidget()
    qtbot.addWidget(ground)
    return ground


def test_no_line_of_it_runs_once_its_widget_is_gone(
    bridge: Bridge, ground: QWidget, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> None:
    panel, gate, failures = Panel(bridge, ground), asyncio.Event(), []
    bridge.failed.connect(failures.append)
    task = panel.work.start(panel.show_after(gate, "late"))
    qt_loop.run_until_complete(asyncio.sleep(0))
    gate.set()  # the task is about to go on
    delete(panel)
    rest(task.done)
    assert task.cancelled()
    assert panel.steps == []
    assert failures == []


def test_a_refresh_that_has_not_begun_ends_too(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, gate = Panel(bridge, ground), asyncio.Event()
    tasks = [panel.work.refresh(panel.begin(gate)), panel.work.latest(panel.begin, gate)]
    delete(panel)
    rest(lambda: all(task.done() for task in tasks))
    assert all(task.cancelled() for task in tasks)
    assert panel.steps == []


def test_what_a_person_began_takes_its_first_step_without_its_widget(
    bridge: Bridge, ground: QWidget, rest: Rest
) -> None:
    panel, gate = Panel(bridge, ground), asyncio.Event()
    gate.set()
    task = panel.work.start(panel.begin(gate))
    delete(panel)
    rest(task.done)
    assert task.cancelled()
    assert panel.steps == ["begun"]


def test_a_call_that_has_not_begun_is_carried_out_without_its_widget(
    bridge: Bridge, host: Host, ground: QWidget, rest: Rest
) -> None:
    panel = Panel(bridge, ground)
    panel.work.start(bridge.call(operations.note.save(content="roses")))
    delete(panel)
    rest(lambda: bool(host.ask("note.list")))


def test_it_ends_with_the_parent_of_its_widget(
    bridge: Bridge, ground: QWidget, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> None:
    middle = QWidget(ground)
    panel = Panel(bridge, middle)
    gate = asyncio.Event()
    task = panel.work.latest(panel.show_after, gate, "late")
    qt_loop.run_until_complete(asyncio.sleep(0))
    delete(middle)
    gate.set()
    rest(task.done)
    assert task.cancelled()


def test_the_latest_takes_the_place_of_the_one_before(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, first, second = Panel(bridge, ground), asyncio.Event(), asyncio.Event()
    panel.work.latest(panel.show_after, first, "first")
    task = panel.work.latest(panel.show_after, second, "second")
    other = panel.work.start(panel.show_after(first, "other"))
    second.set()
    rest(task.done)
    first.set()
    rest(other.done)
    assert panel.steps == ["second", "other"]


def test_the_latest_can_be_cancelled(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, gate = Panel(bridge, ground), asyncio.Event()
    task = panel.work.latest(panel.show_after, gate, "late")
    panel.work.cancel(panel.show_after)
    gate.set()
    rest(task.done)
    assert panel.steps == []


def test_a_call_is_carried_out_after_its_widget_is_gone(
    bridge: Bridge,
    connection: WatchedConnection,
    host: Host,
    ground: QWidget,
    rest: Rest,
    qt_loop: asyncio.AbstractEventLoop,
) -> None:
    panel, held = Panel(bridge, ground), connection.hold("note.save")
    task = panel.work.start(bridge.call(operations.note.save(content="roses")))
    qt_loop.run_until_complete(asyncio.sleep(0))
    delete(panel)
    connection.release("note.save")
    rest(task.done)
    assert task.cancelled()
    assert not held[0].answer.cancelled(), "it was not withdrawn"
    rest(lambda: bool(host.ask("note.list")))


def test_a_value_refused_after_its_widget_is_gone_is_told(
    bridge: Bridge,
    connection: WatchedConnection,
    ground: QWidget,
    rest: Rest,
    qt_loop: asyncio.AbstractEventLoop,
) -> None:
    panel, held = Panel(bridge, ground), connection.hold("settings.set")
    failures: list[KeepsakeError] = []
    bridge.failed.connect(failures.append)
    work = panel.work.start(bridge.call(operations.settings.set(name="search.limit", value=0)), panel.steps.append)
    qt_loop.run_until_complete(asyncio.sleep(0))
    delete(panel)
    connection.release("settings.set")
    rest(lambda: work.done() and held[0].answer.done())
    assert [error.message for error in failures] == ["'search.limit' must be a whole number from 5 to 500, not 0."]


def test_a_refusal_whose_reporter_goes_meanwhile_is_told(
    bridge: Bridge, ground: QWidget, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> None:
    panel, failures = Panel(bridge, ground), []
    bridge.failed.connect(failures.append)

    async def refuse_and_go() -> None:
        delete(panel)
        raise InputError("That is no cadence.")

    panel.work.start(refuse_and_go(), panel.steps.append)
    rest(lambda: bool(failures))
    assert panel.steps == []


def test_nobody_hears_of_a_refused_call_about_what_is_gone_with_its_widget(
    bridge: Bridge,
    connection: WatchedConnection,
    ground: QWidget,
    rest: Rest,
    qt_loop: asyncio.AbstractEventLoop,
) -> None:
    panel, held = Panel(bridge, ground), connection.hold("note.get")
    failures: list[object] = []
    bridge.failed.connect(failures.append)
    task = panel.work.start(bridge.call(operations.note.get(id="none")))
    qt_loop.run_until_complete(asyncio.sleep(0))
    delete(panel)
    connection.release("note.get")
    rest(lambda: task.done() and held[0].answer.done())
    assert isinstance(held[0].answer.exception(), NotFoundError)
    assert task.cancelled()
    assert failures == []


def test_a_failure_goes_to_the_one_who_shows_it(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    shown: list[KeepsakeError] = []
    general: list[object] = []
    quiet: list[object] = []
    bridge.failed.connect(general.append)
    bridge.refresh_failed.connect(quiet.append)
    panel = Panel(bridge, ground)
    panel.work.start(panel.refuse(), shown.append)
    panel.work.start(panel.refuse())
    panel.work.refresh(panel.refuse())
    rest(lambda: bool(quiet and general and shown))
    assert [error.message for error in shown] == ["That is no cadence."]
    assert (len(general), len(quiet)) == (1, 1)


def test_a_change_of_its_areas_is_acted_on_while_it_lives(bridge: Bridge, ground: QWidget) -> None:
    panel = Panel(bridge, ground)
    panel.work.on_areas({"settings"}, lambda: panel.steps.append("settings"))
    panel.work.on_areas({"settings", "inbox"}, lambda: panel.steps.append("any"))
    steps = panel.steps
    for area in ("inbox", "settings", "messages"):
        bridge.changed.emit(ChangeSet(frozenset({area})))  # type: ignore[arg-type]
    assert steps == ["any", "settings", "any"]
    delete(panel)
    bridge.changed.emit(ChangeSet(frozenset({"settings"})))
    assert len(steps) == 3


def test_a_call_that_the_latest_no_longer_needs_is_withdrawn(
    bridge: Bridge, connection: WatchedConnection, ground: QWidget, rest: Rest, qt_loop: asyncio.AbstractEventLoop
) -> None:
    panel, held = Panel(bridge, ground), connection.hold("memory.search")
    task = panel.work.latest(bridge.call, operations.memory.search(query="roses"))
    qt_loop.run_until_complete(asyncio.sleep(0))
    panel.work.latest(bridge.call, operations.memory.search(query="rose"))
    rest(task.done)
    assert held[0].answer.cancelled()


def test_a_burst_of_changes_is_acted_on_once(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel = Panel(bridge, ground)
    panel.work.on_areas({"inbox"}, panel.load, 20)
    for _ in range(3):
        bridge.changed.emit(ChangeSet(frozenset({"inbox"})))
    assert panel.steps == []
    rest(lambda: panel.steps == ["loaded"])


def test_what_is_cancelled_is_not_called_after_its_wait(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel = Panel(bridge, ground)
    panel.work.after(0, panel.load)
    panel.work.cancel(panel.load)
    panel.work.after(0, panel.note_end)
    rest(lambda: "end" in panel.steps)
    assert panel.steps == ["end"]


def test_a_hidden_page_catches_up_once_when_it_is_shown(bridge: Bridge, ground: QWidget) -> None:
    panel = Panel(bridge, ground)
    panel.work.on_areas({"inbox"}, panel.load, page=panel)
    panel.work.catch_up()
    assert panel.steps == ["loaded"]  # what was never read
    for area in ("inbox", "inbox", "settings"):
        bridge.changed.emit(ChangeSet(frozenset({area})))  # type: ignore[arg-type]
    assert panel.steps == ["loaded"]
    ground.show()
    panel.work.catch_up()
    panel.work.catch_up()
    assert panel.steps == ["loaded"] * 2
    bridge.changed.emit(ChangeSet(frozenset({"inbox"})))
    assert panel.steps == ["loaded"] * 3


def test_a_page_that_is_hidden_while_its_call_waits_is_not_loaded_in_the_back(
    bridge: Bridge, ground: QWidget, rest: Rest
) -> None:
    panel = Panel(bridge, ground)
    panel.work.on_areas({"inbox"}, panel.load, 20, panel)
    ground.show()
    panel.work.catch_up()
    bridge.changed.emit(ChangeSet(frozenset({"inbox"})))
    ground.hide()
    panel.work.after(40, panel.note_end)
    rest(lambda: "end" in panel.steps)
    assert panel.steps == ["loaded", "end"]
    ground.show()
    panel.work.catch_up()
    assert panel.steps == ["loaded", "end", "loaded"]


def test_what_is_asked_for_while_it_runs_runs_once_more(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, runs = Panel(bridge, ground), 0

    async def load() -> None:
        nonlocal runs
        runs += 1
        panel.steps.append("begun")
        await asyncio.sleep(0)
        panel.steps.append("ended")

    panel.work.coalesce(load)
    rest(lambda: runs == 1)
    for _ in range(3):
        panel.work.coalesce(load)
    rest(lambda: not bridge.is_busy)
    assert panel.steps == ["begun", "ended"] * 2


def test_a_run_that_failed_does_not_keep_the_next_from_beginning(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, quiet = Panel(bridge, ground), list[object]()
    bridge.refresh_failed.connect(quiet.append)
    for number in (1, 2):
        panel.work.coalesce(panel.refuse)
        rest(lambda: len(quiet) == number)  # noqa: B023


def test_what_is_asked_for_during_a_run_that_fails_runs(bridge: Bridge, ground: QWidget, rest: Rest) -> None:
    panel, quiet = Panel(bridge, ground), list[object]()
    bridge.refresh_failed.connect(quiet.append)

    async def load() -> None:
        panel.steps.append("begun")
        await asyncio.sleep(0)
        if len(panel.steps) == 1:
            panel.work.coalesce(load)
            await panel.refuse()

    panel.work.coalesce(load)
    rest(lambda: len(quiet) == 1)
    assert panel.steps == ["begun", "begun"]
