"""Icon labels: small icons beside text, which follow the theme."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui import theme
from ui.style.icons import icon


class IconLabel(QWidget):
    """An icon sized for the text beside it.

    It repeats what the text says, so it has no accessible name of its own.

    Args:
        name: The icon's name.
        tint: Token of its colour.
        size: Pixels of its side beside text of the system's size.
        parent: Its parent.
    """

    def __init__(self, name: str, tint: str = "muted", size: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon(name, tint)
        self._size = size
        self._fit()
        theme.current().changed.connect(self._fit)

    def show_icon(self, name: str, tint: str = "muted") -> None:
        """Show another icon."""
        self._icon = icon(name, tint)
        self.update()

    def _fit(self) -> None:
        side = theme.current().scaled(self._size)
        self.setFixedSize(QSize(side, side))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
        painter.end()
