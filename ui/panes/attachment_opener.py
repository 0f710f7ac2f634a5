"""Opening of attachments in other programs."""

import asyncio
import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from app.attachments.model import MAX_BYTES, Attachment
from app.core.paths import runtime_dir
from app.core.regular_files import open_replacing
from app.errors import InputError, KeepsakeError
from ui import operations
from ui.engine_texts import error_text
from ui.panes.attachment_reader import read_attachment
from ui.widgets.plain_text import PlainMessageBox
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge


class AttachmentOpener(QObject):
    """Opens files that notes and messages lead to, once the person agreed.

    Args:
        bridge: The way to the engine.
        window: The widget over which it asks.
    """

    failed = Signal(object)
    """A file cannot be opened, for this error."""

    def __init__(self, bridge: "Bridge", window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._work, self._window = bridge, Work(self, bridge), window
        self._found: Attachment | None = None

    def open(self, target: str) -> None:
        """Open the file that a link means."""
        self._work.start(self._open(target))

    async def _open(self, target: str) -> None:
        try:
            attachment: Attachment = await self._bridge.call(operations.attachment.locate(link=target))
        except KeepsakeError as error:
            name = target.rpartition("/")[2]
            text = self.tr("‘{name}’ cannot be opened. {why}").format(name=name, why=error_text(error))
            self.failed.emit(InputError(text))
            return
        self._ask_to_open(attachment)

    async def _open_sealed(self, attachment: Attachment) -> None:
        """Open a readable copy of an encrypted file, which goes when the program ends."""
        try:
            data = await read_attachment(self._bridge, attachment, MAX_BYTES)
            path = await asyncio.get_event_loop().run_in_executor(None, _copied, attachment.name, data)
        except (KeepsakeError, OSError) as error:
            why = error_text(error) if isinstance(error, KeepsakeError) else str(error.strerror)
            text = self.tr("‘{name}’ cannot be opened. {why}").format(name=attachment.name, why=why)
            self.failed.emit(InputError(text))
            return
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _ask_to_open(self, attachment: Attachment) -> None:
        about = self.tr("Another program will open this file.")
        box = PlainMessageBox(self.tr("Open an attachment"), attachment.name, about, self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.addButton(QMessageBox.StandardButton.Cancel)
        yes = box.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(yes)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if attachment.is_sealed:
            box.setInformativeText(self.tr("It is decrypted for that, until Keepsake is closed or locked."))
        box.setProperty("address", attachment.path)
        self._found = attachment
        box.accepted.connect(self._on_box_accepted)
        box.open()

    def _on_box_accepted(self) -> None:
        attachment = self._found
        if attachment is None:
            return
        if attachment.is_sealed:
            self._work.start(self._open_sealed(attachment))
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(attachment.path))


def _copied(name: str, data: bytes) -> Path:
    """Write a readable copy that goes with this process; return its path."""
    path = Path(_copies_folder(), name)
    with os.fdopen(open_replacing(path), "wb") as file:
        file.write(data)
    return path


@cache
def _copies_folder() -> str:
    # In memory where the system has such a place for a person's own files.
    place = tempfile.mkdtemp(prefix="opened-", dir=runtime_dir())
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
