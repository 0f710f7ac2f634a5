"""The trash of the Notes pane: it shows what is in it and nothing else."""

from typing import Any

from tests.helpers.screen_reader import is_offered, press, words
from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from ui.panes.pane import Place


def _open(books: VaultFiller, open_pane: OpenPane, rest: Rest, *, deleted: int) -> Any:
    books.add_notes(*(NoteText(f"Note {number}", f"Text {number}") for number in range(4)))
    for number in range(deleted):
        books.host.ask("note.delete", id=f"note-{number:06}")
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    return pane


def _enter(pane: Any, books: VaultFiller, rest: Rest) -> None:
    pane.listing.trash.click()
    rest(lambda: all(books.host.ask("note.get", id=identity).deleted_at for identity in pane.listing.model.ids))


def test_it_shows_a_deleted_note_read_only_and_what_was_open_comes_back(
    books: VaultFiller, open_pane: OpenPane, rest: Rest
) -> None:
    pane = _open(books, open_pane, rest, deleted=2)
    assert pane.controller.id == "note-000002"
    pane.open_place(Place("notes", "note-000003"))
    rest(lambda: pane.document.title.text() == "Note 3")
    _enter(pane, books, rest)
    rest(lambda: pane.document.title.text() == "Note 0")
    document = pane.document
    assert document.title.isReadOnly()
    assert document.editor.isReadOnly()
    assert is_offered(document, "Restore")
    assert not document.more.isVisible()
    assert not pane.registry.qaction("notes.delete").isEnabled()
    pane.listing.trash.click()
    rest(lambda: document.title.text() == "Note 3")
    assert document.more.isVisible()


def test_an_empty_trash_says_so(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    pane = _open(books, open_pane, rest, deleted=0)
    _enter(pane, books, rest)
    assert "The trash is empty" in words(pane)
    assert not pane.document.isVisible()
    assert not pane.inspector.isVisible()
    pane.listing.trash.click()
    rest(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 0")


def test_what_is_restored_leaves_the_page_to_the_next(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    pane = _open(books, open_pane, rest, deleted=2)
    _enter(pane, books, rest)
    rest(lambda: pane.document.title.text() == "Note 0")
    press(pane.document, "Restore")
    rest(lambda: pane.document.title.text() == "Note 1")
    assert is_offered(pane.document, "Restore")
    press(pane.document, "Restore")
    rest(lambda: "The trash is empty" in words(pane))


def test_a_note_opened_from_elsewhere_leaves_the_trash(
    books: VaultFiller, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    pane = _open(books, open_pane, rest, deleted=1)
    _enter(pane, books, rest)
    rest(lambda: pane.document.title.text() == "Note 0")
    pane.open_place(Place("notes", "note-000002"))
    rest(lambda: pane.document.title.text() == "Note 2" and not pane.listing.trash.isChecked())
    assert pane.listing.list.current_id() == "note-000002"
    _enter(pane, books, rest)
    pane.registry.run("notes.new")
    rest(lambda: not pane.listing.trash.isChecked())
    settle()
    assert pane.controller.memory is None
    assert pane.document.isVisible()
