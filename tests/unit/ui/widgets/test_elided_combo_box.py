"""A choice that does not fit says so."""

from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.elided_combo_box import ElidedComboBox

WORDS = "May call as often as the settings allow"


def test_the_choice_is_cut_with_an_ellipsis_and_told_in_full(qtbot: QtBot, look: Theme) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.addItems([WORDS, "x"])
    box.resize(600, 32)
    box.show()
    assert box.shown_text() == WORDS
    box.grab()
    assert box.toolTip() == ""
    box.resize(140, 32)
    assert box.shown_text().endswith("…")
    box.grab()
    assert box.toolTip() == WORDS
    assert box.currentText() == WORDS
