"""Table model of the names in the graph, for lists and screen readers."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.entities.model import GraphView
from ui.models.dates import format_number
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.entity_types import type_label

NAME, TYPE, MENTIONS, LINKS = range(4)
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class NameModel(QAbstractTableModel):
    """Shown nodes of a scene as rows of name, type, mentions and links."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scene = GraphScene(GraphView())
        self._links = self._scene.link_counts()
        self._numbers: list[int] = []
        self._sorted = (MENTIONS, Qt.SortOrder.DescendingOrder)
        self._titles = (self.tr("Name"), self.tr("Type"), self.tr("Mentions"), self.tr("Links"))

    def set_scene(self, scene: GraphScene) -> None:
        """Show the nodes of a scene that are shown in it now."""
        self.beginResetModel()
        self._scene = scene
        self._links = scene.link_counts()
        self._arrange()
        self.endResetModel()

    def number_at(self, row: int) -> int:
        """Return the node of a row, -1 for no row."""
        return self._numbers[row] if 0 <= row < len(self._numbers) else -1

    def row_of(self, number: int) -> int:
        """Return the row of a node, -1 when it is not shown."""
        return self._numbers.index(number) if number in self._numbers else -1

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many names there are."""
        return 0 if parent.isValid() else len(self._numbers)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return how many things are told of each."""
        return 0 if parent.isValid() else len(self._titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        if not index.isValid() or index.row() >= len(self._numbers):
            return None
        number, column = self._numbers[index.row()], index.column()
        node = self._scene.nodes[number]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            words = (node.name, type_label(node.type), format_number(round(node.weight)))
            return words[column] if column < LINKS else format_number(int(self._links[number]))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (MENTIONS, LINKS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole and column == NAME:
            return node.name
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title of a column."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by a column."""
        if not 0 <= column < len(self._titles):
            return
        self.layoutAboutToBeChanged.emit()
        numbers = [(index, self.number_at(index.row())) for index in self.persistentIndexList()]
        self._sorted = (column, order)
        self._arrange()
        rows = {number: row for row, number in enumerate(self._numbers)}
        for index, number in numbers:
            self.changePersistentIndex(index, self.index(rows[number], index.column()))
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        column, order = self._sorted
        nodes = self._scene.nodes
        numbers = [int(number) for number in np.flatnonzero(self._scene.shown_nodes)]
        keys: dict[int, Any] = {
            NAME: lambda number: nodes[number].name.casefold(),
            TYPE: lambda number: type_label(nodes[number].type),
            MENTIONS: lambda number: nodes[number].weight,
            LINKS: lambda number: self._links[number],
        }
        numbers.sort(key=keys[NAME])
        numbers.sort(key=keys[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self._numbers = numbers
