"""Toasts stack, wait while looked at, undo, and can be reached by keyboard."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QHoverEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.notice import Notice
from ui.theme import Theme
from ui.widgets.notices.toast import STACK_LIMIT, Toaster


@pytest.fixture
def toaster(qtbot: QtBot, look: Theme) -> Iterator[Toaster]:
    window = QWidget()
    window.resize(900, 600)
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(QPlainTextEdit(window), 1)
    column.addWidget(QLineEdit(window))
    toaster = Toaster(window)
    toaster.stand_over(window.findChild(QPlainTextEdit))
    window.show()
    yield toaster
    window.hide()


def test_lies_over_the_lower_corner_and_moves_nothing(toaster: Toaster, qtbot: QtBot) -> None:
    window = toaster.window()
    text = window.findChild(QPlainTextEdit)
    before = text.geometry()
    toast = toaster.show_notice(Notice("Saved"))
    toaster.show_notice(Notice("Deleted ‘Rose list’", (7,)))
    assert text.geometry() == before
    window.resize(700, 500)
    qtbot.waitUntil(lambda: toaster.geometry().bottom() == text.geometry().bottom())
    assert toast.mapTo(window, toast.rect().topLeft()).x() > 350
    assert toaster.height() < 150
    assert not toaster.mask().contains(toaster.rect().topLeft())


def test_leaves_the_line_being_typed_free(toaster: Toaster, qtbot: QtBot) -> None:
    window = toaster.window()
    window.activateWindow()
    text = window.findChild(QPlainTextEdit)
    text.setPlainText("\n" * 100)
    text.setFocus()
    qtbot.waitUntil(text.hasFocus)
    text.moveCursor(QTextCursor.MoveOperation.End)
    toaster.show_notice(Notice("Saved"))
    assert toaster.geometry().top() == text.geometry().top()
    text.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.waitUntil(lambda: toaster.geometry().bottom() == text.geometry().bottom())


def test_a_small_window_does_not_grow(toaster: Toaster, qtbot: QtBot) -> None:
    window = toaster.window()
    window.resize(400, 200)
    for number in range(STACK_LIMIT):
        toaster.show_notice(Notice(f"Saved {number}"))
    qtbot.wait(10)
    assert window.height() == 200


def test_goes_by_itself(toaster: Toaster, qtbot: QtBot) -> None:
    toaster.show_notice(Notice("Saved", seconds=0.01))
    qtbot.waitUntil(lambda: not toaster.toasts)
    assert not toaster.isVisible()


def test_stays_while_the_keyboard_is_on_it(toaster: Toaster) -> None:
    toast = toaster.show_notice(Notice("Deleted", (1,)))
    toaster.focus_last()
    toast._on_timeout()
    assert toaster.toasts == [toast]
    toaster.window().setFocus()
    toast._on_timeout()
    assert toaster.toasts == []


def test_errors_stay(toaster: Toaster) -> None:
    toast = toaster.show_notice(Notice("The disk is full.", kind="error", seconds=0.01))
    assert not toast._timer.isActive()
    toast.dismiss()
    assert toaster.toasts == []


def test_stays_while_the_pointer_is_on_it(toaster: Toaster) -> None:
    toast = toaster.show_notice(Notice("Deleted", (1,)))
    where = QPointF(5, 5)
    for kind, waits in ((QEvent.Type.HoverMove, False), (QEvent.Type.HoverLeave, True)):
        QApplication.sendEvent(toast, QHoverEvent(kind, where, where, where))
        assert toast._timer.isActive() is waits


def test_undo_is_asked_once(toaster: Toaster, qtbot: QtBot) -> None:
    notice = Notice("Deleted ‘Rose list’", (7,))
    toast = toaster.show_notice(notice)
    assert toast.undo is not None
    with qtbot.waitSignal(toaster.undo_requested) as requested:
        qtbot.mouseClick(toast.undo, Qt.MouseButton.LeftButton)
    assert requested.args == [notice]
    assert toaster.toasts == []


def test_nothing_to_undo_offers_none(toaster: Toaster) -> None:
    assert toaster.show_notice(Notice("Saved")).undo is None


def test_keyboard_reaches_the_newest(toaster: Toaster, qtbot: QtBot) -> None:
    assert not toaster.focus_last()
    toaster.show_notice(Notice("first", (1,)))
    last = toaster.show_notice(Notice("second", (2,)))
    assert toaster.focus_last()
    assert last.undo is not None
    assert last.undo.hasFocus()
    qtbot.keyClick(last.undo, Qt.Key.Key_Escape)
    assert [toast.notice.text for toast in toaster.toasts] == ["first"]


def test_stack_is_bounded(toaster: Toaster) -> None:
    for number in range(STACK_LIMIT + 3):
        toaster.show_notice(Notice(str(number)))
    assert [toast.notice.text for toast in toaster.toasts] == ["3", "4", "5", "6"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_keyboard_goes_back_where_it_was(toaster: Toaster, qtbot: QtBot, key: Qt.Key) -> None:
    first, field = QLineEdit(toaster.window()), QLineEdit(toaster.window())
    first.show()
    field.show()
    field.setFocus()
    toast = toaster.show_notice(Notice("Deleted", (1,)))
    assert toaster.focus_last()
    qtbot.keyClick(toast.undo, key)
    assert toaster.toasts == []
    assert field.hasFocus()


def test_what_was_undone_otherwise_is_offered_no_more(toaster: Toaster) -> None:
    toaster.show_notice(Notice("Deleted “Roses”", history_ids=(4, 5)))
    toaster.show_notice(Notice("Saved"))
    toaster.forget(SimpleNamespace(id="x", entry=4))
    assert [toast.notice.text for toast in toaster.toasts] == ["Saved"]
    toaster.forget(SimpleNamespace(id="x", entry=9))
    assert len(toaster.toasts) == 1


@pytest.mark.parametrize("is_hidden", [False, True])
def test_the_keyboard_does_not_fall_on_a_toast_when_its_field_goes(
    toaster: Toaster, qtbot: QtBot, is_hidden: bool
) -> None:
    window = toaster.window()
    window.activateWindow()
    text, field = window.findChild(QPlainTextEdit), window.findChild(QLineEdit)
    toaster.show_notice(Notice("Restored 1", (7,)))
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    if is_hidden:
        field.hide()
    else:
        field.setEnabled(False)
    assert QApplication.focusWidget() is text


def test_the_keyboard_reaches_a_toast_with_tab(toaster: Toaster, qtbot: QtBot) -> None:
    window = toaster.window()
    window.activateWindow()
    field = window.findChild(QLineEdit)
    toast = toaster.show_notice(Notice("Restored 1", (7,)))
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert toast.isAncestorOf(QApplication.focusWidget())
