"""The context menu of a result."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from app.errors import NotFoundError
from tests.helpers.screen_reader import named
from tests.helpers.vault_filler import VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from tests.unit.ui.panes.search.search_answers import answered_pane, fill
from ui.panes.pane import Place
from ui.panes.search.result_options import GroupingMenu
from ui.panes.search.results import GroupHeading

NOTE, NEAR, TONIGHT, CAR = "note-000000", "ses-000000#1", "ses-000000#2", "ses-000001#1"


@pytest.fixture
def pane(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> Any:
    """Return the pane with the answer to "frost"."""
    fill(books)
    note = books.note(NOTE)
    books.host.ask("note.update", id=NOTE, version=note.version, facts=["roses die"])
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    pane.results.setFocus()
    return pane


def row_of(pane: Any, identity: str) -> int:
    """Return the row of a hit."""
    rows: list[Any] = pane.results.source.rows
    return next(row for row, hit in enumerate(rows) if getattr(hit, "id", "") == identity)


def opened(pane: Any) -> dict[str, Any]:
    """Return what the menu that is open offers, and close it."""
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    actions = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    menu.close()
    return actions


def menu_of(pane: Any, identity: str) -> dict[str, Any]:
    row = row_of(pane, identity)
    pane.results.setCurrentIndex(pane.results.source.index(row))
    pane.results.menu_requested.emit(pane.results.source.rows[row], QPoint(5, 5))
    return opened(pane)


def test_the_menu_key_opens_it_at_the_current_row(pane: Any, qtbot: QtBot) -> None:
    pane.results.setCurrentIndex(pane.results.source.index(row_of(pane, CAR)))
    keys = [(Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)]
    for key, modifier in keys:
        qtbot.keyClick(pane.results, key, modifier)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        row = pane.results.visualRect(pane.results.currentIndex())
        assert row.contains(pane.results.viewport().mapFromGlobal(menu.pos()))
        opened(pane)["Copy link"].trigger()
        assert QGuiApplication.clipboard().text() == "keepsake://session/ses-000001#1"


def test_the_pointer_opens_it_where_it_is_and_only_on_rows(pane: Any, qtbot: QtBot) -> None:
    view = pane.results.viewport()
    last = pane.results.visualRect(pane.results.source.index(len(pane.results.source.rows) - 1))
    last_id = pane.results.source.rows[-1].id
    for spot, is_open in ((last.center(), True), (last.bottomLeft() + QPoint(20, 30), False)):
        qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=spot)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(view, QContextMenuEvent(reason, spot, view.mapToGlobal(spot)))
        assert (QApplication.activePopupWidget() is not None) == is_open
        if is_open:
            assert pane.results.current_hit().id == last_id
            assert "Copy text" in opened(pane)


def test_a_turn_leads_to_its_place_and_is_never_changed(pane: Any) -> None:
    actions = menu_of(pane, TONIGHT)
    assert list(actions) == ["Open in its conversation", "Copy text", "Copy link", "Why this was found"]
    actions["Open in its conversation"].trigger()
    assert pane.emitted.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "2")]


def test_all_of_a_text_is_copied(pane: Any, settle: Settle) -> None:
    menu_of(pane, TONIGHT)["Copy text"].trigger()
    settle()
    assert QGuiApplication.clipboard().text() == "yes **frost** tonight"
    menu_of(pane, NOTE)["Copy text"].trigger()
    settle()
    assert QGuiApplication.clipboard().text() == "cover the roses from frost\n\n- roses die"
    assert pane.emitted.notices[-1].text == "Copied the text"


def test_what_is_gone_cannot_be_copied(pane: Any, books: VaultFiller, settle: Settle) -> None:
    actions = menu_of(pane, TONIGHT)
    books.host.ask("session.forget", session="ses-000000")
    QGuiApplication.clipboard().setText("before")
    actions["Copy text"].trigger()
    settle()
    assert pane.emitted.notices[-1].text == "This message is no longer there."
    assert QGuiApplication.clipboard().text() == "before"


def test_the_reasons_are_shown_also_where_they_were_hidden(pane: Any) -> None:
    pane.toggle_inspector()
    pane.why.set_reasons_open(False)
    assert not pane.why.isVisible()
    menu_of(pane, CAR)["Why this was found"].trigger()
    assert pane.why.isVisible()
    assert pane.why.reasons_open
    assert pane.why.hit.id == CAR
    assert named(pane.why, QToolButton, "What counted, and how much").hasFocus()


def test_a_memory_is_pinned_tagged_and_deleted_with_a_way_back(pane: Any, books: VaultFiller, settle: Settle) -> None:
    actions = menu_of(pane, NOTE)
    assert list(actions)[:2] == ["Open", "Copy text"]
    for pinned, reported in ((True, "Pinned ‘Frost’"), (False, "Unpinned ‘Frost’")):
        menu_of(pane, NOTE)["Pin or unpin"].trigger()
        settle()
        assert books.note(NOTE).pinned is pinned
        assert pane.emitted.notices[-1].text == reported
        assert pane.emitted.notices[-1].history_ids
    menu_of(pane, NOTE)["Add tags…"].trigger()
    box = next(iter(pane.findChildren(QInputDialog)))
    box.setTextValue("garden, cold")
    box.accept()
    settle()
    assert books.note(NOTE).tags == ("garden", "cold")
    menu_of(pane, NOTE)["Delete"].trigger()
    settle()
    assert books.host.ask("note.list") == []
    assert pane.emitted.notices[-1].text == "Deleted ‘Frost’"
    books.host.ask("memory.undo", history_ids=list(pane.emitted.notices[-1].history_ids))
    assert [note.id for note in books.host.ask("note.list")] == [NOTE]


def test_a_fact_leads_to_its_conversation(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    fact = books.host.ask("fact.remember", content="The car freezes in frost", session="ses-000001").memory
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    actions = menu_of(pane, fact.id)
    assert list(actions)[:2] == ["Open", "Open its conversation"]
    actions["Open its conversation"].trigger()
    assert pane.emitted.places[-1] == Place("sessions", "ses-000001")


def test_a_conversation_is_opened_or_forgotten(pane: Any, books: VaultFiller, settle: Settle) -> None:
    pane.findChild(GroupingMenu).go_on()
    rows = pane.results.source.rows
    [heading] = [row for row in rows if isinstance(row, GroupHeading) and row.title == "Garden"]
    pane.results.setCurrentIndex(pane.results.source.index(rows.index(heading)))
    pane.results.menu_requested.emit(heading, QPoint(5, 5))
    actions = opened(pane)
    assert list(actions) == ["Open", "Copy link", "Delete"]
    actions["Delete"].trigger()
    settle()
    assert [session.title for session in books.sessions()] == ["Car"]
    assert pane.emitted.notices[-1].text == "Deleted ‘Garden’"


@pytest.mark.parametrize("operation", ["note.pin", "note.delete", "note.get"])
def test_a_failure_is_told(pane: Any, connection: WatchedConnection, operation: str, settle: Settle) -> None:
    actions = menu_of(pane, NOTE)
    connection.refused[operation] = NotFoundError("There is no such memory.")
    for title in {"note.pin": ["Pin or unpin"], "note.delete": ["Delete"]}.get(operation, ["Copy text"]):
        actions[title].trigger()
    settle()
    assert (pane.emitted.notices[-1].text, pane.emitted.notices[-1].kind) == ("There is no such memory.", "error")


def test_what_lies_in_the_archive_is_not_changed(pane: Any) -> None:
    pane.menu.open_at(QPoint(5, 5), pane.results.source.rows[row_of(pane, NOTE)], is_archived=True)
    assert list(opened(pane)) == ["Open", "Copy text", "Copy link", "Why this was found"]
