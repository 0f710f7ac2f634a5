"""The Search pane at work."""

import asyncio
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.errors import TimeLimitError
from tests.unit.ui.panes.shelf import Shelf, ShelfBridge, until
from ui.panes.base import Place
from ui.panes.search.results import Heading


def _fill(books: Shelf) -> None:
    books.add_session("Garden", [("user", "is frost near"), ("assistant", "yes **frost** tonight")], agent="claude")
    books.add_session("Car", [("user", "frost on the car")], agent="codex")
    books.add_note("Frost", "cover the roses from frost", tags=("garden",))


def _ids(pane: Any) -> list[str]:
    return [row.id for row in pane.results.source.rows if hasattr(row, "id")]


def _settled(pane: Any) -> Any:
    return until(lambda: "ranking" in pane._summary.text())


def test_words_come_first_then_everything(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    assert [one.get("legs") for one in ask.called("memory.search")] == [["words"], None]
    assert len(_ids(pane)) == 4
    assert pane._middle.currentWidget() is pane.results


def test_an_older_answer_never_replaces_a_newer_one(
    books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = open_pane("search")

    async def story() -> None:
        gate = ask.gates["memory.search"] = asyncio.Event()
        pane._search("frost")
        await until(lambda: len(ask.called("memory.search")) == 1)
        pane._search("roses")
        gate.set()
        await _settled(pane)
        await ask.idle()

    run_async(story())
    assert _ids(pane) == ["note-000000"]


def test_it_is_explained_and_hints_are_told(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText('frost -car tag:garden "a b" foo:x')
    run_async(_settled(pane))
    words = pane.explanation.accessibleDescription()
    assert words == "frost; not car; “a b”; tag: garden"
    assert pane.explanation._hints.text() == "There is no operator foo:"


def test_the_reasons_and_the_text_are_shown(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    run_async(until(lambda: "is frost near" in pane.why.preview.page.toPlainText()))
    assert "yes frost tonight" in pane.why.preview.page.toPlainText()
    assert pane.why._legs.accessibleDescription().startswith("Words 11.30, place 1")
    assert len(pane.why.preview.page.extraSelections()) >= 1


def test_a_facet_is_an_operator_in_the_box(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    pane.facets.toggled.emit("agent", "claude", True)
    assert pane.box.text() == "frost agent:claude"
    run_async(until(lambda: ask.called("memory.search")[-1]["query"] == "frost agent:claude"))
    run_async(until(lambda: pane.facets.chosen("agent") == ("claude",)))
    pane.facets.toggled.emit("agent", "claude", False)
    assert pane.box.text() == "frost"


def test_enter_opens_the_place_and_the_way_back_is_the_search(
    books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert pane.results.hasFocus()
    qtbot.keyClick(pane.results, Qt.Key.Key_Down)
    qtbot.keyClick(pane.results, Qt.Key.Key_Return)
    assert pane.told.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "1")]
    assert pane.recent == ["frost"]


def test_hits_group_by_conversation(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    pane._group.click()
    heads = [row for row in pane.results.source.rows if isinstance(row, Heading)]
    assert [(head.title, head.count) for head in heads] == [("Garden", 2), ("Car", 1)]
    pane.results.opened.emit(heads[1])
    assert pane.told.places[-1] == Place("sessions", "ses-000001")
    assert not pane.grab().isNull()


def test_a_failure_is_told_in_place(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    ask.faults["memory.search"] = TimeLimitError("The search took too long.")
    pane.box.setText("frost roses")
    run_async(until(lambda: pane._summary.text() == "The search took too long."))
    assert len(_ids(pane)) == 4


def test_nothing_found_says_so(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    run_async(_settled(pane))
    assert pane._middle.currentWidget() is pane._nothing
    pane.box.setText("")
    run_async(until(lambda: pane._middle.currentWidget() is pane._recents))


def test_searches_are_saved_and_come_back(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    pane._save.click()
    again = open_pane("search", pane.save_state())
    assert again.saved == ["frost"]
    again._recents.picked.emit("frost")
    run_async(_settled(again))
    assert again.box.text() == "frost"
    again._save.click()
    assert again.saved == []


def test_results_are_copied(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(_settled(pane))
    pane._copier.click()
    assert QGuiApplication.clipboard().text().startswith("# roses\n\n1. **Frost**")


def test_a_place_is_a_search(books: Shelf, ask: ShelfBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.open_place(Place("search", extra="roses"))
    run_async(_settled(pane))
    assert pane.box.text() == "roses"
    assert pane.current_place() == Place("search", extra="roses")


def test_operators_are_completed_as_the_engine_describes_them(
    ask: ShelfBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    qtbot.keyClicks(pane.box, "ki")
    assert pane.box._list.isVisible()
    assert pane.box._model.item(0).text().startswith("kind:")
    pane.box._list.hide()
