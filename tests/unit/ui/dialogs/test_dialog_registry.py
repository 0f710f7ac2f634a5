"""Dialogs go away when they are closed."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from tests.helpers.screen_reader import is_offered, press
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.dialog_registry import DialogRegistry
from ui.dialogs.help import HelpDialog
from ui.widgets.text.markdown_view import open_outside
from ui.window import Window

OPENINGS = ("open_settings", "open_models", "open_help", "open_shortcuts", "open_about", "open_import")


@pytest.fixture
def dialogs(window: Window) -> DialogRegistry:
    assert window.dialogs is not None
    return window.dialogs


def _sweep() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _opened(window: Window) -> BaseDialog:
    (sheet,) = (one for one in window.findChildren(BaseDialog) if one.isVisible())
    return sheet


@pytest.mark.parametrize("opening", OPENINGS)
def test_no_widget_of_a_closed_dialog_stays(window: Window, dialogs: DialogRegistry, rest: Rest, opening: str) -> None:
    before = len(QApplication.allWidgets())
    for _ in range(2):
        getattr(dialogs, opening)()
        sheet = _opened(window)
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        assert not sheet.isVisible()
        _sweep()
        assert window.findChildren(QDialog) == []
        assert dialogs._open == {}
    rest(lambda: not dialogs._bridge.is_busy)
    assert len(QApplication.allWidgets()) <= before


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_dialog_closed_a_moment_ago_is_made_anew(
    window: Window, dialogs: DialogRegistry, rest: Rest, opening: str
) -> None:
    getattr(dialogs, opening)()
    first = _opened(window)
    first.close()
    getattr(dialogs, opening)()
    second = _opened(window)
    assert second is not first
    _sweep()
    assert second.isVisible()
    rest(lambda: not dialogs._bridge.is_busy)
    second.close()


def test_help_opens_where_it_was_left(window: Window, dialogs: DialogRegistry) -> None:
    dialogs.open_help("search")
    _opened(window).close()
    _sweep()
    dialogs.open_help()
    sheet = _opened(window)
    assert isinstance(sheet, HelpDialog)
    assert "search" in sheet._list.currentItem().text().casefold()
    sheet.close()


def test_an_import_under_way_survives_closing(
    dialogs: DialogRegistry, connection: WatchedConnection, rest: Rest, tmp_path: Path
) -> None:
    file = tmp_path / "Roses.md"
    file.write_text("# Roses\n\nRed ones.\n", "utf-8")
    importer = dialogs.importer
    importer.offer([str(file)])
    rest(lambda: is_offered(importer, "Import"))
    connection.hold("exchange.import")
    press(importer, "Import")
    importer.close()
    _sweep()
    assert dialogs.importer is importer
    connection.release("exchange.import")
    rest(lambda: not importer.is_running)
    importer.bring_to_front()
    importer.close()
    _sweep()
    assert dialogs._open == {}


def test_a_question_about_a_link_goes_away(window: Window) -> None:
    open_outside(window, "https://example.org")
    window.findChild(QMessageBox).close()
    _sweep()
    assert window.findChild(QMessageBox) is None
