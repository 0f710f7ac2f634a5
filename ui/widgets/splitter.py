"""Pane splitter: parts side by side that keep their sizes and can be hidden."""

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QFrame, QSplitter, QWidget


class PaneSplitter(QSplitter):
    """A splitter with hairline handles; parts never collapse by dragging, only by ``set_shown``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self._first_sizes: list[int] = []

    def add(self, widget: QWidget, size: int, *, least: int = 120, stretch: int = 0) -> None:
        """Add a part.

        Args:
            widget: The part.
            size: Its initial width in pixels.
            least: The smallest it may become.
            stretch: Its share of extra room; 0 keeps its size.
        """
        widget.setMinimumWidth(least)
        self.addWidget(widget)
        self.setStretchFactor(self.count() - 1, stretch)
        # All sizes each time: before the first layout, Qt reports zero for the parts added earlier.
        self._first_sizes.append(size)
        self.setSizes(self._first_sizes)

    def set_shown(self, widget: QWidget, shown: bool) -> None:
        """Show or hide a part; the others take or give the room."""
        widget.setVisible(shown)

    def state(self) -> bytes:
        """Return the sizes as bytes for ``restore``."""
        return bytes(self.saveState().data())

    def restore(self, state: bytes) -> None:
        """Apply the sizes that ``state`` returned."""
        if state:
            self.restoreState(QByteArray(state))


def hairline(parent: QWidget) -> QFrame:
    """Return a thin line across."""
    line = QFrame(parent)
    line.setObjectName("hairline")
    line.setFixedHeight(1)
    return line
