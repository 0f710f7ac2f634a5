"""Long lists whose rows are placed by arithmetic, and the background of rows."""

from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from ui import theme
from ui.style.design_tokens import Radius, Space

Index = QModelIndex | QPersistentModelIndex
_MOVE = QAbstractItemView.CursorAction


@dataclass(frozen=True, slots=True)
class RowState:
    """The state of a row: selected, hovered, focused, mirrored."""

    selected: bool = False
    hovered: bool = False
    focused: bool = False
    mirrored: bool = False


def paint_row_ground(painter: QPainter, rect: QRect, state: RowState) -> None:
    """Paint what lies below a row: selected, under the pointer, with the keyboard on it."""
    look = theme.current()
    if state.selected or state.hovered:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("selected" if state.selected else "hover"))
        painter.drawRoundedRect(rect, Radius.MEDIUM, Radius.MEDIUM)
    if state.focused:
        painter.setPen(QPen(look.colour("accent"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), Radius.MEDIUM, Radius.MEDIUM)


class RowView(QListView):
    """A ``QListView`` whose rows' places are known, so no layout pass exists.

    Qt's own list asks every row for its size before the first paint (1.5 s at 100,000) or in timer slices that leave
    the scroll bar wrong meanwhile. Who derives from it says where rows begin (``_top_of``, ``_row_at``), paints them
    (``_paint_row``) and opens their menu (``_open_menu``).
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hovered = -1
        # First, because Qt's setters already ask where rows are.
        self._refresh_look()
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        theme.current().changed.connect(self._on_theme_changed)

    # --- what each list says of its rows ---

    def _top_of(self, row: int) -> int:
        """Return the top of a row in pixels from the first row.

        For the row after the last it is the height of the list.
        """
        raise NotImplementedError

    def _row_at(self, place: int) -> int:
        """Return the row at ``place`` pixels from the top of the first.

        Outside of all rows the result is out of range.
        """
        raise NotImplementedError

    def _paint_row(self, painter: QPainter, rect: QRect, index: QModelIndex, state: RowState) -> None:
        raise NotImplementedError

    def _paint_empty(self, painter: QPainter) -> None:
        """Paint what stands in place of rows; nothing, unless a list says more."""

    def _open_menu(self, where: QPoint) -> None:
        """Open the menu of the current row at a global position.

        Lists without a menu do nothing.
        """

    def _refresh_look(self) -> None:
        """Measure anew: fonts or colours are others."""

    # --- geometry ---

    def _count(self) -> int:
        model: QAbstractItemModel | None = self.model()
        return 0 if model is None else model.rowCount()

    def doItemsLayout(self) -> None:
        """Need no layout; only sizes of the scroll bar."""
        self.updateGeometries()
        self.viewport().update()

    def updateGeometries(self) -> None:
        """Tell the scroll bar how long the list is."""
        page, count = self.viewport().height(), self._count()
        bar = self.verticalScrollBar()
        bar.setSingleStep(max(1, self._top_of(count) // max(1, count)))
        bar.setPageStep(page)
        bar.setRange(0, max(0, self._top_of(count) + 2 * Space.XS - page))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the new size."""
        QAbstractItemView.resizeEvent(self, event)
        self.updateGeometries()

    def verticalOffset(self) -> int:
        """Return how far it is scrolled."""
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        """Return zero: rows are as wide as the view."""
        return 0

    def visualRect(self, index: Index) -> QRect:
        """Return where a row is in the viewport."""
        if not index.isValid():
            return QRect()
        top, end = self._top_of(index.row()), self._top_of(index.row() + 1)
        return QRect(0, top + Space.XS - self.verticalOffset(), self.viewport().width(), end - top)

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the row under ``point``."""
        row = self._row_at(point.y() + self.verticalOffset() - Space.XS)
        return self.model().index(row, 0) if 0 <= row < self._count() else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll just enough to show a row, or centre it."""
        if not index.isValid():
            return
        bar, page = self.verticalScrollBar(), self.viewport().height()
        top, end = self._top_of(index.row()), self._top_of(index.row() + 1)
        if hint == QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue(top - (page - (end - top)) // 2)
        elif top < bar.value():
            bar.setValue(top)
        elif end + 2 * Space.XS > bar.value() + page:
            bar.setValue(end + 2 * Space.XS - page)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew; there is nothing to move."""
        del dx, dy
        self.viewport().update()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Return where a key leads."""
        del modifiers
        count, row, page = self._count(), self.currentIndex().row(), self.viewport().height()
        if not count:
            return QModelIndex()
        if row < 0:
            row = -1 if action == _MOVE.MoveDown else 0
        if action == _MOVE.MovePageDown:
            row = max(row + 1, self._row_at(self._top_of(row) + page) - 1)
        elif action == _MOVE.MovePageUp:
            row = min(row - 1, self._row_at(self._top_of(row) - page) + 1)
        else:
            steps = {_MOVE.MoveUp: -1, _MOVE.MoveDown: 1, _MOVE.MoveHome: -count, _MOVE.MoveEnd: count}
            steps |= {_MOVE.MovePrevious: -1, _MOVE.MoveNext: 1}
            row += steps.get(action, 0)
        return self.model().index(max(0, min(row, count - 1)), 0)

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select the rows that ``rect`` touches."""
        offset, rect = self.verticalOffset() - Space.XS, rect.normalized()
        first = max(0, self._row_at(rect.top() + offset))
        last = min(self._count() - 1, self._row_at(rect.bottom() + offset))
        selection = QItemSelection()
        if first <= last:
            selection.select(self.model().index(first, 0), self.model().index(last, 0))
        self.selectionModel().select(selection, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Return what to repaint when ``selection`` changes."""
        del selection
        return QRegion(self.viewport().rect())

    def isIndexHidden(self, index: Index) -> bool:
        """Return False: rows are never hidden."""
        del index
        return False

    # --- painting, pointer, keyboard ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows in sight."""
        painter = QPainter(self.viewport())
        count = self._count()
        if not count:
            self._paint_empty(painter)
            if self.hasFocus():
                painter.setPen(theme.current().colour("accent"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(self.viewport().rect().adjusted(2, 2, -3, -3), Radius.SMALL, Radius.SMALL)
            return
        offset = self.verticalOffset() - Space.XS
        first = max(0, self._row_at(event.rect().top() + offset))
        last = min(count - 1, self._row_at(event.rect().bottom() + offset))
        current = self.currentIndex().row() if self.hasFocus() else -1
        mirrored = self.isRightToLeft()
        for row in range(first, last + 1):
            index = self.model().index(row, 0)
            state = RowState(self.selectionModel().isSelected(index), row == self._hovered, row == current, mirrored)
            self._paint_row(painter, self.visualRect(index), index, state)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the row under the pointer."""
        self._hover(self.indexAt(event.position().toPoint()).row())
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Light no row."""
        self._hover(-1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu of the current row with Menu or Shift+F10."""
        shifted = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_Menu or (event.key() == Qt.Key.Key_F10 and shifted):
            self._open_menu_of_current()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the pointer."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            if self.indexAt(event.pos()).isValid():
                self._open_menu(event.globalPos())
        elif QApplication.activePopupWidget() is None:
            # Some systems tell of the Menu key in this way too, after the key itself.
            self._open_menu_of_current()

    def _open_menu_of_current(self) -> None:
        index = self.currentIndex()
        if index.isValid():
            self.scrollTo(index)
            spot = self.visualRect(index).intersected(self.viewport().rect()).center()
            self._open_menu(self.viewport().mapToGlobal(spot))

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().update()

    def _on_theme_changed(self) -> None:
        self._refresh_look()
        self.doItemsLayout()
