"""The editor controller: the open memory, its draft, and conflicts."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from app.errors import KeepsakeError, NotFoundError
from app.history.model import HistoryEntry
from app.memories.model import Memory
from ui import operations
from ui.models.dates import full_date
from ui.panes.labels import display_title, source_label
from ui.panes.notes.draft import Draft
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.panes.notes.document import Document
    from ui.panes.notes.note_inspector import NoteInspector


class EditorController(QObject):
    """Opens memories in a ``Document`` and keeps every draft until it is stored."""

    opened = Signal()
    closed = Signal()
    created = Signal(object)
    """A note came into being: the ``Memory``."""
    stored = Signal(object)
    """A ``Memory`` was written."""
    relinked = Signal(int, object)
    """A note was renamed and links in so many others follow, with the history ids that undo it."""
    restored = Signal()
    """The open memory has an earlier version again."""
    failed = Signal(object)
    """A ``KeepsakeError`` that has no place of its own on the page."""

    def __init__(self, bridge: "Bridge", document: "Document", details: "NoteInspector", parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._document = document
        self._details = details
        self._work = Work(self, bridge)
        self._draft: Draft | None = None
        self._leaving: list[Draft] = []
        self._opening = ""
        self._version: HistoryEntry | None = None
        document.edited.connect(self._on_document_edited)
        document.left.connect(self.flush)
        document.editor.tag_finished.connect(self._on_tag_finished)
        document.comparison.picked.connect(self._on_comparison_picked)

    @property
    def memory(self) -> Memory | None:
        """The open memory as last stored."""
        return self._draft.memory if self._draft else None

    @property
    def id(self) -> str:
        """The id of what is open or being opened."""
        return self._opening or (self._draft.id if self._draft else "")

    @property
    def is_open(self) -> bool:
        """True while the document shows a memory, or an empty new one."""
        return self._draft is not None

    @property
    def busy(self) -> bool:
        """True while a memory is open or being opened."""
        return self._draft is not None or bool(self._opening)

    def open(self, identity: str) -> None:
        """Open a memory; what is shown stays until it is there."""
        if identity == self.id:
            return
        self._opening = identity
        self._work.latest(self._open, identity)

    def begin(self) -> None:
        """Open an empty page."""
        self._opening = ""
        self._work.cancel(self._open)
        self._take(None)

    def prefill(self, *, title: str = "", tags: tuple[str, ...] = ()) -> None:
        """Give an empty page a title and tags that are only kept with a text."""
        self._document.title.setText(title)
        self._document.tags.set_tags(tags)
        if self._draft is not None:
            self._draft.offer(title=title, tags=tags)

    def close(self) -> None:
        """Open nothing; what was typed is written first."""
        self._opening = ""
        self._work.cancel(self._open)
        self._leave()
        self._details.show_memory(None)
        self.closed.emit()

    def change_now(self, **fields: Any) -> None:
        """Change the open memory and write it at once."""
        if self._draft is not None:
            self._draft.change(**fields)
            self._draft.flush()

    def flush(self) -> None:
        """Write at once what is typed."""
        for draft in self._drafts():
            draft.flush()

    async def settle(self) -> None:
        """Write what is typed, here and on pages just left, and wait for it."""
        for draft in self._drafts():
            draft.finish_tag()
            await draft.write()

    def apply_change(self, ids: tuple[str, ...]) -> None:
        """Look again at the open memory when it may have changed."""
        if self._draft is not None and self._draft.id and (not ids or self._draft.id in ids):
            self._work.refresh(self._look(self._draft))

    def compare(self, entry: HistoryEntry) -> None:
        """Show how the text differs from the one an entry of the history left."""
        memory = self.memory
        if memory is None or entry.after is None:
            return
        self._version = entry
        sentence = self.tr("What has changed since the version of {when} by {who}").format(
            when=full_date(entry.at), who=source_label(entry.actor)
        )
        self._document.comparison.ask(
            sentence,
            str(entry.after.get("content", "")),
            self._document.editor.source(),
            [("version", self.tr("Restore this version"), "primary")],
            closable=True,
        )

    # --- drafts ---

    def _drafts(self) -> list[Draft]:
        return [*self._leaving, *([self._draft] if self._draft else [])]

    def _leave(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        draft.finish_tag()
        if draft.dirty:
            self._leaving.append(draft)
            self._bridge.start(self._finish(draft))
        else:
            draft.deleteLater()

    async def _finish(self, draft: Draft) -> None:
        """Save the draft of a memory that was left.

        A draft that cannot be saved comes back when the memory is opened again.
        """
        await draft.write()
        if isValid(self) and not draft.dirty and draft in self._leaving:
            self._leaving.remove(draft)
            draft.deleteLater()

    def _take(self, memory: Memory | None, kept: Draft | None = None) -> None:
        self._leave()
        draft = kept or Draft(self._bridge, memory, self, tag_being_typed=self._document.editor.unfinished_tag)
        self._draft = draft
        if kept is None:
            draft.state_changed.connect(self._on_draft_state_changed)
            draft.saved.connect(self._on_draft_saved)
            draft.relinked.connect(self.relinked)
            draft.reloaded.connect(self._on_draft_reloaded)
            draft.conflicted.connect(self._on_draft_conflicted)
        else:
            self._leaving.remove(kept)
        self._document.show_memory(memory)
        self._document.show_state("")
        if kept is not None:
            self._show_typed(kept)
        self._details.show_memory(memory)
        self.opened.emit()

    def _show_typed(self, draft: Draft) -> None:
        """Put what could not be stored back on its page."""
        self._document.editor.set_source(str(draft.value("content") or ""))
        self._document.title.setText(str(draft.value("title") or ""))
        self._show_state(draft.state, draft.why)
        if draft.theirs is not None:
            self._on_draft_conflicted(draft.theirs)

    async def _open(self, identity: str) -> None:
        try:
            memory = await self._bridge.call(operations.note.get(id=identity))
        except KeepsakeError as error:
            self._opening = ""
            self.failed.emit(error)
            return
        self._opening = ""
        self._take(memory, next((draft for draft in self._leaving if draft.id == identity), None))

    async def _look(self, draft: Draft) -> None:
        try:
            memory = await self._bridge.call(operations.note.get(id=draft.id))
        except NotFoundError:
            memory = None
        if draft is not self._draft:
            return
        if memory is not None:
            draft.apply_change(memory)
            self._document.kept.show_memory(memory)
            self._details.show_memory(memory)
        elif not draft.dirty:
            self.close()

    # --- what happens on the page ---

    def _on_document_edited(self, field: str, value: object) -> None:
        if self._draft is not None:
            self._draft.change(**{field: value})

    def _on_tag_finished(self) -> None:
        if self._draft is not None:
            self._draft.finish_tag()

    def _on_draft_state_changed(self, state: str, why: str) -> None:
        if self.sender() is self._draft:
            self._show_state(state, why)

    def _show_state(self, state: str, why: str) -> None:
        words = {
            "saved": self.tr("Saved"),
            "edited": self.tr("Editing…"),
            "saving": self.tr("Saving…"),
            "conflict": self.tr("Not saved: changed elsewhere"),
            "failed": self.tr("Not saved: {why}").format(why=why),
        }
        self._document.show_state(words[state], wrong=state in ("conflict", "failed"))

    def _on_draft_saved(self, memory: Memory, created: bool) -> None:
        self.stored.emit(memory)
        if self.sender() is not self._draft:
            return
        self._document.show_facts(memory)
        self._document.take_tags(memory.tags)
        if self._draft.value("title") == memory.title:
            self._document.take_title(memory.title)
        self._details.show_memory(memory)
        if created:
            self.created.emit(memory)

    def _on_draft_reloaded(self, memory: Memory) -> None:
        if self.sender() is self._draft:
            self._document.show_memory(memory, keep_place=True)
            self._details.show_memory(memory)

    def _on_draft_conflicted(self, theirs: Memory) -> None:
        if self._draft is not None and self._draft.theirs is theirs:
            self._work.refresh(self._show_conflict(self._draft, theirs))

    async def _show_conflict(self, draft: Draft, theirs: Memory) -> None:
        """Show mine beside theirs, and who wrote those."""
        try:
            latest = await self._bridge.call(operations.memory.history(target=theirs.id, limit=1))
        except KeepsakeError:
            latest = []  # the texts matter more than a name
        if draft is not self._draft or draft.theirs is not theirs:
            return
        # A change by the person came from another window or program.
        by_other = bool(latest) and latest[0].actor != "person"
        sentence = self.tr(
            "{who} changed this note while you were writing. Nothing is lost: "
            "lines with + are yours, lines with − are theirs."
        ).format(who=source_label(latest[0].actor) if by_other else self.tr("Somebody else"))
        self._document.comparison.ask(
            sentence,
            theirs.content,
            self._document.editor.source(),
            [
                ("mine", self.tr("Keep mine"), "primary"),
                ("theirs", self.tr("Take theirs"), ""),
                ("both", self.tr("Keep both"), ""),
            ],
            closable=False,
        )

    def _on_comparison_picked(self, key: str) -> None:
        self._document.comparison.hide()
        draft = self._draft
        if draft is None:
            return
        if key == "version" and self._version is not None and self._version.after is not None:
            self._restore(draft, self._version.after)
        elif key == "both":
            self._work.start(self._keep_both(draft))
        elif key in ("mine", "theirs"):
            draft.resolve(mine=key == "mine")

    def _restore(self, draft: Draft, state: dict[str, Any]) -> None:
        fields = {name: state[name] for name in ("title", "content") if name in state}
        draft.change(**fields)
        draft.flush()
        self._document.editor.set_source(str(fields.get("content", "")), keep_place=True)
        self._document.title.setText(str(fields.get("title", "")))
        self._document.preview.set_source(str(fields.get("content", "")), soon=True)
        self._document.focus_text()
        self.restored.emit()

    async def _keep_both(self, draft: Draft) -> None:
        """Store mine as another note, then show theirs."""
        content = str(draft.value("content") or "")
        name = display_title(str(draft.value("title") or ""), content, self.tr("Untitled"))
        title = self.tr("{title} (my version)").format(title=name)
        try:
            copy = await self._bridge.call(
                operations.note.save(content=content, title=title, tags=list(draft.value("tags") or ()))
            )
        except KeepsakeError as error:
            self.failed.emit(error)
            if draft.theirs is not None:
                self._on_draft_conflicted(draft.theirs)
            return
        draft.resolve(mine=False)
        self.stored.emit(copy)
