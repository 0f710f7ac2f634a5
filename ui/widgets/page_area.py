"""Page areas: pages that scroll up and down, but not to the side."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class PageArea(QScrollArea):
    """A scroll area whose page takes its width: texts break instead of being cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def setWidget(self, page: QWidget) -> None:
        """Show a page, no wider than the area, also where its layout asks for more."""
        page.setMinimumWidth(1)
        super().setWidget(page)
