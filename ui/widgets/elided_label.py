"""A line of words that ends in an ellipsis where it does not fit."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.widgets.plain_text import PlainLabel, tooltip


class ElidedLabel(PlainLabel):
    """A label that ends in an ellipsis; its tooltip is the whole text."""

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setText(words)

    def text(self) -> str:
        """Return all its words."""
        return self._words

    def setText(self, words: str) -> None:
        """Show other words."""
        self._words = words
        self.setAccessibleName(words)
        self._fit()
        self.updateGeometry()

    def shown_text(self) -> str:
        """Return the words there is room for."""
        return super().text()

    def sizeHint(self) -> QSize:
        """Return room for all of it."""
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self._words) + margins.left() + margins.right() + 1
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return that it may be as narrow as it must."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show more words or fewer."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.contentsRect().width()
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        if shown != super().text():
            super().setText(shown)
        self.setToolTip("" if shown == self._words else tooltip(self._words))
