"""Undo asks the vault, and only then moves."""

import asyncio

import pytest

from app.errors import StaleError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.models.dates import format_number
from ui.notice import Notice
from ui.shell.undo_stack import UndoStack


@pytest.fixture
def undo(fake_bridge: Bridge) -> UndoStack:
    made = UndoStack()
    made.set_bridge(fake_bridge)
    return made


def test_undo_and_redo_carry_the_ids_of_the_answers(undo: UndoStack, backend: FakeBackend, rest: Rest) -> None:
    undo.record("Deleted ‘Rose list’", (7, 8))
    assert undo.undo_text == "Undo: Deleted ‘Rose list’"
    undo.undo()
    assert not undo.can_undo()
    rest(undo.can_redo)
    assert undo.redo_text == "Redo: Deleted ‘Rose list’"
    undo.redo()
    rest(undo.can_undo)
    undo.undo()
    rest(undo.can_redo)
    assert [call["history_ids"] for call in backend.requested("memory.undo")] == [[7, 8], [101], [102]]


def test_one_at_a_time(undo: UndoStack, backend: FakeBackend, rest: Rest) -> None:
    undo.record("a", (1,))
    undo.record("b", (2,))
    undo.undo()
    undo.undo()
    rest(undo.can_undo)
    assert backend.requested("memory.undo") == [{"history_ids": [2]}]


def test_undoing_very_many_changes_says_that_it_has_begun(undo: UndoStack, rest: Rest) -> None:
    reported: list[str] = []
    undo.notice.connect(lambda notice: reported.append(notice.text))
    undo.record("tag 5,000 notes", tuple(range(1, 5001)))
    undo.undo()
    assert reported == [f"Undoing {format_number(5000)} changes. This may take some seconds."]
    rest(undo.can_redo)
    undo.record("one", (1,))
    undo.undo()
    rest(undo.can_redo)
    assert reported[1:] == ["Undone: tag 5,000 notes", "Undone: one"]


def test_undo_and_redo_say_what_they_did(undo: UndoStack, rest: Rest) -> None:
    reported: list[str] = []
    undo.notice.connect(lambda notice: reported.append(notice.text))
    undo.record("Deleted ‘Rose list’", (7,))
    undo.undo()
    rest(undo.can_redo)
    undo.redo()
    rest(undo.can_undo)
    assert reported == ["Undone: Deleted ‘Rose list’", "Redone: Deleted ‘Rose list’"]


def test_failure_leaves_it_where_it_was(undo: UndoStack, backend: FakeBackend, rest: Rest) -> None:
    backend.refuse["memory.undo"] = StaleError("‘Rose list’ was changed since; undo that first.")
    reported: list[Notice] = []
    undo.notice.connect(reported.append)
    undo.record("Deleted ‘Rose list’", (7,))
    undo.undo()
    rest(lambda: bool(reported))
    assert reported[0].kind == "error"
    assert undo.can_undo()
    assert not undo.can_redo()


def test_toast_of_the_last_change_undoes_it_once(undo: UndoStack, backend: FakeBackend, rest: Rest) -> None:
    notice = Notice("Deleted", (7,))
    undo.record("delete", notice.history_ids)
    undo.undo_notice(notice)
    rest(undo.can_redo)
    assert not undo.can_undo()
    assert len(backend.requested("memory.undo")) == 1


def test_toast_of_an_older_change_undoes_only_that(undo: UndoStack, backend: FakeBackend, rest: Rest) -> None:
    older = Notice("Deleted ‘A’.", (7,))
    undo.record("Deleted ‘A’", older.history_ids)
    undo.record("delete ‘B’", (8,))
    undo.undo_notice(older)
    rest(lambda: undo.undo_text == "Undo: Undone: Deleted ‘A’")
    assert backend.requested("memory.undo") == [{"history_ids": [7]}]


def test_nothing_to_undo_asks_nothing(
    undo: UndoStack, backend: FakeBackend, qt_loop: asyncio.AbstractEventLoop
) -> None:
    undo.record("nothing", ())
    undo.undo()
    undo.redo()
    assert backend.calls == []


def test_what_undoes_itself_is_not_the_historys(undo: UndoStack, backend: FakeBackend) -> None:
    called: list[str] = []
    undo.undo_notice(Notice("Deleted", undo_call=lambda: called.append("undone")))
    assert called == ["undone"]
    assert backend.requested("memory.undo") == []
    assert not undo.can_undo()
