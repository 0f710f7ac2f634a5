"""A line of words that does not fit says so."""

from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.elided_label import ElidedLabel

WORDS = "Note · Private · Import (markdown) · 1 January 1970, 00:00"


def test_words_are_cut_with_an_ellipsis_and_told_in_full(qtbot: QtBot, look: Theme) -> None:
    label = ElidedLabel(WORDS)
    qtbot.addWidget(label)
    label.resize(900, 20)
    label.show()
    assert label.shown_text() == WORDS
    assert label.toolTip() == ""
    label.resize(120, 20)
    assert label.shown_text().endswith("…")
    assert label.toolTip() == WORDS
    assert label.minimumSizeHint().width() == 0
    assert not label.grab().isNull()
