"""The Notes pane at work."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QPushButton

from app.changes import ChangeSet
from app.errors import NotFoundError
from app.history.model import HistoryEntry
from tests.unit.ui.panes.fake_bridge import NOW, FakeBridge, FakeVault, until
from ui import operations
from ui.panes.pane import Place


def _fill(books: FakeVault) -> None:
    books.add_note("Roses", "See [[Soil]] and [[Nobody]]", tags=("garden/roses",), pinned=True)
    books.add_note("Soil", "Dark", tags=("garden",))
    books.add_note("", "Anna likes tea", kind="fact", category="likes", key="tea", source="claude", confidence=0.8)


def _ready(pane: Any) -> Any:
    return until(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == 3)


def _text(pane: Any) -> str:
    source: str = pane.document.editor.source()
    return source


def _menu(pane: Any) -> dict[str, Any]:
    """Return what the menu that is open offers, and close it."""
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    actions = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    menu.close()
    return actions


def test_the_first_note_opens_with_links_and_history(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    run_async(ask.idle())
    assert pane.document.title.text() == "Roses"
    assert pane.document.tags.tags == ("garden/roses",)
    words = [button.text() for button in pane.inspector.findChildren(QPushButton) if not button.isHidden()]
    assert "Soil" in words
    assert "Nobody (not written yet)" in words


def test_typing_is_saved_and_the_row_follows(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.document.title.end(False)
    qtbot.keyClicks(pane.document.title, " in May")
    qtbot.keyClicks(pane.document.editor, "Now. ")
    run_async(until(lambda: books.memories["note-000000"].content.startswith("Now. See")))
    assert books.memories["note-000000"].title == "Roses in May"
    run_async(until(lambda: pane.listing.model.card_of("note-000000").title == "Roses in May"))
    assert pane.document._state.text() == "Saved"


def test_leaving_for_another_note_saves_at_once(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    qtbot.keyClicks(pane.document.editor, "x")
    pane.open_place(Place("notes", "note-000001"))
    run_async(until(lambda: pane.document.title.text() == "Soil"))
    run_async(pane.settle())
    assert books.memories["note-000000"].content.startswith("xSee")
    assert books.memories["note-000001"].content == "Dark"
    assert _text(pane) == "Dark"


def test_quitting_writes_what_is_typed(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    qtbot.keyClicks(pane.document.editor, "z")
    run_async(pane.settle())
    assert books.memories["note-000000"].content.startswith("z")


def test_a_new_note_exists_from_its_first_letter(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.registry.run("notes.new")
    run_async(pane.settle())
    assert len(books.memories) == 3
    qtbot.keyClicks(pane.document.title, "Ferns")
    qtbot.keyClicks(pane.document.editor, "shade")
    run_async(pane.settle())
    run_async(until(lambda: pane.listing.list.current_id() == "note-000003"))
    assert (books.memories["note-000003"].title, books.memories["note-000003"].content) == ("Ferns", "shade")
    assert pane.emitted.places[-1] == Place("notes", "note-000003")


def test_what_can_be_done_with_a_new_note_follows_it(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.registry.run("notes.new")
    pane.registry.refresh()
    anyway = ("notes.write", "notes.split", "notes.read", "notes.attach", "notes.tag")
    assert all(pane.registry.qaction(one).isEnabled() for one in anyway)
    assert not pane.document.more.isEnabled(), "there is nothing to pin or delete yet"
    qtbot.keyClicks(pane.document.editor, "shade")
    run_async(pane.settle())
    run_async(until(lambda: pane.controller.memory is not None))
    run_async(until(pane.document.more.isEnabled))
    pane.registry.refresh()
    assert pane.registry.qaction("notes.delete").isEnabled()


def test_a_tag_is_one_when_it_is_typed_to_its_end_and_moves_nothing(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    books.add_note("Plain", "")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    document, editor = pane.document, pane.document.editor
    editor.setFocus()
    run_async(until(editor.hasFocus))
    qtbot.keyClicks(editor, "#hol")
    top = editor.mapTo(pane, QPoint(0, 0)).y()
    document.take_tags(("hol",))  # what was saved in a pause
    assert document.tags.tags == ()
    qtbot.keyClicks(editor, "iday")
    document.take_tags(("holiday",))
    assert document.tags.tags == ()
    qtbot.keyClicks(editor, " ")
    assert document.tags.tags == ("holiday",)
    pane.layout().activate()
    assert editor.mapTo(pane, QPoint(0, 0)).y() == top
    qtbot.keyClicks(editor, "#sun")
    document.take_tags(("holiday", "sun"))
    assert document.tags.tags == ("holiday",)
    document.title.setFocus()
    assert document.tags.tags == ("holiday", "sun")
    run_async(pane.settle())


def test_the_daily_note_is_made_once(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.registry.run("notes.daily")
    run_async(until(lambda: pane.controller.memory is None))
    run_async(ask.idle())
    qtbot.keyClicks(pane.document.editor, "Rain.")
    run_async(pane.settle())
    assert books.memories["note-000003"].tags == ("daily",)
    pane.open_place(Place("notes", "note-000000"))
    run_async(until(lambda: pane.controller.id == "note-000000"))
    pane.registry.run("notes.daily")
    run_async(until(lambda: pane.controller.id == "note-000003"))
    assert len(books.memories) == 4


def test_an_agent_s_change_is_shown_and_a_clash_keeps_both(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    books.memories["note-000000"] = replace(books.memories["note-000000"], content="agent 1", version=2)
    ask.changed.emit(ChangeSet(frozenset({"memories"}), ("note-000000",), "claude"))
    run_async(until(lambda: _text(pane) == "agent 1"))
    qtbot.keyClicks(pane.document.editor, "mine ")
    books.memories["note-000000"] = replace(
        books.memories["note-000000"], content="agent 2", version=3, source="claude"
    )  # fmt: skip
    run_async(pane.settle())
    assert pane.document.comparison.isVisible()
    assert "claude" in pane.document.comparison._sentence.text()
    pane.document.comparison.findChild(QPushButton, "both").click()
    run_async(until(lambda: _text(pane) == "agent 2"))
    copies = [one for one in books.memories.values() if one.title == "Roses (my version)"]
    assert copies[0].content == "mine agent 1"


def test_versions_are_compared_and_restored(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    first = _text(pane)
    qtbot.keyClicks(pane.document.editor, "A ")
    run_async(pane.settle())
    qtbot.keyClicks(pane.document.editor, "B ")
    run_async(pane.settle())
    run_async(ask.idle())
    oldest = min(pane.inspector._entries.values(), key=lambda entry: entry.id)
    pane.inspector.version_requested.emit(oldest)
    assert pane.document.comparison.isVisible()
    pane.document.comparison.findChild(QPushButton, "version").click()
    run_async(until(lambda: books.memories["note-000000"].content == f"A {first}"))
    assert _text(pane) == f"A {first}"


def test_deleting_offers_undo_and_opens_the_neighbour(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.listing.list.setFocus()
    qtbot.keyClick(pane.listing.list, Qt.Key.Key_Delete)
    run_async(until(lambda: pane.document.title.text() == "Soil"))
    assert books.memories["note-000000"].deleted_at is not None
    assert pane.emitted.notices[-1].text == "Deleted ‘Roses’"
    assert pane.emitted.notices[-1].history_ids == (7,)


def test_the_trash_shows_and_restores(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    run_async(ask.call(operations.note.delete(id="note-000001")))
    pane = open_pane("notes")
    run_async(until(lambda: len(pane.listing.model.ids) == 2))
    pane.listing.trash.click()
    run_async(until(lambda: list(pane.listing.model.ids) == ["note-000001"]))
    pane.open_place(Place("notes", "note-000001"))
    run_async(until(pane.document._restore.isVisible))
    assert pane.document.editor.isReadOnly()
    pane.document._restore.click()
    run_async(until(lambda: books.memories["note-000001"].deleted_at is None))


def test_several_are_tagged_together(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.listing.list.menu_requested.emit(["note-000000", "note-000001"], QPoint(5, 5))
    actions = _menu(pane)
    assert list(actions) == [
        "Pin",
        "Unpin",
        "Merge into one",
        "Add tags…",
        "Who may see it…",
        "Archive",
        "Delete 2 notes",
    ]
    actions["Add tags…"].trigger()
    box = pane.findChild(QInputDialog)
    box.setTextValue("Spring, garden")
    box.accept()
    run_async(until(lambda: "spring" in books.memories["note-000001"].tags))
    assert "spring" in books.memories["note-000000"].tags
    run_async(ask.idle())
    assert pane.emitted.notices[-1].text == "Tagged 2 notes"


@pytest.mark.parametrize("width", [1000, 1250, 1360, 1500, 1700])
def test_the_buttons_of_the_views_stay_where_they_are(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, width: int
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.resize(width, 700)
    places = set()
    for mode in ("write", "split", "read", "write"):
        pane.document.set_mode(mode)
        QApplication.processEvents()
        places.add(pane.document._buttons["split"].mapTo(pane, QPoint(0, 0)).x())
    assert len(places) == 1


def test_side_columns_fold_before_source_and_preview_lose_their_room(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.document.set_mode("split")
    assert not pane.facets.isVisible()
    assert not pane.inspector.isVisible()
    pane.listing.sides.click()
    pane.toggle_inspector()
    assert pane.facets.isVisible()
    assert pane.inspector.isVisible()
    pane.resize(860, 500)
    qtbot.waitUntil(lambda: not pane.facets.isVisible())
    assert pane.inspector.isVisible()
    editor, preview, document = pane.document.editor, pane.document.preview, pane.document
    qtbot.waitUntil(lambda: document.width() >= document.minimumSizeHint().width())
    assert editor.geometry().right() < preview.geometry().left()
    assert preview.mapTo(document, preview.rect().topRight()).x() <= document.width()
    qtbot.waitUntil(lambda: document.mapTo(pane, document.rect().topRight()).x() < pane.inspector.geometry().left())
    pane.listing.sides.click()
    assert pane.facets.isVisible()
    assert not pane.inspector.isVisible()
    pane.resize(1300, 500)
    qtbot.waitUntil(pane.inspector.isVisible)


def test_one_side_column_is_enough_until_there_is_room_for_two(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))

    def columns() -> tuple[bool, bool]:
        return pane.facets.isVisible(), pane.inspector.isVisible()

    pane.resize(1340, 700)
    qtbot.waitUntil(lambda: columns() == (True, True))
    pane.resize(1200, 700)
    qtbot.waitUntil(lambda: columns() == (True, False))
    title = pane.document.title
    assert title.width() > pane.document.width() - 60  # no button stands beside it
    pane.toggle_inspector()
    assert columns() == (False, True)
    pane.listing.sides.click()
    assert columns() == (True, True)
    pane.resize(1000, 700)
    qtbot.waitUntil(lambda: columns() == (True, True))


def test_tab_goes_from_the_title_to_the_text(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.registry.run("notes.new")
    qtbot.keyClick(pane.document.title, Qt.Key.Key_Tab)
    assert pane.focusWidget() is pane.document.editor
    qtbot.keyClick(pane.document.editor, Qt.Key.Key_Tab)
    assert pane.focusWidget() is pane.document.tags.field
    qtbot.keyClick(pane.document.tags.field, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert pane.focusWidget() is pane.document.editor


def test_the_menu_of_one_row(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    actions = _menu(pane)
    assert list(actions) == [
        "Copy link",
        "Rename",
        "Pin",
        "Add tags…",
        "Who may see it…",
        "Archive",
        "Delete",
        "New note from this",
    ]
    actions["Copy link"].trigger()
    assert QGuiApplication.clipboard().text() == "keepsake://memory/note-000001"
    actions["Add tags…"].trigger()
    box = pane.findChild(QInputDialog)
    assert box.labelText() == "Tags, separated by commas:"
    box.setTextValue(" , ")
    box.accept()
    run_async(ask.idle())
    assert not ask.called("note.tag_many")
    ask.faults["note.tag_many"] = NotFoundError("It is gone.")
    pane._actions.add_tags(["note-000001"], ["spring"])
    run_async(ask.idle())
    assert (pane.emitted.notices[-1].text, pane.emitted.notices[-1].kind) == ("It is gone.", "error")
    del ask.faults["note.tag_many"]
    pane._actions.add_tags(["note-000001"], ["spring"])
    run_async(ask.idle())
    title = books.memories["note-000001"].title
    assert pane.emitted.notices[-1].text == f"Tagged ‘{title}’"
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    _menu(pane)["Delete"].trigger()
    run_async(ask.idle())
    assert pane.emitted.notices[-1].text == f"Deleted ‘{title}’"
    assert pane.emitted.notices[-1].history_ids


def test_the_head_keeps_its_words_where_it_is_narrow(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, look: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    # Facets and inspector step aside at the first; only then it can be so narrow.
    for width in (1000, 740):
        pane.resize(width, 540)
        run_async(asyncio.sleep(0))
    look.set_scale(1.5)
    run_async(until(lambda: pane.document.title.width() > 350))
    assert pane.width() == 740
    assert pane.listing.filter.width() > 250


def test_facets_narrow_and_nest(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    run_async(ask.idle())
    pane.facets.choose_tag("garden")
    run_async(until(lambda: len(pane.listing.model.ids) == 2))
    pane.facets.clear()
    pane.facets.tree.set_chosen("kind", ["fact"])
    pane.facets._tell()
    run_async(until(lambda: list(pane.listing.model.ids) == ["note-000002"]))


def test_facts_are_read_with_what_they_are_about(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.open_place(Place("notes", "note-000002"))
    run_async(until(lambda: "Anna likes tea" in pane.document.preview.page.toPlainText()))
    assert pane.document.preview.page.toPlainText().startswith("likes › tea")
    assert pane.document.editor.isHidden()


def test_a_link_to_nothing_begins_that_note(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, qtbot: Any
) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.inspector.missing_opened.emit("Nobody")
    run_async(until(lambda: pane.document.title.text() == "Nobody"))
    qtbot.keyClicks(pane.document.editor, "now somebody")
    run_async(pane.settle())
    assert books.memories["note-000003"].title == "Nobody"


def test_a_text_too_long_to_edit_is_read(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    books.add_note("Huge", "word " * 1_000_000)
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    assert pane.document.editor.isHidden()
    assert pane.document.editor.source() == ""
    assert len(pane.document.preview.page.toPlainText()) == 200_000
    run_async(pane.settle())
    assert len(books.memories["note-000000"].content) == 5_000_000


def test_an_empty_vault_teaches_writing(open_pane: Any, ask: FakeBridge, run_async: Any) -> None:
    pane = open_pane("notes")
    run_async(until(lambda: pane._whole.currentWidget() is pane._empty))
    pane._empty.button.click()
    assert pane.document.isVisible()


def test_mode_and_the_open_note_come_back(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.document.set_mode("split")
    pane.open_place(Place("notes", "note-000001"))
    run_async(until(lambda: pane.document.title.text() == "Soil"))
    again = open_pane("notes", pane.save_state())
    run_async(until(lambda: again.document.title.text() == "Soil"))
    assert again.document.mode == "split"


def test_a_hit_opens_with_its_words_marked(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    books.add_note("Marks", "tard ta\n\nthen ta", id="note-marks")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    pane.open_place(Place("notes", "note-marks", words=("ta",)))
    run_async(until(lambda: pane.controller.id == "note-marks"))
    editor = pane.document.editor
    run_async(until(editor.hasFocus))
    assert [mark.cursor.selectedText() for mark in editor.extraSelections()] == ["ta", "ta"]
    assert editor.textCursor().position() == 5
    pane.registry.run("notes.next")
    assert editor.textCursor().position() == 14
    pane.open_place(Place("notes", "note-000000"))
    run_async(until(lambda: pane.controller.id == "note-000000"))
    assert editor.extraSelections() == []


def test_the_open_note_is_marked_at_once(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    _fill(books)
    pane = open_pane("notes")
    run_async(_ready(pane))
    pane.document.set_mode("read")
    pane.open_place(Place("notes", pane.controller.id, words=("nobody",)))
    page = pane.document.preview.page
    assert [mark.cursor.selectedText() for mark in page.extraSelections()] == ["Nobody"]
    assert page.hasFocus()


def test_the_history_of_what_an_import_stored_names_the_import(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    note = books.add_note("Roses", "x", source="import:markdown")
    stored = {"content": "x", "source": "import:markdown"}
    books.history.append(HistoryEntry(1, "memory", note, "ADD", NOW, "person", None, stored))
    pane = open_pane("notes")
    run_async(ask.idle())
    run_async(until(lambda: bool(pane.inspector._entries)))
    texts = [button.text() for button in pane.inspector._history.findChildren(QPushButton)]
    assert any(text.startswith("Written, Import (markdown), ") for text in texts), texts
