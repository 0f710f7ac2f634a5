"""One open memory and what was typed into it: saved soon, saved once, never lost."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.errors import KeepsakeError, NotFoundError, StaleError
from app.memories.model import Memory
from ui import operations
from ui.engine_texts import error_text

if TYPE_CHECKING:
    from ui.bridge import Bridge

SAVE_MS = 1000
TITLE_MS = 3000
"""Links in other notes follow a title: it is written when it is finished, not with each letter."""
RETRY_MS = 5000
UNSAVED_MS = 8000
TAG_MS = 10_000
"""A tag with which the person stopped typing is whole after so long."""

State = Literal["saved", "edited", "saving", "conflict", "failed"]


class Draft(QObject):
    """Collects changes of one memory and saves them soon.

    A write begins a second after the last key; there is one write at a time.

    Keys that come while a write is under way wait for it and are written next. When somebody else changed the memory,
    writing stops with ``conflicted`` until ``resolve``; what was typed stays.

    Args:
        bridge: The way to the engine.
        memory: What is open, ``None`` for one that does not exist yet.
        parent: Its owner.
        tag_being_typed: Returns the tag in the text that is still being typed, which is stored as a tag when it ends.
    """

    state_changed = Signal(str, str)
    """The state, and a sentence when it failed."""
    saved = Signal(object, bool)
    """The memory as stored, and whether it was just created."""
    reloaded = Signal(object)
    """The memory was changed elsewhere and nothing was typed: show this one."""
    relinked = Signal(int, object)
    """The links of so many other notes follow a new title, with the history ids that undo it."""
    conflicted = Signal(object)
    """The memory was changed elsewhere while something was typed: theirs."""

    def __init__(
        self,
        bridge: "Bridge",
        memory: Memory | None,
        parent: QObject | None = None,
        *,
        tag_being_typed: Callable[[], str] = str,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._tag_being_typed = tag_being_typed
        self._unfinished = ""  # tag of the stored content that was still being typed when it was written
        self._is_tag_finished = False
        self.memory = memory
        self.theirs: Memory | None = None
        self.state: State = "saved"
        self.why = ""
        self._pending: dict[str, Any] = {}
        self._offered: dict[str, Any] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._timer = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._timer.timeout.connect(self.flush)
        # Someone who types without a pause is saved all the same.
        self._longest = QTimer(self, singleShot=True, interval=UNSAVED_MS)
        self._longest.timeout.connect(self.flush)
        self._tag_ends = QTimer(self, singleShot=True, interval=TAG_MS)
        self._tag_ends.timeout.connect(self.finish_tag)

    @property
    def id(self) -> str:
        """The memory's id, ``""`` while it does not exist."""
        return self.memory.id if self.memory else ""

    @property
    def dirty(self) -> bool:
        """True while something is not stored yet."""
        return bool(self._pending) or self._saving or self._has_tag_to_store

    @property
    def _saving(self) -> bool:
        """True while a write is under way."""
        return not self._idle.is_set()

    @property
    def _has_tag_to_store(self) -> bool:
        """True while a tag of the stored text has ended without being stored."""
        return bool(self._unfinished) and self._is_tag_finished and self.memory is not None

    def value(self, field: str) -> Any:
        """Return a field as it will be stored."""
        return self._pending.get(field, getattr(self.memory, field, None))

    def change(self, **fields: Any) -> None:
        """Take what was typed; it is written soon."""
        fields = {**self._offered, **fields}
        self._offered = {}
        self._is_tag_finished = False
        self._tag_ends.stop()
        for name, value in fields.items():
            if self.memory is not None and not self._saving and getattr(self.memory, name) == value:
                self._pending.pop(name, None)
            else:
                self._pending[name] = value
        if self.state == "conflict":
            return
        self._set_state("edited" if self._pending else "saved")
        if self._pending:
            is_title = self.memory is not None and set(self._pending) == {"title"}
            self._timer.start(TITLE_MS if is_title else SAVE_MS)
            if not self._longest.isActive():
                self._longest.start()

    def offer(self, **fields: Any) -> None:
        """Set fields that are stored with the first typed text, not without it."""
        self._offered = fields

    def finish_tag(self) -> None:
        """Store the tag that was being typed, which is whole now."""
        self._is_tag_finished = True
        if self._unfinished:
            self._timer.start()

    def flush(self) -> None:
        """Write at once what is not stored yet."""
        if self.dirty and not self._saving and self.state != "conflict":
            self._bridge.start(self.write())

    async def write(self) -> None:
        """Write until nothing is left to write, or it cannot be.

        A write that is under way is waited for.
        """
        if self._saving:
            await self._idle.wait()  # it writes what is typed meanwhile
            return
        if self.state == "conflict":
            return
        self._timer.stop()
        self._longest.stop()
        self._idle.clear()
        try:
            while self._pending or self._has_tag_to_store:
                if not await (self._write_once() if self._pending else self._store_tag()):
                    return
        finally:
            self._idle.set()
        self._set_state("saved")

    def apply_change(self, memory: Memory) -> None:
        """Take notice of the memory as it is stored now."""
        if self._saving or self.memory is None or memory.version <= self.memory.version:
            return
        if not self._pending:
            self.memory = memory
            self._unfinished = ""
            self.reloaded.emit(memory)
        elif self._differs(memory):
            self._conflict(memory)
        else:
            self.memory = memory

    def resolve(self, *, mine: bool) -> None:
        """End a conflict: write mine over theirs, or drop mine."""
        if self.theirs is None:
            return
        self.memory, theirs = self.theirs, self.theirs
        self.theirs = None
        self._set_state("edited" if mine else "saved")
        if mine:
            self.flush()
        else:
            self._pending.clear()
            self._unfinished = ""
            self.reloaded.emit(theirs)

    async def _write_once(self) -> bool:
        """Write what is pending now; what comes meanwhile is pending afterwards."""
        fields, self._pending = self._pending, {}
        self._set_state("saving")
        try:
            created = self.memory is None
            stored = await self._store(fields)
        except StaleError:
            self._pending = {**fields, **self._pending}
            await self._fetch_theirs()
            return False
        except NotFoundError as error:
            self._give_back(fields, error)
            return False
        except KeepsakeError as error:
            self._give_back(fields, error)
            self._tell(self._timer.start, RETRY_MS)
            return False
        self.memory = stored
        self._tell(self.saved.emit, stored, created)
        return True

    async def _store_tag(self) -> bool:
        """Write the stored text as it is, to have its ended tag read.

        Nothing was typed since: where somebody else changed the memory, or it is gone, theirs stands.
        """
        memory, tag, self._unfinished = self.memory, self._unfinished, ""
        if memory is None:
            return True
        call = self._bridge.call
        try:
            self.memory = await call(
                operations.note.update(id=memory.id, version=memory.version, content=memory.content)
            )
            self._tell(self.saved.emit, self.memory, False)
        except StaleError:
            await self._take_theirs()
        except NotFoundError:
            pass  # deleted meanwhile, with its tags
        except KeepsakeError as error:
            self._unfinished = tag
            self._give_back({}, error)
            self._tell(self._timer.start, RETRY_MS)
            return False
        return True

    async def _take_theirs(self) -> None:
        """Show the memory as stored, unless something was typed meanwhile."""
        try:
            theirs = await self._bridge.call(operations.note.get(id=self.id))
        except KeepsakeError:
            return  # what changed it, or took it away, is told as a change too
        if not self._pending:
            self.memory = theirs
            self._tell(self.reloaded.emit, theirs)

    async def _store(self, taken: dict[str, Any]) -> Memory:
        call = self._bridge.call
        unfinished = "" if self._is_tag_finished or not isValid(self) else self._tag_being_typed()
        if self.memory is None or "content" in taken:
            self._unfinished = unfinished
            if unfinished:
                self._tell(self._tag_ends.start)
        if self.memory is None:
            fields = {name: taken[name] for name in ("title", "tags", "store") if name in taken}
            note: Memory = await call(
                operations.note.save(content=taken.get("content") or "", unfinished_tag=unfinished, **fields)
            )
            return note
        before = self.memory
        reply = await self._bridge.reply(
            operations.note.update(id=before.id, version=before.version, unfinished_tag=unfinished, **taken)
        )
        changed: Memory = reply.value
        if "title" in taken and changed.title != before.title and reply.changes is not None:
            # A change of very many memories does not name them.
            named, entries = len(set(reply.changes.ids) - {changed.id}), len(reply.changes.history_ids)
            if others := named if reply.changes.ids else entries - 1:
                self._tell(self.relinked.emit, others, reply.changes.history_ids)
            if changed.content != taken.get("content", before.content) and "content" not in self._pending:
                self._tell(self.reloaded.emit, changed)  # its links to itself follow too
        return changed

    async def _fetch_theirs(self) -> None:
        try:
            theirs = await self._bridge.call(operations.note.get(id=self.id))
        except KeepsakeError as error:
            self._give_back({}, error)
            return
        if self.memory is None:
            return
        if self._differs(theirs):
            self._tell(self._conflict, theirs)
            return
        # Only what the person did not touch was changed: theirs and mine go together.
        self.memory = theirs
        self._tell(self._timer.start, 0)

    def _differs(self, theirs: Memory) -> bool:
        """Return whether they changed something the person is changing too."""
        if self.memory is None:
            return True
        mine = replace(self.memory, **self._pending)
        return any(
            getattr(theirs, name) not in (getattr(self.memory, name), getattr(mine, name)) for name in self._pending
        )

    def _conflict(self, theirs: Memory) -> None:
        self._timer.stop()
        self._longest.stop()
        self.theirs = theirs
        self._set_state("conflict")
        self.conflicted.emit(theirs)

    def _give_back(self, taken: dict[str, Any], error: KeepsakeError) -> None:
        self._pending = {**taken, **self._pending}
        self._set_state("failed", error_text(error))

    def _set_state(self, state: State, why: str = "") -> None:
        self.state, self.why = state, why
        self._tell(self.state_changed.emit, state, why)

    def _tell(self, act: Callable[..., object], *args: object) -> None:
        # A draft outlives its page until all of it is stored.
        if isValid(self):
            act(*args)
