"""Plain text in labels, tooltips, buttons and notices.

Qt would guess the format, and load what a stored ``<img>`` names.
"""

from html import escape

from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from ui import theme

_NO_MARKUP = str.maketrans({"<": "‹", ">": "›"})


class PlainLabel(QLabel):
    """A label that shows its text letter for letter.

    Args:
        text: The text, or the parent alone as of a ``QLabel``.
        parent: The Qt parent.
        style: Its type, see ``theme.set_type``.
        wraps: Whether a long text goes on in further lines.
    """

    def __init__(
        self, text: str | QWidget | None = "", parent: QWidget | None = None, *, style: str = "", wraps: bool = False
    ) -> None:
        super().__init__(parent if isinstance(text, str) else text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        if style:
            theme.set_type(self, style)
        if isinstance(text, str):
            self.setText(text)


class PlainMessageBox(QMessageBox):
    """A message box whose sentences are shown letter for letter."""

    def __init__(self, title: str, text: str, detail: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setWindowTitle(title)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setInformativeText(detail)
        # The box gives its format to the first sentence only.
        for label in self.findChildren(QLabel):
            label.setTextFormat(Qt.TextFormat.PlainText)


def tooltip(text: str) -> str:
    """Return a tooltip that reads as ``text``.

    Escaped where Qt would take it for rich text.
    """
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'


def caption(text: str) -> str:
    """Return the caption of a button or menu entry that reads as ``text``.

    An ``&`` stays one.
    """
    return text.replace("&", "&&")


def without_markup(text: str) -> str:
    """Return ``text`` for the desktop's notifications and tray.

    Some desktops read those as HTML, some do not.
    """
    return text.translate(_NO_MARKUP)
