"""Dialogs go away when they are closed."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from tests.unit.ui.conftest import Rest
from tests.unit.ui.shelf import Shelf
from ui.dialogs.base_dialog import BaseDialog
from ui.dialogs.dialog_registry import DialogRegistry
from ui.dialogs.help import Help
from ui.widgets.text.markdown_view import open_outside
from ui.window import Window

OPENINGS = ("open_settings", "open_models", "open_help", "open_shortcuts", "open_about", "open_import")


@pytest.fixture
def desk(window: Window) -> DialogRegistry:
    assert window.desk is not None
    return window.desk


def _sweep() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _opened(window: Window) -> BaseDialog:
    (sheet,) = (one for one in window.findChildren(BaseDialog) if one.isVisible())
    return sheet


@pytest.mark.parametrize("opening", OPENINGS)
def test_no_widget_of_a_closed_dialog_stays(window: Window, desk: DialogRegistry, rest: Rest, opening: str) -> None:
    before = len(QApplication.allWidgets())
    for _ in range(2):
        getattr(desk, opening)()
        sheet = _opened(window)
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        assert not sheet.isVisible()
        _sweep()
        assert window.findChildren(QDialog) == []
        assert desk._open == {}
    rest(lambda: not desk._bridge._tasks)
    assert len(QApplication.allWidgets()) <= before


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_dialog_closed_a_moment_ago_is_made_anew(
    window: Window, desk: DialogRegistry, rest: Rest, opening: str
) -> None:
    getattr(desk, opening)()
    first = _opened(window)
    first.close()
    getattr(desk, opening)()
    second = _opened(window)
    assert second is not first
    _sweep()
    assert second.isVisible()
    rest(lambda: not desk._bridge._tasks)
    second.close()


def test_help_opens_where_it_was_left(window: Window, desk: DialogRegistry) -> None:
    desk.open_help("search")
    _opened(window).close()
    _sweep()
    desk.open_help()
    sheet = _opened(window)
    assert isinstance(sheet, Help)
    assert "search" in sheet._list.currentItem().text().casefold()
    sheet.close()


def test_an_import_under_way_survives_closing(window: Window, desk: DialogRegistry, shelf: Shelf, rest: Rest) -> None:
    desk.importer.offer(["/home/a/chatgpt.zip"])
    importer = desk.importer
    rest(lambda: importer._pages.currentWidget() is importer._preview)
    importer._job = "held"
    importer.close()
    _sweep()
    assert desk.importer is importer
    importer._job = ""
    importer.bring()
    importer.close()
    _sweep()
    assert desk._open == {}


def test_a_question_about_a_link_goes_away(window: Window) -> None:
    open_outside(window, "https://example.org")
    window.findChild(QMessageBox).close()
    _sweep()
    assert window.findChild(QMessageBox) is None
