"""A flow layout: widgets side by side, wrapped into lines like words."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from ui.style.design_tokens import Space


class FlowLayout(QLayout):
    """Lines of widgets; mirrored where one reads from the right."""

    def __init__(self, parent: QWidget | None = None, spacing: int = Space.XS) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = spacing
        self.setContentsMargins(QMargins(0, 0, 0, 0))

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def insert(self, place: int, widget: QWidget) -> None:
        """Add ``widget`` before the item at ``place``."""
        self.addWidget(widget)
        self._items.insert(place, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, ``None`` beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return none: it takes what it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that ``width`` leads to."""
        return self._arrange(QRect(0, 0, width, 0), apply=False)

    def setGeometry(self, rect: QRect) -> None:
        """Put every widget in its place."""
        super().setGeometry(rect)
        self._arrange(rect, apply=True)

    def sizeHint(self) -> QSize:
        """Return the least size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _arrange(self, rect: QRect, *, apply: bool) -> int:
        outer, rect = rect, rect.marginsRemoved(self.contentsMargins())
        left, top, height = rect.left(), rect.top(), 0
        parent = self.parentWidget()
        mirrored = parent is not None and parent.isRightToLeft()
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint().boundedTo(QSize(max(rect.width(), 40), 16_777_215))
            if item.hasHeightForWidth():
                size.setHeight(item.heightForWidth(size.width()))
            if left > rect.left() and left + size.width() > rect.right() + 1:
                left, top, height = rect.left(), top + height + self._gap, 0
            if apply:
                box = QRect(QPoint(left, top), size)
                if mirrored:
                    box.moveLeft(rect.left() + rect.right() - box.right())
                item.setGeometry(box)
            left += size.width() + self._gap
            height = max(height, size.height())
        return top + height - outer.top() + self.contentsMargins().bottom()
