"""What was typed is stored soon, once, and never lost."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from app.api.caller import Caller
from app.errors import DiskFullError
from tests.helpers.loops import RunAsync
from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import Settle
from ui.bridge import Bridge
from ui.panes.notes.draft import Draft


@pytest.fixture
def note(books: VaultFiller) -> str:
    return books.add_notes(NoteText("Roses", "one", ("garden",)))[0]


@pytest.fixture
def draft(books: VaultFiller, bridge: Bridge, note: str) -> Iterator[Draft]:
    draft = Draft(bridge, books.note(note))
    yield draft
    draft.deleteLater()


def theirs(books: VaultFiller, note: str, **fields: Any) -> None:
    """Let an agent change a note."""
    arguments = {"id": note, "version": books.note(note).version, **fields}
    books.host.call("note.update", arguments, Caller("claude", "full")).result()


def test_it_is_written_within_two_seconds(draft: Draft, note: str, books: VaultFiller, rest: Rest) -> None:
    draft.change(content="two")
    assert draft._timer.interval() <= 2000
    rest(lambda: books.note(note).content == "two")
    rest(lambda: draft.state == "saved")


def test_nothing_typed_writes_nothing(draft: Draft, connection: WatchedConnection, settle: Settle) -> None:
    draft.change(content="one")
    draft.flush()
    settle()
    assert connection.requested("note.update") == []
    assert not draft.dirty


def test_keys_during_a_write_are_written_after_it(
    draft: Draft, note: str, books: VaultFiller, connection: WatchedConnection, rest: Rest
) -> None:
    held = connection.hold("note.update")
    draft.change(content="first")
    draft.flush()
    rest(lambda: len(held) == 1)
    draft.change(content="first and more")
    draft.flush()
    assert len(held) == 1
    connection.release("note.update")
    rest(lambda: not draft.dirty)
    assert [call["content"] for call in connection.requested("note.update")] == ["first", "first and more"]
    assert books.note(note).content == "first and more"


def test_who_writes_waits_for_a_write_under_way(
    draft: Draft, note: str, books: VaultFiller, connection: WatchedConnection, run_async: RunAsync[Any], rest: Rest
) -> None:
    held = connection.hold("note.update")
    draft.change(content="first")
    draft.flush()
    rest(lambda: len(held) == 1)
    draft.change(content="first and more")
    QTimer.singleShot(50, lambda: connection.release("note.update"))
    run_async(draft.write())
    assert books.note(note).content == "first and more"


def test_typing_back_to_what_is_being_replaced_is_written_too(
    draft: Draft, note: str, books: VaultFiller, connection: WatchedConnection, rest: Rest
) -> None:
    held = connection.hold("note.update")
    draft.change(content="two")
    draft.flush()
    rest(lambda: len(held) == 1)
    draft.change(content="one")
    connection.release("note.update")
    rest(lambda: not draft.dirty)
    assert books.note(note).content == "one"


def test_a_new_note_is_saved_once_and_then_updated(
    books: VaultFiller, bridge: Bridge, run_async: RunAsync[Any]
) -> None:
    draft = Draft(bridge, None)
    made: list[Any] = []
    draft.saved.connect(lambda memory, created: made.append((memory.id, created)))
    draft.offer(title="Today", tags=("daily",))
    run_async(draft.write())
    assert books.host.ask("note.list") == []
    draft.change(content="text")
    run_async(draft.write())
    draft.change(content="text, more")
    run_async(draft.write())
    assert [created for _, created in made] == [True, False]
    stored = books.note(draft.id)
    assert (stored.title, stored.tags, stored.content) == ("Today", ("daily",), "text, more")
    draft.deleteLater()


def test_another_s_change_of_the_same_text_is_a_conflict_that_loses_nothing(
    draft: Draft, note: str, books: VaultFiller, rest: Rest, run_async: RunAsync[Any]
) -> None:
    seen: list[Any] = []
    draft.conflicted.connect(seen.append)
    theirs(books, note, content="theirs")
    draft.change(content="mine")
    run_async(draft.write())
    assert draft.state == "conflict"
    assert seen[0].content == "theirs"
    draft.change(content="mine, longer")
    run_async(draft.write())
    assert books.note(note).content == "theirs"
    draft.resolve(mine=True)
    rest(lambda: books.note(note).content == "mine, longer")


def test_theirs_can_be_taken(draft: Draft, note: str, books: VaultFiller, run_async: RunAsync[Any]) -> None:
    shown: list[Any] = []
    draft.reloaded.connect(shown.append)
    theirs(books, note, content="theirs")
    draft.change(content="mine")
    run_async(draft.write())
    draft.resolve(mine=False)
    assert shown[0].content == "theirs"
    assert not draft.dirty
    assert books.note(note).content == "theirs"


def test_changes_of_different_fields_go_together(
    draft: Draft, note: str, books: VaultFiller, rest: Rest, run_async: RunAsync[Any]
) -> None:
    theirs(books, note, tags=("garden", "agent"))
    draft.change(content="mine")
    run_async(draft.write())
    rest(lambda: books.note(note).content == "mine")
    assert books.note(note).tags == ("garden", "agent")
    assert draft.state == "saved"


def test_a_failure_keeps_the_text_and_tries_again(
    draft: Draft, note: str, books: VaultFiller, connection: WatchedConnection, run_async: RunAsync[Any]
) -> None:
    connection.refused["note.update"] = DiskFullError("The disk is full.")
    draft.change(content="two")
    run_async(draft.write())
    assert (draft.state, draft.why) == ("failed", "The disk is full.")
    assert draft._timer.isActive()
    draft.change(title="Later")
    connection.refused.clear()
    run_async(draft.write())
    assert (books.note(note).content, books.note(note).title) == ("two", "Later")


def test_another_s_change_is_shown_when_nothing_was_typed(draft: Draft, note: str, books: VaultFiller) -> None:
    shown: list[Any] = []
    draft.reloaded.connect(shown.append)
    theirs(books, note, content="theirs")
    draft.apply_change(books.note(note))
    draft.apply_change(books.note(note))
    assert [memory.content for memory in shown] == ["theirs"]
