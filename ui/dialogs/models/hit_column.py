"""One side's hits: place, title, what moved, and two lines of the text."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import theme
from ui.dialogs.models.comparison_messages import Mark, Side, mark_of
from ui.models.id_list_model import Role
from ui.panes.labels import kind_label, role_label
from ui.panes.search.query_text import plain_snippet
from ui.style.design_tokens import Radius, Space
from ui.style.icons import pixmap
from ui.widgets.lists.row_list import Index, RowList, RowModel, paint_ground
from ui.widgets.plain_text import tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.evaluation.comparison_model import SideHit

LINES = 2
ICON = 15
TONES = {"plain": ("", "muted"), "moved": ("accent_soft", "accent"), "lost": ("danger_soft", "danger")}


class HitModel(RowModel["SideHit"]):
    """Hits of one side."""

    def __init__(self, side: Side, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.side = side

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a hit and its words."""
        if not index.isValid():
            return None
        hit = self.rows[index.row()]
        if role == Role.ROW:
            return hit
        if role == Qt.ItemDataRole.DisplayRole:
            return title_of(hit)
        if role == Qt.ItemDataRole.ToolTipRole:
            right = self.tr("The known answer") if hit.is_right else ""
            return tooltip("\n".join(part for part in (title_of(hit), mark_of(hit, self.side).speech, right) if part))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            right = self.tr("the known answer") if hit.is_right else ""
            parts = (str(hit.place), title_of(hit), mark_of(hit, self.side).speech, right, hit.snippet)
            return ", ".join(part for part in parts if part)
        return None


class HitColumn(RowList):
    """The list of one side's hits."""

    chosen = Signal(str)
    """Another hit is current, by its id."""
    opened = Signal(object)
    """Enter or double click on a hit."""

    def __init__(self, side: Side, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setUniformItemSizes(True)
        self.source = HitModel(side, self)
        self.setModel(self.source)
        self.setItemDelegate(_HitDelegate(self))
        self._empty = ""
        self._quiet = False
        self.doubleClicked.connect(self._on_double_clicked)
        theme.current().changed.connect(self.scheduleDelayedItemsLayout)

    def show_hits(self, hits: "Sequence[SideHit]", empty: str) -> None:
        """Show other hits, or say why there are none."""
        self._empty = empty
        self.source.show_rows(hits)
        self.scrollToTop()
        self.viewport().update()

    def choose(self, identity: str) -> None:
        """Make the hit with an id current, without a signal."""
        self._quiet = True
        row = next((at for at, hit in enumerate(self.source.rows) if hit.id == identity), -1)
        self.setCurrentIndex(self.source.index(row) if row >= 0 else QModelIndex())
        self._quiet = False

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which hit is current."""
        super().currentChanged(current, previous)
        if current.isValid() and not self._quiet:
            self.chosen.emit(self.source.rows[current.row()].id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_double_clicked(self.currentIndex())
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: object) -> None:
        """Say why there is nothing where there is nothing."""
        super().paintEvent(event)  # type: ignore[arg-type]
        if self.source.rows:
            return
        painter = QPainter(self.viewport())
        if self.hasFocus():  # without a row to be on, the keyboard is on the whole column
            painter.setPen(theme.current().colour("accent"))
            painter.drawRoundedRect(self.viewport().rect().adjusted(2, 2, -3, -3), Radius.SMALL, Radius.SMALL)
        painter.setPen(theme.current().colour("muted"))
        painter.setFont(theme.current().font("body"))
        room = self.viewport().rect().adjusted(Space.L, Space.XL, -Space.L, -Space.L)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(room, flags, self._empty)
        painter.end()

    def _on_double_clicked(self, index: Index) -> None:
        self.opened.emit(self.source.rows[index.row()])


def title_of(hit: "SideHit") -> str:
    """Return what a hit is called: its title with who said it."""
    said = role_label(hit.author) if hit.kind == "message" else ""
    return " · ".join(part for part in (hit.title or kind_label(hit.kind), said) if part)


class _HitDelegate(QStyledItemDelegate):
    """Paints a hit."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of every row."""
        del option, index
        return QSize(160, title_height() + LINES * line_height() + 2 * Space.S + Space.XS)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one hit."""
        hit: SideHit = index.data(Role.ROW)
        view = self.parent()
        side: Side = view.source.side if isinstance(view, HitColumn) else "now"
        mirrored = isinstance(view, QWidget) and view.isRightToLeft()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect.adjusted(Space.XS, 1, -Space.XS, -1)
        focused = isinstance(view, QListView) and view.hasFocus() and view.currentIndex() == index
        paint_ground(painter, rect, option, focused=focused)
        body = rect.adjusted(Space.S, Space.S, -Space.S, -Space.S)
        gutter = QFontMetrics(theme.current().font("small")).horizontalAdvance("00") + Space.S
        number = QRect(body.left(), body.top(), gutter, title_height())
        words = body.adjusted(gutter, 0, 0, 0)
        if mirrored:
            number.moveRight(body.right())
            words = body.adjusted(0, 0, -gutter, 0)
        painter.setFont(theme.current().font("small"))
        painter.setPen(theme.current().colour("muted"))
        painter.drawText(number, near_flags(mirrored=mirrored), str(hit.place))
        line = QRect(words.left(), words.top(), words.width(), title_height())
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        line = _chip(painter, line, mark_of(hit, side), chosen=chosen, mirrored=mirrored)
        self._title(painter, line, hit, mirrored)
        self._snippet(painter, QRect(words.topLeft(), words.size()).adjusted(0, title_height() + 2, 0, 0), hit.snippet)
        painter.restore()

    @staticmethod
    def _title(painter: QPainter, line: QRect, hit: "SideHit", mirrored: bool) -> None:
        if hit.is_right:
            side = theme.current().scaled(ICON)
            picture = pixmap("circle-check", side, theme.current().tokens.success, painter.device().devicePixelRatioF())
            left = line.right() - side + 1 if mirrored else line.left()
            painter.drawPixmap(left, line.center().y() - side // 2, picture)
            room = side + Space.XS
            line = line.adjusted(0, 0, -room, 0) if mirrored else line.adjusted(room, 0, 0, 0)
        painter.setFont(theme.current().font("strong"))
        painter.setPen(theme.current().colour("text"))
        words = painter.fontMetrics().elidedText(title_of(hit), Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, near_flags(mirrored=mirrored), words)

    @staticmethod
    def _snippet(painter: QPainter, room: QRect, snippet: str) -> None:
        text = " ".join(plain_snippet(snippet, ())[0].split())
        layout = QTextLayout(text, theme.current().font("small"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        painter.setFont(theme.current().font("small"))
        painter.setPen(theme.current().colour("muted"))
        for number in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(room.width())
            top = room.top() + number * line_height()
            if number == LINES - 1:
                rest = text.encode("utf-16-le")[2 * line.textStart() :].decode("utf-16-le", "ignore")
                shown = painter.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, room.width())
                painter.drawText(QRect(room.left(), top, room.width(), line_height()), Qt.AlignmentFlag.AlignTop, shown)
            else:
                line.draw(painter, QPointF(room.left(), top))
        layout.endLayout()


def _chip(painter: QPainter, line: QRect, mark: Mark, *, chosen: bool, mirrored: bool) -> QRect:
    """Paint what moved at the far end of a line.

    Return the room that is left.
    """
    look = theme.current()
    ground, ink = TONES[mark.tone]
    painter.setFont(look.font("small"))
    width = painter.fontMetrics().horizontalAdvance(mark.text) + 2 * Space.S
    height = painter.fontMetrics().height() + 2
    left = line.left() if mirrored else line.right() - width + 1
    chip = QRectF(left, line.center().y() - height / 2 + 0.5, width, height)
    if ground:
        painter.setPen(Qt.PenStyle.NoPen)
        # On the ground of a chosen row a chip of nearly the same colour would not show.
        painter.setBrush(look.colour("surface" if chosen else ground))
        painter.drawRoundedRect(chip, height / 2, height / 2)
    painter.setPen(look.colour(ink))
    painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), mark.text)
    room = width + Space.S
    return line.adjusted(room, 0, 0, 0) if mirrored else line.adjusted(0, 0, -room, 0)


def near_flags(*, mirrored: bool) -> int:
    """Return the alignment of words at the reading side, vertically centred."""
    near = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
    return int(near | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute)


def title_height() -> int:
    """Return the height of a row's first line."""
    return QFontMetrics(theme.current().font("strong")).height() + 2


def line_height() -> int:
    """Return the height of its further lines."""
    return QFontMetrics(theme.current().font("small")).height() + 1
