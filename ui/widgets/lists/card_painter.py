"""The painter of cards: icon, title and date, second line and badges."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from ui import theme
from ui.models.cards import Badge, Card
from ui.style.design_tokens import Radius, Space
from ui.style.icons import pixmap
from ui.widgets.lists.row_view import RowState, paint_row_ground

ICON = 15
DOT = 7
BADGE_PAD = 7
_TONES = {"quiet": "muted", "accent": "accent", "good": "success", "warn": "warning", "bad": "danger"}


@dataclass(frozen=True, slots=True)
class _Fonts:
    """Fonts of a row and their measures."""

    title: QFont
    small: QFont

    @property
    def small_strong(self) -> QFont:
        font = QFont(self.small)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    @property
    def title_height(self) -> int:
        return QFontMetrics(self.title).height()

    @property
    def small_height(self) -> int:
        return QFontMetrics(self.small).height()


@lru_cache(maxsize=8192)
def _elided(text: str, width: int, points: float, strong: bool) -> str:
    metrics = QFontMetrics(theme.current().font("strong" if strong else "small"))
    del points  # part of the key: another size elides elsewhere
    return metrics.elidedText(text[:600], Qt.TextElideMode.ElideRight, max(0, width))


@lru_cache(maxsize=2048)
def _width(text: str, points: float) -> int:
    del points
    return QFontMetrics(theme.current().font("small")).horizontalAdvance(text)


class CardPainter:
    """Paints cards; replaced when the theme changes."""

    def __init__(self) -> None:
        look = theme.current()
        self._points = look.points
        self._fonts = _Fonts(look.font("strong"), look.font("small"))
        self._icon = look.scaled(ICON)
        self.heading = self._fonts.small_height + Space.M + Space.XS
        self.height = self._fonts.title_height + self._fonts.small_height + 2 * Space.S + 8

    def paint(self, painter: QPainter, rect: QRect, card: Card | None, state: RowState) -> None:
        """Paint ``card`` into ``rect``; bars instead of words while it is not there yet."""
        inner = rect.adjusted(Space.XS + 2, 1, -Space.XS - 2, -1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_ground(painter, inner, state)
        body = self._body(rect)
        if card is None:
            self._bars(painter, body, state)
            return
        upper = QRect(body.left(), body.top(), body.width(), self._fonts.title_height)
        lower = QRect(body.left(), upper.bottom() + 4, body.width(), self._fonts.small_height + 3)
        if card.faded:
            painter.setOpacity(0.62)
        self._upper(_Line(painter, upper, self._fonts.small, state.mirrored), card, state)
        self._lower(_Line(painter, lower, self._fonts.small, state.mirrored), card)
        painter.setOpacity(1.0)

    def paint_heading(self, painter: QPainter, rect: QRect, title: str, *, mirrored: bool) -> None:
        """Paint the heading of a group of rows into ``rect``."""
        line = rect.adjusted(Space.XS + 2 + Space.M, Space.S, -Space.XS - 2 - Space.M, 0)
        metrics = QFontMetrics(self._fonts.small_strong)
        words = metrics.elidedText(title, Qt.TextElideMode.ElideRight, max(0, line.width()))
        _Line(painter, line, self._fonts.small, mirrored).text(
            0, line.width(), words, theme.current().colour("muted"), self._fonts.small_strong
        )

    def is_cut(self, rect: QRect, card: Card) -> bool:
        """Return whether a title does not fit into a row of the place ``rect``."""
        room = self._body(rect).width()
        if card.icon:
            room -= self._icon + Space.S
        if card.marked:
            room -= DOT + 6
        if card.date:
            room -= _width(card.date, self._points) + Space.S
        return _elided(card.title, room, self._points, True) != card.title

    @staticmethod
    def _body(rect: QRect) -> QRect:
        return rect.adjusted(Space.XS + 2 + Space.M, Space.S, -Space.XS - 2 - Space.M, -Space.S)

    def _upper(self, line: "_Line", card: Card, state: RowState) -> None:
        look = theme.current()
        left, right = 0, line.width
        if card.icon:
            line.icon(left, card.icon, look.tokens.accent if state.selected else look.tokens.muted)
            left += self._icon + Space.S
        if card.marked:
            line.dot(left)
            left += DOT + 6
        if card.date:
            width = _width(card.date, self._points)
            right -= width + Space.S
            line.text(right + Space.S, width + 2, card.date, look.colour("muted"))
        title = _elided(card.title, right - left, self._points, True)
        line.text(left, right - left, title, look.colour("text"), self._fonts.title)

    def _lower(self, line: "_Line", card: Card) -> None:
        right = line.width
        for badge in card.badges:
            width = _badge_width(badge, self._points)
            if right - width < line.width * 3 // 5:
                break
            right -= width
            line.badge(right, width, badge)
            right -= Space.XS
        words = _elided(card.text, right - Space.XS, self._points, False)
        line.text(0, right - Space.XS, words, theme.current().colour("muted"))

    def _bars(self, painter: QPainter, body: QRect, state: RowState) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().colour("hover"))
        for top, share in ((4, 0.55), (self._fonts.title_height + 8, 0.8)):
            box = QRect(body.left(), body.top() + top, int(body.width() * share), 8)
            if state.mirrored:
                box.moveRight(body.right())
            painter.drawRoundedRect(box, 4, 4)


def _badge_width(badge: Badge, points: float) -> int:
    icon = theme.current().scaled(ICON) - (BADGE_PAD - 3 if not badge.text else 0) if badge.icon else 0
    return _width(badge.text, points) + 2 * BADGE_PAD + icon


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a row, mirrored for right-to-left text.

    Positions are counted from where reading begins.
    """

    painter: QPainter
    rect: QRect
    small: QFont
    mirrored: bool

    @property
    def width(self) -> int:
        return self.rect.width()

    def box(self, left: int, width: int, height: int) -> QRect:
        """Return a box of this size, centred on the line."""
        box = QRect(self.rect.left() + left, self.rect.center().y() - (height - 1) // 2, width, height)
        if self.mirrored:
            box.moveLeft(self.rect.left() + self.rect.right() - box.right())
        return box

    def text(self, left: int, width: int, text: str, ink: QColor, font: QFont | None = None) -> None:
        self.painter.setFont(font or self.small)
        self.painter.setPen(ink)
        side = Qt.AlignmentFlag.AlignRight if self.mirrored else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        box = self.box(left, width, self.rect.height())
        self.painter.drawText(box, int(flags) | int(Qt.TextFlag.TextSingleLine), text)

    def icon(self, left: int, name: str, colour: str, size: int = ICON) -> None:
        """Draw an icon; its ``size`` is that beside text of the system's size."""
        size = theme.current().scaled(size)
        picture = pixmap(name, size, colour, self.painter.device().devicePixelRatioF())
        self.painter.drawPixmap(self.box(left, size, size).topLeft(), picture)

    def dot(self, left: int) -> None:
        """Draw the dot of something that waits."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(theme.current().colour("accent"))
        self.painter.drawEllipse(self.box(left, DOT, DOT))

    def badge(self, left: int, width: int, badge: Badge) -> None:
        """Draw a small label."""
        ink = theme.current().colour(_TONES[badge.tone])
        ground = QColor(ink)
        ground.setAlphaF(0.13)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(ground)
        self.painter.drawRoundedRect(self.box(left, width, self.rect.height()), Radius.SMALL, Radius.SMALL)
        at = left + BADGE_PAD
        if badge.icon:
            self.icon(at - 3, badge.icon, ink.name(), ICON - 2)
            at += theme.current().scaled(ICON)
        self.text(at, width, badge.text, ink)
