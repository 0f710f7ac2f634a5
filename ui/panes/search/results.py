"""The results: rows of one or several lines with the asked words marked."""

from collections.abc import Collection, Sequence
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
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.retrieval.model import Hit, Span
from ui import theme
from ui.icons import pixmap
from ui.models.ids import Role
from ui.models.when import number, short
from ui.panes.search.query import grouped, plain_snippet
from ui.panes.words import kind_icon, kind_word, role_word, source_word
from ui.tokens import Space
from ui.widgets.rows import Index, RowList, RowModel, paint_ground

LINES = 3
GROUP = 34
MORE = 40
ICON = 15
INSET = ICON + Space.S
GAP = 2


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
            words = self.tr("{title}, 1 result") if row.count == 1 else self.tr("{title}, {count} results")
            return words.format(title=row.title, count=number(row.count))
        parts = (kind_word(row.kind), row.title, *_known(row), _date(row), row.snippet)
        return ", ".join(part for part in parts if part)


class ResultList(RowList):
    """The list of results."""

    chosen = Signal(object)
    """Another ``Hit`` is current."""
    opened = Signal(object)
    """Enter or double click on a ``Hit`` or ``Heading``."""
    more_asked = Signal()
    left = Signal()
    """Esc, or Up on the first hit: the box takes over."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setAccessibleName(self.tr("Results"))
        # First, because Qt asks what is current as soon as there is a model.
        self._by_hand = False
        self._filling = False
        self.source = ResultModel(self)
        self.setModel(self.source)
        self.setItemDelegate(_ResultDelegate(self))
        self.doubleClicked.connect(self._on_activated)
        self.clicked.connect(self._on_clicked)
        theme.current().changed.connect(self._on_theme_changed)

    def current_hit(self) -> Hit | None:
        """Return the current hit."""
        row = self._row(self.currentIndex())
        return row if isinstance(row, Hit) else None

    def show_hits(self, hits: Sequence[Hit], *, by_session: bool, more: str = "", afresh: bool = False) -> None:
        """Show other hits.

        A hit the person went to stays current and in place while it is there; where they went to the offer of more, the
        first of the further hits is current. Else the best hit is, so that Enter opens it.

        Args:
            hits: Best first.
            by_session: Whether they stand below their conversations.
            more: The offer of further ones, empty for none.
            afresh: Whether they answer another question.
        """
        if afresh:
            self.setCurrentIndex(QModelIndex())
            self._by_hand = False
        row = self._row(self.currentIndex())
        known = {one.id for one in self.source.rows if isinstance(one, Hit)}
        place = self.verticalScrollBar().value()
        self._filling = True
        self.source.show_hits(hits, by_session=by_session, more=more)
        kept = -1
        if self._by_hand and isinstance(row, Hit):
            kept = self.source.row_of(row.id)
        elif isinstance(row, More):
            kept = self._first(but=known)
        if kept < 0:
            kept, place = self._first(), 0
            self._by_hand = False
        if kept >= 0:
            self.setCurrentIndex(self.source.index(kept))
        self._filling = False
        self.verticalScrollBar().setValue(place)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell which hit is current."""
        super().currentChanged(current, previous)
        self._by_hand = self._by_hand or not self._filling
        row = self._row(current)
        if isinstance(row, Hit):
            self.chosen.emit(row)

    def _first(self, but: Collection[str] = ()) -> int:
        """Return where the first hit is whose id is not one of ``but``, -1 when there is none."""
        rows = enumerate(self.source.rows)
        return next((at for at, one in rows if isinstance(one, Hit) and one.id not in but), -1)

    @staticmethod
    def _row(index: Index) -> object:
        return index.data(Role.ROW) if index.isValid() else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, go back to the box with Esc or Up."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_activated(self.currentIndex())
            return
        is_first = self.currentIndex().row() <= self._first()
        if event.key() == Qt.Key.Key_Escape or (event.key() == Qt.Key.Key_Up and is_first):
            self.left.emit()
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
        self._by_hand = True
        if isinstance(index.data(Role.ROW), More):
            self.more_asked.emit()

    def _on_theme_changed(self) -> None:
        _layout.cache_clear()
        _height.cache_clear()
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
    layout.setFormats(_marks(text, highlights, form))
    if (cut := _break(layout, width, LINES + 1)) is not None:
        # Qt's layout leaves out what does not fit without a sign of it.
        rest = text.encode("utf-16-le")[2 * cut :].decode("utf-16-le", "ignore")
        room = QFontMetrics(layout.font()).elidedText(rest, Qt.TextElideMode.ElideRight, width - 1)
        layout.setText(text[: len(text) - len(rest)] + room)
        layout.setFormats(_marks(layout.text(), highlights, form))
        _break(layout, width, LINES)
    return layout


@lru_cache(maxsize=4096)
def _height(snippet: str, width: int, points: float) -> int:
    """Return how high a snippet is; breaking a thousand of them into lines would hold the window up."""
    text = plain_snippet(snippet, ())[0]
    metrics = QFontMetrics(theme.current().font("body"))
    # Other scripts are drawn in other fonts, which may be higher.
    if text.isascii():
        advance, blank = metrics.horizontalAdvance(text), metrics.horizontalAdvance(" ")
        if advance <= width:
            return metrics.height()
        # A blank at the end of a line takes no room.
        if advance > (LINES - 1) * (width + blank):
            return LINES * (metrics.height() + 1) - 1
    return round(_layout(snippet, (), width, points).boundingRect().height())


def _marks(text: str, highlights: Sequence[Span], form: QTextCharFormat) -> list[QTextLayout.FormatRange]:
    """Return the places of the asked words as Qt counts them."""
    units = range(len(text) + 1) if max(text, default="") <= "\uffff" else _unit_places(text)
    ranges = []
    for span in highlights:
        mark = QTextLayout.FormatRange()
        mark.start = units[min(span.start, len(text))]
        mark.length = units[min(span.end, len(text))] - mark.start
        mark.format = form
        ranges.append(mark)
    return ranges


def _break(layout: QTextLayout, width: int, most: int) -> int | None:
    """Break a text into ``most`` lines; return where the last but one begins when there are as many, as Qt counts."""
    starts: list[int] = []
    top = 0.0
    layout.beginLayout()
    while len(starts) < most and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, top))
        top += line.height() + 1
        starts.append(line.textStart())
    layout.endLayout()
    return starts[-2] if len(starts) == most else None


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
        height = _height(row.snippet, self._room(row, width), theme.current().points)
        return QSize(width, _title_height() + GAP + height + 2 * Space.S)

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
                painter.setFont(theme.current().font("body"))
                painter.setPen(theme.current().colour("link"))
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), row.text)
            else:
                self._hit(painter, rect, row, mirrored)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: Heading, mirrored: bool) -> None:
        look = theme.current()
        line = rect.adjusted(Space.M, Space.S, -Space.M, 0)
        self._icon(painter, line, "messages-square", mirrored)
        painter.setFont(look.font("strong"))
        known = [source_word(row.agent)] if row.agent else []
        self._line(painter, line, row.title, known, number(row.count), mirrored)

    def _hit(self, painter: QPainter, rect: QRect, hit: Hit, mirrored: bool) -> None:
        look = theme.current()
        body = rect.adjusted(Space.M, Space.S - 1, -Space.M, -Space.S + 1)
        line = QRect(body.left(), body.top(), body.width(), _title_height())
        below = self._stands_below(hit)
        left = body.left()
        if below:
            # Below its conversation a turn stands under the conversation's title.
            line = line.adjusted(0, 0, -INSET, 0) if mirrored else line.adjusted(INSET, 0, 0, 0)
            left = line.left()
            painter.setFont(look.font("body"))
            self._line(painter, line, _speaker(hit), [], _date(hit), mirrored)
        else:
            self._icon(painter, line, kind_icon(hit.kind), mirrored)
            painter.setFont(look.font("strong"))
            self._line(painter, line, hit.title or kind_word(hit.kind), _known(hit), _date(hit), mirrored)
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListView) else rect.width()
        painter.setPen(look.colour("text"))
        snippet = _layout(hit.snippet, hit.highlights, self._room(hit, width), look.points)
        snippet.draw(painter, QPointF(left, body.top() + _title_height() + GAP))

    def _stands_below(self, hit: Hit) -> bool:
        """Return whether a hit stands below the conversation it comes from."""
        view = self.parent()
        return isinstance(view, ResultList) and view.source.by_session and hit.target == "message"

    def _room(self, hit: Hit, width: int) -> int:
        """Return how wide a hit's text is in a list of that width."""
        return _snippet_width(width) - (INSET if self._stands_below(hit) else 0)

    @staticmethod
    def _icon(painter: QPainter, line: QRect, name: str, mirrored: bool) -> None:
        picture = pixmap(name, ICON, theme.current().tokens.muted, painter.device().devicePixelRatioF())
        left = line.right() - ICON + 1 if mirrored else line.left()
        painter.drawPixmap(left, line.center().y() - ICON // 2 + 1, picture)
        if mirrored:
            line.setRight(line.right() - INSET)
        else:
            line.setLeft(line.left() + INSET)

    @staticmethod
    def _line(painter: QPainter, line: QRect, title: str, known: Sequence[str], date: str, mirrored: bool) -> None:
        """Write a title at the reading side, what is known at the other, and the date, which is never cut, last."""
        look = theme.current()
        strong = painter.font()
        near, far = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        near, far = (far, near) if mirrored else (near, far)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        metrics = painter.fontMetrics()
        painter.drawText(line, int(far | flags), date)
        taken = metrics.horizontalAdvance(date) + Space.XS
        words = metrics.elidedText(" · ".join(known), Qt.TextElideMode.ElideRight, line.width() // 2 - taken)
        if words:
            words = f"· {words}" if mirrored else f"{words} ·"
            beside = line.adjusted(taken, 0, 0, 0) if mirrored else line.adjusted(0, 0, -taken, 0)
            # The sign between belongs beside the date, whichever way the names are written.
            before = painter.layoutDirection()
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            painter.drawText(beside, int(far | flags), words)
            painter.setLayoutDirection(before)
        width = taken + metrics.horizontalAdvance(words) + Space.M
        painter.setFont(strong)
        painter.setPen(look.colour("text"))
        free = line.adjusted(width if mirrored else 0, 0, 0 if mirrored else -width, 0)
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, free.width())
        painter.drawText(free, int(near | flags), shown)


def _speaker(hit: Hit) -> str:
    return hit.author or ("" if hit.target == "memory" else role_word(hit.role))


def _known(hit: Hit) -> list[str]:
    """Return who said a hit, where it comes from and its first tags, each once."""
    parts = (_speaker(hit), source_word(hit.agent), *(f"#{tag}" for tag in hit.tags[:2]))
    return list(dict.fromkeys(part for part in parts if part))


def _date(hit: Hit) -> str:
    return short(hit.created_at, datetime.now(UTC))


def _title_height() -> int:
    return int(theme.current().points * 2.1)


def _snippet_width(width: int) -> int:
    return max(80, width - 2 * (Space.XS + 2) - 2 * Space.M)
