"""Undo and redo by the ids of the vault's history."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.errors import KeepsakeError
from ui.models.dates import format_number
from ui.notice import Notice

if TYPE_CHECKING:
    from ui.bridge import Bridge

LIMIT = 200
MANY = 1000
"""From this many changes on, undoing takes long enough to say that it has begun."""


class _Step(QUndoCommand):
    """Undo command that holds the history ids of one change."""

    def __init__(self, text: str, history_ids: tuple[int, ...]) -> None:
        super().__init__(text)
        self.history_ids = history_ids


class UndoStack(QObject):
    """Takes changes back and does them again, one at a time.

    The vault answers every undo with the history ids of what it wrote, and those in turn undo the undo: they are what a
    redo sends. Qt's stack moves only after the vault agreed, so a failure leaves it where it was.
    """

    changed = Signal()
    notice = Signal(object)
    undone = Signal(object)
    """History ids that were just undone or redone."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge: Bridge | None = None
        self._stack = QUndoStack(self)
        self._stack.setUndoLimit(LIMIT)
        self._stack.indexChanged.connect(self._on_index_changed)
        self._busy = False
        # QUndoStack owns the commands in C++; the Python half must live as long.
        self._steps: list[_Step] = []

    @property
    def undo_text(self) -> str:
        """Title of the next undo."""
        text = self._stack.undoText()
        return self.tr("Undo: {what}").format(what=text) if text else self.tr("Undo")

    @property
    def redo_text(self) -> str:
        """Title of the next redo."""
        text = self._stack.redoText()
        return self.tr("Redo: {what}").format(what=text) if text else self.tr("Redo")

    def set_bridge(self, bridge: "Bridge") -> None:
        """Send undos through ``bridge`` from now on; what was there before belongs to another vault."""
        self._bridge = bridge
        self._stack.clear()
        self._steps.clear()

    def can_undo(self) -> bool:
        """Return whether something can be taken back now."""
        return self._stack.canUndo() and not self._busy

    def can_redo(self) -> bool:
        """Return whether something can be done again now."""
        return self._stack.canRedo() and not self._busy

    def record(self, text: str, history_ids: tuple[int, ...]) -> None:
        """Remember a change in the words of its notice: ``Deleted ‘Rose list’``."""
        if not history_ids:
            return
        step = _Step(text, history_ids)
        self._steps.append(step)
        del self._steps[: -LIMIT * 2]
        self._stack.push(step)

    def undo(self) -> None:
        """Take the last change back."""
        step = self._step(self._stack.index() - 1)
        if step is not None and self.can_undo():
            self._start(step, redo=False)

    def redo(self) -> None:
        """Do the last change taken back again."""
        step = self._step(self._stack.index())
        if step is not None and self.can_redo():
            self._start(step, redo=True)

    def undo_notice(self, notice: Notice) -> None:
        """Take back what a toast told of, wherever it stands in the order."""
        if notice.undo_call is not None:
            notice.undo_call()
            return
        index = self._stack.index()
        step = self._step(index - 1)
        if step is not None and step.history_ids == notice.history_ids:
            self.undo()
            return
        if self._bridge is None:
            return
        for later in range(index - 1):
            older = self._step(later)
            if older is not None and older.history_ids == notice.history_ids:
                older.setObsolete(True)
                older.history_ids = ()
        self._tell_begun(notice.history_ids)
        self._bridge.start(self._undo_apart(notice))

    def _start(self, step: _Step, *, redo: bool) -> None:
        if self._bridge is None:
            return
        if not step.history_ids:
            self._move(redo=redo)
            return
        self._set_busy(True)
        self._tell_begun(step.history_ids, redo=redo)
        self._bridge.start(self._carry_out(step, redo=redo))

    def _tell_begun(self, history_ids: tuple[int, ...], *, redo: bool = False) -> None:
        if len(history_ids) >= MANY:
            words = self.tr("Undoing {count} changes. This may take some seconds.")
            if redo:
                words = self.tr("Redoing {count} changes. This may take some seconds.")
            self.notice.emit(Notice(words.format(count=format_number(len(history_ids)))))

    async def _carry_out(self, step: _Step, *, redo: bool) -> None:
        if self._bridge is None:
            return
        try:
            answer = await self._bridge.call("memory.undo", history_ids=list(step.history_ids))
        except KeepsakeError as error:
            self._set_busy(False)
            self.notice.emit(Notice(str(error), kind="error"))
            return
        self.undone.emit(step.history_ids)
        step.history_ids = tuple(answer)
        self._busy = False
        self._move(redo=redo)
        words = self.tr("Redone: {what}") if redo else self.tr("Undone: {what}")
        self.notice.emit(Notice(words.format(what=step.text())))

    async def _undo_apart(self, notice: Notice) -> None:
        if self._bridge is None:
            return
        try:
            answer = await self._bridge.call("memory.undo", history_ids=list(notice.history_ids))
        except KeepsakeError as error:
            self.notice.emit(Notice(str(error), kind="error"))
            return
        words = self.tr("Undone: {what}").format(what=(notice.undo_text or notice.text).removesuffix("."))
        self.record(words, tuple(answer))
        self.notice.emit(Notice(words))

    def _step(self, index: int) -> _Step | None:
        command = self._stack.command(index) if 0 <= index < self._stack.count() else None
        return command if isinstance(command, _Step) else None

    def _move(self, *, redo: bool) -> None:
        if redo:
            self._stack.redo()
        else:
            self._stack.undo()

    def _set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.changed.emit()

    def _on_index_changed(self) -> None:
        self.changed.emit()
