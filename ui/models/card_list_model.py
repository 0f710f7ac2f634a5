"""A list model of cards, by the ids of its rows."""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.models.cards import Card

Index = QModelIndex | QPersistentModelIndex
Cards = dict[str, tuple[Any, Card]]
"""Rows with their cards, by their ids."""


class Role(IntEnum):
    """Item roles beyond Qt's own."""

    ID = Qt.ItemDataRole.UserRole + 1
    ROW = Qt.ItemDataRole.UserRole + 2
    CARD = Qt.ItemDataRole.UserRole + 3


class CardListModel(QAbstractListModel):
    """Ordered rows that are all at hand, each with a card.

    Args:
        present: Makes the card of a row.
        parent: Owner.
    """

    def __init__(self, present: Callable[[Any], Card], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._present = present
        self._ids: list[str] = []
        self._places: dict[str, int] | None = None
        self._rows: Cards = {}

    @property
    def ids(self) -> Sequence[str]:
        """All ids, in order."""
        return self._ids

    def set_rows(self, rows: Mapping[str, Any]) -> None:
        """Show other rows, by their ids."""
        self._replace(list(rows), {identity: (row, self._present(row)) for identity, row in rows.items()})

    def row_of(self, identity: str) -> int:
        """Return where ``identity`` stands, -1 when it is not in the list."""
        if self._places is None:
            self._places = {known: row for row, known in enumerate(self._ids)}
        return self._places.get(identity, -1)

    def value(self, identity: str) -> Any:
        """Return the row of ``identity``, ``None`` while unknown."""
        row = self._rows.get(identity)
        return row[0] if row else None

    def card_of(self, identity: str) -> Card | None:
        """Return the card of ``identity`` as far as it is known."""
        row = self._rows.get(identity)
        return row[1] if row else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own default)
        """Return how many ids there are."""
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the id, the row or its card."""
        if not index.isValid() or index.row() >= len(self._ids):
            return None
        identity = self._ids[index.row()]
        if role == Role.ID:
            return identity
        row = self._rows.get(identity)
        return self._of_kept(row, role) if row else None

    @staticmethod
    def _of_kept(kept: tuple[Any, Card], role: int) -> Any:
        if role == Role.CARD:
            return kept[1]
        if role == Role.ROW:
            return kept[0]
        if role == Qt.ItemDataRole.DisplayRole:
            return kept[1].title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return kept[1].speech
        return None

    def _replace(self, ids: list[str], rows: Cards) -> None:
        """Show another list; one of the same ids only refreshes rows."""
        if ids == self._ids:
            self._rows = rows
            self._emit(0, len(ids) - 1)
            return
        self.beginResetModel()
        self._ids, self._places, self._rows = ids, None, rows
        self.endResetModel()

    def _emit(self, first: int, last: int) -> None:
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first), self.index(last), [Role.CARD, Role.ROW])
