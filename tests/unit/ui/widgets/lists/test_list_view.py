"""The list of two-line rows."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QAccessible

from ui.models.cards import Badge, Card
from ui.models.id_list_model import IdListModel
from ui.widgets.lists.list_view import CardList


@dataclass
class Row:
    id: str


@pytest.fixture
def shown(qtbot: Any, qt_loop: Any) -> Any:
    async def fetch(ids: list[str]) -> list[Row]:
        return [Row(identity) for identity in ids]

    def start(work: Any) -> object:
        return asyncio.get_event_loop().create_task(work)

    def card(row: Row) -> Card:
        return Card(row.id, "text", badges=(Badge("x"),))

    model = IdListModel(fetch, start, card)
    view = CardList("Things")
    model.setParent(view)
    view.set_source(model)
    qtbot.addWidget(view)
    view.resize(300, 400)
    view.show()
    return view, model


async def _beat() -> None:
    await asyncio.sleep(0.03)


def test_only_rows_in_sight_are_asked_for(shown: Any, run_async: Any) -> None:
    view, model = shown
    model.set_ids(f"m{n}" for n in range(100_000))
    run_async(_beat())
    assert model.card_of("m0") is not None
    assert model.card_of("m50000") is None
    view.choose("m50000")
    run_async(_beat())
    assert model.card_of("m50000") is not None
    assert view.current_id() == "m50000"


def test_selection_current_and_scroll_survive_another_list(shown: Any) -> None:
    view, model = shown
    ids = [f"m{n}" for n in range(1000)]
    model.set_ids(ids)
    view.choose("m500")
    flag = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(model.index(502), flag.Select)
    top = view.indexAt(QPoint(5, 5)).row()
    reported: list[str] = []
    view.chosen.connect(reported.append)
    model.set_ids(["new1", "new2", *ids])
    assert view.current_id() == "m500"
    assert view.selected_ids() == ["m500", "m502"]
    assert view.indexAt(QPoint(5, 5)).row() == top + 2
    assert reported == []


def test_keys_walk_open_delete_and_rename(shown: Any, qtbot: Any) -> None:
    view, model = shown
    model.set_ids(f"m{n}" for n in range(50))
    seen: list[Any] = []
    view.opened.connect(lambda one: seen.append(("open", one)))
    view.delete_requested.connect(lambda many: seen.append(("delete", many)))
    view.rename_requested.connect(lambda one: seen.append(("rename", one)))
    view.setFocus()
    view.choose_row(0)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.current_id() == "m49"
    qtbot.keyClick(view, Qt.Key.Key_Home)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.current_id() == "m1"
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    qtbot.keyClick(view, Qt.Key.Key_F2)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert seen == [("delete", ["m1", "m2"]), ("rename", "m2"), ("open", "m2")]


def test_typing_goes_to_a_row_that_begins_so(shown: Any, run_async: Any, qtbot: Any) -> None:
    view, model = shown
    model.set_ids(["bach", "Rose", "rust", "roses"])
    run_async(_beat())
    view.setFocus()
    qtbot.keyClicks(view, "ru")
    assert view.current_id() == "rust"


def test_the_neighbour_follows_or_precedes(shown: Any) -> None:
    view, model = shown
    model.set_ids(["a", "b", "c"])
    assert view.neighbour(["a", "b"]) == "c"
    assert view.neighbour(["c"]) == "b"
    assert view.neighbour(["a", "b", "c"]) == ""


def test_a_click_chooses_and_two_open(shown: Any, qtbot: Any) -> None:
    view, model = shown
    model.set_ids(["a", "b", "c"])
    opened: list[str] = []
    view.opened.connect(opened.append)
    spot = view.visualRect(model.index(1)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert view.current_id() == "b"
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert opened == ["b"]


def test_the_keyboard_opens_the_menu_at_the_current_row(shown: Any, qtbot: Any) -> None:
    view, model = shown
    model.set_ids(f"m{n}" for n in range(50))
    requested: list[Any] = []
    view.menu_requested.connect(lambda ids, where: requested.append((ids, view.viewport().mapFromGlobal(where))))
    qtbot.keyClick(view, Qt.Key.Key_Menu)
    assert requested == []
    view.choose_row(40)
    view.verticalScrollBar().setValue(0)
    keys = [(Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)]
    for key, modifier in keys:
        qtbot.keyClick(view, key, modifier)
    spot = view.visualRect(model.index(40)).center()
    assert requested == [(["m40"], spot), (["m40"], spot)]
    assert view.viewport().rect().contains(spot)


def test_pages_are_as_long_as_the_view(shown: Any, qtbot: Any) -> None:
    view, model = shown
    model.set_ids(f"m{n}" for n in range(100))
    view.choose_row(50)
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    down = int(view.current_id()[1:])
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    rows = view.viewport().height() // view.visualRect(model.index(0)).height()
    assert down == 50 + rows - 1
    assert abs(int(view.current_id()[1:]) - 50) <= 1
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert int(view.current_id()[1:]) < 50


def test_it_paints_in_both_directions_and_when_empty(shown: Any, run_async: Any) -> None:
    view, model = shown
    view.set_empty_text("Nothing here")
    view.grab()
    model.set_ids(["a", "b"])
    run_async(_beat())
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert not view.grab().isNull()


def test_it_has_an_accessible_name(shown: Any) -> None:
    view, _ = shown
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.text(QAccessible.Text.Name) == "Things"
