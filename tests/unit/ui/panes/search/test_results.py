"""The list of results: which hit is current, how rows are written."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.retrieval.model import Hit
from tests.unit.ui.panes.search.test_query_text import hit
from ui.panes.search.hit_painter import GroupHeading, MoreRow, hit_title, known_words
from ui.panes.search.result_options import Grouping
from ui.panes.search.results import ResultList
from ui.theme import Theme


@pytest.fixture
def results(qtbot: QtBot, look: Theme) -> Iterator[ResultList]:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(420, 260)
    made.show()
    yield made
    made.hide()


def hits(letters: str) -> list[Hit]:
    return [hit(letter, f"s{letter}", title=f"Talk {letter}", role="user") for letter in letters]


def current(results: ResultList) -> str:
    now = results.current_hit()
    return now.id if now else ""


def test_the_best_is_current_whatever_was_best_before(results: ResultList) -> None:
    results.show_hits(hits("abc"), grouping="")
    assert current(results) == "a"
    results.show_hits(hits("cab"), grouping="")
    assert current(results) == "c"


@pytest.mark.parametrize("by_mouse", [False, True])
def test_a_hit_the_person_went_to_stays_current(results: ResultList, qtbot: QtBot, by_mouse: bool) -> None:
    results.show_hits(hits("abc"), grouping="")
    if by_mouse:
        spot = results.visualRect(results.source.index(1)).center()
        qtbot.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(spot))
    else:
        qtbot.keyClick(results, Qt.Key.Key_Down)
    results.show_hits(hits("cab"), grouping="")
    assert current(results) == "b"
    results.show_hits(hits("ca"), grouping="")
    assert current(results) == "c"


def test_another_question_begins_at_its_best(results: ResultList, qtbot: QtBot) -> None:
    results.show_hits(hits("abc"), grouping="")
    qtbot.keyClick(results, Qt.Key.Key_Down)
    results.show_hits(hits("cab"), grouping="", afresh=True)
    assert current(results) == "c"


def test_further_results_go_on_where_the_offer_stood(results: ResultList, qtbot: QtBot) -> None:
    results.show_hits(hits("abcdefgh"), grouping="", more="Show more results")
    assert isinstance(results.source.rows[-1], MoreRow)
    qtbot.keyClick(results, Qt.Key.Key_End)
    place = results.verticalScrollBar().value()
    assert place > 0
    with qtbot.waitSignal(results.more_requested):
        qtbot.keyClick(results, Qt.Key.Key_Return)
    results.show_hits(hits("abcdefghijklmnop"), grouping="")
    assert current(results) == "i"
    assert results.verticalScrollBar().value() == place


def test_who_and_where_from_are_said_once_and_in_words() -> None:
    assert known_words(hit("a", "s", author="Atlas", agent="Atlas", role="assistant")) == ["Atlas"]
    assert known_words(hit("n", agent="import:markdown", tags=("garden", "rose", "third"))) == [
        "Import (markdown)",
        "#garden",
        "#rose",
    ]
    assert known_words(hit("n", agent="person")) == ["You"]


def test_headings_count_in_words(results: ResultList) -> None:
    results.show_hits([hit("s#1", "s"), hit("s#2", "s"), hit("t#1", "t")], grouping="session")
    speech = [
        results.source.index(at).data(Qt.ItemDataRole.AccessibleTextRole)
        for at, row in enumerate(results.source.rows)
        if isinstance(row, GroupHeading)
    ]
    assert speech == ["T, 2 results", "T, 1 result"]


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
@pytest.mark.parametrize("grouping", ["", "session", "day"])
def test_long_titles_and_names_paint(results: ResultList, direction: Qt.LayoutDirection, grouping: Grouping) -> None:
    results.setLayoutDirection(direction)
    worst = hit("a", "s", title="w" * 300, agent="n" * 200, author="m" * 90, tags=("t" * 64,) * 3, snippet="s" * 900)
    results.show_hits([worst, hit("n", tags=("x",))], grouping=grouping, more="More")
    assert not results.grab().isNull()


def test_rows_are_where_they_are_clicked(results: ResultList, qtbot: QtBot) -> None:
    texts = ["one line", "several words of a text " * 3, "many words of a text that goes on " * 9]
    results.show_hits([hit(f"{n}", snippet=texts[n % 3]) for n in range(60)], grouping="", more="More")
    view = results.viewport()
    for row in (0, 1, 2, 31, 59):
        results.scrollTo(results.source.index(row))
        rect = results.visualRect(results.source.index(row))
        assert view.rect().contains(rect)
        assert {results.indexAt(QPoint(9, y)).row() for y in (rect.top(), rect.center().y(), rect.bottom())} == {row}
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=rect.center())
        assert current(results) == f"{row}"
    heights = [results.visualRect(results.source.index(row)).height() for row in range(3)]
    assert heights == sorted(set(heights))
    assert not results.indexAt(QPoint(9, view.height() + 5000)).isValid()


def test_pages_lead_through_all_rows(results: ResultList, qtbot: QtBot) -> None:
    results.show_hits([hit(f"{n}", snippet="words " * (n % 40)) for n in range(60)], grouping="")
    seen = [current(results)]
    while current(results) != "59":
        qtbot.keyClick(results, Qt.Key.Key_PageDown)
        assert int(current(results)) > int(seen[-1])
        seen.append(current(results))
    assert 5 < len(seen) < 50
    while current(results) != "0":
        before = int(current(results))
        qtbot.keyClick(results, Qt.Key.Key_PageUp)
        assert int(current(results)) < before


def test_texts_stay_as_they_are_when_the_scroll_bar_comes(results: ResultList, qtbot: QtBot) -> None:
    long = "several words of a text that goes on " * 4
    results.show_hits([hit("a", snippet=long)], grouping="")
    before = results.visualRect(results.source.index(0)).height()
    assert not results.verticalScrollBar().isVisible()
    results.show_hits([hit(f"{n}", snippet=long) for n in range(40)], grouping="")
    qtbot.waitUntil(results.verticalScrollBar().isVisible)
    assert results.visualRect(results.source.index(0)).height() == before


def test_another_width_and_size_of_text_measure_anew(results: ResultList, look: Theme) -> None:
    results.show_hits([hit("a", snippet="several words of a text that goes on " * 2)], grouping="")
    rect = results.visualRect(results.source.index(0))
    results.resize(900, 260)
    assert results.visualRect(results.source.index(0)).height() < rect.height()
    results.resize(420, 260)
    assert results.visualRect(results.source.index(0)).height() == rect.height()
    look.set_scale(2.0)
    assert results.visualRect(results.source.index(0)).height() > rect.height() * 3 // 2


def test_the_next_is_current_where_one_goes(results: ResultList) -> None:
    results.show_hits(hits("abcd"), grouping="")
    for gone, then in (({"b"}, "a"), ({"a", "b"}, "c"), ({"sc"}, "d"), ({"d"}, "c")):
        results.pass_over(gone)
        assert current(results) == then


def test_a_fact_without_title_is_called_as_in_the_list_of_notes(results: ResultList) -> None:
    fact = replace(hit("f"), target="memory", kind="fact", title="", snippet="Anna likes [[Green tea]]")
    assert hit_title(fact) == "Anna likes Green tea"
    assert hit_title(replace(fact, title="Tea")) == "Tea"
    assert hit_title(replace(fact, snippet="")) == "Fact"
