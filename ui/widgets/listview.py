"""A list of two-line rows that opens a hundred thousand of them at once."""

from PySide6.QtCore import (
    QAbstractItemModel,
    QElapsedTimer,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from ui import theme
from ui.models.ids import IdListModel, Role
from ui.tokens import Space
from ui.widgets.cardpaint import CardPainter, RowState

Index = QModelIndex | QPersistentModelIndex
KEPT_SELECTION = 5000
_FLAG = QItemSelectionModel.SelectionFlag
_MOVE = QAbstractItemView.CursorAction


class CardList(QListView):
    """A ``QListView`` whose rows all have one height, so geometry is arithmetic and no layout pass exists.

    Qt's own list lays out every row before the first paint (1.5 s at 100,000) or in timer slices that leave the scroll
    bar wrong meanwhile. Selection, current row and the first visible row are kept by id over model resets.
    """

    chosen = Signal(str)
    """The current row became another, by key, mouse or program; ``""`` for none."""
    opened = Signal(str)
    """Enter or double click on a row."""
    delete_asked = Signal(object)
    """Delete was pressed: the selected ids."""
    rename_asked = Signal(str)
    """F2 was pressed on a row."""
    menu_asked = Signal(object, object)
    """A context menu is wanted: the selected ids and the global position."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # First, because Qt's setters below already ask where rows are.
        self._cards = CardPainter()
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self._kept: tuple[list[str], str, str, int] = ([], "", "", 0)
        self._announced = ""
        self._hovered = -1
        self._empty = ""
        self._typed = ""
        self._typed_at = QElapsedTimer()
        self.doubleClicked.connect(self._on_double_clicked)
        theme.current().changed.connect(self._on_theme_changed)

    def set_source(self, model: IdListModel) -> None:
        """Show ``model``."""
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._on_model_about_to_be_reset)
        model.modelReset.connect(self._on_model_reset)

    def set_empty_text(self, text: str) -> None:
        """Say what an empty list means, ``""`` for nothing (while it loads)."""
        self._empty = text
        self.viewport().update()

    def current_id(self) -> str:
        """Return the current row's id, ``""`` when there is none."""
        return str(self.currentIndex().data(Role.ID) or "")

    def selected_ids(self) -> list[str]:
        """Return the ids of all selected rows, in list order."""
        rows: list[int] = []
        chosen = self.selectionModel().selection()
        for part in (chosen.at(place) for place in range(chosen.count())):
            rows.extend(range(part.top(), part.bottom() + 1))
        ids = self._source().ids
        return [ids[row] for row in sorted(rows) if row < len(ids)]

    def choose(self, identity: str, *, quiet: bool = False) -> bool:
        """Make the row of ``identity`` current and show it; ``quiet`` keeps ``chosen`` silent."""
        row = self._source().row_of(identity)
        if row < 0:
            return False
        if quiet:
            self._announced = identity
        index = self._source().index(row)
        far = not self.viewport().rect().intersects(self.visualRect(index))
        self.selectionModel().setCurrentIndex(index, _FLAG.ClearAndSelect)
        hint = QAbstractItemView.ScrollHint
        self.scrollTo(index, hint.PositionAtCenter if far else hint.EnsureVisible)
        return True

    def choose_row(self, row: int) -> None:
        """Make the row number ``row`` current, or the last one."""
        if count := self._source().rowCount():
            self.choose(self._source().ids[max(0, min(row, count - 1))])

    def neighbour(self, ids: list[str]) -> str:
        """Return the id that follows ``ids`` in the list (or precedes them), ``""`` when nothing else is there."""
        source = self._source()
        rows = sorted(row for row in map(source.row_of, ids) if row >= 0)
        if not rows:
            return ""
        for row in (rows[-1] + 1, rows[0] - 1):
            if 0 <= row < len(source.ids):
                return source.ids[row]
        return ""

    def clear_choice(self) -> None:
        """Have no current row."""
        self._announced = ""
        self.selectionModel().clear()

    def _source(self) -> IdListModel:
        model = self.model()
        if not isinstance(model, IdListModel):
            raise TypeError("A CardList shows an IdListModel")
        return model

    def _count(self) -> int:
        model: QAbstractItemModel | None = self.model()
        return 0 if model is None else model.rowCount()

    def doItemsLayout(self) -> None:
        """Need no layout; only sizes of the scroll bar."""
        self.updateGeometries()
        self.viewport().update()

    def updateGeometries(self) -> None:
        """Tell the scroll bar how long the list is."""
        page, height = self.viewport().height(), self._cards.height
        bar = self.verticalScrollBar()
        bar.setSingleStep(height)
        bar.setPageStep(page)
        bar.setRange(0, max(0, self._count() * height + 2 * Space.XS - page))

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
        height = self._cards.height
        return QRect(0, index.row() * height + Space.XS - self.verticalOffset(), self.viewport().width(), height)

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the row under ``point``."""
        row = (point.y() + self.verticalOffset() - Space.XS) // self._cards.height
        return self.model().index(row, 0) if 0 <= row < self._count() else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll just enough to show a row, or centre it."""
        if not index.isValid():
            return
        bar, height, page = self.verticalScrollBar(), self._cards.height, self.viewport().height()
        top = index.row() * height
        if hint == QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue(top - (page - height) // 2)
        elif top < bar.value():
            bar.setValue(top)
        elif top + height + 2 * Space.XS > bar.value() + page:
            bar.setValue(top + height + 2 * Space.XS - page)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint anew; there is nothing to move."""
        del dx, dy
        self.viewport().update()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Return where a key leads."""
        del modifiers
        count = self._count()
        if not count:
            return QModelIndex()
        page = max(1, self.viewport().height() // self._cards.height - 1)
        row = self.currentIndex().row()
        steps = {_MOVE.MoveUp: -1, _MOVE.MoveDown: 1, _MOVE.MovePageUp: -page, _MOVE.MovePageDown: page}
        steps |= {_MOVE.MoveHome: -count, _MOVE.MoveEnd: count, _MOVE.MovePrevious: -1, _MOVE.MoveNext: 1}
        start = row if row >= 0 else (-1 if action == _MOVE.MoveDown else 0)
        return self.model().index(max(0, min(start + steps.get(action, 0), count - 1)), 0)

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select the rows that ``rect`` touches."""
        height, offset = self._cards.height, self.verticalOffset() - Space.XS
        first = max(0, (rect.normalized().top() + offset) // height)
        last = min(self._count() - 1, (rect.normalized().bottom() + offset) // height)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows in sight."""
        painter = QPainter(self.viewport())
        count = self._count()
        if not count:
            self._paint_empty(painter)
            return
        height, offset = self._cards.height, self.verticalOffset() - Space.XS
        first = max(0, (event.rect().top() + offset) // height)
        last = min(count - 1, (event.rect().bottom() + offset) // height)
        current = self.currentIndex().row() if self.hasFocus() else -1
        mirrored = self.isRightToLeft()
        for row in range(first, last + 1):
            index = self.model().index(row, 0)
            state = RowState(self.selectionModel().isSelected(index), row == self._hovered, row == current, mirrored)
            self._cards.paint(painter, self.visualRect(index), index.data(Role.CARD), state)

    def _paint_empty(self, painter: QPainter) -> None:
        if not self._empty:
            return
        painter.setPen(theme.current().colour("muted"))
        painter.setFont(theme.current().font("body"))
        room = self.viewport().rect().adjusted(Space.XL, Space.XXL, -Space.XL, -Space.XL)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(room, flags, self._empty)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, delete with Del, rename with F2; else as every list."""
        key, identity = event.key(), self.current_id()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and identity:
            self.opened.emit(identity)
        elif key == Qt.Key.Key_Delete and self.selected_ids():
            self.delete_asked.emit(self.selected_ids())
        elif key == Qt.Key.Key_F2 and identity:
            self.rename_asked.emit(identity)
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Go to the next loaded row whose title begins with what is typed; rows never seen are not fetched for it."""
        source = self._source()
        fresh = not self._typed_at.isValid() or self._typed_at.elapsed() > QApplication.keyboardInputInterval()
        self._typed = search if fresh else self._typed + search
        self._typed_at.restart()
        # Further letters narrow from the row one is at; a new word begins with the row after it.
        start, count = max(0, self.currentIndex().row()), source.rowCount()
        first = start + 1 if fresh else start
        wanted = self._typed.casefold()
        for row in (*range(first, count), *range(first)):
            card = source.card_of(source.ids[row])
            if card and card.title.casefold().startswith(wanted):
                self.choose_row(row)
                return

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu over the selection; by keyboard it opens at the current row."""
        if self.selected_ids():
            by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
            spot = self.visualRect(self.currentIndex()).center()
            where = event.globalPos() if by_mouse else self.viewport().mapToGlobal(spot)
            self.menu_asked.emit(self.selected_ids(), where)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the row under the pointer."""
        self._hover(self.indexAt(event.position().toPoint()).row())
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Light no row."""
        self._hover(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        ):
            self.choose_row(0)
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which row is current, once for each."""
        super().currentChanged(current, previous)
        identity = str(current.data(Role.ID) or "") if current.isValid() else ""
        if identity and identity != self._announced:
            self._announced = identity
            self.chosen.emit(identity)

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().update()

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(str(index.data(Role.ID) or ""))

    def _on_theme_changed(self) -> None:
        self._cards = CardPainter()
        self.doItemsLayout()

    def _on_model_about_to_be_reset(self) -> None:
        top = self.indexAt(QPoint(4, Space.XS))
        into = self.visualRect(top).top() if top.isValid() else 0
        selected = self.selected_ids()
        self._kept = (selected[:KEPT_SELECTION], self.current_id(), str(top.data(Role.ID) or ""), into)

    def _on_model_reset(self) -> None:
        selected, current, top, into = self._kept
        source = self._source()
        self.updateGeometries()
        selection = QItemSelection()
        for row in filter(lambda place: place >= 0, map(source.row_of, selected)):
            selection.select(source.index(row), source.index(row))
        self.selectionModel().select(selection, _FLAG.ClearAndSelect)
        if (row := source.row_of(current)) >= 0:
            self.selectionModel().setCurrentIndex(source.index(row), _FLAG.NoUpdate)
        else:
            self._announced = ""
        if (row := source.row_of(top)) >= 0 and self.verticalOffset() > 0:
            self.verticalScrollBar().setValue(row * self._cards.height + Space.XS - into)
        self.viewport().update()
