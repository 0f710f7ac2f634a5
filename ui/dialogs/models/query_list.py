"""The queries of a comparison: each with what its two answers share."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import theme
from ui.dialogs.models.comparison_messages import origin_text, query_line
from ui.dialogs.models.hit_column import line_height, near_flags, title_height
from ui.models.id_list_model import Role
from ui.style.design_tokens import Space
from ui.style.icons import pixmap
from ui.widgets.lists.row_list import Index, RowList, RowModel, paint_ground
from ui.widgets.plain_text import tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.evaluation.comparison_model import QueryComparison


ICON = 14
SIGNS = {"made": "database", "judged": "star"}
"""Stand beside queries that the person does not ask now."""


class QueryModel(RowModel["QueryComparison"]):
    """Queries with both answers."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a query and its words."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Role.ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.query
        words = [part for part in (row.query, origin_text(row), query_line(row)) if part]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip("\n".join(words))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(words)
        return None


class QueryList(RowList):
    """The list of queries."""

    chosen = Signal(object)
    """Another query is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(self.tr("Queries"))
        self.setUniformItemSizes(True)
        self.source = QueryModel(self)
        self.setModel(self.source)
        self.setItemDelegate(_QueryDelegate(self))
        theme.current().changed.connect(self.scheduleDelayedItemsLayout)

    def show_rows(self, rows: "Sequence[QueryComparison]") -> None:
        """Show other queries, the first one current."""
        self.source.show_rows(rows)
        if rows:
            self.setCurrentIndex(self.source.index(0))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which query is current."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.chosen.emit(self.source.rows[current.row()])


class _QueryDelegate(QStyledItemDelegate):
    """Paints a query above what its answers share."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of every row."""
        del option, index
        return QSize(120, title_height() + line_height() + 2 * Space.S + Space.XS)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one query."""
        row: QueryComparison = index.data(Role.ROW)
        view = self.parent()
        mirrored = isinstance(view, QWidget) and view.isRightToLeft()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect.adjusted(Space.XS, 1, -Space.XS, -1)
        focused = isinstance(view, QListView) and view.hasFocus() and view.currentIndex() == index
        paint_ground(painter, rect, option, focused=focused)
        body = rect.adjusted(Space.S, Space.S, -Space.S, -Space.S)
        look = theme.current()
        first = QRect(body.left(), body.top(), body.width(), title_height())
        first = _sign(painter, first, row, mirrored=mirrored)
        second = QRect(body.left(), first.bottom() + 1, body.width(), title_height())
        for step, ink, line, text in (
            ("body", "text", first, row.query),
            ("small", "muted", second, query_line(row)),
        ):
            painter.setFont(look.font(step))
            painter.setPen(look.colour(ink))
            shown = QFontMetrics(look.font(step)).elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, near_flags(mirrored=mirrored), shown)
        painter.restore()


def _sign(painter: QPainter, line: QRect, row: "QueryComparison", *, mirrored: bool) -> QRect:
    """Draw where a query comes from at the far end of a line.

    Return the room that is left.
    """
    name = SIGNS.get(row.origin)
    if name is None:
        return line
    side = theme.current().scaled(ICON)
    picture = pixmap(name, side, theme.current().tokens.muted, painter.device().devicePixelRatioF())
    left = line.left() if mirrored else line.right() - side + 1
    painter.drawPixmap(left, line.center().y() - side // 2 + 1, picture)
    room = side + Space.XS
    return line.adjusted(room, 0, 0, 0) if mirrored else line.adjusted(0, 0, -room, 0)
