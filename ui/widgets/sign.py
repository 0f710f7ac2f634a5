"""A small icon that stands beside words; follows the theme, unlike a pixmap in a label."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.icons import icon


class Sign(QWidget):
    """An icon of a fixed size. It repeats what the words beside it say, so it has no name of its own."""

    def __init__(self, name: str, tint: str = "muted", size: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon(name, tint)
        self.setFixedSize(QSize(size, size))

    def show_icon(self, name: str, tint: str = "muted") -> None:
        """Show another icon."""
        self._icon = icon(name, tint)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
        painter.end()
