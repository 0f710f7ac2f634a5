"""The orders of a list: one holds, the person chooses, and what held before comes back."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.lists.sort_menu import SortMenu


def test_one_order_holds_and_a_choice_is_told_once(qtbot: QtBot, look: Theme) -> None:
    home = QWidget()
    qtbot.addWidget(home)
    orders = SortMenu("Order", (("recent", "Newest first"), ("title", "By title")), home)
    reported: list[str] = []
    orders.changed.connect(lambda: reported.append(orders.current))
    assert orders.current == "recent"
    assert orders.button.accessibleName() == "Order"
    orders.menu.actions()[1].trigger()
    assert reported == ["title"]
    assert [action.isChecked() for action in orders.menu.actions()] == [False, True]


def test_an_order_that_is_not_known_changes_nothing(qtbot: QtBot, look: Theme) -> None:
    home = QWidget()
    qtbot.addWidget(home)
    orders = SortMenu("Order", (("recent", "Newest first"), ("title", "By title")), home)
    with qtbot.assertNotEmitted(orders.changed):
        for name, holds in (("title", "title"), ("size", "title"), (None, "title")):
            orders.restore(name)
            assert orders.current == holds
