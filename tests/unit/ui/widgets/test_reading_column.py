"""A column to read stays in the middle of its page."""

from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.reading_column import ReadingColumn


def test_it_is_in_the_middle_and_grows_with_the_text(look: Theme, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    column = ReadingColumn(QVBoxLayout(), page, 400)
    page.resize(1000, 300)
    page.show()
    assert (column.x(), column.width()) == (300, 400)
    look.set_scale(2.0)
    qtbot.waitUntil(lambda: (column.x(), column.width()) == (100, 800))
    page.resize(600, 300)
    qtbot.waitUntil(lambda: 580 < column.width() <= 600)  # it has all that there is
