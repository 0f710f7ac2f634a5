"""The keyboard alone: every pane and sheet names its controls, reaches them by Tab or F6, and shows where one is."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QScrollBar, QWidget
from shiboken6 import isValid

from app.host import Host
from tests.pictures.shots import Shot, Subjects, shots
from tests.pictures.vaults import make_sample
from ui import theme
from ui.actions import Actions
from ui.bridge import Bridge
from ui.process.error_reporter import ErrorReporter
from ui.shell.focus_cycle import cycle
from ui.theme import Scheme
from ui.window import Window
from ui.window_state import WindowState

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
MOST_STOPS = 400
LONGEST_S = 600
"""A walk through all places draws thousands of controls: minutes on a busy machine."""
RING = 4


@pytest.fixture(params=["empty", "sample"])
def filled_host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    vault = tmp_path / "v"
    if request.param == "sample":
        make_sample(vault)
    host = Host(vault, serve=False)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def walked(
    filled_host: Host, qt_loop: asyncio.AbstractEventLoop, qapp: Any, qtbot: Any, tmp_path: Path
) -> Iterator[tuple[Window, Bridge]]:
    look = theme.current()
    look.install(qapp)
    look.set_scheme(Scheme.LIGHT)
    bridge = Bridge(filled_host)
    window = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.attach(bridge)
    window.activateWindow()
    yield window, bridge
    window.shut_down()
    qt_loop.run_until_complete(bridge.close())
    bridge.deleteLater()
    look.set_scheme(Scheme.SYSTEM)


async def _settle(bridge: Bridge) -> None:
    """Wait until nothing has been asked for a few turns of the loop."""
    quiet = 0
    while quiet < 12:
        await asyncio.sleep(0.01)
        quiet = 0 if bridge.is_busy else quiet + 1


def _subjects(host: Host) -> Subjects:
    sessions = host.ask("session.ids")
    if not sessions:
        return Subjects()
    facts, names = host.ask("fact.list", limit=1), host.ask("entity.list", limit=1)
    note = next(one for one in host.ask("note.list", limit=500) if one.kind == "note")
    return Subjects(sessions[0], note.id, facts[0].id, names[0].id, "soil")


def _front(window: Window) -> QWidget:
    """Return what the person looks at: the sheet in front, or the pane."""
    sheet = window.sheets.front
    if isinstance(sheet, QWidget):
        return sheet
    assert window.panes is not None
    assert window.panes.front is not None
    return window.panes.front


def _controls(root: QWidget) -> list[QWidget]:
    """Return what takes the keyboard now."""
    return [
        widget
        for widget in root.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisibleTo(root)
        and widget.isEnabled()
        and not isinstance(widget, QScrollBar)
        and widget.focusProxy() is None
    ]


def _describe(widget: QWidget) -> str:
    parent = widget.parentWidget()
    return f"{type(widget).__name__} {widget.accessibleName()!r} in {type(parent).__name__}"


def _nameless(root: QWidget) -> list[str]:
    lost = []
    for widget in _controls(root):
        parent = widget.parentWidget()
        if isinstance(parent, QAbstractScrollArea) and widget is parent.viewport():
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is not None and not interface.text(QAccessible.Text.Name):
            lost.append(_describe(widget))
    return lost


def _unreached(window: Window, front: QWidget) -> list[str]:
    """Return the controls that neither Tab nor F6 reaches; editors keep Tab, so F6 leads out of them."""
    wanted = set(_controls(front))
    reached: set[QWidget] = set()
    sheet = window.sheets.front
    assert window.panes is not None
    assert window.panes.front is not None
    regions = sheet.regions() if sheet is not None else window.panes.front.regions()
    begin = QApplication.focusWidget()
    starts = [begin]
    for _ in regions:
        starts.append(cycle(regions, starts[-1], 1) or starts[-1])
    for start in starts:
        now = start
        if now is not None:
            now.setFocus(Qt.FocusReason.TabFocusReason)
        while now is not None and now not in reached and len(reached) < MOST_STOPS:
            reached.add(now)
            window.focusNextPrevChild(True)
            now = QApplication.focusWidget()
    return [_describe(one) for one in wanted - reached if not _is_reached_by_arrows(one, reached)]


def _is_reached_by_arrows(widget: QWidget, reached: set[QWidget]) -> bool:
    """Return whether it is one of a group of choices: Tab takes the chosen one, the arrows lead to the others."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and not reached.isdisjoint(group.buttons())


def _is_trapped(window: Window) -> bool:
    """Return whether Tab goes in a circle that leaves out the rail of the window."""
    seen: set[QWidget] = set()
    while len(seen) < MOST_STOPS and (now := QApplication.focusWidget()) is not None and now not in seen:
        seen.add(now)
        window.focusNextPrevChild(True)
    return not any(window.sidebar.isAncestorOf(one) for one in seen)


def _unmarked(window: Window, front: QWidget) -> list[str]:
    """Return the controls whose picture is the same with the keyboard and without."""
    lost = []
    for widget in _controls(front):
        window.setFocus()
        # A control may go when another takes the keyboard: a page follows what is chosen in its list.
        if not isValid(widget) or widget.visibleRegion().isEmpty():
            continue
        without = _picture(window, widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if widget.hasFocus() and _picture(window, widget) == without:
            lost.append(_describe(widget))
    return lost


def _picture(window: Window, widget: QWidget) -> QImage:
    """Return the widget with what is just around it."""
    corner = widget.mapTo(window, QPoint(0, 0))
    around = QRect(corner, widget.size()).adjusted(-RING, -RING, RING, RING)
    return window.grab(around).toImage()


def _stays(window: Window, bridge: Bridge, focus: QWidget | None, qt_loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether Escape, where the keyboard was at first, leaves the sheet in front open."""
    sheet = window.sheets.front
    if sheet is None:
        return False
    if focus is not None and isValid(focus):
        focus.setFocus()
    QTest.keyClick(QApplication.focusWidget() or _front(window), Qt.Key.Key_Escape)
    qt_loop.run_until_complete(_settle(bridge))
    return window.sheets.front is sheet


@pytest.mark.timeout(LONGEST_S)
def test_every_pane_and_sheet_can_be_used_by_keyboard_and_is_left_by_escape(
    walked: tuple[Window, Bridge], filled_host: Host, qt_loop: asyncio.AbstractEventLoop
) -> None:
    window, bridge = walked
    qt_loop.run_until_complete(_settle(bridge))
    lost: list[str] = []
    for shot in shots(_subjects(filled_host)):
        _reach(window, bridge, shot, qt_loop)
        focus = QApplication.focusWidget()
        problems: dict[str, list[str]] = {}
        if shot.name != "palette":
            front = _front(window)
            problems = {
                "without a name": _nameless(front),
                "out of reach": _unreached(window, front),
                "in a circle of Tab": [shot.name] if _is_trapped(window) else [],
                "without a mark of focus": _unmarked(window, front),
            }
            qt_loop.run_until_complete(_settle(bridge))
        problems["open after Escape"] = [shot.name] if _stays(window, bridge, focus, qt_loop) else []
        lost += [f"{shot.name}, {kind}: {each}" for kind, names in problems.items() for each in names]
    assert not lost, "\n".join(lost)


def _reach(window: Window, bridge: Bridge, shot: Shot, qt_loop: asyncio.AbstractEventLoop) -> None:
    shot.reach(window)
    qt_loop.run_until_complete(_settle(bridge))
