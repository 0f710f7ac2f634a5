"""The results of the Search pane: how many come, how they are grouped, and the keys that go through them."""

from datetime import timedelta

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.helpers.vault_filler import NOW, VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, wait_for_answer
from ui.panes.pane import Place
from ui.panes.search.pane import LIMIT
from ui.panes.search.result_options import GroupingMenu
from ui.panes.search.result_summary import ResultSummary
from ui.panes.search.results import GroupHeading, MoreRow


def test_enter_opens_the_place_and_the_way_back_is_the_search(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert pane.results.hasFocus()
    qtbot.keyClick(pane.results, Qt.Key.Key_Down)
    qtbot.keyClick(pane.results, Qt.Key.Key_Return)
    assert pane.emitted.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "2")]
    assert pane.history.recent == ["frost"]


def test_hits_group_by_conversation(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    pane.findChild(GroupingMenu).go_on()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert [(head.title, head.count) for head in headings] == [("Garden", 2), ("Car", 1)]
    pane.results.opened.emit(headings[1])
    assert pane.emitted.places[-1] == Place("sessions", "ses-000001")
    assert not pane.grab().isNull()


def test_from_the_results_back_to_the_box(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.findChild(GroupingMenu).go_on()
    pane.box.setText("frost")
    wait_for_answer(pane, rest)
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
    books: VaultFiller, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(30)])
    books.host.ask("vault.settle")
    books.host.ask("settings.set", name="search.limit", value=10)
    pane = open_pane("search")
    settle()
    pane.box.setText("frost")
    wait_for_answer(pane, rest)
    assert len(ids(pane)) == 10
    pane.results.more_requested.emit()
    rest(lambda: len(ids(pane)) == 20)
    books.host.ask("settings.set", name="search.limit", value=25)
    settle()
    assert len(ids(pane)) == 20
    pane.box.setText("frost ")
    rest(lambda: len(ids(pane)) == 25)


def test_grouping_keeps_the_offer_of_more(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    assert pane.findChild(ResultSummary).text().startswith(f"Results: the first {LIMIT} of {LIMIT + 10}")
    for _ in range(2):
        pane.findChild(GroupingMenu).go_on()
        assert isinstance(pane.results.source.rows[-1], MoreRow)
    pane.results.more_requested.emit()
    rest(lambda: len(ids(pane)) == LIMIT + 10)
    assert not isinstance(pane.results.source.rows[-1], MoreRow)


def test_results_gather_by_day(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.add_session("Old", [("user", "frost of long ago")], at=NOW - timedelta(days=90))
    books.add_session("New", [("user", "frost of today")], at=NOW)
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    pane.findChild(GroupingMenu).restore("day")
    pane.findChild(GroupingMenu).changed.emit()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert len(headings) == 2
    before = len(pane.emitted.places)
    pane.results.doubleClicked.emit(pane.results.source.index(0))
    assert len(pane.emitted.places) == before
