"""The palette's list: a model of entries, and how one is painted."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ui import theme
from ui.dialogs.palette.palette_entries import Entry
from ui.style.design_tokens import Radius, Space
from ui.style.icons import icon

ENTRY = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


class EntryModel(QAbstractListModel):
    """Entries in the order they are shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def set_entries(self, entries: list[Entry]) -> None:
        """Show ``entries`` instead."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        """Return the entry of a row."""
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        """Return how many there are."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the words of a row, or the entry itself."""
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.title, entry.detail, entry.keys) if part)
        return entry if role == ENTRY else None


ICON = 16
"""Pixels of an icon beside text of the system's size."""


class EntryDelegate(QStyledItemDelegate):
    """Paints icon, title with the matched letters, and on the right its origin and shortcut."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the height of a row."""
        return QSize(200, QFontMetrics(theme.current().font()).height() + Space.M + 6)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one entry."""
        entry = index.data(ENTRY)
        rect: QRect = option.rect.adjusted(Space.S, 1, -Space.S, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            path = QPainterPath()
            path.addRoundedRect(rect, Radius.SMALL, Radius.SMALL)
            painter.fillPath(path, theme.current().colour("selected"))
        inner = rect.adjusted(Space.M, 0, -Space.M, 0)
        side = theme.current().scaled(ICON)
        box = QRect(inner.left(), inner.center().y() - side // 2 + 1, side, side)
        icon(entry.icon or "chevron-right", "accent" if chosen else "muted").paint(painter, box)
        right = self._paint_right(painter, inner, entry)
        self._paint_title(painter, QRect(inner.left() + side + Space.M, inner.top(), 0, inner.height()), right, entry)
        painter.restore()

    def _paint_right(self, painter: QPainter, inner: QRect, entry: Entry) -> int:
        """Paint origin and shortcut; return where they begin."""
        font = theme.current().font("small")
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme.current().colour("muted"))
        right = inner.right()
        for text in (entry.keys, entry.detail):
            if text:
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width() // 3)
                width = metrics.horizontalAdvance(shown)
                area = QRect(right - width, inner.top(), width + 1, inner.height())
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, shown)
                right -= width + Space.L
        return right

    def _paint_title(self, painter: QPainter, start: QRect, right: int, entry: Entry) -> None:
        body, strong = theme.current().font("body"), theme.current().font("strong")
        metrics = QFontMetrics(strong)
        title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, max(20, right - start.left()))
        left = start.left()
        marked = set(entry.positions)
        at = 0
        while at < len(title):
            end = at
            while end < len(title) and (end in marked) == (at in marked):
                end += 1
            run = title[at:end]
            left = _draw(painter, run, left, start, strong if at in marked else body)
            at = end


def _draw(painter: QPainter, text: str, left: int, line: QRect, font: QFont) -> int:
    width = QFontMetrics(font).horizontalAdvance(text)
    painter.setFont(font)
    painter.setPen(QColor(theme.current().tokens.text))
    painter.drawText(QRect(left, line.top(), width + 2, line.height()), Qt.AlignmentFlag.AlignVCenter, text)
    return left + width
