"""Attachments of the open note: pasted, dropped or chosen files."""

import asyncio
import base64
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QTextCursor
from PySide6.QtWidgets import QFileDialog, QWidget

from app.attachments.model import Attachment
from app.errors import InputError, KeepsakeError
from app.sentence import Sentence
from ui import operations
from ui.engine_texts import error_text
from ui.panes.attachment_opener import AttachmentOpener
from ui.widgets.text.picture_decoder import PictureError, encoded
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.panes.notes.document import Document
    from ui.panes.notes.editor_controller import EditorController
    from ui.typed_call import TypedCall

MAX_AT_ONCE = 20

Spot = tuple[int, QTextCursor]
"""The number of the page, and a place on it."""


class NoteAttachments(QObject):
    """Keeps files in the vault and writes their links into the open note.

    Args:
        bridge: The way to the engine.
        document: The page.
        controller: Knows what is open.
        parent: The pane.
    """

    failed = Signal(object)
    """A ``KeepsakeError``: why a file was not attached or not opened."""

    def __init__(self, bridge: "Bridge", document: "Document", controller: "EditorController", parent: QWidget) -> None:
        super().__init__(parent)
        self._bridge, self._document, self._controller = bridge, document, controller
        self._work = Work(self, bridge)
        self._pane = parent
        self._pages = 0
        controller.opened.connect(self._on_controller_opened)
        document.editor.files_given.connect(self.attach)
        document.editor.picture_given.connect(self._on_picture_given)
        document.editor.attach_requested.connect(self.choose)
        self._opener = AttachmentOpener(bridge, parent)
        self._opener.failed.connect(self.failed)
        document.preview.attachment_clicked.connect(self._opener.open)

    def choose(self) -> None:
        """Ask which files to attach."""
        if self._document.editor.isReadOnly():
            self.failed.emit(InputError(self.tr("This note cannot be changed, so nothing can be attached to it.")))
            return
        box = QFileDialog(self._pane, self.tr("Attach files"))
        box.setFileMode(QFileDialog.FileMode.ExistingFiles)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.filesSelected.connect(self.attach)
        box.open()

    def attach(self, paths: list[str]) -> None:
        """Keep copies of files and write their links where the keyboard's place is."""
        if len(paths) > MAX_AT_ONCE:
            text = self.tr("{count} files are too many at once. Attach at most {most}, or import their folder.")
            self.failed.emit(InputError(Sentence(text, count=len(paths), most=MAX_AT_ONCE)))
            return
        self._work.start(self._attach([operations.attachment.add(path=path) for path in paths], self._spot()))

    def _on_picture_given(self, picture: QImage) -> None:
        self._work.start(self._attach_picture(picture, self._spot()))

    def _spot(self) -> Spot:
        """Return the keyboard's place, which moves along with what is typed meanwhile."""
        return self._pages, QTextCursor(self._document.editor.textCursor())

    async def _attach_picture(self, picture: QImage, spot: Spot) -> None:
        name = f"picture-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}.png"
        loop = asyncio.get_event_loop()
        try:
            data = await loop.run_in_executor(None, encoded, picture)
            text = await loop.run_in_executor(None, base64.b64encode, data)
        except PictureError as error:
            large = self.tr("That picture has too many pixels to be attached. Make it smaller and try again.")
            broken = self.tr("That picture is damaged, so it was not attached.")
            self.failed.emit(InputError(large if error.kind == "large" else broken))
            return
        await self._attach([operations.attachment.add(name=name, data=text.decode())], spot)

    async def _attach(self, calls: "list[TypedCall[Attachment]]", spot: Spot) -> None:
        links: list[str] = []
        for call in calls:
            try:
                links.append(markdown_link(await self._bridge.call(call)))
            except KeepsakeError as error:
                name = Path(str(call.arguments.get("path") or call.arguments.get("name"))).name
                text = self.tr("‘{name}’ was not attached. {why}").format(name=name, why=error_text(error))
                self.failed.emit(InputError(text))
        if links:
            self._write(links, *spot)

    def _write(self, links: list[str], page: int, place: QTextCursor) -> None:
        """Write links where the keyboard's place was, unless another note is open by now."""
        is_same = self._controller.is_open and page == self._pages
        if not is_same or self._document.editor.isReadOnly():
            text = self.tr("Another note was opened before the link was written. Add it there: {link}")
            self.failed.emit(InputError(Sentence(text, link=links[0])))
            return
        if place.isNull() or place.document() is not self._document.editor.document():
            place = self._document.editor.textCursor()
        before = place.block().text()[: place.positionInBlock()]
        place.insertText((" " if before and not before[-1].isspace() else "") + "\n".join(links))
        self._document.editor.setTextCursor(place)
        self._document.editor.ensureCursorVisible()

    def _on_controller_opened(self) -> None:
        self._pages += 1


def markdown_link(kept: Attachment) -> str:
    """Return the Markdown that shows or leads to an attachment."""
    stem = Path(kept.name).stem if kept.kind == "picture" else kept.name
    words = stem.replace("[", "").replace("]", "")
    return f"{'!' if kept.kind == 'picture' else ''}[{words}]({kept.link})"
