"""Link row: a line that leads somewhere, with a date or number at its end."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui import theme
from ui.style.design_tokens import Radius, Space
from ui.style.icons import pixmap
from ui.widgets.plain_text import caption, tooltip

_ICON = 14


class LinkRow(QAbstractButton):
    """A line that one can click or press Enter on.

    Args:
        words: What it says; cut where it does not fit.
        target: What ``triggered`` tells.
        end: A date or number at its end.
        icon_name: An icon before the words.
        detail: What the tooltip adds.
        parent: Its parent.
    """

    triggered = Signal(str)

    def __init__(
        self,
        words: str,
        target: str,
        end: str = "",
        icon_name: str = "",
        detail: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words, self._target, self._end, self._icon = words, target, end, icon_name
        self.setText(caption(words))
        self.setAccessibleName(", ".join(part for part in (words, detail or end) if part))
        self.setToolTip(tooltip("\n".join(part for part in (words, detail) if part)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self.updateGeometry)
        self.clicked.connect(self._on_clicked)

    def sizeHint(self) -> QSize:
        """Return room for one line."""
        return QSize(160, max(theme.current().scaled(26), self.fontMetrics().height() + Space.S))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint icon, words and end."""
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("hover"))
            painter.drawRoundedRect(self.rect(), Radius.SMALL, Radius.SMALL)
        if self.hasFocus():
            painter.setPen(look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), Radius.SMALL, Radius.SMALL)
        room = self.rect().adjusted(Space.S, 0, -Space.S, 0)
        mirrored = self.isRightToLeft()
        if self._icon:
            side = look.scaled(_ICON)
            image = pixmap(self._icon, side, look.tokens.muted, self.devicePixelRatioF())
            left = room.right() - side if mirrored else room.left()
            painter.drawPixmap(left, (self.height() - side) // 2, image)
            room.adjust(0 if mirrored else side + Space.S, 0, -(side + Space.S) if mirrored else 0, 0)
        near, far = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        near, far = (far, near) if mirrored else (near, far)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextSingleLine
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        painter.drawText(room, int(far | flags), self._end)
        width = painter.fontMetrics().horizontalAdvance(self._end) + Space.M if self._end else 0
        room = QRect(room.left() + (width if mirrored else 0), room.top(), room.width() - width, room.height())
        painter.setFont(look.font("body"))
        painter.setPen(look.colour("text"))
        words = painter.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(near | flags), words)
        painter.end()

    def _on_clicked(self) -> None:
        self.triggered.emit(self._target)
