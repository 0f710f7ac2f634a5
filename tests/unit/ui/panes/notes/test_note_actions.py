"""Several notes selected at once."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.widgets.selection_summary import SelectionSummary

SHIFT = Qt.KeyboardModifier.ShiftModifier
COUNT = 6


def _select(pane: Any, rest: Rest, qtbot: QtBot, count: int) -> None:
    """Select the first ``count`` rows with the keyboard, in a pane whose visits come back as the window's do."""
    pane.navigate.connect(pane.open_place)
    rest(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == COUNT)
    rest(lambda: not pane._choice.isActive())
    pane.listing.list.setFocus()
    for _ in range(count - 1):
        qtbot.keyClick(pane.listing.list, Qt.Key.Key_Down, SHIFT)
        rest(lambda: not pane._choice.isActive())


def _fill(books: VaultFiller) -> None:
    books.add_notes(*(NoteText(f"Note {number}", f"Text {number}") for number in range(COUNT)))


def test_several_stay_selected_and_are_summed_up(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, rest, qtbot, 3)
    assert pane.listing.list.selected_ids() == ["note-000000", "note-000001", "note-000002"]
    assert pane.findChild(SelectionSummary).isVisible()
    assert pane.findChild(SelectionSummary).heading == "3 notes selected"
    assert not pane.document.isVisible()
    assert not pane.inspector.isVisible()
    qtbot.keyClick(pane.listing.list, Qt.Key.Key_Down)
    rest(lambda: pane.document.title.text() == "Note 3")
    assert pane.document.isVisible()


def test_the_note_that_stays_selected_is_read_again(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, rest, qtbot, 2)
    rows = pane.listing.list
    for row in (0, 1):
        spot = rows.visualRect(rows.model().index(row, 0)).center()
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, spot)
        if row == 0:
            rest(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 1")
    assert rows.selected_ids() == []
    assert pane.document.title.text() == "Note 1"


def test_delete_takes_all_of_them_with_one_undo(
    books: VaultFiller,
    connection: WatchedConnection,
    open_pane: OpenPane,
    qtbot: QtBot,
    rest: Rest,
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, rest, qtbot, 3)
    pane.registry.run("notes.delete")
    rest(lambda: bool(pane.emitted.notices))
    assert connection.requested("note.delete_many") == [{"ids": ["note-000000", "note-000001", "note-000002"]}]
    assert [notice.text for notice in pane.emitted.notices] == ["Deleted 3 notes"]
    assert pane.emitted.notices[0].history_ids
    rest(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 3")


def test_pins_and_tags_go_to_all_of_them(
    books: VaultFiller,
    connection: WatchedConnection,
    open_pane: OpenPane,
    qtbot: QtBot,
    rest: Rest,
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, rest, qtbot, 2)
    pane.findChild(SelectionSummary).button("pin").click()
    rest(lambda: len(pane.emitted.notices) == 1)
    assert connection.requested("note.change_many") == [{"ids": ["note-000000", "note-000001"], "pinned": True}]
    assert pane.emitted.notices[0].text == "Pinned 2 notes"
    assert [books.note(note).pinned for note in ("note-000000", "note-000001", "note-000002")] == [True, True, False]
    pane.findChild(SelectionSummary).button("tag").click()
    box = pane.findChild(QInputDialog)
    box.setTextValue("soil")
    box.accept()
    rest(lambda: len(pane.emitted.notices) == 2)
    assert connection.requested("note.tag_many") == [{"ids": ["note-000000", "note-000001"], "add": ["soil"]}]
    assert pane.findChild(SelectionSummary).isVisible()


def test_in_the_trash_several_are_only_restored(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    _fill(books)
    for number in range(3):
        books.host.ask("note.delete", id=f"note-{number:06}")
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == 3)
    pane.listing.trash.click()
    rest(lambda: "note-000000" in pane.listing.model.ids)
    pane.listing.list.selectAll()
    assert not pane.findChild(SelectionSummary).button("delete").isVisible()
    pane.findChild(SelectionSummary).button("restore").click()
    rest(lambda: bool(pane.emitted.notices))
    assert len(connection.requested("note.restore")) == 3
