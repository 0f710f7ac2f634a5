"""The painter of result rows: hits, group headings, and "show more"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFont, QPainter

from app.retrieval.model import Hit
from ui import theme
from ui.models.dates import format_number, short_date
from ui.panes.labels import display_title, kind_icon, kind_label, role_label, source_label, speaker_label
from ui.panes.search import snippet_layout
from ui.style.design_tokens import Space
from ui.style.icons import pixmap
from ui.widgets.lists.row_view import RowState, paint_row_ground

HEADING = 34
MORE = 40
ICON = 15
GAP = 2
LEAST = 80


@dataclass(frozen=True, slots=True)
class GroupHeading:
    """Heading of a conversation or day; a day has no session id."""

    title: str
    session_id: str
    agent: str
    count: int
    icon: str = "messages-square"


@dataclass(frozen=True, slots=True)
class MoreRow:
    """The offer to fetch further results."""

    text: str


Row = Hit | GroupHeading | MoreRow


class HitPainter:
    """Measures and paints rows; replaced when the theme changes."""

    def __init__(self) -> None:
        look = theme.current()
        self.width = 0
        """Width of the rows in pixels; without it texts have no room."""
        self.by_session = False
        """Whether turns stand below the conversations they come from."""
        self._icon = look.scaled(ICON)
        self._inset = self._icon + Space.S
        self._title = int(look.points * 2.1)
        self._heading, self._more = look.scaled(HEADING), look.scaled(MORE)

    def height(self, row: Row) -> int:
        """Return how high a row is."""
        if isinstance(row, GroupHeading):
            return self._heading
        if isinstance(row, MoreRow):
            return self._more
        return self._title + GAP + snippet_layout.height(row.snippet, self._room(row)) + 2 * Space.S

    def paint(self, painter: QPainter, rect: QRect, row: Row, state: RowState) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = rect.adjusted(Space.XS + 2, 1, -Space.XS - 2, -1)
        paint_row_ground(painter, inner, state)
        if isinstance(row, GroupHeading):
            self._paint_heading(painter, inner, row, state.mirrored)
        elif isinstance(row, MoreRow):
            painter.setFont(theme.current().font("body"))
            painter.setPen(theme.current().colour("link"))
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter), row.text)
        else:
            self._paint_hit(painter, inner, row, state.mirrored)
        painter.restore()

    def _paint_heading(self, painter: QPainter, rect: QRect, row: GroupHeading, mirrored: bool) -> None:
        line = rect.adjusted(Space.M, Space.S, -Space.M, 0)
        self._paint_icon(painter, line, row.icon, mirrored)
        known = [source_label(row.agent)] if row.agent else []
        strong = theme.current().font("strong")
        _paint_line(painter, line, _Words(strong, row.title, known, format_number(row.count)), mirrored)

    def _paint_hit(self, painter: QPainter, rect: QRect, hit: Hit, mirrored: bool) -> None:
        look = theme.current()
        body = rect.adjusted(Space.M, Space.S - 1, -Space.M, -Space.S + 1)
        line = QRect(body.left(), body.top(), body.width(), self._title)
        room = self._room(hit)
        if self._stands_below(hit):
            # Below its conversation a message stands under the conversation's title.
            line = line.adjusted(0, 0, -self._inset, 0) if mirrored else line.adjusted(self._inset, 0, 0, 0)
        left = line.right() + 1 - room if mirrored else line.left()
        if self._stands_below(hit):
            words = _Words(look.font("body"), speaker(hit), [], date_word(hit))
        else:
            self._paint_icon(painter, line, kind_icon(hit.kind), mirrored)
            words = _Words(look.font("strong"), hit_title(hit), known_words(hit), date_word(hit))
        _paint_line(painter, line, words, mirrored)
        painter.setPen(look.colour("text"))
        text = snippet_layout.laid_out(hit.snippet, hit.highlights, room)
        text.draw(painter, QPointF(left, body.top() + self._title + GAP))

    def _stands_below(self, hit: Hit) -> bool:
        """Return whether a hit stands below the conversation it comes from."""
        return self.by_session and hit.target == "message"

    def _room(self, hit: Hit) -> int:
        """Return how wide a hit's text is."""
        room = max(LEAST, self.width - 2 * (Space.XS + 2) - 2 * Space.M)
        return room - self._inset if self._stands_below(hit) else room

    def _paint_icon(self, painter: QPainter, line: QRect, name: str, mirrored: bool) -> None:
        """Paint an icon where ``line`` begins, and shorten the line by it."""
        side = self._icon
        picture = pixmap(name, side, theme.current().tokens.muted, painter.device().devicePixelRatioF())
        left = line.right() - side + 1 if mirrored else line.left()
        painter.drawPixmap(left, line.center().y() - side // 2 + 1, picture)
        if mirrored:
            line.setRight(line.right() - self._inset)
        else:
            line.setLeft(line.left() + self._inset)


@dataclass(frozen=True, slots=True)
class _Words:
    """The texts in the first line of a row."""

    font: QFont
    title: str
    known: Sequence[str]
    date: str


def _paint_line(painter: QPainter, line: QRect, words: _Words, mirrored: bool) -> None:
    """Paint the title at one side, details and date at the other.

    The date is never cut.
    """
    look = theme.current()
    near, far = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
    near, far = (far, near) if mirrored else (near, far)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
    painter.setFont(look.font("small"))
    painter.setPen(look.colour("muted"))
    metrics = painter.fontMetrics()
    painter.drawText(line, int(far | flags), words.date)
    date_width = metrics.horizontalAdvance(words.date) + Space.XS
    known = metrics.elidedText(" · ".join(words.known), Qt.TextElideMode.ElideRight, line.width() // 2 - date_width)
    if known:
        known = f"· {known}" if mirrored else f"{known} ·"
        rest = line.adjusted(date_width, 0, 0, 0) if mirrored else line.adjusted(0, 0, -date_width, 0)
        # The sign between belongs rest the date, whichever way the names are written.
        before = painter.layoutDirection()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(rest, int(far | flags), known)
        painter.setLayoutDirection(before)
    width = date_width + metrics.horizontalAdvance(known) + Space.M
    painter.setFont(words.font)
    painter.setPen(look.colour("text"))
    free = line.adjusted(width if mirrored else 0, 0, 0 if mirrored else -width, 0)
    shown = painter.fontMetrics().elidedText(words.title, Qt.TextElideMode.ElideRight, free.width())
    painter.drawText(free, int(near | flags), shown)


def hit_title(hit: Hit) -> str:
    """Return the title of a hit.

    A memory without one is called by its first words, as in the list of notes.
    """
    if hit.target == "memory":
        return display_title(hit.title, hit.snippet, kind_label(hit.kind))
    return hit.title or kind_label(hit.kind)


def speaker(hit: Hit) -> str:
    """Return who said a message."""
    return speaker_label(hit.author) or ("" if hit.target == "memory" else role_label(hit.role))


def known_words(hit: Hit) -> list[str]:
    """Return who said a hit, where it comes from and its first tags, each once."""
    parts = (speaker(hit), source_label(hit.agent), *(f"#{tag}" for tag in hit.tags[:2]))
    return list(dict.fromkeys(part for part in parts if part))


def date_word(hit: Hit) -> str:
    """Return when a hit was said or written, in short."""
    return short_date(hit.created_at, datetime.now(UTC))
