"""The passphrase field by keyboard: Tab leaves it, Enter confirms it, and only its own key reveals the text."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.fields.passphrase_field import PassphraseField

HIDDEN, SHOWN = QLineEdit.EchoMode.Password, QLineEdit.EchoMode.Normal


@pytest.fixture
def fields(qtbot: QtBot, look: Theme) -> Iterator[tuple[PassphraseField, PassphraseField]]:
    form = QWidget()
    column = QVBoxLayout(form)
    first, second = PassphraseField("New passphrase", form), PassphraseField("The same again", form)
    column.addWidget(first)
    column.addWidget(second)
    qtbot.addWidget(form)
    form.show()
    qtbot.waitExposed(form)
    first.setFocus()
    yield first, second
    form.hide()


def test_tab_goes_to_the_next_field(qtbot: QtBot, fields: tuple[PassphraseField, PassphraseField]) -> None:
    first, second = fields
    qtbot.keyClicks(first, "correct horse")
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    qtbot.keyClicks(second.window().focusWidget(), "battery")
    assert (first.text(), second.text()) == ("correct horse", "battery")
    qtbot.keyClick(second, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert first.hasFocus()


def test_enter_reveals_nothing(qtbot: QtBot, fields: tuple[PassphraseField, PassphraseField]) -> None:
    first, _ = fields
    qtbot.keyClicks(first, "correct horse")
    with qtbot.waitSignal(first.returnPressed):
        qtbot.keyClick(first, Qt.Key.Key_Return)
    assert first.echoMode() is HIDDEN


def test_mouse_and_the_key_in_the_tooltip_show_and_hide(
    qtbot: QtBot, fields: tuple[PassphraseField, PassphraseField]
) -> None:
    first, _ = fields
    qtbot.mouseClick(first.show_button, Qt.MouseButton.LeftButton)
    assert first.echoMode() is SHOWN
    assert first.hasFocus()
    assert "Ctrl+Shift+H" in first.show_button.toolTip()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(first, Qt.Key.Key_H, both)
    assert first.echoMode() is HIDDEN
    assert first.text() == ""
