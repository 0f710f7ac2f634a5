"""The Search pane at work: what is asked and when, and what is shown while it is answered."""

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.errors import TimeLimitError
from app.host import Host
from app.retrieval.model import Found, Query
from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, settled
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.panes.search.pane import SearchPane
from ui.panes.search.why_not_dialog import WhyNotDialog


def test_words_come_first_then_everything(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    assert [one.get("legs") for one in ask.called("memory.search")] == [["words"], None]
    assert len(ids(pane)) == 4
    assert pane._middle.currentWidget() is pane.results


def test_old_results_are_dimmed_while_another_question_is_asked(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
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
    assert ids(pane) == ["note-000000"]


def test_an_older_answer_never_replaces_a_newer_one(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    fill(books)
    pane = open_pane("search")

    async def story() -> None:
        gate = ask.gates["memory.search"] = asyncio.Event()
        pane._search("frost")
        await until(lambda: len(ask.called("memory.search")) == 1)
        pane._search("roses")
        gate.set()
        await settled(pane)
        await ask.idle()

    run_async(story())
    assert ids(pane) == ["note-000000"]


def test_it_is_explained_and_hints_are_told(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText('frost -car tag:garden "a b" foo:x')
    run_async(settled(pane))
    words = pane.explanation.accessibleDescription()
    assert words == "frost; not car; “a b”; tag: garden"
    assert pane.explanation._hints.text() == "There is no operator foo:"


def test_a_failure_is_told_in_place(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    ask.faults["memory.search"] = TimeLimitError("The search took too long.")
    pane.box.setText("frost roses")
    run_async(until(lambda: pane._summary.text() == "The search took too long."))
    assert len(ids(pane)) == 4


def test_nothing_found_says_so(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("zebra")
    run_async(settled(pane))
    assert pane._middle.currentWidget() is pane._nothing
    pane.box.setText("")
    run_async(until(lambda: pane._middle.currentWidget() is pane._recents))


def test_a_place_is_a_search(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.open_place(Place("search", extra="roses"))
    run_async(settled(pane))
    assert pane.box.text() == "roses"
    assert pane.current_place() == Place("search", extra="roses")


def test_enter_waits_for_the_answer_to_what_is_typed(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    gate = ask.gates["memory.search"] = asyncio.Event()
    pane.box.setFocus()
    pane.box.setText("roses")
    qtbot.keyClick(pane.box, Qt.Key.Key_Return)
    assert not pane.results.hasFocus()
    gate.set()
    run_async(until(lambda: ids(pane) == ["note-000000"]))
    assert pane.results.hasFocus()
    assert pane.history.recent == ["roses"]


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


def test_tab_goes_as_one_reads(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
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
    fill(books)
    pane = answered_pane(open_pane, run_async)
    assert pane.facets.isVisible()
    pane._sides.click()
    pane.why._section.header.click()
    assert not pane.facets.isVisible()
    again = open_pane("search", pane.save_state())
    run_async(settled(again))
    assert not again.facets.isVisible()
    assert not again._sides.isChecked()
    assert again.why.reasons_open
    again._sides.click()
    assert again.facets.isVisible()


def test_an_overtaken_search_is_given_up(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
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
    run_async(settled(pane))
    run_async(ask.idle())
    full = [one["query"] for name, one in ask.calls if name == "memory.search" and "legs" not in one]
    assert full == ["frost"]
    assert pane._answered == "frost"


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
        run_async(settled(pane))
        run_async(until(lambda: sum(one.count for one in pane.timeline.periods) == 70))
        assert pane.why.sentence.text().startswith("Found because it says ‘heron’")
        pane.timeline.chosen.emit("2025-03")
        run_async(until(lambda: pane._answered == "heron on:2025-03"))
        run_async(settled(pane))
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
