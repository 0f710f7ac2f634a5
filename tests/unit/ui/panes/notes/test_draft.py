"""What was typed is stored soon, once, and never lost."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app.errors import DiskFullError
from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from ui.panes.notes.draft import Draft


@pytest.fixture
def note(books: FakeVault) -> str:
    return books.add_note("Roses", "one", tags=("garden",))


@pytest.fixture
def draft(books: FakeVault, ask: FakeBridge, note: str) -> Any:
    made = Draft(ask, books.memories[note])
    yield made
    made.deleteLater()


def theirs(books: FakeVault, note: str, **fields: Any) -> None:
    old = books.memories[note]
    books.memories[note] = replace(old, version=old.version + 1, source="claude", **fields)


def test_it_is_written_within_two_seconds(draft: Draft, books: FakeVault, note: str, run_async: Any) -> None:
    draft.change(content="two")
    assert draft._timer.interval() <= 2000
    run_async(until(lambda: books.memories[note].content == "two"))
    run_async(until(lambda: draft.state == "saved"))


def test_nothing_typed_writes_nothing(draft: Draft, ask: FakeBridge, run_async: Any) -> None:
    draft.change(content="one")
    draft.flush()
    run_async(ask.idle())
    assert ask.called("note.update") == []
    assert not draft.dirty


def test_keys_during_a_write_are_written_after_it(
    draft: Draft, ask: FakeBridge, books: FakeVault, note: str, run_async: Any
) -> None:
    async def story() -> None:
        gate = ask.gates["note.update"] = asyncio.Event()
        draft.change(content="first")
        draft.flush()
        await until(lambda: len(ask.called("note.update")) == 1)
        draft.change(content="first and more")
        draft.flush()
        assert len(ask.called("note.update")) == 1
        gate.set()
        await until(lambda: not draft.dirty)

    run_async(story())
    assert [one["content"] for one in ask.called("note.update")] == ["first", "first and more"]
    assert books.memories[note].content == "first and more"


def test_typing_back_to_what_is_being_replaced_is_written_too(
    draft: Draft, ask: FakeBridge, books: FakeVault, note: str, run_async: Any
) -> None:
    async def story() -> None:
        gate = ask.gates["note.update"] = asyncio.Event()
        draft.change(content="two")
        draft.flush()
        await until(lambda: len(ask.called("note.update")) == 1)
        draft.change(content="one")
        gate.set()
        await until(lambda: not draft.dirty)

    run_async(story())
    assert books.memories[note].content == "one"


def test_a_new_note_is_saved_once_and_then_updated(ask: FakeBridge, books: FakeVault, run_async: Any) -> None:
    draft = Draft(ask, None)
    made: list[Any] = []
    draft.saved.connect(lambda memory, created: made.append((memory.id, created)))
    draft.offer(title="Today", tags=("daily",))
    run_async(draft.write())
    assert books.memories == {}
    draft.change(content="text")
    run_async(draft.write())
    draft.change(content="text, more")
    run_async(draft.write())
    assert [created for _, created in made] == [True, False]
    stored = books.memories[draft.id]
    assert (stored.title, stored.tags, stored.content) == ("Today", ("daily",), "text, more")
    draft.deleteLater()


def test_another_s_change_of_the_same_text_is_a_conflict_that_loses_nothing(
    draft: Draft, books: FakeVault, note: str, run_async: Any
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
    assert books.memories[note].content == "theirs"
    draft.resolve(mine=True)
    run_async(until(lambda: books.memories[note].content == "mine, longer"))


def test_theirs_can_be_taken(draft: Draft, books: FakeVault, note: str, run_async: Any) -> None:
    shown: list[Any] = []
    draft.reloaded.connect(shown.append)
    theirs(books, note, content="theirs")
    draft.change(content="mine")
    run_async(draft.write())
    draft.resolve(mine=False)
    assert shown[0].content == "theirs"
    assert not draft.dirty
    assert books.memories[note].content == "theirs"


def test_changes_of_different_fields_go_together(draft: Draft, books: FakeVault, note: str, run_async: Any) -> None:
    theirs(books, note, tags=("garden", "agent"))
    draft.change(content="mine")
    run_async(draft.write())
    run_async(until(lambda: books.memories[note].content == "mine"))
    assert books.memories[note].tags == ("garden", "agent")
    assert draft.state == "saved"


def test_a_failure_keeps_the_text_and_tries_again(
    draft: Draft, ask: FakeBridge, books: FakeVault, note: str, run_async: Any
) -> None:
    ask.faults["note.update"] = DiskFullError("The disk is full.")
    draft.change(content="two")
    run_async(draft.write())
    assert (draft.state, draft.why) == ("failed", "The disk is full.")
    assert draft._timer.isActive()
    draft.change(title="Later")
    ask.faults.clear()
    run_async(draft.write())
    assert (books.memories[note].content, books.memories[note].title) == ("two", "Later")


def test_another_s_change_is_shown_when_nothing_was_typed(draft: Draft, books: FakeVault, note: str) -> None:
    shown: list[Any] = []
    draft.reloaded.connect(shown.append)
    theirs(books, note, content="theirs")
    draft.apply_change(books.memories[note])
    draft.apply_change(books.memories[note])
    assert [memory.content for memory in shown] == ["theirs"]
