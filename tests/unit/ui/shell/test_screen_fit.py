"""Windows fit their screen: a property of rectangles, and the window and its dialogs as they open."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.unit.ui.conftest import Rest
from ui.actions import Actions
from ui.dialogs.base_dialog import BaseDialog
from ui.process.error_reporter import ErrorReporter
from ui.shell.quick_capture import QuickCapture
from ui.shell.screen_fit import fit_to_screen, fitted
from ui.theme import Theme
from ui.window import Window
from ui.window_state import WindowState

sides = st.integers(1, 4000)
places = st.integers(-3000, 3000)
rects = st.builds(QRect, places, places, sides, sides)


@given(wanted=rects, area=rects)
def test_it_lies_within_the_area_and_what_fits_stays(wanted: QRect, area: QRect) -> None:
    found = fitted(wanted, area)
    assert area.contains(found)
    assert found.size() == wanted.size().boundedTo(area.size())
    if area.contains(wanted):
        assert found == wanted


def is_on_screen(window: QWidget) -> bool:
    return window.screen().availableGeometry().contains(window.geometry())


def test_a_window_kept_from_a_larger_screen_fits_this_one(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    before = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(before)
    before.setGeometry(2500, 1900, 1920, 1230)
    before.keep_state()
    after = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(after)
    after.bring_to_front()
    assert is_on_screen(after)
    after.hide()
    after.setGeometry(-4000, -200, 1920, 1230)
    after.bring_to_front()
    assert is_on_screen(after)


SHEETS = ("file.import", "file.settings", "file.models", "help.pages", "help.shortcuts", "help.about")


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("action", SHEETS)
def test_every_sheet_lies_within_the_window(window: Window, look: Theme, rest: Rest, action: str, scale: float) -> None:
    look.set_scale(scale)
    window.resize(1000, 650)
    window.registry.run(action)
    assert window.bridge is not None
    rest(lambda: window.bridge is not None and not window.bridge.is_busy)
    assert not [top for top in QApplication.topLevelWidgets() if top.isVisible() and isinstance(top, BaseDialog)]
    (sheet,) = (one for one in window.findChildren(BaseDialog) if one.isVisible())
    shown = [part for part in (*sheet._foot.findChildren(QPushButton), sheet.back) if part.isVisible()]
    for part in shown:
        place = QRect(part.mapTo(window, QPoint()), part.size())
        assert window.rect().contains(place), part.accessibleName() or part.property("text")
    sheet.reject()


def test_quick_capture_fits(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    capture = QuickCapture(WindowState(tmp_path))
    qtbot.addWidget(capture)
    capture.resize(3000, 3000)
    capture.bring_to_front()
    assert is_on_screen(capture)


def test_a_maximised_window_is_left_alone(qtbot: QtBot, look: Theme) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.showMaximized()
    before = widget.geometry()
    fit_to_screen(widget)
    assert widget.geometry() == before
