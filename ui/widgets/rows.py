"""Short lists whose rows are painted: what their models, their views and the ground of their rows share."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem, QWidget

from ui import theme
from ui.tokens import Radius

Index = QModelIndex | QPersistentModelIndex
R = TypeVar("R")


class RowModel(QAbstractListModel, Generic[R]):
    """Rows that are replaced all at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[R] = ()

    def show_rows(self, rows: Sequence[R]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own default)
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)


class RowList(QListView):
    """A view of them, without a frame."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)


def paint_ground(painter: QPainter, rect: QRect, option: QStyleOptionViewItem, *, focused: bool) -> None:
    """Paint what lies below a row: chosen, under the pointer, with the keyboard on it."""
    look = theme.current()
    selected = bool(option.state & QStyle.StateFlag.State_Selected)
    if selected or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("selected" if selected else "hover"))
        painter.drawRoundedRect(rect, Radius.MEDIUM, Radius.MEDIUM)
    if focused:
        painter.setPen(QPen(look.colour("accent"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), Radius.MEDIUM, Radius.MEDIUM)
