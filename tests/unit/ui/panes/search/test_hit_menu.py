"""The context menu of a result."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu

from app.errors import NotFoundError
from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from ui.panes.pane import Place
from ui.panes.search.results import GroupHeading


@pytest.fixture
def pane(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> Any:
    """Return the pane with the answer to "frost"."""
    books.add_session("Garden", [("user", "is frost near"), ("assistant", "yes **frost** tonight")])
    talk = books.add_session("Car", [("user", "frost on the car")])
    books.add_note("Frost", "cover the roses from frost", facts=("roses die",), session_id=talk)
    made = open_pane("search")
    made.box.setText("frost")
    run_async(until(lambda: "found by" in made._summary.text()))
    made.results.setFocus()
    return made


def opened(pane: Any) -> dict[str, Any]:
    """Return what the menu that is open offers, and close it."""
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    actions = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    menu.close()
    return actions


def menu_of(pane: Any, row: int) -> dict[str, Any]:
    pane.results.setCurrentIndex(pane.results.source.index(row))
    pane.results.menu_requested.emit(pane.results.source.rows[row], QPoint(5, 5))
    return opened(pane)


def test_the_menu_key_opens_it_at_the_current_row(pane: Any, qtbot: Any) -> None:
    pane.results.setCurrentIndex(pane.results.source.index(2))
    keys = [(Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)]
    for key, modifier in keys:
        qtbot.keyClick(pane.results, key, modifier)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        row = pane.results.visualRect(pane.results.currentIndex())
        assert row.contains(pane.results.viewport().mapFromGlobal(menu.pos()))
        opened(pane)["Copy link"].trigger()
        assert QGuiApplication.clipboard().text() == "keepsake://session/ses-000001#0"


def test_the_pointer_opens_it_where_it_is_and_only_on_rows(pane: Any, qtbot: Any) -> None:
    view = pane.results.viewport()
    last = pane.results.visualRect(pane.results.source.index(3))
    for spot, is_open in ((last.center(), True), (last.bottomLeft() + QPoint(20, 30), False)):
        qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=spot)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(view, QContextMenuEvent(reason, spot, view.mapToGlobal(spot)))
        assert (QApplication.activePopupWidget() is not None) == is_open
        if is_open:
            assert pane.results.current_hit().id == "note-000000"
            assert "Delete" in opened(pane)


def test_a_turn_leads_to_its_place_and_is_never_changed(pane: Any) -> None:
    actions = menu_of(pane, 1)
    assert list(actions) == ["Open in its conversation", "Copy text", "Copy link", "Why this was found"]
    actions["Open in its conversation"].trigger()
    assert pane.emitted.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "1")]


def test_all_of_a_text_is_copied(pane: Any, ask: FakeBridge, run_async: Any) -> None:
    menu_of(pane, 1)["Copy text"].trigger()
    run_async(ask.idle())
    assert QGuiApplication.clipboard().text() == "yes **frost** tonight"
    menu_of(pane, 3)["Copy text"].trigger()
    run_async(ask.idle())
    assert QGuiApplication.clipboard().text() == "cover the roses from frost\n\n- roses die"
    assert pane.emitted.notices[-1].text == "Copied the text"


def test_what_is_gone_cannot_be_copied(pane: Any, ask: FakeBridge, books: FakeVault, run_async: Any) -> None:
    actions = menu_of(pane, 1)
    del books.messages["ses-000000"][1]
    actions["Copy text"].trigger()
    run_async(ask.idle())
    assert pane.emitted.notices[-1].text == "This message is no longer there."


def test_the_reasons_are_shown_also_where_they_were_hidden(pane: Any) -> None:
    pane.toggle_inspector()
    pane.why.set_reasons_open(False)
    assert not pane.why.isVisible()
    menu_of(pane, 2)["Why this was found"].trigger()
    assert pane.why.isVisible()
    assert pane.why.reasons_open
    assert pane.why.hit.id == "ses-000001#0"
    assert pane.why._section.header.hasFocus()


def test_a_memory_is_pinned_tagged_and_deleted_with_a_way_back(
    pane: Any, ask: FakeBridge, books: FakeVault, run_async: Any
) -> None:
    actions = menu_of(pane, 3)
    assert list(actions)[:2] == ["Open", "Open its conversation"]
    actions["Open its conversation"].trigger()
    assert pane.emitted.places[-1] == Place("sessions", "ses-000001")
    for pinned, reported in ((True, "Pinned ‘Frost’"), (False, "Unpinned ‘Frost’")):
        menu_of(pane, 3)["Pin or unpin"].trigger()
        run_async(ask.idle())
        assert books.memories["note-000000"].pinned is pinned
        assert pane.emitted.notices[-1].text == reported
        assert pane.emitted.notices[-1].history_ids
    menu_of(pane, 3)["Add tags…"].trigger()
    box = next(iter(pane.findChildren(QInputDialog)))
    box.setTextValue("garden, cold")
    box.accept()
    run_async(ask.idle())
    assert books.memories["note-000000"].tags == ("garden", "cold")
    menu_of(pane, 3)["Delete"].trigger()
    run_async(ask.idle())
    assert books.memories["note-000000"].deleted_at is not None
    assert pane.emitted.notices[-1].text == "Deleted ‘Frost’"
    assert pane.emitted.notices[-1].history_ids == (7,)


def test_a_conversation_is_opened_or_forgotten(pane: Any, ask: FakeBridge, books: FakeVault, run_async: Any) -> None:
    pane._group.go_on()
    assert isinstance(pane.results.source.rows[0], GroupHeading)
    actions = menu_of(pane, 0)
    assert list(actions) == ["Open", "Copy link", "Delete"]
    actions["Delete"].trigger()
    run_async(ask.idle())
    assert "ses-000000" not in books.sessions
    assert pane.emitted.notices[-1].text == "Deleted ‘Garden’"


@pytest.mark.parametrize("operation", ["note.pin", "note.delete", "note.get"])
def test_a_failure_is_told(pane: Any, ask: FakeBridge, run_async: Any, operation: str) -> None:
    actions = menu_of(pane, 3)
    ask.faults[operation] = NotFoundError("There is no such memory.")
    for title in {"note.pin": ["Pin or unpin"], "note.delete": ["Delete"]}.get(operation, ["Copy text"]):
        actions[title].trigger()
    run_async(ask.idle())
    assert (pane.emitted.notices[-1].text, pane.emitted.notices[-1].kind) == ("There is no such memory.", "error")


def test_what_lies_in_the_archive_is_not_changed(pane: Any) -> None:
    pane.menu.open_at(QPoint(5, 5), pane.results.source.rows[3], is_archived=True)
    assert list(opened(pane)) == ["Open", "Open its conversation", "Copy text", "Copy link", "Why this was found"]
