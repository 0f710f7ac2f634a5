"""The results: rows of one or several lines with the asked words marked."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import accumulate

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.retrieval.model import Hit
from ui.models.card_list_model import Role
from ui.models.dates import day_heading, format_number
from ui.panes.labels import kind_label
from ui.panes.search import snippet_layout
from ui.panes.search.hit_painter import GroupHeading, HitPainter, MoreRow, Row, date_word, known_words
from ui.panes.search.query_text import group_by_day, group_by_session, without_signs
from ui.panes.search.result_options import Grouping
from ui.widgets.lists.row_list import RowModel
from ui.widgets.lists.row_view import Index, RowState, RowView

OUTDATED = 0.4
"""Opacity of hits that answer an earlier query."""

__all__ = ["GroupHeading", "MoreRow", "ResultList", "ResultModel", "Row"]


class ResultModel(RowModel["Row"]):
    """Hits, flat or below the conversations or days they come from."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.by_session = False

    def show_hits(self, hits: Sequence[Hit], *, grouping: Grouping, more: str) -> None:
        """Show other hits; those that are only near in meaning stand last, below a heading."""
        rows: list[Row] = []
        near = [hit for hit in hits if hit.part == "meaning"]
        literal = [hit for hit in hits if hit.part != "meaning"]
        if grouping == "session":
            for session, members in group_by_session(literal):
                if session:
                    first = members[0]
                    rows.append(GroupHeading(first.title or self.tr("Untitled"), session, first.agent, len(members)))
                rows += members
        elif grouping == "day":
            today = datetime.now().astimezone().date()
            for day, members in group_by_day(literal):
                rows.append(GroupHeading(day_heading(day, today), "", "", len(members), "calendar-clock"))
                rows += members
        else:
            rows += literal
        if near:
            rows.append(GroupHeading(self.tr("Near in meaning"), "", "", len(near), "sparkles"))
        rows += near
        if more:
            rows.append(MoreRow(more))
        self.by_session = grouping == "session"
        self.show_rows(rows)

    def row_of(self, identity: str) -> int:
        """Return where a hit stands, -1 when it does not."""
        return next((place for place, row in enumerate(self.rows) if isinstance(row, Hit) and row.id == identity), -1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let headings be passed over."""
        if index.isValid() and isinstance(self.rows[index.row()], GroupHeading):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row and its words."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Role.ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text if isinstance(row, MoreRow) else row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._speech(row)
        return None

    def _speech(self, row: Row) -> str:
        if isinstance(row, MoreRow):
            return row.text
        if isinstance(row, GroupHeading):
            words = self.tr("{title}, 1 result") if row.count == 1 else self.tr("{title}, {count} results")
            return words.format(title=row.title, count=format_number(row.count))
        parts = (kind_label(row.kind), row.title, *known_words(row), date_word(row), without_signs(row.snippet))
        return ", ".join(part for part in parts if part)


class ResultList(RowView):
    """The list of results."""

    chosen = Signal(object)
    """Another ``Hit`` is current."""
    opened = Signal(object)
    """Enter or double click on a ``Hit`` or ``Heading``."""
    more_requested = Signal()
    mark_requested = Signal(int)
    """N or Shift+N: go to the next marked word of the text shown, -1 for the one before."""
    left = Signal()
    """Esc, or Up on the first hit: the box takes over."""
    menu_requested = Signal(object, object)
    """A context menu is wanted: the ``Hit`` or ``Heading`` and the global position."""
    _tops: list[int] | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(self.tr("Results"))
        # First, because Qt asks what is current as soon as there is a model.
        self._by_hand = False
        self._filling = False
        self._is_outdated = False
        self.source = ResultModel(self)
        self.source.modelReset.connect(self._on_source_reset)
        self.setModel(self.source)
        self.doubleClicked.connect(self._on_activated)
        self.clicked.connect(self._on_clicked)

    @property
    def is_outdated(self) -> bool:
        """True while the hits answer another question than the one asked now."""
        return self._is_outdated

    def set_outdated(self, outdated: bool) -> None:
        """Dim the hits while they answer another question, or show them plainly again."""
        if outdated != self._is_outdated:
            self._is_outdated = outdated
            self.viewport().update()

    def current_hit(self) -> Hit | None:
        """Return the current hit."""
        row = self._row(self.currentIndex())
        return row if isinstance(row, Hit) else None

    def show_hits(
        self,
        hits: Sequence[Hit],
        grouping: Grouping,
        more: str = "",
        *,
        afresh: bool = False,
    ) -> None:
        """Show other hits.

        A hit the person went to stays current and in place while it is there; where they went to the offer of more, the
        first of the further hits is current. Else the best hit is, so that Enter opens it.

        Args:
            hits: Best first.
            grouping: Whether they stand below their conversations or days, or by themselves.
            more: The offer of further ones, empty for none.
            afresh: Whether they answer another question.
        """
        self.set_outdated(False)
        if afresh:
            self.setCurrentIndex(QModelIndex())
            self._by_hand = False
        row = self._row(self.currentIndex())
        known = {row.id for row in self.source.rows if isinstance(row, Hit)}
        place = self.verticalScrollBar().value()
        self._filling = True
        self.source.show_hits(hits, grouping=grouping, more=more)
        kept_row = -1
        if self._by_hand and isinstance(row, Hit):
            kept_row = self.source.row_of(row.id)
        elif isinstance(row, MoreRow):
            kept_row = self._first(but=known)
        if kept_row < 0:
            kept_row, place = self._first(), 0
            self._by_hand = False
        if kept_row >= 0:
            self.setCurrentIndex(self.source.index(kept_row))
        self._filling = False
        self.verticalScrollBar().setValue(place)

    def pass_over(self, gone: Collection[str]) -> None:
        """Move on from hits that are about to be removed.

        The next hit that stays becomes current, or the one before.

        Args:
            gone: Ids of hits, or of conversations with all their hits.
        """
        rows, at = self.source.rows, self.currentIndex().row()
        if at < 0 or not _is_of(rows[at], gone):
            return
        order = (*range(at + 1, len(rows)), *range(at - 1, -1, -1))
        row = next((number for number in order if isinstance(rows[number], Hit) and not _is_of(rows[number], gone)), -1)
        if row >= 0:
            self.setCurrentIndex(self.source.index(row))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which hit is current."""
        super().currentChanged(current, previous)
        self._by_hand = self._by_hand or not self._filling
        row = self._row(current)
        if isinstance(row, Hit):
            self.chosen.emit(row)

    def _first(self, but: Collection[str] = ()) -> int:
        """Return the row of the first hit not in ``but``, -1 for none."""
        rows = enumerate(self.source.rows)
        return next((at for at, row in rows if isinstance(row, Hit) and row.id not in but), -1)

    @staticmethod
    def _row(index: Index) -> object:
        return index.data(Role.ROW) if index.isValid() else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, go back to the box with Esc or Up."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_activated(self.currentIndex())
            return
        if event.key() == Qt.Key.Key_N and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.ShiftModifier,
        ):
            self.mark_requested.emit(-1 if event.modifiers() else 1)
            return
        is_first = self.currentIndex().row() <= self._first()
        if event.key() == Qt.Key.Key_Escape or (event.key() == Qt.Key.Key_Up and is_first):
            self.left.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break lines anew for another width."""
        if self._painter.width != self._width():
            self._tops = None
        super().resizeEvent(event)

    # --- where rows are, and how they are painted ---

    def _width(self) -> int:
        """Return the width of rows without the scroll bar.

        It is subtracted also while there is none, so that texts keep their lines when it appears.
        """
        return self.contentsRect().width() - self.verticalScrollBar().sizeHint().width()

    def _places(self) -> list[int]:
        """Return where each row begins, and last where the list ends."""
        if self._tops is None:
            model = self.model()
            rows = model.rows if isinstance(model, ResultModel) else ()
            self._painter.width = self._width()
            self._painter.by_session = isinstance(model, ResultModel) and model.by_session
            self._tops = list(accumulate(map(self._painter.height, rows), initial=0))
        return self._tops

    def _top_of(self, row: int) -> int:
        return self._places()[row]

    def _row_at(self, place: int) -> int:
        return bisect_right(self._places(), place) - 1

    def _paint_row(self, painter: QPainter, rect: QRect, index: QModelIndex, state: RowState) -> None:
        painter.setOpacity(OUTDATED if self._is_outdated else 1)
        self._painter.paint(painter, rect, self.source.rows[index.row()], state)
        painter.setOpacity(1)

    def _refresh_look(self) -> None:
        snippet_layout.forget()
        self._painter = HitPainter()
        self._tops = None

    def _on_source_reset(self) -> None:
        self._tops = None
        self.updateGeometries()

    def _open_menu(self, where: QPoint) -> None:
        row = self._row(self.currentIndex())
        if isinstance(row, Hit) or (isinstance(row, GroupHeading) and row.session_id):
            self.menu_requested.emit(row, where)

    def _on_activated(self, index: QModelIndex) -> None:
        row = index.data(Role.ROW)
        if isinstance(row, MoreRow):
            self.more_requested.emit()
        elif not isinstance(row, GroupHeading) or row.session_id:
            self.opened.emit(row)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._by_hand = True
        if isinstance(index.data(Role.ROW), MoreRow):
            self.more_requested.emit()


def _is_of(row: Row, ids: Collection[str]) -> bool:
    """Return whether a row or its conversation is one of ``ids``."""
    if isinstance(row, MoreRow):
        return False
    return row.session_id in ids or (isinstance(row, Hit) and row.id in ids)
