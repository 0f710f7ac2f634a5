"""The results: rows of one or several lines with the asked words marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.retrieval.model import Hit, Span
from ui import theme
from ui.icons import pixmap
from ui.models.ids import Role
from ui.models.when import number, short
from ui.panes.search.query import grouped, plain_snippet
from ui.panes.words import kind_icon, kind_word, role_word
from ui.tokens import Space
from ui.widgets.rows import Index, RowList, RowModel, paint_ground

LINES = 3
GROUP = 34
MORE = 40
ICON = 15


@dataclass(frozen=True, slots=True)
class Heading:
    """The conversation the rows below come from."""

    title: str
    session_id: str
    agent: str
    count: int


@dataclass(frozen=True, slots=True)
class More:
    """The offer to fetch further results."""

    text: str


Row = Hit | Heading | More


class ResultModel(RowModel["Row"]):
    """Hits, flat or below the conversations they come from."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.by_session = False

    def show_hits(self, hits: Sequence[Hit], *, by_session: bool, more: str) -> None:
        """Show other hits."""
        rows: list[Row] = []
        if by_session:
            for session, members in grouped(hits):
                if session:
                    first = members[0]
                    rows.append(Heading(first.title or self.tr("Untitled"), session, first.agent, len(members)))
                rows += members
        else:
            rows += hits
        if more:
            rows.append(More(more))
        self.by_session = by_session
        self.show_rows(rows)

    def row_of(self, identity: str) -> int:
        """Return where a hit stands, -1 when it does not."""
        return next((place for place, row in enumerate(self.rows) if isinstance(row, Hit) and row.id == identity), -1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let headings be passed over."""
        if index.isValid() and isinstance(self.rows[index.row()], Heading):
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
            return row.text if isinstance(row, More) else row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._speech(row)
        return None

    def _speech(self, row: Row) -> str:
        if isinstance(row, More):
            return row.text
        if isinstance(row, Heading):
            return self.tr("{title}, {count} results").format(title=row.title, count=row.count)
        when = short(row.created_at, datetime.now(UTC))
        return ", ".join(part for part in (kind_word(row.kind), row.title, row.agent, when, row.snippet) if part)


class ResultList(RowList):
    """The list of results."""

    chosen = Signal(object)
    """Another ``Hit`` is current."""
    opened = Signal(object)
    """Enter or double click on a ``Hit`` or ``Heading``."""
    more_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(self.tr("Results"))
        self.source = ResultModel(self)
        self.setModel(self.source)
        self.setItemDelegate(_ResultDelegate(self))
        self._wanted = ""
        self.doubleClicked.connect(self._on_activated)
        self.clicked.connect(self._on_clicked)
        theme.current().changed.connect(self._on_theme_changed)

    def current_hit(self) -> Hit | None:
        """Return the current hit."""
        row = self.currentIndex().data(Role.ROW) if self.currentIndex().isValid() else None
        return row if isinstance(row, Hit) else None

    def show_hits(self, hits: Sequence[Hit], *, by_session: bool, more: str = "") -> None:
        """Show other hits; the current one stays current and in place when it is still there."""
        current = self.current_hit()
        place = self.verticalScrollBar().value()
        self.source.show_hits(hits, by_session=by_session, more=more)
        row = self.source.row_of(current.id) if current else -1
        if row < 0:
            row = next((at for at, one in enumerate(self.source.rows) if isinstance(one, Hit)), -1)
            place = 0
        if row >= 0:
            self.setCurrentIndex(self.source.index(row))
        self.verticalScrollBar().setValue(place)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which hit is current."""
        super().currentChanged(current, previous)
        row = current.data(Role.ROW) if current.isValid() else None
        if isinstance(row, Hit):
            self.chosen.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_activated(self.currentIndex())
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break lines anew for another width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.scheduleDelayedItemsLayout()

    def _on_activated(self, index: QModelIndex) -> None:
        row = index.data(Role.ROW)
        if isinstance(row, More):
            self.more_asked.emit()
        elif row is not None:
            self.opened.emit(row)

    def _on_clicked(self, index: QModelIndex) -> None:
        if isinstance(index.data(Role.ROW), More):
            self.more_asked.emit()

    def _on_theme_changed(self) -> None:
        _layout.cache_clear()
        self.scheduleDelayedItemsLayout()


@lru_cache(maxsize=512)
def _layout(snippet: str, highlights: tuple[Span, ...], width: int, points: float) -> QTextLayout:
    """Return a snippet broken into lines with the asked words marked."""
    del points  # part of the key: other sizes break elsewhere
    look = theme.current()
    text, highlights = plain_snippet(snippet, highlights)
    layout = QTextLayout(text, look.font("body"))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    form = QTextCharFormat()
    form.setBackground(look.colour("mark"))
    form.setForeground(look.colour("on_mark"))
    units = _unit_places(text)
    ranges = []
    for span in highlights:
        mark = QTextLayout.FormatRange()
        mark.start = units[min(span.start, len(text))]
        mark.length = units[min(span.end, len(text))] - mark.start
        mark.format = form
        ranges.append(mark)
    layout.setFormats(ranges)
    layout.beginLayout()
    top = 0.0
    for _ in range(LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, top))
        top += line.height() + 1
    layout.endLayout()
    return layout


def _unit_places(text: str) -> list[int]:
    """Return where each code point begins in UTF-16, in which Qt counts."""
    places, at = [], 0
    for sign in text:
        places.append(at)
        at += 2 if ord(sign) > 0xFFFF else 1  # noqa: PLR2004  (beyond it UTF-16 takes two units)
    places.append(at)
    return places


class _ResultDelegate(QStyledItemDelegate):
    """Paints hits, headings and the offer of more."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height a row needs at the list's width."""
        del option
        row = index.data(Role.ROW)
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListView) else 400
        if isinstance(row, Heading):
            return QSize(width, GROUP)
        if isinstance(row, More):
            return QSize(width, MORE)
        snippet = _layout(row.snippet, row.highlights, _snippet_width(width), theme.current().points)
        return QSize(width, _title_height() + round(snippet.boundingRect().height()) + 2 * Space.M + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = index.data(Role.ROW)
        view = self.parent()
        mirrored = isinstance(view, QWidget) and view.isRightToLeft()
        rect = option.rect.adjusted(Space.XS + 2, 1, -Space.XS - 2, -1)
        if isinstance(row, Heading):
            self._heading(painter, rect, row, mirrored)
        else:
            focused = isinstance(view, QListView) and view.hasFocus() and view.currentIndex() == index
            paint_ground(painter, rect, option, focused=focused)
            if isinstance(row, More):
                painter.setPen(theme.current().colour("link"))
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), row.text)
            else:
                self._hit(painter, rect, row, mirrored)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: Heading, mirrored: bool) -> None:
        look = theme.current()
        line = rect.adjusted(Space.M, Space.S, -Space.M, 0)
        self._icon(painter, line, "message-square", mirrored)
        painter.setFont(look.font("strong"))
        known = " · ".join(part for part in (row.agent, number(row.count)) if part)
        self._line(painter, line, row.title, known, mirrored)

    def _hit(self, painter: QPainter, rect: QRect, hit: Hit, mirrored: bool) -> None:
        look = theme.current()
        body = rect.adjusted(Space.M, Space.S, -Space.M, -Space.S)
        line = QRect(body.left(), body.top(), body.width(), _title_height())
        self._icon(painter, line, kind_icon(hit.kind), mirrored)
        painter.setFont(look.font("strong"))
        speaker = hit.author or ("" if hit.target == "memory" else role_word(hit.role))
        view = self.parent()
        below = isinstance(view, ResultList) and view.source.by_session and hit.target == "message"
        title = speaker if below else hit.title or kind_word(hit.kind)
        known = [] if below else [speaker, hit.agent]
        known += [*(f"#{tag}" for tag in hit.tags[:2]), short(hit.created_at, datetime.now(UTC))]
        self._line(painter, line, title, " · ".join(part for part in known if part), mirrored)
        width = view.viewport().width() if isinstance(view, QListView) else rect.width()
        layout = _layout(hit.snippet, hit.highlights, _snippet_width(width), look.points)
        painter.setPen(look.colour("text"))
        layout.draw(painter, QPointF(body.left(), line.bottom() + 3))

    @staticmethod
    def _icon(painter: QPainter, line: QRect, name: str, mirrored: bool) -> None:
        picture = pixmap(name, ICON, theme.current().tokens.muted, painter.device().devicePixelRatioF())
        left = line.right() - ICON + 1 if mirrored else line.left()
        painter.drawPixmap(left, line.center().y() - ICON // 2 + 1, picture)
        if mirrored:
            line.setRight(line.right() - ICON - Space.S)
        else:
            line.setLeft(line.left() + ICON + Space.S)

    @staticmethod
    def _line(painter: QPainter, line: QRect, title: str, known: str, mirrored: bool) -> None:
        """Write a title at the reading side and what is known at the other."""
        look = theme.current()
        strong = painter.font()
        near, far = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        near, far = (far, near) if mirrored else (near, far)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        known = painter.fontMetrics().elidedText(known, Qt.TextElideMode.ElideRight, line.width() // 2)
        width = painter.fontMetrics().horizontalAdvance(known) + Space.M
        painter.drawText(line, int(far | flags), known)
        painter.setFont(strong)
        painter.setPen(look.colour("text"))
        room = line.adjusted(width if mirrored else 0, 0, 0 if mirrored else -width, 0)
        words = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(near | flags), words)


def _title_height() -> int:
    return int(theme.current().points * 2.1)


def _snippet_width(width: int) -> int:
    return max(80, width - 2 * (Space.XS + 2) - 2 * Space.M)
