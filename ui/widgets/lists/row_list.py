"""Short lists of painted rows: the base of their models and views."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from ui.widgets.lists.row_view import Index

__all__ = ["Index", "RowList", "RowModel"]

R = TypeVar("R")


class RowModel(QAbstractListModel, Generic[R]):
    """Model of rows that are replaced all at once."""

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
    """View of a row model, without a frame."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
