"""Name table: the graph as a sortable list."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ui import theme
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.name_model import LINKS, MENTIONS, NAME, TYPE, Index, NameModel

_WIDTHS = {TYPE: 104, MENTIONS: 92, LINKS: 66}
_NAME_WIDTH = 110
_FLAG = QItemSelectionModel.SelectionFlag


class NameTable(QTableView):
    """The names of the graph with type, mentions and links."""

    chosen = Signal(int)
    """The node of the row that the keyboard or pointer is on."""
    opened = Signal(int)
    """Enter or double click on a row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_quiet = False
        self.setObjectName("nameTable")
        self.setAccessibleName(self.tr("Names in the graph"))
        self.names = NameModel(self)
        self.setModel(self.names)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(40)
        self.setSortingEnabled(True)
        self.sortByColumn(MENTIONS, Qt.SortOrder.DescendingOrder)
        self.doubleClicked.connect(self._on_double_clicked)
        theme.current().changed.connect(self._fit_rows)
        self._fit_rows()

    def set_scene(self, scene: GraphScene, current: int) -> None:
        """Show the names of a scene, with one of them chosen."""
        self._is_quiet = True
        self.names.set_scene(scene)
        self._is_quiet = False
        self.choose(current)

    def choose(self, number: int) -> None:
        """Choose the row of a node, without telling."""
        row = self.names.row_of(number)
        self._is_quiet = True
        if row >= 0:
            index = self.names.index(row, 0)
            self.selectionModel().setCurrentIndex(index, _FLAG.ClearAndSelect | _FLAG.Rows)
            self.scrollTo(index)
        else:
            self.selectionModel().clear()
        self._is_quiet = False

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which name is chosen."""
        super().currentChanged(current, previous)
        if not self._is_quiet and (number := self.names.number_at(current.row())) >= 0:
            self.chosen.emit(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the type out where names would be too narrow."""
        super().resizeEvent(event)
        self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the page with Enter."""
        number = self.names.number_at(self.currentIndex().row())
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and number >= 0:
            self.opened.emit(number)
        else:
            super().keyPressEvent(event)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(self.names.number_at(index.row()))

    def _fit_rows(self) -> None:
        look = theme.current()
        self.verticalHeader().setDefaultSectionSize(look.scaled(30))
        for column, width in _WIDTHS.items():
            self.horizontalHeader().resizeSection(column, look.scaled(width))
        self._fit_columns()

    def _fit_columns(self) -> None:
        room = self.viewport().width() - sum(map(theme.current().scaled, _WIDTHS.values()))
        self.setColumnHidden(TYPE, room < theme.current().scaled(_NAME_WIDTH))
