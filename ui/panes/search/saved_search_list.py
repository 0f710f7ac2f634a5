"""The list of saved searches: take up, rename, delete and order."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QSizePolicy, QWidget

from app.retrieval.saved.model import SavedSearch
from ui import theme
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import vbox
from ui.widgets.context_menu import open_menu
from ui.widgets.plain_text import PlainLabel, tooltip

_KEY = Qt.ItemDataRole.UserRole
ICON = 15
MOST_ROWS = 8
"""Rows shown at once; the others are scrolled to."""


class _NameList(QListWidget):
    """A list that leaves the keys that move rows to its parent."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go along the rows; Alt with an arrow is the parent's."""
        if event.modifiers() == Qt.KeyboardModifier.AltModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)


class SavedSearchList(QWidget):
    """Saved searches in the person's order, below a heading."""

    picked = Signal(str)
    """Search for this query."""
    renamed = Signal(str, str)
    """Id and new name."""
    deleted = Signal(object)
    """Delete this ``SavedSearch``."""
    erase_requested = Signal(object)
    """Erase this ``SavedSearch`` for ever."""
    ordered = Signal(object)
    """All ids in their new order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._searches: dict[str, SavedSearch] = {}
        self._filling = False
        self._head = PlainLabel(self.tr("Saved searches"), self, style="small muted")
        self._head.setContentsMargins(Space.S, 0, Space.S, 0)
        self.list = _NameList(self)
        self.list.setObjectName("rowList")
        self.list.setAccessibleName(self.tr("Saved searches"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        vbox(self._head, self.list, parent=self, margins=(Space.M, Space.M, Space.S, 0), spacing=2)
        self.list.itemClicked.connect(self._on_list_item_activated)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self.list.customContextMenuRequested.connect(self._on_list_menu_requested)
        self.list.model().rowsMoved.connect(self._on_list_rows_moved)
        theme.current().changed.connect(self._fit)
        self.hide()

    def show_searches(self, searches: Sequence[SavedSearch]) -> None:
        """Show saved searches; the current one stays current."""
        current = self._current_id()
        self._searches = {search.id: search for search in searches}
        self._filling = True
        self.list.clear()
        for search in searches:
            item = QListWidgetItem(icon("bookmark"), search.name)
            item.setData(_KEY, search.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setToolTip(tooltip(search.query))
            self.list.addItem(item)
            if search.id == current:
                self.list.setCurrentItem(item)
        self._filling = False
        self.setVisible(bool(searches))
        self._fit()

    def show_current(self, query: str) -> None:
        """Select the saved search that is in the search box, if it is one."""
        place = next((row for row, search in enumerate(self._searches.values()) if search.query == query.strip()), -1)
        if place >= 0 or not self.list.hasFocus():
            self.list.setCurrentRow(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take up with Enter, delete with Delete, move with Alt+Up and Alt+Down."""
        search = self._searches.get(self._current_id())
        moves = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if search is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.picked.emit(search.query)
        elif search is not None and event.key() == Qt.Key.Key_Delete:
            self.deleted.emit(search)
        elif event.key() in moves and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self.move_current(moves[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def move_current(self, step: int) -> None:
        """Move the current search up or down."""
        row = self.list.currentRow()
        if row >= 0 and 0 <= row + step < self.list.count():
            self._filling = True
            item = self.list.takeItem(row)
            self.list.insertItem(row + step, item)
            self.list.setCurrentItem(item)
            self._filling = False
            self._emit_order()

    def _fit(self) -> None:
        """Give the list the height of its rows."""
        side = theme.current().scaled(ICON)
        self.list.setIconSize(QSize(side, side))
        row = max(self.list.sizeHintForRow(0), theme.current().scaled(22)) if self.list.count() else 0
        self.list.setFixedHeight(row * min(self.list.count(), MOST_ROWS) + Space.XS)

    def _current_id(self) -> str:
        row = self.list.currentRow()
        return str(self.list.item(row).data(_KEY)) if row >= 0 else ""

    def _emit_order(self) -> None:
        self.ordered.emit([str(self.list.item(row).data(_KEY)) for row in range(self.list.count())])

    def _on_list_item_activated(self, item: QListWidgetItem) -> None:
        self.picked.emit(self._searches[str(item.data(_KEY))].query)

    def _on_list_item_changed(self, item: QListWidgetItem) -> None:
        search = self._searches.get(str(item.data(_KEY)))
        if not self._filling and search is not None and item.text() != search.name:
            self.renamed.emit(search.id, item.text())

    def _on_list_rows_moved(self) -> None:
        if not self._filling:
            self._emit_order()

    def _on_list_menu_requested(self, where: QPoint) -> None:
        index = self.list.indexAt(where)
        if index.isValid():
            self.list.setCurrentRow(index.row())
        search = self._searches.get(self._current_id())
        if search is None:
            return
        item = self.list.item(self.list.currentRow())
        parts = [
            [(self.tr("Search"), partial(self.picked.emit, search.query))],
            [
                (self.tr("Rename (F2)"), partial(self.list.editItem, item)),
                (self.tr("Move up (Alt+Up)"), partial(self.move_current, -1)),
                (self.tr("Move down (Alt+Down)"), partial(self.move_current, 1)),
            ],
            [
                (self.tr("Delete"), partial(self.deleted.emit, search)),
                (self.tr("Erase for ever…"), partial(self.erase_requested.emit, search)),
            ],
        ]
        open_menu(self, self.list.viewport().mapToGlobal(where), parts)
