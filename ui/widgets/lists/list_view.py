"""A list of two-line rows that opens a hundred thousand of them at once."""

from collections.abc import Sequence
from html import escape
from itertools import chain, islice

from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QToolTip, QWidget

from ui import theme
from ui.models.card_list_model import CardListModel, Role
from ui.style.design_tokens import Space
from ui.widgets.empty_state import EmptyState
from ui.widgets.lists.card_painter import CardPainter
from ui.widgets.lists.row_groups import RowGroups
from ui.widgets.lists.row_view import Index, RowState, RowView

_FLAG = QItemSelectionModel.SelectionFlag


class CardList(RowView):
    """A list of cards, all of one height.

    Selection, current row and the first visible row are kept by id when the model is reset.
    """

    chosen = Signal(str)
    """The current row became another, by key, mouse or program; ``""`` for none."""
    opened = Signal(str)
    """Enter or double click on a row."""
    delete_requested = Signal(object)
    """Delete was pressed: the selected ids."""
    rename_requested = Signal(str)
    """F2 was pressed on a row."""
    menu_requested = Signal(object, object)
    """A context menu is wanted: the selected ids and the global position."""
    selection_changed = Signal(int)
    """Other rows are selected now: how many."""
    retried = Signal()
    """Load again the rows that could not be loaded."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        # First, because Qt's setters already ask where rows are.
        self._groups = RowGroups()
        super().__init__(name, parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._kept: tuple[list[str], str, str, int] = ([], "", "", 0)
        self._announced = ""
        self._anchor = ""
        self._empty = ""
        self._failure: EmptyState | None = None
        self._typed = ""
        self._typed_at = QElapsedTimer()
        self.doubleClicked.connect(self._on_double_clicked)

    def set_source(self, model: CardListModel) -> None:
        """Show ``model``."""
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._on_model_about_to_be_reset)
        model.modelReset.connect(self._on_model_reset)

    def set_groups(self, groups: Sequence[tuple[str, int]]) -> None:
        """Put headings between the rows.

        Args:
            groups: The heading and the number of rows of each group, in order; none for a list without headings. They
                count only while they have as many rows as the list.
        """
        top = self.indexAt(QPoint(4, self._groups_heading() + Space.XS))
        place = self.visualRect(top).top() if top.isValid() else 0
        fresh = RowGroups(groups) if sum(count for _, count in groups) == self._count() else RowGroups()
        if fresh == self._groups:
            return
        at_start = self.verticalOffset() == 0
        self._groups = fresh
        self.updateGeometries()
        if top.isValid() and not at_start:
            self.verticalScrollBar().setValue(self._top_of(top.row()) + Space.XS - place)
        self.viewport().update()

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the row under ``point``; headings are none."""
        index = super().indexAt(point)
        if not index.isValid() or not self._groups.title_of(index.row()):
            return index
        return QModelIndex() if point.y() < self.visualRect(index).top() + self._groups_heading() else index

    def _groups_heading(self) -> int:
        return self._cards.heading if self._groups else 0

    def set_empty_text(self, text: str) -> None:
        """Say what an empty list means, ``""`` for nothing (while it loads)."""
        self._empty = text
        self.viewport().update()

    def show_failure(self, reason: str) -> bool:
        """Say why there are no rows and offer to try again.

        Rows that are there stay, and the answer is False.
        """
        if self._source().rowCount():
            return False
        if self._failure is None:
            self._failure = EmptyState("", "", "", parent=self.viewport())
            self._failure.retried.connect(self._on_retried)
        self._failure.show_failed(reason)
        self._failure.setGeometry(self.viewport().rect())
        self._failure.show()
        return True

    def clear_failure(self) -> None:
        """Take back what ``show_failure`` said: rows have come, or are asked for anew."""
        if self._failure is not None:
            self._failure.hide()

    def _on_retried(self) -> None:
        self.clear_failure()
        self.retried.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what stands in the place of rows."""
        super().resizeEvent(event)
        if self._failure is not None:
            self._failure.setGeometry(self.viewport().rect())

    def current_id(self) -> str:
        """Return the current row's id, ``""`` when there is none."""
        return str(self.currentIndex().data(Role.ID) or "")

    def selected_ids(self) -> list[str]:
        """Return the ids of all selected rows, in list order."""
        rows = [row for part in self._selected_ranges() for row in part]
        ids = self._source().ids
        return [ids[row] for row in sorted(rows) if row < len(ids)]

    @property
    def selected_count(self) -> int:
        """The number of selected rows."""
        return sum(map(len, self._selected_ranges()))

    def selected_titles(self, limit: int) -> list[str]:
        """Return titles of selected rows, at most ``limit``, in list order.

        Rows that were never loaded are left out.
        """
        source = self._source()
        ranges = sorted(self._selected_ranges(), key=lambda part: part.start)
        rows = islice(chain.from_iterable(ranges), limit)
        cards = (source.card_of(source.ids[row]) for row in rows)
        return [card.title for card in cards if card]

    def _selected_ranges(self) -> list[range]:
        chosen = self.selectionModel().selection()
        parts = (chosen.at(place) for place in range(chosen.count()))
        return [range(part.top(), part.bottom() + 1) for part in parts]

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
        """Return the id after ``ids`` in the list, or the one before.

        It is ``""`` when the list has no other rows.
        """
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

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Extend the selection from the row where it began.

        Qt loses that row when the program selected it.
        """
        first, last = self._source().row_of(self._anchor), self.currentIndex().row()
        if not command & _FLAG.Current or first < 0 or last < 0:
            super().setSelection(rect, command)
            if not command & _FLAG.Current:
                self._anchor = self.current_id()
            return
        first, last = min(first, last), max(first, last)
        model = self.model()
        self.selectionModel().select(QItemSelection(model.index(first, 0), model.index(last, 0)), command)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell how many rows are selected; a single one is where an extension begins."""
        super().selectionChanged(selected, deselected)
        ranges = self._selected_ranges()
        count = sum(map(len, ranges))
        if count == 1:
            self._anchor = self._source().ids[next(part.start for part in ranges if part)]
        self.selection_changed.emit(count)

    def _source(self) -> CardListModel:
        model = self.model()
        if not isinstance(model, CardListModel):
            raise TypeError("A CardList shows an CardListModel")
        return model

    def _top_of(self, row: int) -> int:
        return self._groups.top_of(row, self._cards.height, self._cards.heading)

    def _row_at(self, place: int) -> int:
        return self._groups.row_at(place, self._cards.height, self._cards.heading)

    def _paint_row(self, painter: QPainter, rect: QRect, index: QModelIndex, state: RowState) -> None:
        if title := self._groups.title_of(index.row()):
            heading = QRect(rect.left(), rect.top(), rect.width(), self._cards.heading)
            self._cards.paint_heading(painter, heading, title, mirrored=state.mirrored)
            rect = rect.adjusted(0, self._cards.heading, 0, 0)
        self._cards.paint(painter, rect, index.data(Role.CARD), state)

    def _paint_empty(self, painter: QPainter) -> None:
        if not self._empty or (self._failure is not None and not self._failure.isHidden()):
            return
        painter.setPen(theme.current().colour("muted"))
        painter.setFont(theme.current().font("body"))
        room = self.viewport().rect().adjusted(Space.XL, Space.XXL, -Space.XL, -Space.XL)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(room, flags, self._empty)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell all of a title that is cut."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        index = self.indexAt(event.pos())
        card, rect = index.data(Role.CARD), self.visualRect(index)
        parts = (card.title if self._cards.is_cut(rect, card) else "", card.hint) if card else ()
        words = "\n".join(part for part in parts if part)
        QToolTip.showText(event.globalPos(), escape(words).replace("\n", "<br>"), self.viewport(), rect)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter (open), Del, F2 (rename) and Esc (select one row)."""
        key, identity = event.key(), self.current_id()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and identity:
            self.opened.emit(identity)
        elif key == Qt.Key.Key_Delete and self.selected_ids():
            self.delete_requested.emit(self.selected_ids())
        elif key == Qt.Key.Key_F2 and identity:
            self.rename_requested.emit(identity)
        elif key == Qt.Key.Key_Escape and identity and self.selected_count > 1:
            self.choose(identity)
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Go to the next loaded row whose title begins with the typed text.

        Rows that were never loaded are not fetched for it.
        """
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

    def _open_menu(self, where: QPoint) -> None:
        """Ask for a menu over the selection."""
        if ids := self.selected_ids():
            self.menu_requested.emit(ids, where)

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

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(str(index.data(Role.ID) or ""))

    def _refresh_look(self) -> None:
        self._cards = CardPainter()

    def _on_model_about_to_be_reset(self) -> None:
        top = self.indexAt(QPoint(4, Space.XS))
        into = self.visualRect(top).top() if top.isValid() else 0
        self._kept = (self.selected_ids(), self.current_id(), str(top.data(Role.ID) or ""), into)

    def _on_model_reset(self) -> None:
        selected, current, top, into = self._kept
        source = self._source()
        self.updateGeometries()
        selection = QItemSelection()
        for part in _runs(sorted(row for row in map(source.row_of, selected) if row >= 0)):
            selection.select(source.index(part.start), source.index(part.stop - 1))
        self.selectionModel().select(selection, _FLAG.ClearAndSelect)
        if (row := source.row_of(current)) >= 0:
            self.selectionModel().setCurrentIndex(source.index(row), _FLAG.NoUpdate)
        else:
            self._announced = ""
        if (row := source.row_of(top)) >= 0 and self.verticalOffset() > 0:
            self.verticalScrollBar().setValue(self._top_of(row) + Space.XS - into)
        if not selection.count():
            self.selection_changed.emit(0)
        self.viewport().update()


def _runs(rows: list[int]) -> list[range]:
    """Return ascending ``rows`` as ranges without gaps."""
    runs: list[range] = []
    for row in rows:
        if runs and runs[-1].stop == row:
            runs[-1] = range(runs[-1].start, row + 1)
        else:
            runs.append(range(row, row + 1))
    return runs
