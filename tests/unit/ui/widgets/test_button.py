"""A button without words has a name."""

import pytest
from PySide6.QtGui import QAccessible
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
