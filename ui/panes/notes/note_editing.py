"""Editing of the open note: attachments, tasks, links, outline, number of words."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QVBoxLayout

from ui import operations
from ui.models.text_structure import Heading, structure_of
from ui.panes.attachment_reader import read_attachment
from ui.panes.known_hints import KnownHints
from ui.panes.notes.note_attachments import NoteAttachments
from ui.panes.notes.outline_section import OutlineSection
from ui.panes.pane import Place
from ui.panes.reading_pane import ReadingPane
from ui.widgets.text.picture_cache import PictureCache
from ui.work import Work

if TYPE_CHECKING:
    from app.attachments.model import Attachment
    from ui.bridge import Bridge
    from ui.panes.notes.document import Document
    from ui.panes.notes.editor_controller import EditorController
    from ui.panes.notes.note_inspector import NoteInspector

STRUCTURE_MS = 250


class NoteEditing(QObject):
    """Connects a page with what else one does on it.

    Args:
        bridge: The way to the engine.
        document: The page.
        controller: Knows what is open.
        inspector: Where the outline is shown.
        pane: Goes to places and tells what happened.
    """

    def __init__(
        self,
        bridge: "Bridge",
        document: "Document",
        controller: "EditorController",
        inspector: "NoteInspector",
        pane: ReadingPane,
    ) -> None:
        super().__init__(pane)
        self._bridge, self._document, self._controller, self._pane = bridge, document, controller, pane
        self._work = Work(self, bridge)
        self.attachments = NoteAttachments(bridge, document, controller, pane)
        self.attachments.failed.connect(pane.show_error)
        self.pictures = PictureCache(self._work.refresh, self._locate, partial(read_attachment, bridge), self)
        document.preview.set_pictures(self.pictures)
        self.outline = OutlineSection()
        body = inspector.widget()
        column = body.layout() if body is not None else None
        if isinstance(column, QVBoxLayout):
            column.insertWidget(0, self.outline)
        self.hints = KnownHints(bridge, document.known, self, lambda: controller.id)
        self._timer = QTimer(self, singleShot=True, interval=STRUCTURE_MS)
        self._timer.timeout.connect(self._measure)
        self._connect()

    def _connect(self) -> None:
        self.outline.requested.connect(self._on_outline_requested)
        self._controller.opened.connect(self._on_controller_opened)
        self._controller.closed.connect(self._on_controller_closed)
        self._document.known.opened.connect(self._pane.navigate)
        self._document.editor.edited.connect(self._on_editor_edited)
        self._controller.relinked.connect(self._on_controller_relinked)
        self._document.editor.textChanged.connect(self._timer.start)
        self._document.preview.task_clicked.connect(self._document.tick)
        self._document.preview.note_clicked.connect(self._on_note_clicked)
        self._document.preview.page.installEventFilter(self)
        self._work.on_areas({"attachments"}, self._document.preview.retry_pictures)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let undo and redo in the preview take back ticks."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() in kinds and isinstance(event, QKeyEvent) and watched is self._document.preview.page:
            text = self._document.editor.document()
            can = not self._document.editor.isReadOnly()
            undo = can and event.matches(QKeySequence.StandardKey.Undo) and text.isUndoAvailable()
            redo = can and event.matches(QKeySequence.StandardKey.Redo) and text.isRedoAvailable()
            if undo or redo:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    (self._document.editor.undo if undo else self._document.editor.redo)()
                    self._document.preview.show_now()
                return True
        return super().eventFilter(watched, event)

    async def _locate(self, link: str) -> "Attachment":
        attachment: Attachment = await self._bridge.call(operations.attachment.locate(link=link))
        return attachment

    # --- outline and number of words ---

    def _on_controller_opened(self) -> None:
        self.outline.forget_folds()
        self.hints.begin()
        self._measure()

    def _on_controller_closed(self) -> None:
        self._work.cancel(self._show_structure)
        self.outline.set_headings(())

    def _on_editor_edited(self) -> None:
        cursor = self._document.editor.textCursor()
        self.hints.typed(self._document.editor.source()[: cursor.position()])

    def _measure(self) -> None:
        self._work.latest(self._show_structure, self._document.text())

    async def _show_structure(self, text: str) -> None:
        structure = await asyncio.get_event_loop().run_in_executor(None, structure_of, text)
        self.outline.set_headings(structure.headings)
        self._document.show_word_count(structure.words if text.strip() else 0)

    def _on_outline_requested(self, heading: Heading) -> None:
        same = [
            other for other in self.outline.headings if (other.level, other.title) == (heading.level, heading.title)
        ]
        self._document.go_to_heading(heading, same.index(heading) if heading in same else 0)

    # --- links ---

    def _on_controller_relinked(self, count: int, history_ids: tuple[int, ...]) -> None:
        text = (
            self.tr("Renamed; the links in one other note follow.")
            if count == 1
            else self.tr("Renamed; the links in {count} other notes follow.").format(count=count)
        )
        self._pane.show_notice(text, history_ids)

    def _on_note_clicked(self, target: str) -> None:
        self._work.start(self._follow(target), self._pane.show_error)

    async def _follow(self, target: str) -> None:
        note = await self._bridge.call(operations.note.resolve(title=target, source=self._controller.id))
        if note:
            self._pane.navigate.emit(Place("notes", note))
        else:
            self._pane.show_notice(self.tr("No note is behind this link. It may have been deleted or not imported."))
