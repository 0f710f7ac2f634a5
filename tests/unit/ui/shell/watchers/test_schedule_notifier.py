"""Notes about schedules reach the person, over a real vault, and are recorded as shown only then."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.engine import engine_of
from ui import theme
from ui.bridge import Bridge
from ui.shell.watchers.activity_reporter import ActivityReporter
from ui.shell.watchers.schedule_notifier import ScheduleNotifier
from ui.tray import Tray
from ui.window import Window

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOURLY = {"kind": "cron", "expression": "0 * * * *"}


class SetClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = START

    def now_ms(self) -> int:
        return round(self.now.timestamp() * 1000)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    running = Host(vault, serve=False, clock=clock, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def bridge(host: Host, qtbot: QtBot, qt_loop: asyncio.AbstractEventLoop, look: theme.Theme) -> Iterator[Bridge]:
    bridge = Bridge(host)
    yield bridge
    qt_loop.run_until_complete(bridge.close())


def finish(host: Host, clock: SetClock, name: str, status: str = "succeeded") -> str:
    """Let a goal be claimed and reported; return its run."""
    schedule = host.ask("schedule.create", goal="x", name=name, cadence=HOURLY)
    clock.now += timedelta(hours=1)
    claim = host.ask("schedule.claim", id=schedule.id)
    host.ask("schedule.report", run_id=claim.run_id, output="Done.", status=status)
    return str(claim.run_id)


def test_a_note_is_shown_and_recorded(host: Host, clock: SetClock, bridge: Bridge, qtbot: QtBot) -> None:
    shown: list[tuple[str, str]] = []

    def show(text: str, schedule: str) -> bool:
        shown.append((text, schedule))
        return True

    notifier = ScheduleNotifier(bridge, show)
    run = finish(host, clock, "Boats")
    qtbot.waitUntil(lambda: host.ask("schedule.run", run_id=run).notified)
    assert [text for text, _ in shown] == ["‘Boats’ is done."]
    assert shown[0][1].startswith("sch-")
    assert host.ask("schedule.status").notes == 0
    notifier.deleteLater()


def test_without_anybody_to_see_it_a_note_waits(host: Host, clock: SetClock, bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[str] = []
    is_there = [False]

    def show(text: str, _: str) -> bool:
        seen.append(text)
        return is_there[0]

    runs = [finish(host, clock, f"Boats {number}") for number in range(5)]
    notifier = ScheduleNotifier(bridge, show)
    qtbot.waitUntil(lambda: bool(seen))
    assert not any(host.ask("schedule.run", run_id=run).notified for run in runs)
    assert host.ask("schedule.status").notes == 5
    is_there[0] = True
    notifier._on_app_state_changed(Qt.ApplicationState.ApplicationActive)
    qtbot.waitUntil(lambda: host.ask("schedule.status").notes == 0)
    assert all(host.ask("schedule.run", run_id=run).notified for run in runs)
    assert "4 more notes" in seen[-1]
    notifier.deleteLater()


def test_a_click_on_the_message_leads_to_the_schedule(window: Window, qtbot: QtBot) -> None:
    tray = Tray(window.registry, window)
    try:
        tray.show_message("Schedule", "‘Boats’ is done.", "sch-1")
        with qtbot.waitSignal(tray.schedule_requested) as caught:
            tray.icon.messageClicked.emit()
        assert caught.args == ["sch-1"]
        tray.show_message("Saved", "Kept as a note.")
        with qtbot.waitSignal(tray.open_requested):
            tray.icon.messageClicked.emit()
    finally:
        tray.dispose()


def test_typing_is_reported_but_not_each_key(host: Host, bridge: Bridge, qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    reporter = ActivityReporter(bridge, field)
    field.show()
    engine = engine_of(host)
    assert not engine.schedules.activity.is_typing()  # type: ignore[attr-defined]
    started: list[object] = []
    start = bridge.start
    bridge.start = lambda work, *given: started.append(work) or start(work, *given)  # type: ignore[method-assign,func-returns-value]
    for _ in range(20):
        QTest.keyClick(field.windowHandle(), Qt.Key.Key_A)
    assert field.text() == "a" * 20
    assert len(started) == 1
    qtbot.waitUntil(engine.schedules.activity.is_typing)  # type: ignore[attr-defined]
    reporter.deleteLater()
