"""Timeline strip: all matches of a search by month, as bars to choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QDate, QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.clock import to_datetime
from app.retrieval.model import MonthCount, Query
from ui import theme
from ui.models.dates import date_words, format_number, local
from ui.style.design_tokens import Space

BARS = 30
"""Height of the bars."""
MOST_MONTHS = 120
"""With more months than these, a bar stands for a year."""
WIDEST = 88
"""Greatest distance of two bars."""
WIDEST_BAR = 40


@dataclass(frozen=True, slots=True)
class Period:
    """A month or year of the strip.

    Args:
        name: As a search names it, such as ``2026-03`` or ``2026``.
        count: Number of matching texts.
    """

    name: str
    count: int

    @property
    def first_day(self) -> QDate:
        """Its first day."""
        year, _, month = self.name.partition("-")
        return QDate(int(year), int(month or 1), 1)

    @property
    def title(self) -> str:
        """Its name as a person writes it."""
        return date_words(self.first_day, "MMMM yyyy" if "-" in self.name else "yyyy")


def periods_of(months: Sequence[MonthCount]) -> list[Period]:
    """Return months without gaps, oldest first; years where there are very many months."""
    if not months:
        return []
    counts = {month.month: month.count for month in months}
    first, last = Period(min(counts), 0).first_day, Period(max(counts), 0).first_day
    length = (last.year() - first.year()) * 12 + last.month() - first.month() + 1
    if length > MOST_MONTHS:
        years = {year: sum(month.count for month in some) for year, some in groupby(months, key=_year)}
        return [Period(f"{year:04}", years.get(year, 0)) for year in range(first.year(), last.year() + 1)]
    names = (first.addMonths(step).toString("yyyy-MM") for step in range(length))
    return [Period(name, counts.get(name, 0)) for name in names]


def _year(month: MonthCount) -> int:
    return int(month.month[:4])


class TimelineStrip(QWidget):
    """Bars of all matches by month; one is chosen by click or keyboard."""

    chosen = Signal(str)
    """A month or year to search in, ``""`` for all times."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._periods: list[Period] = []
        self._at = -1
        self._chosen: frozenset[int] = frozenset()
        self._hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Results by month"))
        theme.current().changed.connect(self.updateGeometry)
        self.hide()

    @property
    def periods(self) -> Sequence[Period]:
        """The months or years shown, oldest first."""
        return self._periods

    def show_months(self, months: Sequence[MonthCount], query: Query | None) -> None:
        """Show the months of a search; a single one is no choice and stays hidden."""
        before = self._periods[self._at].name if 0 <= self._at < len(self._periods) else ""
        self._periods = periods_of(months)
        names = [period.name for period in self._periods]
        self._at = names.index(before) if before in names else len(names) - 1
        self._hovered = -1
        self.show_query(query)
        self.setVisible(len(self._periods) > 1)

    def show_query(self, query: Query | None) -> None:
        """Mark the months that a search is limited to."""
        since, until = (None, None) if query is None else (query.since, query.until)
        places: set[int] = set()
        if since is not None or until is not None:
            begin = None if since is None else local(to_datetime(since)).date()
            end = None if until is None else local(to_datetime(until)).date()
            for place, period in enumerate(self._periods):
                after = period.first_day.addMonths(1) if "-" in period.name else period.first_day.addYears(1)
                if (begin is None or after > begin) and (end is None or period.first_day < end):
                    places.add(place)
        self._chosen = frozenset(places)
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for bars and labels."""
        return QSize(240, BARS + self._label_height() + Space.XS)

    def minimumSizeHint(self) -> QSize:
        """Return room for bars and labels, however narrow."""
        return QSize(60, self.sizeHint().height())

    def rect_of(self, place: int) -> QRect:
        """Return the column of a month."""
        step = self._step()
        left = round(place * step)
        column = QRect(left, 0, max(1, round((place + 1) * step) - left), BARS)
        if self.isRightToLeft():
            column.moveRight(max(0, self.width() - 1 - left))
        return column

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go along the months, choose with Enter or Space, choose all times with Esc."""
        key, last = event.key(), len(self._periods) - 1
        forward = Qt.Key.Key_Left if self.isRightToLeft() else Qt.Key.Key_Right
        backward = Qt.Key.Key_Right if self.isRightToLeft() else Qt.Key.Key_Left
        moves = {forward: self._at + 1, backward: self._at - 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        if key in moves:
            self._go(min(max(moves[Qt.Key(key)], 0), last))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._at >= 0:
            self._choose(self._at)
        elif key == Qt.Key.Key_Escape and self._chosen:
            self.chosen.emit("")
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the month below the pointer; a chosen one is let go."""
        place = self._place_at(event.position().toPoint().x())
        if event.button() == Qt.MouseButton.LeftButton and place >= 0:
            self._at = place
            self._choose(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name the month below the pointer."""
        self._hovered = self._place_at(event.position().toPoint().x())
        if self._hovered >= 0:
            QToolTip.showText(event.globalPosition().toPoint(), self._words(self._hovered), self)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        super().leaveEvent(event)
        self._hovered = -1
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the sign back."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a bar for each month, and labels where there is room."""
        del event
        if not self._periods:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max(period.count for period in self._periods)
        for place, other in enumerate(self._periods):
            self._paint_bar(painter, place, other.count / most if most else 0.0)
        painter.setPen(theme.current().colour("line"))
        painter.drawLine(0, BARS, self.width(), BARS)
        self._paint_labels(painter)

    def _paint_bar(self, painter: QPainter, place: int, share: float) -> None:
        look, column = theme.current(), self.rect_of(place)
        if place == self._hovered or (place == self._at and self.hasFocus()):
            painter.setPen(look.colour("accent") if self.hasFocus() and place == self._at else Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("hover"))
            painter.drawRoundedRect(QRectF(column).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if not share:
            return
        height = max(3.0, share * (BARS - 4))
        gap = 1.0 if column.width() > 4 else 0.0  # noqa: PLR2004  (narrow bars stand side by side)
        width = min(max(1.0, column.width() - 2 * gap), theme.current().scaled(WIDEST_BAR))
        left = column.right() + 1 - gap - width if self.isRightToLeft() else column.left() + gap
        bar = QRectF(left, BARS - height, width, height)
        is_out = bool(self._chosen) and place not in self._chosen
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("edge" if is_out else "accent"))
        painter.drawRoundedRect(bar, 2, 2)

    def _paint_labels(self, painter: QPainter) -> None:
        """Paint the names of months from left to right, as many as fit."""
        look = theme.current()
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        metrics, free, height = painter.fontMetrics(), -1, self._label_height()
        order = range(len(self._periods))
        year_before = 0
        for place in reversed(order) if self.isRightToLeft() else order:
            period, left = self._periods[place], self.rect_of(place).left()
            if left < free:
                continue
            day = period.first_day
            is_plain = "-" in period.name and day.year() == year_before
            text = date_words(day, "MMM" if is_plain else "MMM yyyy" if "-" in period.name else "yyyy")
            width = metrics.horizontalAdvance(text)
            if left + width > self.width():
                break
            painter.drawText(QRect(left, BARS + 2, width + 2, height), int(Qt.AlignmentFlag.AlignLeft), text)
            free, year_before = left + width + Space.M, day.year()

    def _step(self) -> float:
        return min(self.width() / max(1, len(self._periods)), theme.current().scaled(WIDEST))

    def _label_height(self) -> int:
        return round(theme.current().points * 1.8)

    def _place_at(self, x: int) -> int:
        inner = self.width() - 1 - x if self.isRightToLeft() else x
        place = int(inner / self._step()) if self._periods else -1
        return place if 0 <= place < len(self._periods) else -1

    def _go(self, place: int) -> None:
        self._at = place
        self._describe()
        self.update()

    def _choose(self, place: int) -> None:
        self._describe()
        self.chosen.emit("" if self._chosen == {place} else self._periods[place].name)

    def _words(self, place: int) -> str:
        period = self._periods[place]
        words = self.tr("{month}: 1 text") if period.count == 1 else self.tr("{month}: {count} texts")
        return words.format(month=period.title, count=format_number(period.count))

    def _describe(self) -> None:
        self.setAccessibleDescription(self._words(self._at) if 0 <= self._at < len(self._periods) else "")
