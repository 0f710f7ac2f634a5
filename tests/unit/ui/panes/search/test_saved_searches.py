"""Saved and recent searches of the Search pane."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, wait_for_answer
from ui.bridge import Bridge
from ui.panes.pane_state import pack
from ui.panes.search.recent_searches import RecentSearches
from ui.panes.search.search_history import SearchHistory
from ui.widgets.fields.search_box import SearchBox

if TYPE_CHECKING:
    from ui.notice import Notice


def test_searches_are_saved_and_come_back(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, settle: Settle, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    pane.history.button.click()
    settle()
    again = open_pane("search")
    settle()
    assert [one.query for one in again.history.saved] == ["frost"]
    again.saved.list.setCurrentRow(0)
    qtbot.keyClick(again.saved.list, Qt.Key.Key_Return)
    wait_for_answer(again, rest)
    assert again.box.text() == "frost"
    again.history.button.click()
    settle()
    assert list(again.history.saved) == []


def test_what_is_saved_or_deleted_is_undone_by_its_notice(bridge: Bridge, host: Host, rest: Rest, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    box = SearchBox("Search", "", parent=parent)
    history = SearchHistory(bridge, box, parent)
    notices: list[Notice] = []
    history.noticed.connect(notices.append)
    bridge.changed.connect(history.load)
    box.setText("red kites")
    for saved in (["red kites"], []):
        history.toggle_saved()
        rest(lambda saved=saved: [one.query for one in history.saved] == saved and not bridge.is_busy)
    assert [notice.can_undo for notice in notices] == [True, True]
    for notice, saved in zip(reversed(notices), (["red kites"], []), strict=True):
        host.ask("memory.undo", history_ids=list(notice.history_ids))
        rest(lambda saved=saved: [one.query for one in history.saved] == saved)


def test_examples_and_long_searches_are_taken_up(open_pane: OpenPane, settle: Settle) -> None:
    pane = open_pane("search", pack({"recent": ["Tom & Jerry", "x" * 300]}))
    settle()
    buttons = {one.accessibleName(): one for one in pane.findChild(RecentSearches).findChildren(QPushButton)}
    assert buttons["Tom & Jerry"].text() == "Tom && Jerry"
    assert len(buttons["x" * 300].text()) < 80
    buttons["x" * 300].click()
    assert pane.box.text() == "x" * 300


def test_a_saved_search_shows_that_it_is(books: VaultFiller, open_pane: OpenPane, settle: Settle, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    wait_for_answer(pane, rest)
    before = pane.history.button.icon().pixmap(18).toImage()
    pane.history.button.click()
    settle()
    assert pane.history.button.icon().pixmap(18).toImage() != before
    pane.history.button.click()
    settle()
    assert pane.history.button.icon().pixmap(18).toImage() == before


def test_the_search_is_there_again_at_the_next_start(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    again = open_pane("search", answered_pane(open_pane, rest).save_state())
    wait_for_answer(again, rest)
    assert again.box.text() == "frost"
    assert len(ids(again)) == 4


def test_a_search_that_is_cleared_is_among_the_recent_ones(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    qtbot.keyClick(pane.box, Qt.Key.Key_Escape)
    assert pane.history.recent == ["frost"]


def test_searches_that_an_older_version_saved_go_into_the_vault(
    books: VaultFiller, open_pane: OpenPane, settle: Settle
) -> None:
    pane = open_pane("search", pack({"saved": ["frost", "roses"]}))
    settle()
    assert sorted(search.query for search in books.host.ask("saved_search.list")) == ["frost", "roses"]
    assert b"roses" not in pane.save_state()


def _saved_names(books: VaultFiller) -> list[str]:
    return [search.name for search in books.host.ask("saved_search.list")]


def test_saved_searches_are_renamed_moved_and_deleted(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, settle: Settle
) -> None:
    for query in ("one", "two", "three"):
        books.host.ask("saved_search.save", query=query, name=query.title())
    pane = open_pane("search")
    settle()
    names = pane.saved.list
    assert pane.saved.isVisible()
    names.setCurrentRow(2)
    names.setFocus()
    qtbot.keyClick(names, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    settle()
    assert _saved_names(books) == ["One", "Three", "Two"]
    names.item(0).setText("First")
    settle()
    assert _saved_names(books)[0] == "First"
    qtbot.keyClick(names, Qt.Key.Key_Delete)
    settle()
    assert _saved_names(books) == ["First", "Two"]
