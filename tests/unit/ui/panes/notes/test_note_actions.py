"""Several notes selected at once."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until

SHIFT = Qt.KeyboardModifier.ShiftModifier
COUNT = 6


def _select(pane: Any, run_async: Any, qtbot: Any, count: int) -> None:
    """Select the first ``count`` rows with the keyboard, in a pane whose visits come back as the window's do."""
    pane.navigate.connect(pane.open_place)
    run_async(until(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == COUNT))
    run_async(until(lambda: not pane._choice.isActive()))
    pane.listing.list.setFocus()
    for _ in range(count - 1):
        qtbot.keyClick(pane.listing.list, Qt.Key.Key_Down, SHIFT)
        run_async(until(lambda: not pane._choice.isActive()))


def _fill(books: FakeVault) -> None:
    for number in range(COUNT):
        books.add_note(f"Note {number}", f"Text {number}")


def test_several_stay_selected_and_are_summed_up(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, run_async, qtbot, 3)
    assert pane.listing.list.selected_ids() == ["note-000000", "note-000001", "note-000002"]
    assert pane._summary.isVisible()
    assert pane._summary.heading == "3 notes selected"
    assert not pane.document.isVisible()
    assert not pane.inspector.isVisible()
    qtbot.keyClick(pane.listing.list, Qt.Key.Key_Down)
    run_async(until(lambda: pane.document.title.text() == "Note 3"))
    assert pane.document.isVisible()


def test_the_note_that_stays_selected_is_read_again(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, run_async, qtbot, 2)
    rows = pane.listing.list
    for row in (0, 1):
        spot = rows.visualRect(rows.model().index(row, 0)).center()
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, spot)
        if row == 0:
            run_async(until(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 1"))
    assert rows.selected_ids() == []
    assert pane.document.title.text() == "Note 1"


def test_delete_takes_all_of_them_with_one_undo(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, run_async, qtbot, 3)
    pane.registry.run("notes.delete")
    run_async(until(lambda: bool(pane.emitted.notices)))
    assert ask.called("note.delete_many") == [{"ids": ["note-000000", "note-000001", "note-000002"]}]
    assert [one.text for one in pane.emitted.notices] == ["Deleted 3 notes"]
    assert pane.emitted.notices[0].history_ids
    run_async(until(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 3"))


def test_pins_and_tags_go_to_all_of_them(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _select(pane, run_async, qtbot, 2)
    pane._summary.button("pin").click()
    run_async(until(lambda: len(pane.emitted.notices) == 1))
    assert ask.called("note.change_many") == [{"ids": ["note-000000", "note-000001"], "pinned": True}]
    assert (pane.emitted.notices[0].text, pane.emitted.notices[0].history_ids) == ("Pinned 2 notes", (13,))
    pane._summary.button("tag").click()
    box = pane.findChild(QInputDialog)
    box.setTextValue("soil")
    box.accept()
    run_async(until(lambda: len(pane.emitted.notices) == 2))
    assert ask.called("note.tag_many") == [{"ids": ["note-000000", "note-000001"], "add": ["soil"]}]
    assert pane._summary.isVisible()


def test_in_the_trash_several_are_only_restored(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    for number in range(3):
        ask._note_delete(f"note-{number:06}")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == 3))
    pane.listing.trash.click()
    run_async(until(lambda: "note-000000" in pane.listing.model.ids))
    pane.listing.list.selectAll()
    assert not pane._summary.button("delete").isVisible()
    pane._summary.button("restore").click()
    run_async(until(lambda: bool(pane.emitted.notices)))
    assert len(ask.called("note.restore")) == 3
