"""Sheets stand in place of the panes, and everything is as before when they are closed."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.unit.ui.conftest import Rest
from ui.dialogs.help import HelpDialog
from ui.dialogs.models.models import ModelsDialog
from ui.dialogs.settings.settings import SettingsDialog
from ui.shell.navigation import Place
from ui.window import Window


def _settled(window: Window, rest: Rest) -> None:
    rest(lambda: window.bridge is not None and not window.bridge.is_busy)


def test_escape_closes_a_sheet_and_returns_the_keyboard(window: Window, rest: Rest) -> None:
    window.activateWindow()
    button = window.sidebar.menu_button
    button.setFocus()
    window.registry.run("help.pages")
    assert isinstance(window.sheets.front, HelpDialog)
    assert not window.panes.isVisible()
    QTest.keyClick(QApplication.focusWidget() or window.sheets.front, Qt.Key.Key_Escape)
    assert window.sheets.front is None
    assert window.panes.isVisible()
    assert QApplication.focusWidget() is button


def test_one_sheet_returns_to_the_one_before(window: Window, rest: Rest) -> None:
    window.registry.run("file.settings")
    _settled(window, rest)
    window.registry.run("file.models")
    _settled(window, rest)
    assert isinstance(window.sheets.front, ModelsDialog)
    window.registry.run("go.back")
    assert isinstance(window.sheets.front, SettingsDialog)
    window.registry.run("go.back")
    assert window.sheets.front is None


def test_a_place_takes_the_place_of_all_sheets(window: Window, rest: Rest) -> None:
    window.registry.run("file.settings")
    window.registry.run("help.about")
    _settled(window, rest)
    window.go(Place("graph"))
    assert window.sheets.front is None
    assert window.panes.isVisible()


def test_the_keys_of_a_pane_sleep_behind_a_sheet(window: Window) -> None:
    own = [one for one in window.registry.all() if one.pane == "graph"]
    assert own
    window.registry.run("help.about")
    assert not any(window.registry.run(one.id) for one in own)
    window.sheets.front.reject()
    assert any(window.registry.qaction(one.id).isEnabled() for one in own)


def test_f6_walks_through_the_sheet(window: Window, rest: Rest) -> None:
    window.activateWindow()
    window.registry.run("help.pages")
    sheet = window.sheets.front
    seen = set()
    for _ in range(6):
        window.registry.run("go.region")
        seen.add(QApplication.focusWidget())
    assert any(sheet.isAncestorOf(widget) for widget in seen if widget is not None)
    assert not any(window.panes.isAncestorOf(widget) for widget in seen if widget is not None)
