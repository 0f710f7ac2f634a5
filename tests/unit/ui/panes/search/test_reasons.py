"""Reasons and text of a result, and why something was not found."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.helpers.screen_reader import press, words
from tests.helpers.vault_filler import VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, ids, wait_for_answer
from ui.panes.search.why.why_not_dialog import WhyNotDialog
from ui.widgets.inspector import Bars


def test_the_reasons_and_the_text_are_shown(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    near = next(row for row, hit in enumerate(pane.results.source.rows) if hit.id == "ses-000000#1")
    pane.results.setCurrentIndex(pane.results.source.index(near))
    rest(lambda: "is frost near" in pane.why.preview.page.toPlainText())
    assert "yes frost tonight" in pane.why.preview.page.toPlainText()
    assert pane.why.findChild(Bars).accessibleDescription().startswith("Words place ")
    assert len(pane.why.preview.page.extraSelections()) >= 1


def test_the_text_begins_at_the_turn_that_was_found_and_stays_there(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    turns = [("user", "frost, and " + "more of it, " * 60), ("assistant", "word " * 300), ("user", "the last frost")]
    books.add_session("Long", turns)
    books.host.ask("vault.settle")
    pane = open_pane("search")
    pane.resize(1300, 500)
    page = pane.why.preview.page
    held = connection.hold("memory.search")
    pane.box.setText("last frost")
    for call, answered in ((0, "the words"), (1, "all of it")):
        rest(lambda call=call: len(held) > call)
        held[call].release()
        rest(lambda: "the last frost" in page.toPlainText())
        if call == 1:
            wait_for_answer(pane, rest)
        assert page.textCursor().block().text().startswith("▸ "), answered
        found = page.document().find("▸ ")
        assert 0 <= page.cursorRect(found).top() < page.viewport().height()


def test_reasons_leave_room_for_the_text(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.resize(1300, 320)
    pane.why.set_reasons_open(True)
    pane.box.setText("frost")
    wait_for_answer(pane, rest)
    assert pane.why._area.height() < pane.why.height() * 2 // 3
    assert pane.why._section.height() > pane.why._area.height()
    pane.resize(1300, 1200)
    assert pane.why._area.height() == pane.why._section.sizeHint().height()


def test_marked_words_are_gone_through(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    books.add_note("Frost", "frost and frost and frost")
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    why = pane.why
    rest(lambda: "1 of 3" in words(why))
    pane.registry.run("search.next")
    assert "2 of 3" in words(why)
    qtbot.keyClick(pane.results, Qt.Key.Key_N)
    assert "3 of 3" in words(why)
    qtbot.keyClick(why.preview.page, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert "2 of 3" in words(why)
    pane.registry.run("search.previous")
    assert "1 of 3" in words(why)


def test_what_is_missing_is_explained(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest, "fros")
    assert "ses-000001#1" not in ids(pane)
    press(pane, "Why not …?")
    dialog = pane.window().findChild(WhyNotDialog)
    rest(lambda: len(dialog.source.rows) == 3)
    assert [row.title for row in dialog.source.rows] == ["Garden", "Car", "Frost"]
    dialog.items.setCurrentIndex(dialog.source.index(1))
    rest(lambda: dialog.answer.text().startswith("It shares no word with your search"))
    rest(dialog.instead.isVisible)
    qtbot.mouseClick(dialog.instead, Qt.MouseButton.LeftButton)
    assert pane.box.text() != "fros"
    rest(lambda: "ses-000001#1" in ids(pane))


def test_what_the_vault_has_not_is_said_to_be_missing(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    press(pane, "Why not …?")
    dialog = pane.window().findChild(WhyNotDialog)
    dialog.box.setText("zebra")
    rest(lambda: dialog.answer.text().startswith("There is nothing"))
    dialog.close()
