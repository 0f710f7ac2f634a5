"""Titles one can type over."""

from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from ui.widgets.fields.title_field import TitleField

LONG = "Sleep, hojicha and the slow movement of a very long and windy title"


def _fields(qtbot: Any) -> tuple[QWidget, TitleField, QLineEdit]:
    holder = QWidget()
    field, other = TitleField(holder), QLineEdit(holder)
    column = QVBoxLayout(holder)
    column.addWidget(field)
    column.addWidget(other)
    qtbot.addWidget(holder)
    holder.resize(200, 90)
    holder.show()
    holder.activateWindow()
    other.setFocus()
    return holder, field, other


def test_a_title_that_is_cut_ends_in_an_ellipsis_and_tells_all_of_it(qtbot: Any, look: Any) -> None:
    holder, field, _ = _fields(qtbot)
    field.setText(LONG)
    assert field.shown_text().endswith("…")
    QApplication.sendEvent(field, QHelpEvent(QEvent.Type.ToolTip, QPoint(3, 3), QPoint(3, 3)))
    assert field.toolTip() == LONG
    cut = field.grab().toImage()
    field.setText(field.shown_text())
    assert field.grab().toImage() == cut
    field.setText("Short")
    QApplication.sendEvent(field, QHelpEvent(QEvent.Type.ToolTip, QPoint(3, 3), QPoint(3, 3)))
    assert (field.shown_text(), field.toolTip()) == ("Short", "")
    del holder


def test_its_beginning_shows_again_when_the_keyboard_leaves_it(qtbot: Any, look: Any) -> None:
    _holder, field, other = _fields(qtbot)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, LONG)
    assert field.shown_text() == LONG
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert other.hasFocus()
    assert field.cursorPosition() == 0
    assert field.shown_text().startswith("Sleep")
