"""Undo and redo of what the person did, by the history of the vault."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.changes import Area
from app.errors import KeepsakeError
from app.history.acts.model import ENTRY, Act, ActObstacle, NextSteps, UndoneAct
from ui import operations
from ui.engine_texts import error_text
from ui.models.dates import format_number
from ui.notice import Notice
from ui.shell.undo.act_sentences import act_text, deed_text, refusal_text, undone_text
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

MANY = 1000
"""From this many changes on, undoing takes long enough to say that it has begun."""
ASK_AGAIN_MS = 250
UNDOABLE: frozenset[Area] = frozenset(
    {"memories", "sessions", "messages", "entities", "tags", "inbox", "imports", "schedules", "saved_searches"}
)
"""Areas of the vault of which the history tells."""


class UndoStack(QObject):
    """Takes the person's changes back and does them again, one at a time.

    The vault's history says which is next, so it is the same after a restart, and the same wherever a change was made:
    here, in the inbox, by an import or on the command line.
    """

    changed = Signal()
    notice = Signal(object)
    undone = Signal(object)
    """The ``UndoneAct`` that was just undone or done again."""
    blocked = Signal(object, object)
    """An act that cannot be undone now, and the one to undo first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Work | None = None
        self._steps = NextSteps()
        self._busy = False
        # Until the history is asked again, there may be something.
        self._is_stale = False
        self._timer = QTimer(self, singleShot=True, interval=ASK_AGAIN_MS)
        self._timer.timeout.connect(self._on_timer_timeout)

    @property
    def undo_text(self) -> str:
        """Title of the next undo."""
        act = self._steps.undo
        return self.tr("Undo: {what}").format(what=act_text(act)) if act is not None else self.tr("Undo")

    @property
    def redo_text(self) -> str:
        """Title of the next redo."""
        act = self._steps.redo
        return self.tr("Redo: {what}").format(what=deed_text(act)) if act is not None else self.tr("Redo")

    def set_bridge(self, bridge: "Bridge") -> None:
        """Undo in the vault behind ``bridge`` from now on."""
        self._work = Work(self, bridge)
        self._steps = NextSteps()
        self._work.on_areas(UNDOABLE, self._on_history_changed)
        self._ask_soon()

    def forget_words(self) -> None:
        """Name no act until the history is asked again: it may be about erased items."""
        self._steps = NextSteps()
        self._ask_soon()
        self.changed.emit()

    def stop(self) -> None:
        """Ask the history no more."""
        self._timer.stop()
        self._work = None

    def can_undo(self) -> bool:
        """Return whether something can be taken back now, as far as it is known."""
        return not self._busy and self._work is not None and (self._is_stale or self._steps.undo is not None)

    def can_redo(self) -> bool:
        """Return whether something can be done again now, as far as it is known."""
        return not self._busy and self._work is not None and self._steps.redo is not None

    def undo(self) -> None:
        """Take the last change of the person back."""
        if self.can_undo():
            self._start("undo", self._steps.undo)

    def redo(self) -> None:
        """Do the last change taken back again."""
        if self.can_redo():
            self._start("redo", self._steps.redo)

    def undo_act(self, act: Act) -> None:
        """Undo one entry of the history; of one that is undone, undo that."""
        if self._work is not None and not self._busy:
            self._set_busy(True)
            self._tell_begun(_size(act))
            self._work.start(self._undo_one(act.undone_by if act.is_to_redo else act.id))

    def undo_with_later(self, act: Act) -> None:
        """Undo an entry of the history after what is in its way."""
        if self._work is not None and not self._busy:
            self._set_busy(True)
            self._work.start(self._finish(operations.history.undo(id=act.id, with_later=True)))

    def undo_notice(self, notice: Notice) -> None:
        """Take back what a toast told of, wherever it stands in the order."""
        if self._work is not None and notice.act:
            self._work.start(self._undo_one(notice.act))
        elif self._work is not None:
            self._tell_begun(len(notice.history_ids))
            self._work.start(self._undo_entries(notice))

    def _start(self, step: Literal["undo", "redo"], act: Act | None) -> None:
        if self._work is None:
            return
        self._set_busy(True)
        self._tell_begun(0 if act is None else _size(act), redo=step == "redo")
        self._work.start(self._carry_out(step))

    def _tell_begun(self, count: int, *, redo: bool = False) -> None:
        if count >= MANY:
            words = self.tr("Undoing {count} changes. This may take some seconds.")
            if redo:
                words = self.tr("Redoing {count} changes. This may take some seconds.")
            self.notice.emit(Notice(words.format(count=format_number(count))))

    async def _carry_out(self, step: Literal["undo", "redo"]) -> None:
        await self._finish(operations.history.step(step=step))

    async def _undo_one(self, identity: str) -> None:
        await self._finish(operations.history.undo(id=identity))

    async def _finish(self, call: "TypedCall[UndoneAct]") -> None:
        if self._work is None:
            return
        try:
            undone = await self._work.bridge.call(call)
        except KeepsakeError as error:
            await self._refuse(error)
        else:
            self.undone.emit(undone)
            self.notice.emit(Notice(self._words(undone)))
        self._busy = False
        self._ask_soon()
        self.changed.emit()

    def _words(self, undone: UndoneAct) -> str:
        act = undone.act
        words = self.tr("Redone: {what}") if act.step == "undo" else self.tr("Undone: {what}")
        words = words.format(what=deed_text(act))
        if undone.kept == 1:
            return f"{words} · " + self.tr("one stays as it is, because it was changed since")
        if undone.kept:
            notice = self.tr("{n} stay as they are, because they were changed since")
            return f"{words} · " + notice.format(n=format_number(undone.kept))
        return words

    async def _undo_entries(self, notice: Notice) -> None:
        if self._work is None:
            return
        try:
            await self._work.bridge.call(operations.memory.undo(history_ids=list(notice.history_ids)))
        except KeepsakeError as error:
            await self._refuse(error)
            return
        words = self.tr("Undone: {what}").format(what=(notice.undo_text or notice.text).removesuffix("."))
        self.notice.emit(Notice(words))

    async def _refuse(self, error: KeepsakeError) -> None:
        """Tell why something was not undone, or what is in its way."""
        identity = str(error.data.get("act") or "")
        if not identity and error.data.get("history"):
            identity = f"{ENTRY}{error.data['history']}"
        act, first = await self._act(identity), None
        if act is not None and act.obstacle is None and error.data.get("obstacle"):
            act = replace(act, obstacle=ActObstacle(**error.data["obstacle"]))
        if act is not None and act.obstacle is not None:
            first = await self._act(act.obstacle.first)
        undone = await self._acts(error.data.get("undone", ()))
        before = undone_text(undone) if undone else ""
        if act is not None and first is not None:
            if before:
                self.notice.emit(Notice(before))
            self.blocked.emit(act, first)
            return
        words = "" if act is None else refusal_text(act, None)
        cause = error.__cause__ if error.data.get("cause") else None
        words = words or error_text(cause if isinstance(cause, KeepsakeError) else error)
        self.notice.emit(Notice(f"{words} {before}".rstrip(), kind="error"))

    async def _act(self, identity: str) -> Act | None:
        """Return an entry of the history, ``None`` where there is none."""
        return next(iter(await self._acts([identity] if identity else [])), None)

    async def _acts(self, ids: Sequence[str]) -> list[Act]:
        """Return entries of the history; those there are none of are left out."""
        if not ids or self._work is None:
            return []
        try:
            return await self._work.bridge.call(operations.history.find(ids=list(ids)))
        except KeepsakeError:
            return []  # the refusal is told by its own sentence

    async def _ask(self) -> None:
        if self._work is None:
            return
        try:
            steps: NextSteps = await self._work.bridge.call(operations.history.next())
        except KeepsakeError:
            return  # what is wrong with the vault is told elsewhere; undoing asks again
        self._steps, self._is_stale = steps, False
        self.changed.emit()

    def _ask_soon(self) -> None:
        self._is_stale = True
        self._timer.start()

    def _set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.changed.emit()

    def _on_timer_timeout(self) -> None:
        if self._work is not None:
            self._work.latest(self._ask)

    def _on_history_changed(self) -> None:
        was_stale = self._is_stale
        self._ask_soon()
        if not was_stale:
            self.changed.emit()


def _size(act: Act) -> int:
    return sum(part.count for part in act.parts)
