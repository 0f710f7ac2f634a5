"""Fixtures of the window: a style, a watched connection to a real host, a bridge over it, and a window over that."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.watched_connection import WatchedConnection
from ui import theme
from ui.actions import Actions
from ui.bridge import Bridge
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Place
from ui.theme import Scheme
from ui.window import Window
from ui.window_state import WindowState

HERE = Path(__file__).parent
OFFSCREEN = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
Rest = Callable[[Callable[[], bool]], None]

LONGEST_S = 60
"""Seconds that a loaded machine may take until something is true."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the offscreen platform say what it cannot do; it says so for every window that is shown."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(OFFSCREEN)


@pytest.fixture(autouse=True)
def gc_outside_events() -> Iterator[None]:
    """Keep garbage collection out of Qt's events, as the program does.

    Within an event it crashes PySide now and then.
    """
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def look(qapp: Any) -> Iterator[theme.Theme]:
    current = theme.current()
    current.install(qapp)
    yield current
    current.set_scheme(Scheme.SYSTEM)
    current.set_scale(1.0)
    current.install(qapp)  # whole again where a window had divided it


@pytest.fixture
def connection(host: Host) -> Iterator[WatchedConnection]:
    """Return the window's connection to the host of the test's vault."""
    watched = WatchedConnection(host)
    yield watched
    watched.release_all()


@pytest.fixture
def bridge(connection: WatchedConnection, qt_loop: asyncio.AbstractEventLoop, look: theme.Theme) -> Iterator[Bridge]:
    """Return the window's bridge over that connection."""
    bridge = Bridge(connection)
    yield bridge
    qt_loop.run_until_complete(bridge.close())
    bridge.deleteLater()


@pytest.fixture
def rest(qt_loop: asyncio.AbstractEventLoop) -> Rest:
    """Run the loop until something is true."""

    async def until(done: Callable[[], bool]) -> None:
        # No wait_for: its timer would outlive the loop, and qasync's timers must not die on another thread.
        end = qt_loop.time() + LONGEST_S
        while not done():
            assert qt_loop.time() < end, f"it did not become true in {LONGEST_S} seconds"
            await asyncio.sleep(0.005)

    def run(done: Callable[[], bool]) -> None:
        qt_loop.run_until_complete(until(done))

    return run


@pytest.fixture
def window(
    qtbot: QtBot,
    bridge: Bridge,
    connection: WatchedConnection,
    tmp_path: Path,
    rest: Rest,
    qt_loop: asyncio.AbstractEventLoop,
) -> Window:
    """Return an open window with the graph pane in front, which needs nothing of the vault."""
    state = WindowState(tmp_path)
    state.keep("window/pane", "graph")
    window = Window(Actions(), state, ErrorReporter())

    def leave(_window: object) -> None:
        # Before qtbot closes it; a pane that is still at work, such as a layout of the graph, would outlive it.
        connection.release_all()
        rest(lambda: not bridge.is_busy)
        qt_loop.run_until_complete(window.panes.settle())
        window.shut_down()

    qtbot.addWidget(window, before_close_func=leave)
    window.resize(1200, 800)
    window.show()
    window.attach(bridge)
    rest(lambda: "Idle" in window.status_line.text or window.status_line.text.startswith("Read-only"))
    assert window.panes is not None
    assert window.panes.front is not None
    assert window.panes.front.current_place() == Place("graph")
    return window
