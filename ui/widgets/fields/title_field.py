"""Title fields, which end in an ellipsis while they are not edited."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame, QWidget

from ui import theme
from ui.style.design_tokens import Space
from ui.widgets.plain_text import tooltip

_MARGIN = 2
"""Pixels that Qt keeps free on either side of the text of a line."""


class TitleField(QLineEdit):
    """A title that is edited in place and elided otherwise.

    When the keyboard leaves it, its beginning is shown again; a cut title has a tooltip.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("plain", True)

    def sizeHint(self) -> QSize:
        """Return room for descenders at every scale."""
        hint = super().sizeHint()
        return QSize(hint.width(), hint.height() + Space.XS)

    def shown_text(self) -> str:
        """Return the words there is room for, all of them while one types."""
        if self.hasFocus():
            return self.text()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self._place().width())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Go back to the beginning."""
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.setCursorPosition(0)

    def event(self, event: QEvent) -> bool:
        """Tell all of a title that is cut."""
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip("" if self.shown_text() == self.text() else tooltip(self.text()))
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint an ellipsis where the title is cut."""
        if not self.text() or self.shown_text() == self.text():
            super().paintEvent(event)
            return
        frame, place = QStyleOptionFrame(), self._place()
        self.initStyleOption(frame)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, frame, painter, self)
        painter.setPen(theme.current().colour("text"))
        side = Qt.AlignmentFlag.AlignRight if self.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, int(flags), self.shown_text())
        painter.end()

    def _place(self) -> QRect:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        place = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return place.marginsRemoved(self.textMargins()).adjusted(_MARGIN, 0, -_MARGIN, 0)
