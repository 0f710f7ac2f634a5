"""A button without words has a name."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.button import TARGET_SIZE, icon_button, text_button


def test_label_is_name_and_tooltip(qtbot: QtBot, look: Theme) -> None:
    button = icon_button("x", "Dismiss", shortcut="Ctrl+D")
    qtbot.addWidget(button)
    spoken = QAccessible.queryAccessibleInterface(button)
    assert spoken is not None
    assert spoken.text(QAccessible.Text.Name) == "Dismiss"
    assert button.toolTip() == "Dismiss (Ctrl+D)"
    assert button.minimumWidth() >= TARGET_SIZE


@pytest.mark.parametrize("label", ["", "  "])
def test_no_label_no_button(qtbot: QtBot, label: str) -> None:
    with pytest.raises(ValueError, match="needs a label"):
        icon_button("x", label)


def test_look_is_a_property(qtbot: QtBot, look: Theme) -> None:
    button = text_button("Import", "primary", icon_name="download")
    qtbot.addWidget(button)
    assert button.property("primary") is True
    assert not button.icon().isNull()


def test_icons_grow_with_the_text(qtbot: QtBot, look: Theme) -> None:
    plain, small, words = icon_button("x", "Dismiss"), icon_button("x", "Dismiss"), text_button("Go", icon_name="x")
    small.setIconSize(QSize(12, 12))
    for button in (plain, small, words):
        qtbot.addWidget(button)
        button.ensurePolished()
    sizes = {}
    for scale in (1.0, 1.5, 1.0):
        look.set_scale(scale)
        sizes[scale] = [button.iconSize().height() for button in (plain, small, words)]
    assert sizes == {1.0: [18, 12, 16], 1.5: [27, 18, 24]}


@pytest.mark.parametrize("make", [lambda: text_button("Import"), lambda: icon_button("x", "Dismiss")])
def test_enter_presses_once(qtbot: QtBot, look: Theme, make: Callable[[], QAbstractButton]) -> None:
    button = make()
    qtbot.addWidget(button)
    pressed: list[str] = []
    button.clicked.connect(lambda: pressed.append(button.text()))
    qtbot.keyClick(button, Qt.Key.Key_Return)
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", autorep=True)
    QApplication.sendEvent(button, held)
    assert len(pressed) == 1
