"""Nothing is cut off, and the one action is told."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.empty import EmptyState


def test_words_have_the_room_they_need(qtbot: QtBot, look: Theme) -> None:
    empty = EmptyState(
        "inbox", "Nothing yet", "A long sentence that says what will be here. " * 4, "Import…", hint="Or"
    )
    qtbot.addWidget(empty)
    empty.resize(700, 500)
    empty.show()
    for scale in (1.0, 1.5, 1.0):
        look.set_scale(scale)
        for label in empty.findChildren(QLabel):
            needed = label.minimumHeight()
            label.setMinimumHeight(0)
            assert needed == label.heightForWidth(label.width())


def test_action_and_second_are_told(qtbot: QtBot, look: Theme) -> None:
    empty = EmptyState("inbox", "Nothing yet", "Text", "Import…", second="Or a folder…")
    qtbot.addWidget(empty)
    with qtbot.waitSignals([empty.asked, empty.second_asked]):
        empty.button.click()
        empty.second.click()


def test_text_is_not_markup(qtbot: QtBot, look: Theme) -> None:
    empty = EmptyState("inbox", "Nothing", "a < b & <b>c</b>")
    qtbot.addWidget(empty)
    assert "&lt;b&gt;" in empty._text.text()
    assert empty._text.accessibleName() == "a < b & <b>c</b>"
