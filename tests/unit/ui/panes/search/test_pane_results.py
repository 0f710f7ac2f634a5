"""The results of the Search pane: how many come, how they are grouped, and the keys that go through them."""

from datetime import timedelta
from typing import Any

from PySide6.QtCore import Qt

from app.changes import ChangeSet
from app.config.model import SettingValue
from tests.unit.ui.panes.fake_bridge import NOW, FakeBridge, FakeVault, until
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, settled
from ui.panes.pane import Place
from ui.panes.search.pane import LIMIT
from ui.panes.search.results import GroupHeading, MoreRow


def test_enter_opens_the_place_and_the_way_back_is_the_search(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert pane.results.hasFocus()
    qtbot.keyClick(pane.results, Qt.Key.Key_Down)
    qtbot.keyClick(pane.results, Qt.Key.Key_Return)
    assert pane.emitted.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "1")]
    assert pane.history.recent == ["frost"]


def test_hits_group_by_conversation(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    pane._group.go_on()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert [(head.title, head.count) for head in headings] == [("Garden", 2), ("Car", 1)]
    pane.results.opened.emit(headings[1])
    assert pane.emitted.places[-1] == Place("sessions", "ses-000001")
    assert not pane.grab().isNull()


def test_from_the_results_back_to_the_box(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = open_pane("search")
    pane._group.go_on()
    pane.box.setText("frost")
    run_async(settled(pane))
    for key, steps in ((Qt.Key.Key_Up, 0), (Qt.Key.Key_Escape, 2)):
        qtbot.keyClick(pane.box, Qt.Key.Key_Down)
        assert pane.results.hasFocus()
        for _ in range(steps):
            qtbot.keyClick(pane.results, Qt.Key.Key_Down)
        if steps:
            qtbot.keyClick(pane.results, Qt.Key.Key_Up)
            assert pane.results.hasFocus()
        qtbot.keyClick(pane.results, key)
        assert pane.box.hasFocus()
        assert pane.box.text() == "frost"


def test_as_many_results_come_at_once_as_are_set(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(30)])
    ask.settings = [SettingValue("search.limit", 10, 50, "file", "int", "Results shown at once.")]
    pane = open_pane("search")
    run_async(ask.idle())
    pane.box.setText("frost")
    run_async(settled(pane))
    assert len(ids(pane)) == 10
    pane.results.more_requested.emit()
    run_async(until(lambda: len(ids(pane)) == 20))
    ask.settings = [SettingValue("search.limit", 25, 50, "file", "int", "Results shown at once.")]
    ask.changed.emit(ChangeSet(frozenset({"settings"}), (), "settings.set"))
    run_async(ask.idle())
    assert len(ids(pane)) == 20
    pane.box.setText("frost ")
    run_async(until(lambda: len(ids(pane)) == 25))


def test_grouping_keeps_the_offer_of_more(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    pane = answered_pane(open_pane, run_async)
    assert pane._summary.text().startswith(f"Results: the first {LIMIT} of {LIMIT + 10}")
    for _ in range(2):
        pane._group.go_on()
        assert isinstance(pane.results.source.rows[-1], MoreRow)
    pane.results.more_requested.emit()
    run_async(until(lambda: len(ids(pane)) == LIMIT + 10))
    assert not isinstance(pane.results.source.rows[-1], MoreRow)


def test_results_gather_by_day(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    books.add_note("Old", "frost of long ago", at=NOW - timedelta(days=90))
    books.add_note("New", "frost of today", at=NOW)
    pane = answered_pane(open_pane, run_async)
    pane._group.restore("day")
    pane._group.changed.emit()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert len(headings) == 2
    before = len(pane.emitted.places)
    pane.results.doubleClicked.emit(pane.results.source.index(0))
    assert len(pane.emitted.places) == before
