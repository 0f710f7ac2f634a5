"""Filters of the Search pane: facets and months are operators in the box."""

from datetime import timedelta

from app.retrieval.model import FacetCount, Found, Query
from tests.helpers.screen_reader import is_offered, press
from tests.helpers.vault_filler import NOW, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, wait_for_answer
from tests.unit.ui.panes.search.test_query_text import hit
from ui.panes.search.facet_filter import FacetFilter
from ui.panes.search.result_summary import ResultSummary
from ui.widgets.lists.facet_tree import _KEY


def test_a_facet_is_an_operator_in_the_box(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    pane.facets.toggled.emit("agent", "claude", True)
    assert pane.box.text() == "frost agent:claude"
    rest(lambda: connection.requested("memory.search")[-1]["query"] == "frost agent:claude")
    rest(lambda: pane.facets.chosen("agent") == ("claude",))
    pane.facets.toggled.emit("agent", "claude", False)
    assert pane.box.text() == "frost"


def test_what_is_only_filtered_is_said_to_come_by_date(open_pane: OpenPane, settle: Settle) -> None:
    pane = open_pane("search")
    settle()
    filtered = Found(Query("kind:note", kinds=("note",)), "learned", ())
    assert pane.findChild(ResultSummary).figures(filtered, settled=True) == ["Results: 0", "newest first"]
    pane.why.show_hit(hit("n"), filtered.query)
    assert pane.why.sentence.text() == "Found because it is a note."


def test_where_nothing_is_found_the_operators_can_go(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    wait_for_answer(pane, rest)
    assert not is_offered(pane, "Search without operators")
    pane.box.setText("zebra tag:garden")
    rest(lambda: is_offered(pane, "Search without operators"))
    press(pane, "Search without operators")
    assert pane.box.text() == "zebra"
    assert pane.box.hasFocus()


def test_facets_are_named_as_people_name_them(books: VaultFiller, open_pane: OpenPane) -> None:
    fill(books)
    pane = open_pane("search")
    query = Query("x", kinds=("digest",), roles=("user",))
    counts = (FacetCount("role", "user", 3), FacetCount("role", "assistant", 1), FacetCount("agent", "person", 2))
    pane.findChild(FacetFilter).show_found(Found(query, "learned", (), counts))
    labels = {item.data(0, _KEY): item.text(0) for item in pane.facets._values()}
    assert labels == {
        ("role", "user"): "You",
        ("role", "assistant"): "Assistant",
        ("agent", "person"): "You",
        ("kind", "digest"): "Digests",
    }
    assert pane.facets.chosen("kind") == ("digest",)


def test_a_month_limits_the_search_and_lets_go(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    books.add_session("Old", [("user", "frost of long ago")], at=NOW - timedelta(days=90))
    books.add_session("New", [("user", "frost of today")], at=NOW)
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    rest(pane.timeline.isVisible)
    assert [period.count for period in pane.timeline.periods] == [1, 0, 0, 1]
    month = pane.timeline.periods[0].name
    pane.timeline.chosen.emit(month)
    assert pane.box.text() == f"frost on:{month}"
    rest(lambda: connection.requested("memory.search")[-1]["query"] == f"frost on:{month}")
    settle()
    assert len(connection.requested("memory.months")) == 1
    pane.timeline.chosen.emit("")
    assert pane.box.text() == "frost"
    wait_for_answer(pane, rest)
    pane.box.setText("")
    rest(lambda: not pane.timeline.isVisible())
