"""Tags in the text of a note: they are stored when their word has ended, and take nothing else along."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.helpers.loops import RunAsync
from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.panes.notes.draft import Draft

CLAUDE = Caller("claude", "full")


def _agent_writes(books: VaultFiller, note: str, content: str) -> None:
    """Let an agent replace the text of a note."""
    version = books.note(note).version
    books.host.call("note.update", {"id": note, "version": version, "content": content}, CLAUDE).result()


def _text(pane: Any) -> str:
    source: str = pane.document.editor.source()
    return source


def test_a_tag_is_one_when_it_is_typed_to_its_end_and_moves_nothing(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    books.add_notes(NoteText("Plain"))
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    document, editor = pane.document, pane.document.editor
    editor.setFocus()
    rest(editor.hasFocus)
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


def test_a_tag_is_stored_when_its_word_has_ended(
    host: Host, books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], qtbot: QtBot, rest: Rest
) -> None:
    note = books.add_notes(NoteText("Plain"))[0]
    pane = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    editor = pane.document.editor
    editor.setFocus()
    rest(editor.hasFocus)

    def stored(text: str) -> set[str]:
        rest(lambda: host.ask("note.get", id=note).content.startswith(text))
        return {facet.name for facet in host.ask("tag.list")}

    qtbot.keyClicks(editor, "#hol")
    assert stored("#hol") == set()
    qtbot.keyClicks(editor, "iday")
    assert stored("#holiday") == set()
    qtbot.keyClicks(editor, " ")
    assert stored("#holiday ") == {"holiday"}
    qtbot.keyClicks(editor, "#sun")
    assert stored("#holiday #sun") == {"holiday"}
    pane.document.title.setFocus()
    rest(lambda: host.ask("note.get", id=note).tags == ("holiday", "sun"))
    editor.setFocus()
    rest(editor.hasFocus)
    qtbot.keyClicks(editor, " #win")
    assert stored("#holiday #sun #win") == {"holiday", "sun"}
    run_async(pane.settle())  # as the window does when it closes
    assert host.ask("note.get", id=note).tags == ("holiday", "sun", "win")
    past = host.ask("memory.history", target=note)
    seen = {tag for entry in past for state in (entry.before, entry.after) if state for tag in state.get("tags", ())}
    assert seen <= {"holiday", "sun", "win"}


def _stops_in_a_tag(host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot) -> tuple[str, Any]:
    """Type a note that ends in half a tag, and wait until it is stored."""
    note = books.add_notes(NoteText("Plain"))[0]
    pane: Any = open_pane("notes")
    rest(lambda: pane.controller.memory is not None)
    pane.document.editor.setFocus()
    rest(pane.document.editor.hasFocus)
    qtbot.keyClicks(pane.document.editor, "mine #hol")
    rest(lambda: pane.controller.memory.content == "mine #hol")
    return note, pane


@pytest.mark.parametrize("ending", ["leaving", "settling"])
def test_a_tag_that_ends_takes_no_other_text_back(
    ending: str, host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot, run_async: RunAsync[Any]
) -> None:
    note, pane = _stops_in_a_tag(host, books, open_pane, rest, qtbot)
    _agent_writes(books, note, "mine #hol\nA line of the agent")
    if ending == "leaving":
        rest(lambda: "agent" in _text(pane))
        pane.document.title.setFocus()
    run_async(pane.settle())
    rest(lambda: "agent" in _text(pane))
    assert host.ask("note.get", id=note).content == "mine #hol\nA line of the agent"


def test_a_tag_that_ends_undoes_no_undo(
    host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot, run_async: RunAsync[Any]
) -> None:
    note, pane = _stops_in_a_tag(host, books, open_pane, rest, qtbot)
    latest = host.ask("memory.history", target=note)[0]
    host.ask("memory.undo", history_ids=[latest.id])
    rest(lambda: "#hol" not in _text(pane))
    run_async(pane.settle())
    assert "#hol" not in host.ask("note.get", id=note).content


def test_a_tag_that_ends_writes_nothing_over_theirs(
    host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot, run_async: RunAsync[Any]
) -> None:
    note, pane = _stops_in_a_tag(host, books, open_pane, rest, qtbot)
    qtbot.keyClicks(pane.document.editor, "i")
    _agent_writes(books, note, "THEIRS")
    rest(pane.document.comparison.isVisible)
    pane.controller._on_comparison_picked("theirs")
    rest(lambda: _text(pane) == "THEIRS")
    run_async(pane.settle())
    assert host.ask("note.get", id=note).content == "THEIRS"


def test_a_tag_that_ends_in_a_deleted_note_leaves_nothing_unsaved(
    host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot, run_async: RunAsync[Any]
) -> None:
    note, pane = _stops_in_a_tag(host, books, open_pane, rest, qtbot)
    host.ask("note.delete", id=note)
    run_async(pane.settle())
    rest(lambda: not any(draft.dirty for draft in pane.findChildren(Draft)))
    assert pane.emitted.notices == []


def test_a_tag_with_which_typing_stopped_is_whole_after_a_while(
    host: Host, books: VaultFiller, open_pane: OpenPane, rest: Rest, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.panes.notes.draft.TAG_MS", 300)
    note, _pane = _stops_in_a_tag(host, books, open_pane, rest, qtbot)
    rest(lambda: host.ask("note.get", id=note).tags == ("hol",))
