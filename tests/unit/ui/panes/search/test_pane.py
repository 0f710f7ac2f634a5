"""The Search pane at work."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from app.changes import ChangeSet
from app.config.model import SettingValue
from app.errors import TimeLimitError
from app.host import Host
from app.retrieval.model import FacetCount, Found, Query
from app.retrieval.saved.model import SavedSearch
from tests.unit.ui.panes.fake_bridge import NOW, FakeBridge, FakeVault, until
from tests.unit.ui.panes.search.test_query_text import hit
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.pane_state import pack
from ui.panes.search.operator_values import COMPLETED, operator_values
from ui.panes.search.pane import LIMIT, SearchPane
from ui.panes.search.results import GroupHeading, MoreRow
from ui.panes.search.why_not_dialog import WhyNotDialog
from ui.widgets.lists.facet_tree import _KEY


def _frosty(open_pane: Any, run_async: Any) -> Any:
    """Return the pane with the answer to "frost"."""
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(_settled(pane))
    return pane


def _fill(books: FakeVault) -> None:
    books.add_session("Garden", [("user", "is frost near"), ("assistant", "yes **frost** tonight")], agent="claude")
    books.add_session("Car", [("user", "frost on the car")], agent="codex")
    books.add_note("Frost", "cover the roses from frost", tags=("garden",))


def _ids(pane: Any) -> list[str]:
    return [row.id for row in pane.results.source.rows if hasattr(row, "id")]


def _settled(pane: Any) -> Any:
    return until(lambda: "found by" in pane._summary.text())


def test_words_come_first_then_everything(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    assert [one.get("legs") for one in ask.called("memory.search")] == [["words"], None]
    assert len(_ids(pane)) == 4
    assert pane._middle.currentWidget() is pane.results


def test_old_results_are_dimmed_while_another_question_is_asked(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    answered = pane._summary.text()
    assert not pane.results.is_outdated
    pane.box.textEdited.emit("frosts")
    assert (pane.results.is_outdated, pane._summary.text()) == (True, "Searching…")
    pane.box.textEdited.emit("frost")
    assert (pane.results.is_outdated, pane._summary.text()) == (False, answered)

    async def story() -> None:
        gate = ask.gates["memory.search"] = asyncio.Event()
        pane._search("roses")
        assert (pane.results.is_outdated, pane._summary.text()) == (True, "Searching…")
        gate.set()
        await until(lambda: not pane.results.is_outdated)
        await ask.idle()

    run_async(story())
    assert _ids(pane) == ["note-000000"]


def test_an_older_answer_never_replaces_a_newer_one(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
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


def test_it_is_explained_and_hints_are_told(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText('frost -car tag:garden "a b" foo:x')
    run_async(_settled(pane))
    words = pane.explanation.accessibleDescription()
    assert words == "frost; not car; “a b”; tag: garden"
    assert pane.explanation._hints.text() == "There is no operator foo:"


def test_the_reasons_and_the_text_are_shown(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    run_async(until(lambda: "is frost near" in pane.why.preview.page.toPlainText()))
    assert "yes frost tonight" in pane.why.preview.page.toPlainText()
    assert pane.why._legs.accessibleDescription().startswith("Words place 1")
    assert len(pane.why.preview.page.extraSelections()) >= 1


def test_a_facet_is_an_operator_in_the_box(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane.facets.toggled.emit("agent", "claude", True)
    assert pane.box.text() == "frost agent:claude"
    run_async(until(lambda: ask.called("memory.search")[-1]["query"] == "frost agent:claude"))
    run_async(until(lambda: pane.facets.chosen("agent") == ("claude",)))
    pane.facets.toggled.emit("agent", "claude", False)
    assert pane.box.text() == "frost"


def test_enter_opens_the_place_and_the_way_back_is_the_search(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert pane.results.hasFocus()
    qtbot.keyClick(pane.results, Qt.Key.Key_Down)
    qtbot.keyClick(pane.results, Qt.Key.Key_Return)
    assert pane.emitted.places[-2:] == [Place("search", extra="frost"), Place("sessions", "ses-000000", "1")]
    assert pane.history.recent == ["frost"]


def test_hits_group_by_conversation(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane._group.go_on()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert [(head.title, head.count) for head in headings] == [("Garden", 2), ("Car", 1)]
    pane.results.opened.emit(headings[1])
    assert pane.emitted.places[-1] == Place("sessions", "ses-000001")
    assert not pane.grab().isNull()


def test_a_failure_is_told_in_place(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    ask.faults["memory.search"] = TimeLimitError("The search took too long.")
    pane.box.setText("frost roses")
    run_async(until(lambda: pane._summary.text() == "The search took too long."))
    assert len(_ids(pane)) == 4


def test_nothing_found_says_so(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    run_async(_settled(pane))
    assert pane._middle.currentWidget() is pane._nothing
    pane.box.setText("")
    run_async(until(lambda: pane._middle.currentWidget() is pane._recents))


def test_searches_are_saved_and_come_back(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane._save.click()
    run_async(ask.idle())
    again = open_pane("search")
    run_async(ask.idle())
    assert [one.query for one in again.history.saved] == ["frost"]
    again.saved.list.setCurrentRow(0)
    qtbot.keyClick(again.saved.list, Qt.Key.Key_Return)
    run_async(_settled(again))
    assert again.box.text() == "frost"
    again._save.click()
    run_async(ask.idle())
    assert list(again.history.saved) == []
    again.emitted.notices[-1].undo_call()
    run_async(ask.idle())
    assert [one.query for one in again.history.saved] == ["frost"]


def test_results_are_copied(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(_settled(pane))
    pane._copier.click()
    assert QGuiApplication.clipboard().text().startswith("# roses\n\n1. **Frost**")


def test_a_place_is_a_search(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.open_place(Place("search", extra="roses"))
    run_async(_settled(pane))
    assert pane.box.text() == "roses"
    assert pane.current_place() == Place("search", extra="roses")


def test_operators_are_completed_as_the_engine_describes_them(
    ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    qtbot.keyClicks(pane.box, "ki")
    assert pane.box._list.isVisible()
    assert pane.box._model.item(0).text().startswith("kind:")
    pane.box._list.hide()


def test_enter_waits_for_the_answer_to_what_is_typed(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    gate = ask.gates["memory.search"] = asyncio.Event()
    pane.box.setFocus()
    pane.box.setText("roses")
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert not pane.results.hasFocus()
    gate.set()
    run_async(until(lambda: _ids(pane) == ["note-000000"]))
    assert pane.results.hasFocus()
    assert pane.history.recent == ["roses"]


def test_from_the_results_back_to_the_box(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("search")
    pane._group.go_on()
    pane.box.setText("frost")
    run_async(_settled(pane))
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


def test_notes_stay_until_the_whole_answer(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    found = Found(Query("roses"), "learned", (), legs=("words",), notes=("Nothing says so word for word.",))
    pane._summary.show_found(found, settled=True)
    assert pane._summary.notes()
    pane._summary.show_found(Found(Query("roses n"), "learned", ()), settled=False)
    assert pane._summary.notes()
    pane._summary.show_found(Found(Query("roses n"), "learned", ()), settled=True)
    assert not pane._summary.notes()


def test_hints_wait_for_a_pause_and_go_at_once(ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    explanation = pane.explanation
    explanation.show_query(Query("tag:", hints=("tag: needs a value.",)))
    assert not explanation._hints.isVisible()
    explanation._delay.timeout.emit()
    assert explanation._hints.isVisible()
    explanation.show_query(Query("tag:g", tags=("g",)))
    assert not explanation._hints.isVisible()
    assert not explanation._delay.isActive()
    explanation.show_query(None)
    assert not explanation.isVisible()


def test_as_many_results_come_at_once_as_are_set(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(30)])
    ask.settings = [SettingValue("search.limit", 10, 50, "file", "int", "Results shown at once.")]
    pane = open_pane("search")
    run_async(ask.idle())
    pane.box.setText("frost")
    run_async(_settled(pane))
    assert len(_ids(pane)) == 10
    pane.results.more_requested.emit()
    run_async(until(lambda: len(_ids(pane)) == 20))
    ask.settings = [SettingValue("search.limit", 25, 50, "file", "int", "Results shown at once.")]
    ask.changed.emit(ChangeSet(frozenset({"settings"}), (), "settings.set"))
    run_async(ask.idle())
    assert len(_ids(pane)) == 20
    pane.box.setText("frost ")
    run_async(until(lambda: len(_ids(pane)) == 25))


def test_grouping_keeps_the_offer_of_more(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    pane = _frosty(open_pane, run_async)
    assert pane._summary.text().startswith(f"Results: the first {LIMIT} of {LIMIT + 10}")
    for _ in range(2):
        pane._group.go_on()
        assert isinstance(pane.results.source.rows[-1], MoreRow)
    pane.results.more_requested.emit()
    run_async(until(lambda: len(_ids(pane)) == LIMIT + 10))
    assert not isinstance(pane.results.source.rows[-1], MoreRow)


def test_what_is_only_filtered_is_said_to_come_by_date(open_pane: Any, ask: FakeBridge, run_async: Any) -> None:
    pane = open_pane("search")
    run_async(ask.idle())
    filtered = Found(Query("kind:note", kinds=("note",)), "learned", ())
    assert pane._summary.figures(filtered, settled=True) == ["Results: 0", "newest first"]
    pane.why.show_hit(hit("n"), filtered.query)
    assert pane.why.sentence.text() == "Found because it is a note."


def test_where_nothing_is_found_the_operators_can_go(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    run_async(_settled(pane))
    assert not pane._nothing.button.isVisible()
    pane.box.setText("zebra tag:garden")
    run_async(until(pane._nothing.button.isVisible))
    pane._nothing.button.click()
    assert pane.box.text() == "zebra"
    assert pane.box.hasFocus()


def test_facets_are_named_as_people_name_them(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = open_pane("search")
    query = Query("x", kinds=("digest",), roles=("user",))
    counts = (FacetCount("role", "user", 3), FacetCount("role", "assistant", 1), FacetCount("agent", "person", 2))
    pane._facet_filter.show_found(Found(query, "learned", (), counts))
    labels = {item.data(0, _KEY): item.text(0) for item in pane.facets._values()}
    assert labels == {
        ("role", "user"): "You",
        ("role", "assistant"): "Assistant",
        ("agent", "person"): "You",
        ("kind", "digest"): "Digests",
    }
    assert pane.facets.chosen("kind") == ("digest",)


def test_tab_goes_as_one_reads(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    why = pane.why
    run_async(until(why._before.isVisible))  # once the words in the text are marked
    pane.box.setFocus()
    for widget in [
        *pane._buttons,
        pane.facets,
        pane.results,
        why._open,
        why._before,
        why._after,
        why._section.header,
        pane.why.preview.page,
    ]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is widget
    assert pane.why.preview.page.property("ringed")
    qtbot.mouseClick(pane.results.viewport(), Qt.MouseButton.LeftButton)
    assert not pane.why.preview.page.property("ringed")


def test_sides_are_shown_as_the_person_chose(ask: FakeBridge, open_pane: Any, run_async: Any, books: FakeVault) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    assert pane.facets.isVisible()
    pane._sides.click()
    pane.why._section.header.click()
    assert not pane.facets.isVisible()
    again = open_pane("search", pane.save_state())
    run_async(_settled(again))
    assert not again.facets.isVisible()
    assert not again._sides.isChecked()
    assert again.why.reasons_open
    again._sides.click()
    assert again.facets.isVisible()


def test_the_text_begins_at_the_turn_that_was_found(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    turns = [("user", "frost, and " + "more of it, " * 60), ("assistant", "word " * 300), ("user", "the last frost")]
    books.add_session("Long", turns)
    pane = open_pane("search")
    pane.resize(1300, 500)
    pane.box.setText("last frost")
    run_async(_settled(pane))
    page = pane.why.preview.page
    run_async(until(lambda: "the last frost" in page.toPlainText()))
    found = page.document().find("▸ ")
    assert page.textCursor().block() == found.block()
    assert 0 <= page.cursorRect(found).top() < page.viewport().height()


def test_reasons_leave_room_for_the_text(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.resize(1300, 320)
    pane.why.set_reasons_open(True)
    pane.box.setText("frost")
    run_async(_settled(pane))
    assert pane.why._area.height() < pane.why.height() * 2 // 3
    assert pane.why._section.height() > pane.why._area.height()
    pane.resize(1300, 1200)
    assert pane.why._area.height() == pane.why._section.sizeHint().height()


def test_examples_and_long_searches_are_taken_up(open_pane: Any, ask: FakeBridge, run_async: Any) -> None:
    pane = open_pane("search", pack({"recent": ["Tom & Jerry", "x" * 300]}))
    run_async(ask.idle())
    buttons = {one.accessibleName(): one for one in pane._recents.findChildren(QPushButton)}
    assert buttons["Tom & Jerry"].text() == "Tom && Jerry"
    assert len(buttons["x" * 300].text()) < 80
    buttons["x" * 300].click()
    assert pane.box.text() == "x" * 300


def test_one_result_is_copied_as_one(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(_settled(pane))
    pane._copier.click()
    assert pane.emitted.notices[-1].text == "Copied 1 result"


def test_a_saved_search_shows_that_it_is(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(_settled(pane))
    before = pane._save.icon().pixmap(18).toImage()
    pane._save.click()
    run_async(ask.idle())
    assert pane._save.icon().pixmap(18).toImage() != before
    pane._save.click()
    run_async(ask.idle())
    assert pane._save.icon().pixmap(18).toImage() == before


def _offered(pane: Any) -> list[str]:
    model = pane.box._model
    return [model.item(row).text() for row in range(model.rowCount())] if pane.box._list.isVisible() else []


def test_tags_are_completed_with_those_there_are(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Roses", "x", tags=("garden/roses", "people"))
    books.add_note("Soil", "x", tags=("garden",))
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    for typed, offered in (("tag:", ["garden", "garden/roses", "people"]), ("gar", ["garden", "garden/roses"])):
        qtbot.keyClicks(pane.box, typed)
        run_async(until(lambda offered=offered: _offered(pane) == offered))
    pane.box._on_completer_activated("garden/roses")
    assert pane.box.text() == "tag:garden/roses "
    pane.box.clear()
    qtbot.keyClicks(pane.box, "tag:nothing")
    run_async(ask.idle())
    assert _offered(pane) == []


def test_an_older_completion_is_not_offered(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Roses", "x", tags=("garden",))
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    gate = ask.gates["memory.tags"] = asyncio.Event()
    qtbot.keyClicks(pane.box, "tag:ga rain")
    gate.set()
    run_async(ask.idle())
    assert _offered(pane) == []


def test_agents_are_completed(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any) -> None:
    books.add_session("Garden", [("user", "x")], agent="Claude Code")
    pane = open_pane("search")
    pane.focus_first()
    run_async(ask.idle())
    qtbot.keyClicks(pane.box, "agent:cl")
    run_async(until(lambda: _offered(pane) == ["Claude Code"]))
    pane.box._on_completer_activated("Claude Code")
    assert pane.box.text() == 'agent:"Claude Code" '


@pytest.mark.parametrize("name", sorted(COMPLETED))
def test_values_come_from_a_real_vault(tmp_path: Path, run_async: Any, name: str, qt_loop: Any) -> None:
    host = Host(tmp_path / "vault", serve=False)
    host.start()
    try:
        host.ask("note.save", title="Beds", content="Roses for Ines Duarte", tags=["tomato"])
        host.ask("session.create", title="Tomorrow", agent="tom")
        bridge = Bridge(host)
        found = run_async(operator_values(bridge, name, "tom"))
        run_async(bridge.close())
        bridge.deleteLater()
    finally:
        host.stop()
    assert [hint.text for hint in found] == {"tag": ["tomato"], "agent": ["tom"], "session": ["Tomorrow"]}.get(name, [])


def test_an_overtaken_search_is_given_up(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("search")
    run_async(ask.idle())
    gate = ask.gates["memory.search"] = asyncio.Event()
    for text in ("fr", "fro", "frost"):
        before = pane._asking
        pane.box.setText(text)
        pane.box.search_now()
        run_async(until(lambda text=text: any(one.get("query") == text for _, one in ask.calls)))
        if before is not None:
            run_async(until(before.cancelled))
    gate.set()
    run_async(_settled(pane))
    run_async(ask.idle())
    full = [one["query"] for name, one in ask.calls if name == "memory.search" and "legs" not in one]
    assert full == ["frost"]
    assert pane._answered == "frost"


def test_the_search_is_there_again_at_the_next_start(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    again = open_pane("search", _frosty(open_pane, run_async).save_state())
    run_async(_settled(again))
    assert again.box.text() == "frost"
    assert len(_ids(again)) == 4


def test_a_search_that_is_cleared_is_among_the_recent_ones(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
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


def test_a_month_limits_the_search_and_lets_go(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    books.add_note("Old", "frost of long ago", at=NOW - timedelta(days=90))
    books.add_note("New", "frost of today", at=NOW)
    pane = _frosty(open_pane, run_async)
    run_async(until(pane.timeline.isVisible))
    assert [one.count for one in pane.timeline.periods] == [1, 0, 0, 1]
    month = pane.timeline.periods[0].name
    pane.timeline.chosen.emit(month)
    assert pane.box.text() == f"frost on:{month}"
    run_async(until(lambda: ask.called("memory.search")[-1]["query"] == f"frost on:{month}"))
    run_async(ask.idle())
    assert len(ask.called("memory.months")) == 1
    pane.timeline.chosen.emit("")
    assert pane.box.text() == "frost"
    run_async(_settled(pane))
    pane.box.setText("")
    run_async(until(lambda: not pane.timeline.isVisible()))


def test_marked_words_are_gone_through(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Frost", "frost and frost and frost")
    pane = _frosty(open_pane, run_async)
    why = pane.why
    run_async(until(lambda: why._marks.text() == "1 of 3"))
    pane.registry.run("search.next")
    assert why._marks.text() == "2 of 3"
    qtbot.keyClick(pane.results, Qt.Key.Key_N)
    assert why._marks.text() == "3 of 3"
    qtbot.keyClick(why.preview.page, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert why._marks.text() == "2 of 3"
    pane.registry.run("search.previous")
    assert why._marks.text() == "1 of 3"


def test_results_gather_by_day(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    books.add_note("Old", "frost of long ago", at=NOW - timedelta(days=90))
    books.add_note("New", "frost of today", at=NOW)
    pane = _frosty(open_pane, run_async)
    pane._group.restore("day")
    pane._group.changed.emit()
    headings = [row for row in pane.results.source.rows if isinstance(row, GroupHeading)]
    assert len(headings) == 2
    before = len(pane.emitted.places)
    pane.results.doubleClicked.emit(pane.results.source.index(0))
    assert len(pane.emitted.places) == before


def test_all_results_are_exported_not_only_those_shown(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    pane = _frosty(open_pane, run_async)
    path = tmp_path / "frost.jsonl"
    run_async(pane._export.export("frost", None, path))
    assert len(path.read_text().splitlines()) == LIMIT + 10
    assert pane.emitted.notices[-1].text == "Exported 60 results to frost.jsonl"


@pytest.mark.parametrize("name", ["frost.docx", "missing/frost.md"])
def test_what_cannot_be_exported_is_told(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path, name: str
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    run_async(pane._export.export("frost", None, tmp_path / name))
    assert pane.emitted.notices[-1].kind == "error"


def test_the_export_asks_for_a_file(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane._exporter.click()
    box = pane.findChild(QFileDialog, "exportDialog")
    assert box is not None
    box.fileSelected.emit(str(tmp_path / "some.csv"))
    run_async(until((tmp_path / "some.csv").exists))


def test_what_is_missing_is_explained(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane._asker.click()
    dialog = pane.window().findChild(WhyNotDialog)
    run_async(until(lambda: len(dialog.source.rows) == 3))
    assert [row.title for row in dialog.source.rows] == ["Garden", "Car", "Frost"]
    dialog.items.setCurrentIndex(dialog.source.index(1))
    run_async(until(lambda: dialog.answer.text().startswith("It says")))
    assert ask.called("search.explain")[-1]["id"] == "ses-000001"
    assert dialog.instead.isVisible()
    qtbot.mouseClick(dialog.instead, Qt.MouseButton.LeftButton)
    assert pane.box.text() == "frost windscreen"


def test_what_the_vault_has_not_is_said_to_be_missing(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = _frosty(open_pane, run_async)
    pane._asker.click()
    dialog = pane.window().findChild(WhyNotDialog)
    dialog.box.setText("zebra")
    run_async(until(lambda: dialog.answer.text().startswith("There is nothing")))
    dialog.close()


def test_the_whole_pane_works_on_a_real_vault(tmp_path: Path, run_async: Any, qtbot: Any, look: Any) -> None:
    host = Host(tmp_path / "vault", serve=False)
    host.start()
    turns = [
        {
            "role": "user",
            "content": f"The heron, number {number}",
            "created_at": f"2025-{number % 9 + 1:02}-10T12:00:00Z",
        }
        for number in range(70)
    ]
    host.ask("session.append", session="birds", title="Birds", messages=turns)
    host.ask("note.save", title="Elm", content="An old elm")
    host.ask("vault.settle")
    bridge = Bridge(host)
    pane = SearchPane(bridge, Actions())
    qtbot.addWidget(pane)
    bridge.changed.connect(pane.refresh)
    try:
        pane.resize(1300, 800)
        pane.show()
        pane.shown()
        pane.box.setText("heron")
        run_async(_settled(pane))
        run_async(until(lambda: sum(one.count for one in pane.timeline.periods) == 70))
        assert pane.why.sentence.text().startswith("Found because it says ‘heron’")
        pane.timeline.chosen.emit("2025-03")
        run_async(until(lambda: pane._answered == "heron on:2025-03"))
        run_async(_settled(pane))
        assert {hit.created_at.month for hit in pane._found.hits} == {3}
        pane._save.click()
        run_async(until(lambda: [one.query for one in pane.history.saved] == ["heron on:2025-03"]))
        run_async(pane._export.export("heron", None, tmp_path / "herons.csv"))
        assert len((tmp_path / "herons.csv").read_text().splitlines()) >= 71
        pane._ask_why_not()
        dialog = pane.window().findChild(WhyNotDialog)
        run_async(until(lambda: len(dialog.source.rows) == 2))
        dialog.items.setCurrentIndex(dialog.source.index(1))
        run_async(until(lambda: "because of before:2025-04-01" in dialog.answer.text()))
        dialog.close()
    finally:
        run_async(bridge.close())
        host.stop()
