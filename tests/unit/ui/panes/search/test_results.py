"""The list of results: which hit is current, how rows are written."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.retrieval.model import Hit, Span
from tests.unit.ui.panes.search.test_query import hit
from ui.panes.search.results import Heading, More, ResultList, _height, _known, _layout
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
    return [hit(one, f"s{one}", title=f"Talk {one}", role="user") for one in letters]


def current(results: ResultList) -> str:
    now = results.current_hit()
    return now.id if now else ""


def test_the_best_is_current_whatever_was_best_before(results: ResultList) -> None:
    results.show_hits(hits("abc"), by_session=False)
    assert current(results) == "a"
    results.show_hits(hits("cab"), by_session=False)
    assert current(results) == "c"


@pytest.mark.parametrize("by_mouse", [False, True])
def test_a_hit_the_person_went_to_stays_current(results: ResultList, qtbot: QtBot, by_mouse: bool) -> None:
    results.show_hits(hits("abc"), by_session=False)
    if by_mouse:
        spot = results.visualRect(results.source.index(1)).center()
        qtbot.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(spot))
    else:
        qtbot.keyClick(results, Qt.Key.Key_Down)
    results.show_hits(hits("cab"), by_session=False)
    assert current(results) == "b"
    results.show_hits(hits("ca"), by_session=False)
    assert current(results) == "c"


def test_another_question_begins_at_its_best(results: ResultList, qtbot: QtBot) -> None:
    results.show_hits(hits("abc"), by_session=False)
    qtbot.keyClick(results, Qt.Key.Key_Down)
    results.show_hits(hits("cab"), by_session=False, afresh=True)
    assert current(results) == "c"


def test_further_results_go_on_where_the_offer_stood(results: ResultList, qtbot: QtBot) -> None:
    results.show_hits(hits("abcdefgh"), by_session=False, more="Show more results")
    assert isinstance(results.source.rows[-1], More)
    qtbot.keyClick(results, Qt.Key.Key_End)
    place = results.verticalScrollBar().value()
    assert place > 0
    with qtbot.waitSignal(results.more_asked):
        qtbot.keyClick(results, Qt.Key.Key_Return)
    results.show_hits(hits("abcdefghijklmnop"), by_session=False)
    assert current(results) == "i"
    assert results.verticalScrollBar().value() == place


def test_what_does_not_fit_ends_in_an_ellipsis(look: Theme) -> None:
    long = _layout("some words of a text that goes on " * 20, (Span(0, 4), Span(400, 440)), 300, look.points)
    assert long.text().endswith("…")
    assert long.lineCount() == 3
    assert len(long.formats()) == 2
    short = _layout("some words", (Span(0, 4),), 300, look.points)
    assert (short.text(), short.lineCount()) == ("some words", 1)
    unbroken = _layout("x" * 2000, (), 300, look.points)
    assert unbroken.text().endswith("…")
    assert unbroken.lineCount() == 3


@given(st.text(alphabet="ab i.-  é漢", min_size=1, max_size=240), st.integers(120, 700))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_as_high_as_their_lines(look: Theme, snippet: str, width: int) -> None:
    drawn = round(_layout(snippet, (), width, look.points).boundingRect().height())
    assert _height(snippet, width, look.points) == drawn


def test_who_and_where_from_are_said_once_and_in_words() -> None:
    assert _known(hit("a", "s", author="Atlas", agent="Atlas", role="assistant")) == ["Atlas"]
    assert _known(hit("n", agent="import:markdown", tags=("garden", "rose", "third"))) == [
        "Import (markdown)",
        "#garden",
        "#rose",
    ]
    assert _known(hit("n", agent="person")) == ["You"]


def test_headings_count_in_words(results: ResultList) -> None:
    results.show_hits([hit("s#1", "s"), hit("s#2", "s"), hit("t#1", "t")], by_session=True)
    speech = [
        results.source.index(at).data(Qt.ItemDataRole.AccessibleTextRole)
        for at, row in enumerate(results.source.rows)
        if isinstance(row, Heading)
    ]
    assert speech == ["T, 2 results", "T, 1 result"]


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
@pytest.mark.parametrize("by_session", [False, True])
def test_long_titles_and_names_paint(results: ResultList, direction: Qt.LayoutDirection, by_session: bool) -> None:
    results.setLayoutDirection(direction)
    worst = hit("a", "s", title="w" * 300, agent="n" * 200, author="m" * 90, tags=("t" * 64,) * 3, snippet="s" * 900)
    results.show_hits([worst, hit("n", tags=("x",))], by_session=by_session, more="More")
    assert not results.grab().isNull()
