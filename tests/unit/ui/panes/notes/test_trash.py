"""The trash of the Notes pane: it shows what is in it and nothing else."""

from typing import Any

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from ui.panes.pane import Place


def _open(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, *, deleted: int) -> Any:
    for number in range(4):
        books.add_note(f"Note {number}", f"Text {number}")
    for number in range(deleted):
        ask._note_delete(f"note-{number:06}")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    return pane


def _enter(pane: Any, run_async: Any) -> None:
    pane.listing.trash.click()
    run_async(until(lambda: pane._in_trash))


def test_it_shows_a_deleted_note_read_only_and_what_was_open_comes_back(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    pane = _open(books, ask, open_pane, run_async, deleted=2)
    assert pane.controller.id == "note-000002"
    pane.open_place(Place("notes", "note-000003"))
    run_async(until(lambda: pane.document.title.text() == "Note 3"))
    _enter(pane, run_async)
    run_async(until(lambda: pane.document.title.text() == "Note 0"))
    document = pane.document
    assert document.title.isReadOnly()
    assert document.editor.isReadOnly()
    assert document._restore.isVisible()
    assert not document.more.isVisible()
    assert not pane.registry.qaction("notes.delete").isEnabled()
    pane.listing.trash.click()
    run_async(until(lambda: document.title.text() == "Note 3"))
    assert document.more.isVisible()


def test_an_empty_trash_says_so(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    pane = _open(books, ask, open_pane, run_async, deleted=0)
    _enter(pane, run_async)
    assert pane._trash_empty.isVisible()
    assert not pane.document.isVisible()
    assert not pane.inspector.isVisible()
    pane.listing.trash.click()
    run_async(until(lambda: pane.document.isVisible() and pane.document.title.text() == "Note 0"))


def test_what_is_restored_leaves_the_page_to_the_next(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    pane = _open(books, ask, open_pane, run_async, deleted=2)
    _enter(pane, run_async)
    run_async(until(lambda: pane.document.title.text() == "Note 0"))
    pane.document._restore.click()
    run_async(until(lambda: pane.document.title.text() == "Note 1"))
    assert pane.document._restore.isVisible()
    pane.document._restore.click()
    run_async(until(pane._trash_empty.isVisible))


def test_a_note_opened_from_elsewhere_leaves_the_trash(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any
) -> None:
    pane = _open(books, ask, open_pane, run_async, deleted=1)
    _enter(pane, run_async)
    run_async(until(lambda: pane.document.title.text() == "Note 0"))
    pane.open_place(Place("notes", "note-000002"))
    run_async(until(lambda: pane.document.title.text() == "Note 2" and not pane._in_trash))
    assert pane.listing.list.current_id() == "note-000002"
    _enter(pane, run_async)
    pane.registry.run("notes.new")
    run_async(until(lambda: not pane._in_trash))
    run_async(ask.idle())
    assert pane.controller.memory is None
    assert pane.document.isVisible()
