"""The Search pane at work: what is asked and when, and what is shown while it is answered."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.errors import TimeLimitError
from app.retrieval.model import Found, Query
from tests.helpers.loops import RunAsync
from tests.helpers.screen_reader import is_offered, named, press, shown
from tests.helpers.screen_reader import words as words_below
from tests.helpers.vault_filler import VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, wait_for_answer
from ui.panes.pane import Place
from ui.panes.search.pane import SearchPane
from ui.panes.search.recent_searches import RecentSearches
from ui.panes.search.result_export import ResultExport
from ui.panes.search.result_summary import ResultSummary
from ui.panes.search.why.why_not_dialog import WhyNotDialog
from ui.panes.search.why.why_panel import WhyPanel
from ui.widgets.inspector import Section


def summary_of(pane: SearchPane) -> ResultSummary:
    return pane.findChild(ResultSummary)


def reasons_of(why: WhyPanel) -> Section:
    return next(one for one in why.findChildren(Section) if one.header.text() == "What counted, and how much")


def test_words_come_first_then_everything(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    assert [one.get("legs") for one in connection.requested("memory.search")] == [["words"], None]
    assert len(ids(pane)) == 4
    assert pane.results.isVisible()


def test_old_results_are_dimmed_while_another_question_is_asked(
    books: VaultFiller, open_pane: OpenPane, rest: Rest, connection: WatchedConnection, settle: Settle
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    answered = summary_of(pane).text()
    assert not pane.results.is_outdated
    pane.box.textEdited.emit("frosts")
    assert (pane.results.is_outdated, summary_of(pane).text()) == (True, "Searching…")
    pane.box.textEdited.emit("frost")
    assert (pane.results.is_outdated, summary_of(pane).text()) == (False, answered)

    connection.hold("memory.search")
    pane.box.searched.emit("roses")
    assert (pane.results.is_outdated, summary_of(pane).text()) == (True, "Searching…")
    connection.release("memory.search")
    rest(lambda: not pane.results.is_outdated)
    settle()
    assert ids(pane) == ["note-000000"]


def test_an_older_answer_never_replaces_a_newer_one(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    fill(books)
    pane = open_pane("search")

    connection.hold("memory.search")
    pane.box.searched.emit("frost")
    rest(lambda: len(connection.requested("memory.search")) == 1)
    pane.box.searched.emit("roses")
    connection.release("memory.search")
    wait_for_answer(pane, rest)
    settle()
    assert ids(pane) == ["note-000000"]


def test_it_is_explained_and_hints_are_told(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText('frost -car tag:garden "a b" foo:x')
    wait_for_answer(pane, rest)
    words = pane.explanation.accessibleDescription()
    assert words == "frost; not car; “a b”; foo:x; tag: garden"
    rest(lambda: "“foo:” is not an operator" in words_below(pane.explanation))


def test_a_failure_is_told_in_place(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    connection.refused["memory.search"] = TimeLimitError("The search took too long.")
    pane.box.setText("frost roses")
    rest(lambda: summary_of(pane).text() == "The search took too long.")
    assert len(ids(pane)) == 4


def test_nothing_found_says_so(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    wait_for_answer(pane, rest)
    assert "Nothing found" in words_below(pane)
    pane.box.setText("")
    rest(lambda: pane.findChild(RecentSearches).isVisible())


def test_a_place_is_a_search(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.open_place(Place("search", extra="roses"))
    wait_for_answer(pane, rest)
    assert pane.box.text() == "roses"
    assert pane.current_place() == Place("search", extra="roses")


def test_enter_waits_for_the_answer_to_what_is_typed(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest, connection: WatchedConnection
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    connection.hold("memory.search")
    pane.box.setFocus()
    pane.box.setText("roses")
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert not pane.results.hasFocus()
    connection.release("memory.search")
    rest(lambda: ids(pane) == ["note-000000"])
    assert pane.results.hasFocus()
    assert pane.history.recent == ["roses"]


def test_notes_stay_until_the_whole_answer(open_pane: OpenPane, settle: Settle) -> None:
    pane = open_pane("search")
    settle()
    found = Found(Query("roses"), "learned", (), legs=("words",), notes=("Nothing says so word for word.",))
    summary_of(pane).show_found(found, settled=True)
    assert summary_of(pane).notes()
    summary_of(pane).show_found(Found(Query("roses n"), "learned", ()), settled=False)
    assert summary_of(pane).notes()
    summary_of(pane).show_found(Found(Query("roses n"), "learned", ()), settled=True)
    assert not summary_of(pane).notes()


def test_hints_wait_for_a_pause_and_go_at_once(open_pane: OpenPane, rest: Rest, settle: Settle) -> None:
    pane = open_pane("search")
    settle()
    explanation = pane.explanation
    explanation.show_query(Query("tag:", hints=("tag: needs a value.",)))
    assert "needs a value" not in words_below(explanation)
    rest(lambda: "needs a value" in words_below(explanation))
    explanation.show_query(Query("tag:g", tags=("g",)))
    assert "needs a value" not in words_below(explanation)
    explanation.show_query(None)
    assert not explanation.isVisible()


def test_tab_goes_as_one_reads(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    why = pane.why
    rest(lambda: is_offered(why, "Previous marked word"))  # once the words in the text are marked
    rest(pane.timeline.isVisible)
    pane.box.setFocus()
    buttons = sorted((one for one in shown(pane, QToolButton) if one.parent() is pane), key=lambda button: button.x())
    for widget in [
        *buttons,
        pane.timeline,
        pane.facets,
        pane.results,
        named(why, QPushButton, "Open"),
        named(why, QToolButton, "Previous marked word"),
        named(why, QToolButton, "Next marked word"),
        reasons_of(why).header,
        pane.why.preview.page,
    ]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is widget
    assert pane.why.preview.page.property("ringed")
    qtbot.mouseClick(pane.results.viewport(), Qt.MouseButton.LeftButton)
    assert not pane.why.preview.page.property("ringed")


def test_sides_are_shown_as_the_person_chose(open_pane: OpenPane, books: VaultFiller, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    assert pane.facets.isVisible()
    press(pane, "Show or hide the filters")
    reasons_of(pane.why).header.click()
    assert not pane.facets.isVisible()
    again = open_pane("search", pane.save_state())
    wait_for_answer(again, rest)
    assert not again.facets.isVisible()
    assert not named(again, QToolButton, "Show or hide the filters").isChecked()
    assert again.why.reasons_open
    press(again, "Show or hide the filters")
    assert again.facets.isVisible()


def test_an_overtaken_search_is_given_up(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    fill(books)
    pane = open_pane("search")
    settle()
    connection.hold("memory.search")
    for text in ("fr", "fro", "frost"):
        before = pane._asking
        pane.box.setText(text)
        pane.box.search_now()
        rest(lambda text=text: any(one.get("query") == text for _, one in connection.calls))
        if before is not None:
            rest(before.cancelled)
    connection.release("memory.search")
    wait_for_answer(pane, rest)
    settle()
    full = [one["query"] for name, one in connection.calls if name == "memory.search" and "legs" not in one]
    assert full == ["frost"]
    assert pane._answered == "frost"


def test_the_whole_pane_at_work(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], rest: Rest, tmp_path: Path
) -> None:
    turns = [
        {
            "role": "user",
            "content": f"The heron, number {number}",
            "created_at": f"2025-{number % 9 + 1:02}-10T12:00:00Z",
        }
        for number in range(70)
    ]
    books.host.ask("session.append", session="birds", title="Birds", messages=turns)
    books.add_note("Elm", "An old elm")
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest, "heron")
    rest(lambda: sum(period.count for period in pane.timeline.periods) == 70)
    assert pane.why.sentence.text().startswith("Found because it says ‘heron’")
    pane.timeline.chosen.emit("2025-03")
    rest(lambda: pane._answered == "heron on:2025-03")
    wait_for_answer(pane, rest)
    assert {hit.created_at.month for hit in pane._found.hits} == {3}
    pane.history.button.click()
    rest(lambda: [search.query for search in pane.history.saved] == ["heron on:2025-03"])
    run_async(pane.findChild(ResultExport).export("heron", None, tmp_path / "herons.csv"))
    assert len((tmp_path / "herons.csv").read_text().splitlines()) >= 71
    press(pane, "Why not …?")
    dialog = pane.window().findChild(WhyNotDialog)
    rest(lambda: len(dialog.source.rows) == 2)
    dialog.items.setCurrentIndex(dialog.source.index(1))
    rest(lambda: "because of before:2025-04-01" in dialog.answer.text())
    dialog.close()
