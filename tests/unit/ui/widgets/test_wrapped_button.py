"""Buttons with long words: they get higher rather than wider, and keep their words."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.wrapped_button import WrappedButton, WrappedCheckBox, broken_lines

LONG = "What it writes waits in the inbox until you accept it"


@pytest.mark.parametrize("kind", [WrappedButton, WrappedCheckBox])
def test_words_go_on_in_further_lines(kind: type, qtbot: QtBot, look: Theme) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    button = kind(LONG, page)
    column = QVBoxLayout(page)
    column.addWidget(button)
    column.addStretch(1)
    page.resize(900, 300)
    page.show()
    height = button.height()
    page.resize(180, 300)
    qtbot.waitUntil(lambda: button.height() > height)
    assert button.text() == LONG
    interface = QAccessible.queryAccessibleInterface(button)
    assert interface is not None
    assert interface.text(QAccessible.Text.Name) == LONG
    page.resize(900, 300)
    qtbot.waitUntil(lambda: button.height() == height)


def test_a_check_box_is_still_checked_by_a_click(qtbot: QtBot, look: Theme) -> None:
    box = WrappedCheckBox(LONG)
    qtbot.addWidget(box)
    box.resize(120, box.heightForWidth(120))
    box.show()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert box.isChecked()


@pytest.mark.parametrize("words", [LONG, "写入内容在收件箱中等待您接受后才会保存到记忆库中", "word", ""])
def test_lines_have_room_and_lose_nothing(words: str, qtbot: QtBot, look: Theme) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    metrics = QFontMetrics(widget.font())
    lines = broken_lines(words, metrics, 100)
    assert "".join("".join(lines).split()) == "".join(words.split())
    assert all(metrics.horizontalAdvance(line) <= 101 for line in lines)


def test_flow_gives_a_wrapped_button_its_height(qtbot: QtBot, look: Theme) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    flow = FlowLayout(page)
    flow.setContentsMargins(10, 20, 10, 20)
    button = WrappedButton(LONG, page)
    flow.addWidget(button)
    page.resize(200, 300)
    page.show()
    qtbot.waitUntil(lambda: button.width() <= 180)
    assert button.geometry().top() >= 20
    assert button.height() == button.heightForWidth(button.width())
    assert flow.heightForWidth(200) == button.height() + 40
