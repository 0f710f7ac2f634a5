"""The Notes pane at work."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QMenu, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.errors import NotFoundError
from app.host import Host
from tests.helpers.loops import RunAsync
from tests.helpers.screen_reader import is_offered, press, words
from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from ui import operations
from ui.bridge import Bridge
from ui.panes.pane import Place
from ui.theme import Theme

CLAUDE = Caller("claude", "full")


def _fill(books: VaultFiller) -> str:
    """Write two notes and let an agent remember a fact; return the id of the fact."""
    remembered = {"content": "Anna likes tea", "category": "likes", "key": "tea"}
    fact = books.host.call("fact.remember", remembered, CLAUDE).result().value.memory
    books.add_notes(
        NoteText("Roses", "See [[Soil]] and [[Nobody]]", ("garden/roses",), pinned=True),
        NoteText("Soil", "Dark", ("garden",)),
    )
    return str(fact.id)


def _made(books: VaultFiller) -> str:
    """Return the id of the note that was made last."""
    return str(max(books.host.ask("note.list"), key=lambda row: row.created_at).id)


def _ids(books: VaultFiller) -> list[str]:
    """Return the ids of all notes and facts."""
    return [row.id for row in books.host.ask("note.list")]


def _ready(pane: Any, rest: Rest) -> None:
    rest(lambda: pane.controller.memory is not None and len(pane.listing.model.ids) == 3)


def _agent_writes(books: VaultFiller, note: str, content: str) -> None:
    """Let an agent replace the text of a note."""
    version = books.note(note).version
    books.host.call("note.update", {"id": note, "version": version, "content": content}, CLAUDE).result()


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
    books: VaultFiller, open_pane: OpenPane, settle: Settle, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    settle()
    assert pane.document.title.text() == "Roses"
    assert pane.document.tags.tags == ("garden/roses",)
    links = [button.text() for button in pane.inspector.findChildren(QPushButton) if not button.isHidden()]
    assert "Soil" in links
    assert "Nobody (not written yet)" in links


def test_typing_is_saved_and_the_row_follows(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.document.title.end(False)
    qtbot.keyClicks(pane.document.title, " in May")
    qtbot.keyClicks(pane.document.editor, "Now. ")
    rest(lambda: books.note("note-000000").content.startswith("Now. See"))
    assert books.note("note-000000").title == "Roses in May"
    rest(lambda: pane.listing.model.card_of("note-000000").title == "Roses in May")
    assert "Saved" in words(pane.document).splitlines()


def test_leaving_for_another_note_saves_at_once(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    qtbot.keyClicks(pane.document.editor, "x")
    pane.open_place(Place("notes", "note-000001"))
    rest(lambda: pane.document.title.text() == "Soil")
    run_async(pane.settle())
    assert books.note("note-000000").content.startswith("xSee")
    assert books.note("note-000001").content == "Dark"
    assert _text(pane) == "Dark"


def test_quitting_writes_what_is_typed(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    qtbot.keyClicks(pane.document.editor, "z")
    run_async(pane.settle())
    assert books.note("note-000000").content.startswith("z")


def test_a_new_note_exists_from_its_first_letter(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.registry.run("notes.new")
    run_async(pane.settle())
    assert len(_ids(books)) == 3
    qtbot.keyClicks(pane.document.title, "Ferns")
    qtbot.keyClicks(pane.document.editor, "shade")
    run_async(pane.settle())
    made = _made(books)
    rest(lambda: pane.listing.list.current_id() == made)
    assert (books.note(made).title, books.note(made).content) == ("Ferns", "shade")
    assert pane.emitted.places[-1] == Place("notes", made)


def test_what_can_be_done_with_a_new_note_follows_it(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.registry.run("notes.new")
    pane.registry.refresh()
    anyway = ("notes.write", "notes.split", "notes.read", "notes.attach", "notes.tag")
    assert all(pane.registry.qaction(one).isEnabled() for one in anyway)
    assert not pane.document.more.isEnabled(), "there is nothing to pin or delete yet"
    qtbot.keyClicks(pane.document.editor, "shade")
    run_async(pane.settle())
    rest(lambda: pane.controller.memory is not None)
    rest(pane.document.more.isEnabled)
    pane.registry.refresh()
    assert pane.registry.qaction("notes.delete").isEnabled()


def test_the_daily_note_is_made_once(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.registry.run("notes.daily")
    rest(lambda: pane.controller.memory is None)
    settle()
    qtbot.keyClicks(pane.document.editor, "Rain.")
    run_async(pane.settle())
    daily = _made(books)
    assert books.note(daily).tags == ("daily",)
    pane.open_place(Place("notes", "note-000000"))
    rest(lambda: pane.controller.id == "note-000000")
    pane.registry.run("notes.daily")
    rest(lambda: pane.controller.id == daily)
    assert len(_ids(books)) == 4


def test_an_agent_s_change_is_shown_and_a_clash_keeps_both(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.open_place(Place("notes", "note-000001"))
    rest(lambda: _text(pane) == "Dark")
    _agent_writes(books, "note-000001", "agent 1")
    rest(lambda: _text(pane) == "agent 1")
    qtbot.keyClicks(pane.document.editor, "mine ")
    _agent_writes(books, "note-000001", "agent 2")
    run_async(pane.settle())
    rest(pane.document.comparison.isVisible)
    assert "claude changed this note while you were writing." in words(pane.document.comparison)
    pane.document.comparison.findChild(QPushButton, "both").click()
    rest(lambda: _text(pane) == "agent 2")
    rest(lambda: len(_ids(books)) == 4)
    copy = books.note(_made(books))
    assert (copy.title, copy.content) == ("Soil (my version)", "mine agent 1")


def test_a_clash_with_the_person_s_own_change_of_an_agent_s_note_names_no_agent(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    saved = books.host.call("note.save", {"title": "Ferns", "content": "shade"}, CLAUDE).result().value
    pane = open_pane("notes")
    rest(lambda: _text(pane) == "shade")
    qtbot.keyClicks(pane.document.editor, "mine ")
    books.host.ask("note.update", id=saved.id, version=saved.version, content="from the command line")
    run_async(pane.settle())
    rest(pane.document.comparison.isVisible)
    assert "Somebody else changed this note while you were writing." in words(pane.document.comparison)


def test_versions_are_compared_and_restored(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    first = _text(pane)
    qtbot.keyClicks(pane.document.editor, "A ")
    run_async(pane.settle())
    settle()
    versions = [one for one in pane.inspector.findChildren(QPushButton) if one.toolTip() == "Compare with this version"]
    versions[-1].click()  # the oldest is the last
    assert pane.document.comparison.isVisible()
    pane.document.comparison.findChild(QPushButton, "version").click()
    assert _text(pane) == first
    rest(lambda: books.note("note-000000").content == first)


def test_deleting_offers_undo_and_opens_the_neighbour(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.listing.list.setFocus()
    qtbot.keyClick(pane.listing.list, Qt.Key.Key_Delete)
    rest(lambda: pane.document.title.text() == "Soil")
    assert "note-000000" not in _ids(books)
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].text == "Deleted ‘Roses’"
    books.host.ask("memory.undo", history_ids=list(pane.emitted.notices[-1].history_ids))
    assert "note-000000" in _ids(books)


def test_the_trash_shows_and_restores(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    books.host.ask("note.delete", id="note-000001")
    pane = open_pane("notes")
    rest(lambda: len(pane.listing.model.ids) == 2)
    pane.listing.trash.click()
    rest(lambda: list(pane.listing.model.ids) == ["note-000001"])
    pane.open_place(Place("notes", "note-000001"))
    rest(lambda: is_offered(pane.document, "Restore"))
    assert pane.document.editor.isReadOnly()
    press(pane.document, "Restore")
    rest(lambda: books.note("note-000001").deleted_at is None)


def test_several_are_tagged_together(books: VaultFiller, open_pane: OpenPane, rest: Rest, settle: Settle) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.listing.list.menu_requested.emit(["note-000000", "note-000001"], QPoint(5, 5))
    actions = _menu(pane)
    assert list(actions) == [
        "Pin",
        "Unpin",
        "Merge into one",
        "Add tags…",
        "Who may see it…",
        "Project…",
        "Archive",
        "Delete 2 notes",
    ]
    actions["Add tags…"].trigger()
    box = pane.findChild(QInputDialog)
    box.setTextValue("Spring, garden")
    box.accept()
    rest(lambda: "spring" in books.note("note-000001").tags)
    assert "spring" in books.note("note-000000").tags
    settle()
    assert pane.emitted.notices[-1].text == "Tagged 2 notes"


@pytest.mark.parametrize("width", [1000, 1250, 1360, 1500, 1700])
def test_the_buttons_of_the_views_stay_where_they_are(
    books: VaultFiller, open_pane: OpenPane, width: int, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.resize(width, 700)
    split = next(
        one
        for one in pane.document.findChildren(QToolButton)
        if one.accessibleName().startswith("Write and preview side by side")
    )
    places = set()
    for mode in ("write", "split", "read", "write"):
        pane.document.set_mode(mode)
        QApplication.processEvents()
        places.add(split.mapTo(pane, QPoint(0, 0)).x())
    assert len(places) == 1


def test_side_columns_fold_before_source_and_preview_lose_their_room(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
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
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)

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


def test_tab_goes_from_the_title_to_the_text(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.registry.run("notes.new")
    qtbot.keyClick(pane.document.title, Qt.Key.Key_Tab)
    assert pane.focusWidget() is pane.document.editor
    qtbot.keyClick(pane.document.editor, Qt.Key.Key_Tab)
    assert pane.focusWidget() is pane.document.tags.field
    qtbot.keyClick(pane.document.tags.field, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert pane.focusWidget() is pane.document.editor


def test_the_menu_of_one_row(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, settle: Settle, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    actions = _menu(pane)
    assert list(actions) == [
        "Copy link",
        "Rename",
        "Pin",
        "Add tags…",
        "Who may see it…",
        "Project…",
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
    settle()
    assert not connection.requested("note.tag_many")
    connection.refused["note.tag_many"] = NotFoundError("It is gone.")
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    _menu(pane)["Add tags…"].trigger()
    box = next(one for one in pane.findChildren(QInputDialog) if one.isVisible())
    box.setTextValue("spring")
    box.accept()
    settle()
    assert (pane.emitted.notices[-1].text, pane.emitted.notices[-1].kind) == ("It is gone.", "error")
    del connection.refused["note.tag_many"]
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    _menu(pane)["Add tags…"].trigger()
    box = next(one for one in pane.findChildren(QInputDialog) if one.isVisible())
    box.setTextValue("spring")
    box.accept()
    settle()
    title = books.note("note-000001").title
    assert pane.emitted.notices[-1].text == f"Tagged ‘{title}’"
    pane.listing.list.menu_requested.emit(["note-000001"], QPoint(5, 5))
    _menu(pane)["Delete"].trigger()
    settle()
    assert pane.emitted.notices[-1].text == f"Deleted ‘{title}’"
    assert pane.emitted.notices[-1].history_ids


def test_the_head_keeps_its_words_where_it_is_narrow(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], look: Theme, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    # Facets and inspector step aside at the first; only then it can be so narrow.
    for width in (1000, 740):
        pane.resize(width, 540)
        run_async(asyncio.sleep(0))
    look.set_scale(1.5)
    rest(lambda: pane.document.title.width() > 350)
    assert pane.width() == 740
    assert pane.listing.filter.width() > 250


def test_facets_narrow_and_nest(books: VaultFiller, open_pane: OpenPane, rest: Rest, settle: Settle) -> None:
    fact = _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    settle()
    pane.facets.choose_tag("garden")
    rest(lambda: len(pane.listing.model.ids) == 2)
    pane.facets.clear()
    pane.facets.tree.set_chosen("kind", ["fact"])
    pane.facets.tree.toggled.emit("kind", "fact", True)
    rest(lambda: list(pane.listing.model.ids) == [fact])


def test_facts_are_read_with_what_they_are_about(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fact = _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.open_place(Place("notes", fact))
    rest(lambda: "Anna likes tea" in pane.document.preview.page.toPlainText())
    assert pane.document.preview.page.toPlainText().startswith("likes › tea")
    assert pane.document.editor.isHidden()


def test_the_files_and_people_that_a_memory_is_about_are_shown(
    books: VaultFiller, open_pane: OpenPane, host: Host, rest: Rest
) -> None:
    about = {"related_files": ["src/reader.py", "a/<b>.txt"], "related_people": ["Priya Raman"]}
    memory = host.ask("memory.write", content="It reads 64 KiB at once.", **about).memory.id
    pane = open_pane("notes")
    pane.open_place(Place("notes", memory))
    rest(lambda: pane.controller.memory is not None and pane.controller.memory.id == memory)
    words = [label.text() for label in pane.inspector.findChildren(QLabel)]
    assert words[words.index("Files") + 1] == "src/reader.py\na/<b>.txt"
    assert words[words.index("People") + 1] == "Priya Raman"


def test_a_link_to_nothing_begins_that_note(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.inspector.missing_opened.emit("Nobody")
    rest(lambda: pane.document.title.text() == "Nobody")
    qtbot.keyClicks(pane.document.editor, "now somebody")
    run_async(pane.settle())
    assert books.note(_made(books)).title == "Nobody"


def test_a_text_too_long_to_edit_is_read(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], rest: Rest
) -> None:
    books.add_notes(NoteText("Huge", "word " * 1_000_000))
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    assert pane.document.editor.isHidden()
    assert pane.document.editor.source() == ""
    assert len(pane.document.preview.page.toPlainText()) == 200_000
    run_async(pane.settle())
    assert len(books.note("note-000000").content) == 5_000_000


def test_an_empty_vault_teaches_writing(open_pane: OpenPane, rest: Rest) -> None:
    pane = open_pane("notes")
    rest(lambda: is_offered(pane, "Write a note"))
    press(pane, "Write a note")
    assert pane.document.isVisible()


def test_mode_and_the_open_note_come_back(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.document.set_mode("split")
    pane.open_place(Place("notes", "note-000001"))
    rest(lambda: pane.document.title.text() == "Soil")
    again = open_pane("notes", pane.save_state())
    rest(lambda: again.document.title.text() == "Soil")
    assert again.document.mode == "split"


def test_a_hit_opens_with_its_words_marked(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    marks = books.add_note("Marks", "tard ta\n\nthen ta")
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    pane.open_place(Place("notes", marks, words=("ta",)))
    rest(lambda: pane.controller.id == marks)
    editor = pane.document.editor
    rest(editor.hasFocus)
    rest(lambda: [mark.cursor.selectedText() for mark in editor.extraSelections()] == ["ta", "ta"])
    assert editor.textCursor().position() == 5
    pane.registry.run("notes.next")
    assert editor.textCursor().position() == 14
    pane.open_place(Place("notes", "note-000000"))
    rest(lambda: pane.controller.id == "note-000000")
    rest(lambda: editor.extraSelections() == [])


def test_a_hit_keeps_its_words_while_it_is_fetched(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    marks = books.add_note("Marks", "tard ta\n\nthen ta")
    pane.open_place(Place("notes", marks, words=("ta",)))
    assert pane.controller.memory.id != marks
    pane.listing.loaded.emit()
    rest(lambda: pane.controller.memory.id == marks)
    assert [mark.cursor.selectedText() for mark in pane.document.editor.extraSelections()] == ["ta", "ta"]


def test_what_is_restored_out_of_sight_is_not_chosen(
    books: VaultFiller, bridge: Bridge, open_pane: OpenPane, rest: Rest, run_async: RunAsync[Any]
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    ids = list(pane.listing.model.ids)
    reply = run_async(bridge.reply(operations.note.delete(id=ids[2])))
    rest(lambda: len(pane.listing.model.ids) == 2)
    pane.hide()
    changed = list[str]()
    bridge.changed.connect(lambda changes: changed.append(changes.operation))
    run_async(bridge.reply(operations.memory.undo(history_ids=list(reply.changes.history_ids))))
    rest(lambda: "memory.undo" in changed)
    pane.show()
    pane.shown()
    rest(lambda: len(pane.listing.model.ids) == 3)
    assert pane.listing.list.current_id() != ids[2]


def test_a_place_that_is_opened_goes_before_what_is_restored(
    books: VaultFiller, bridge: Bridge, open_pane: OpenPane, rest: Rest, run_async: RunAsync[Any]
) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    ids = list(pane.listing.model.ids)
    reply = run_async(bridge.reply(operations.note.delete(id=ids[2])))
    rest(lambda: len(pane.listing.model.ids) == 2)
    run_async(bridge.reply(operations.memory.undo(history_ids=list(reply.changes.history_ids))))
    pane.open_place(Place("notes", ids[1]))
    rest(lambda: len(pane.listing.model.ids) == 3)
    assert pane.listing.list.current_id() == ids[1]


def test_the_open_note_is_marked_at_once(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("notes")
    _ready(pane, rest)
    pane.document.set_mode("read")
    pane.open_place(Place("notes", pane.controller.id, words=("nobody",)))
    page = pane.document.preview.page
    assert [mark.cursor.selectedText() for mark in page.extraSelections()] == ["Nobody"]
    assert page.hasFocus()


def test_the_history_of_what_an_import_stored_names_the_import(
    books: VaultFiller, open_pane: OpenPane, rest: Rest, tmp_path: Path
) -> None:
    file = tmp_path / "Roses.md"
    file.write_text("# Roses\n\nRed ones.\n", "utf-8")
    books.host.ask("exchange.import", path=str(file))
    pane = open_pane("notes")

    def texts() -> list[str]:
        return [button.text() for button in pane.inspector.findChildren(QPushButton)]

    rest(lambda: any(text.startswith("Written, Import (markdown), ") for text in texts()))
