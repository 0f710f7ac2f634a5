"""Box layouts hold what they are given, in order, with its room."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ui.widgets.box_layouts import Spacer, Stretch, hbox, vbox


def test_items_stand_in_order_with_their_room(qtbot: Any) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    first, second = QWidget(), QWidget()
    inner = vbox(second)
    row = hbox(first, Spacer(7), (inner, 2), Stretch(3), parent=holder, margins=(1, 2, 3, 4), spacing=5)
    assert holder.layout() is row
    assert (row.itemAt(0).widget(), row.itemAt(2).layout()) == (first, inner)
    assert row.itemAt(1).sizeHint().width() == 7
    assert [row.stretch(place) for place in range(row.count())] == [0, 0, 2, 3]
    margins = row.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (1, 2, 3, 4)
    assert row.spacing() == 5


def test_one_number_is_the_margin_on_all_sides(qtbot: Any) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    top = QWidget()
    column = vbox((top, 1, Qt.AlignmentFlag.AlignTop), parent=holder, margins=6)
    assert {column.contentsMargins().left(), column.contentsMargins().bottom()} == {6}
    assert column.itemAt(0).alignment() == Qt.AlignmentFlag.AlignTop
