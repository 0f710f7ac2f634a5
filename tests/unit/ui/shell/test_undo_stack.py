"""Undo asks the vault, and only then moves."""

import asyncio

import pytest

from app.errors import StaleError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.shelf import Shelf
from ui.bridge import Bridge
from ui.models.dates import format_number
from ui.notice import Notice
from ui.shell.undo_stack import UndoStack


@pytest.fixture
def undo(door: Bridge) -> UndoStack:
    made = UndoStack()
    made.set_bridge(door)
    return made


def test_undo_and_redo_carry_the_ids_of_the_answers(undo: UndoStack, shelf: Shelf, rest: Rest) -> None:
    undo.record("delete ‘Rose list’", (7, 8))
    assert undo.undo_text == "Undo delete ‘Rose list’"
    undo.undo()
    assert not undo.can_undo()
    rest(undo.can_redo)
    assert undo.redo_text == "Redo delete ‘Rose list’"
    undo.redo()
    rest(undo.can_undo)
    undo.undo()
    rest(undo.can_redo)
    assert [call["history_ids"] for call in shelf.asked("memory.undo")] == [[7, 8], [101], [102]]


def test_one_at_a_time(undo: UndoStack, shelf: Shelf, rest: Rest) -> None:
    undo.record("a", (1,))
    undo.record("b", (2,))
    undo.undo()
    undo.undo()
    rest(undo.can_undo)
    assert shelf.asked("memory.undo") == [{"history_ids": [2]}]


def test_undoing_very_many_changes_says_that_it_has_begun(undo: UndoStack, rest: Rest) -> None:
    told: list[str] = []
    undo.notice.connect(lambda notice: told.append(notice.text))
    undo.record("tag 5,000 notes", tuple(range(1, 5001)))
    undo.undo()
    assert told == [f"Undoing {format_number(5000)} changes. This may take some seconds."]
    rest(undo.can_redo)
    undo.record("one", (1,))
    undo.undo()
    rest(undo.can_redo)
    assert len(told) == 1


def test_failure_leaves_it_where_it_was(undo: UndoStack, shelf: Shelf, rest: Rest) -> None:
    shelf.refuse["memory.undo"] = StaleError("‘Rose list’ was changed since; undo that first.")
    told: list[Notice] = []
    undo.notice.connect(told.append)
    undo.record("delete ‘Rose list’", (7,))
    undo.undo()
    rest(lambda: bool(told))
    assert told[0].kind == "error"
    assert undo.can_undo()
    assert not undo.can_redo()


def test_toast_of_the_last_change_undoes_it_once(undo: UndoStack, shelf: Shelf, rest: Rest) -> None:
    notice = Notice("Deleted", (7,))
    undo.record("delete", notice.history_ids)
    undo.undo_notice(notice)
    rest(undo.can_redo)
    assert not undo.can_undo()
    assert len(shelf.asked("memory.undo")) == 1


def test_toast_of_an_older_change_undoes_only_that(undo: UndoStack, shelf: Shelf, rest: Rest) -> None:
    older = Notice("Deleted ‘A’", (7,), undo_text="delete ‘A’")
    undo.record("delete ‘A’", older.history_ids)
    undo.record("delete ‘B’", (8,))
    undo.undo_notice(older)
    rest(lambda: undo.undo_text == "Undo undoing delete ‘A’")
    assert shelf.asked("memory.undo") == [{"history_ids": [7]}]


def test_nothing_to_undo_asks_nothing(undo: UndoStack, shelf: Shelf, qt_loop: asyncio.AbstractEventLoop) -> None:
    undo.record("nothing", ())
    undo.undo()
    undo.redo()
    assert shelf.calls == []
