"""Selecting several rows of a list with keys and with the mouse."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import Qt

from ui.models.cards import Card
from ui.models.id_list_model import IdListModel
from ui.widgets.lists.list_view import CardList

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@dataclass
class Row:
    id: str


@pytest.fixture
def rows(qtbot: Any, qt_loop: Any) -> CardList:
    async def fetch(ids: list[str]) -> list[Row]:
        return [Row(identity) for identity in ids]

    model = IdListModel(fetch, lambda work: asyncio.get_event_loop().create_task(work), lambda row: Card(row.id))
    view = CardList("Things")
    model.setParent(view)
    view.set_source(model)
    qtbot.addWidget(view)
    view.resize(300, 600)
    view.show()
    model.set_ids(f"m{n}" for n in range(50))
    return view


def _click(qtbot: Any, view: CardList, row: int, keys: Any = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.mouseClick(view.viewport(), LEFT, keys, view.visualRect(view.model().index(row, 0)).center())


def test_shift_and_the_arrows_extend_from_where_one_began(rows: CardList, qtbot: Any) -> None:
    _click(qtbot, rows, 2)
    for _ in range(3):
        qtbot.keyClick(rows, Qt.Key.Key_Down, SHIFT)
    assert rows.selected_ids() == ["m2", "m3", "m4", "m5"]
    qtbot.keyClick(rows, Qt.Key.Key_Up, SHIFT)
    assert rows.selected_ids() == ["m2", "m3", "m4"]


def test_shift_extends_from_a_row_that_was_chosen_by_program(rows: CardList, qtbot: Any) -> None:
    _click(qtbot, rows, 1)
    rows.choose("m5")
    qtbot.keyClick(rows, Qt.Key.Key_Down, SHIFT)
    assert rows.selected_ids() == ["m5", "m6"]
    rows.choose("m1")
    _click(qtbot, rows, 3, SHIFT)
    assert rows.selected_ids() == ["m1", "m2", "m3"]


def test_ctrl_and_a_click_add_and_take_away(rows: CardList, qtbot: Any) -> None:
    _click(qtbot, rows, 1)
    _click(qtbot, rows, 4, CTRL)
    _click(qtbot, rows, 6, CTRL)
    assert rows.selected_ids() == ["m1", "m4", "m6"]
    _click(qtbot, rows, 4, CTRL)
    assert rows.selected_ids() == ["m1", "m6"]


def test_shift_and_end_select_to_the_end(rows: CardList, qtbot: Any) -> None:
    _click(qtbot, rows, 3)
    qtbot.keyClick(rows, Qt.Key.Key_End, SHIFT)
    assert len(rows.selected_ids()) == 47


def test_it_tells_how_many_are_selected_also_over_another_list(rows: CardList, qtbot: Any) -> None:
    reported: list[int] = []
    rows.selection_changed.connect(reported.append)
    rows.selectAll()
    model = rows.model()
    assert isinstance(model, IdListModel)
    model.set_ids(f"m{n}" for n in range(10, 60))
    model.set_ids(["other"])
    assert (reported[0], reported[-2], reported[-1]) == (50, 40, 0)
    assert rows.selected_count == 0
