"""Page area: a page that scrolls up and down and is never wider than what shows it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class PageArea(QScrollArea):
    """A scroll area whose page takes its width, so that texts break instead of being cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def setWidget(self, page: QWidget) -> None:
        """Show a page, as wide as there is room whatever its layout asks for."""
        page.setMinimumWidth(1)
        super().setWidget(page)
