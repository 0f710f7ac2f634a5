"""Saved and recent searches of the Search pane."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.host import Host
from app.retrieval.saved.model import SavedSearch
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.fake_bridge import NOW, FakeBridge, FakeVault
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, settled
from ui.bridge import Bridge
from ui.panes.pane_state import pack
from ui.panes.search.search_history import SearchHistory
from ui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from ui.notice import Notice


def test_searches_are_saved_and_come_back(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    pane._save.click()
    run_async(ask.idle())
    again = open_pane("search")
    run_async(ask.idle())
    assert [one.query for one in again.history.saved] == ["frost"]
    again.saved.list.setCurrentRow(0)
    qtbot.keyClick(again.saved.list, Qt.Key.Key_Return)
    run_async(settled(again))
    assert again.box.text() == "frost"
    again._save.click()
    run_async(ask.idle())
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


def test_examples_and_long_searches_are_taken_up(open_pane: Any, ask: FakeBridge, run_async: Any) -> None:
    pane = open_pane("search", pack({"recent": ["Tom & Jerry", "x" * 300]}))
    run_async(ask.idle())
    buttons = {one.accessibleName(): one for one in pane._recents.findChildren(QPushButton)}
    assert buttons["Tom & Jerry"].text() == "Tom && Jerry"
    assert len(buttons["x" * 300].text()) < 80
    buttons["x" * 300].click()
    assert pane.box.text() == "x" * 300


def test_a_saved_search_shows_that_it_is(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(settled(pane))
    before = pane._save.icon().pixmap(18).toImage()
    pane._save.click()
    run_async(ask.idle())
    assert pane._save.icon().pixmap(18).toImage() != before
    pane._save.click()
    run_async(ask.idle())
    assert pane._save.icon().pixmap(18).toImage() == before


def test_the_search_is_there_again_at_the_next_start(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    fill(books)
    again = open_pane("search", answered_pane(open_pane, run_async).save_state())
    run_async(settled(again))
    assert again.box.text() == "frost"
    assert len(ids(again)) == 4


def test_a_search_that_is_cleared_is_among_the_recent_ones(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    qtbot.keyClick(pane.box, Qt.Key.Key_Escape)
    assert pane.history.recent == ["frost"]


def test_searches_that_an_older_version_saved_go_into_the_vault(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    pane = open_pane("search", pack({"saved": ["frost", "roses"]}))
    run_async(ask.idle())
    assert sorted(one.query for one in books.saved) == ["frost", "roses"]
    assert b"roses" not in pane.save_state()


def test_saved_searches_are_renamed_moved_and_deleted(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    for query in ("one", "two", "three"):
        books.saved.append(SavedSearch(f"srch-{query}", query.title(), query, NOW))
    pane = open_pane("search")
    run_async(ask.idle())
    names = pane.saved.list
    assert pane.saved.isVisible()
    names.setCurrentRow(2)
    names.setFocus()
    qtbot.keyClick(names, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    run_async(ask.idle())
    assert [one.name for one in books.saved] == ["One", "Three", "Two"]
    names.item(0).setText("First")
    run_async(ask.idle())
    assert books.saved[0].name == "First"
    qtbot.keyClick(names, Qt.Key.Key_Delete)
    run_async(ask.idle())
    assert [one.name for one in books.saved] == ["First", "Two"]
