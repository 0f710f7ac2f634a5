"""Nothing is cut off, and the one action is told."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.empty_state import EmptyState


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


def text_of(empty: EmptyState) -> QLabel:
    """Return the label of the sentence, which alone is rich text."""
    return next(one for one in empty.findChildren(QLabel) if one.textFormat() is Qt.TextFormat.RichText)


def test_words_break_where_there_is_less_room(qtbot: QtBot, look: Theme) -> None:
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    empty = EmptyState("inbox", "Nothing yet", "A long sentence that says what will be here. " * 4, "Import…")
    pages.addWidget(empty)
    least = empty.minimumSizeHint().height()
    look.set_scale(2.0)
    pages.resize(500, 700)
    pages.show()
    words = [label for label in empty.findChildren(QLabel) if label.isVisible()]
    assert all(empty.rect().contains(label.geometry()) for label in words)
    assert empty.minimumSizeHint().width() < 500
    look.set_scale(1.0)
    assert text_of(empty).width() == 440
    pages.resize(240, 700)
    assert text_of(empty).width() < 240
    empty.hide()
    assert empty.minimumSizeHint().height() == least


def test_it_scrolls_where_it_is_too_high(qtbot: QtBot, look: Theme) -> None:
    look.set_scale(2.0)
    empty = EmptyState("inbox", "Nothing yet", "A long sentence that says what will be here. " * 4, "Import…")
    qtbot.addWidget(empty)
    empty.resize(500, 240)
    empty.show()
    assert text_of(empty).height() >= text_of(empty).heightForWidth(text_of(empty).width())
    qtbot.waitUntil(lambda: text_of(empty).geometry().bottom() < empty.button.geometry().top())


def test_action_and_second_are_told(qtbot: QtBot, look: Theme) -> None:
    empty = EmptyState("inbox", "Nothing yet", "Text", "Import…", second="Or a folder…")
    qtbot.addWidget(empty)
    with qtbot.waitSignals([empty.triggered, empty.second_triggered]):
        empty.button.click()
        empty.second.click()


def test_text_is_not_markup(qtbot: QtBot, look: Theme) -> None:
    empty = EmptyState("inbox", "Nothing", "a < b & <b>c</b>")
    qtbot.addWidget(empty)
    assert "&lt;b&gt;" in text_of(empty).text()
    assert text_of(empty).accessibleName() == "a < b & <b>c</b>"
