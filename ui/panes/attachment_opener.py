"""Opening of attachments in other programs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget
from shiboken6 import isValid

from app.attachments.model import Attachment
from app.errors import InputError, KeepsakeError
from ui.widgets.plain_text import PlainMessageBox

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
        self._bridge, self._window = bridge, window

    def open(self, target: str) -> None:
        """Open the file that a link means."""
        self._bridge.start(self._open(target))

    async def _open(self, target: str) -> None:
        try:
            found: Attachment = await self._bridge.call("attachment.locate", link=target)
        except KeepsakeError as error:
            if isValid(self):
                name = target.rpartition("/")[2]
                text = self.tr("‘{name}’ cannot be opened. {why}").format(name=name, why=error.message)
                self.failed.emit(InputError(text))
            return
        if isValid(self):
            self._ask_to_open(found)

    def _ask_to_open(self, found: Attachment) -> None:
        about = self.tr("Another program will open this file.")
        box = PlainMessageBox(self.tr("Open an attachment"), found.name, about, self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.addButton(QMessageBox.StandardButton.Cancel)
        yes = box.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(yes)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setProperty("address", found.path)
        box.accepted.connect(self._on_box_accepted)
        box.open()

    def _on_box_accepted(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.sender().property("address"))))
