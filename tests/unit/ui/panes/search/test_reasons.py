"""Reasons and text of a result, and why something was not found."""

from typing import Any

from PySide6.QtCore import Qt

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, settled
from ui.panes.search.why_not_dialog import WhyNotDialog


def test_the_reasons_and_the_text_are_shown(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    run_async(until(lambda: "is frost near" in pane.why.preview.page.toPlainText()))
    assert "yes frost tonight" in pane.why.preview.page.toPlainText()
    assert pane.why._legs.accessibleDescription().startswith("Words place 1")
    assert len(pane.why.preview.page.extraSelections()) >= 1


def test_the_text_begins_at_the_turn_that_was_found(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    turns = [("user", "frost, and " + "more of it, " * 60), ("assistant", "word " * 300), ("user", "the last frost")]
    books.add_session("Long", turns)
    pane = open_pane("search")
    pane.resize(1300, 500)
    pane.box.setText("last frost")
    run_async(settled(pane))
    page = pane.why.preview.page
    run_async(until(lambda: "the last frost" in page.toPlainText()))
    found = page.document().find("▸ ")
    assert page.textCursor().block() == found.block()
    assert 0 <= page.cursorRect(found).top() < page.viewport().height()


def test_reasons_leave_room_for_the_text(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.resize(1300, 320)
    pane.why.set_reasons_open(True)
    pane.box.setText("frost")
    run_async(settled(pane))
    assert pane.why._area.height() < pane.why.height() * 2 // 3
    assert pane.why._section.height() > pane.why._area.height()
    pane.resize(1300, 1200)
    assert pane.why._area.height() == pane.why._section.sizeHint().height()


def test_marked_words_are_gone_through(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Frost", "frost and frost and frost")
    pane = answered_pane(open_pane, run_async)
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


def test_what_is_missing_is_explained(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
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
    fill(books)
    pane = answered_pane(open_pane, run_async)
    pane._asker.click()
    dialog = pane.window().findChild(WhyNotDialog)
    dialog.box.setText("zebra")
    run_async(until(lambda: dialog.answer.text().startswith("There is nothing")))
    dialog.close()
