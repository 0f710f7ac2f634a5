"""A month as a sheet of days, with marks for notes and conversations."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QEvent, QLocale, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui import theme
from ui.models.dates import date_words, format_number
from ui.style.design_tokens import Radius, Space
from ui.widgets.button import ENTER

if TYPE_CHECKING:
    from app.memories.model import CalendarDay

COLUMNS, ROWS = 7, 6
_CELL = 26
_GAP = 6
"""Pixels between the numbers of two days at the least."""
_DOT = 2.0
_FAINT = 0.55


class MonthSheet(QWidget):
    """Days of a month to choose from.

    Arrows move, Page Up and Page Down turn the month, Enter opens.
    """

    activated = Signal(object)
    """A day was chosen: a ``date``."""
    month_changed = Signal()
    menu_requested = Signal(object, QPoint)
    """The menu of a ``date`` is wanted at a global position."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._today = date.today()  # noqa: DTZ011  (the person's own calendar)
        self.current = self._today
        self._days: Mapping[date, CalendarDay] = {}
        self._chosen: date | None = None
        self._hovered: date | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Calendar"))
        theme.current().changed.connect(self._on_theme_changed)
        self._tell()

    @property
    def span(self) -> tuple[date, date]:
        """The first and last day that are shown."""
        first = self.current.replace(day=1)
        begin = first - timedelta(days=(first.isoweekday() - QLocale().firstDayOfWeek().value) % COLUMNS)
        return begin, begin + timedelta(days=COLUMNS * ROWS - 1)

    def show_days(self, days: Mapping[date, "CalendarDay"], today: date) -> None:
        """Mark days; those that are missing hold nothing."""
        self._days, self._today = days, today
        self._tell()
        self.update()

    def set_chosen(self, day: date | None) -> None:
        """Show the day that the list is narrowed to."""
        self._chosen = day
        self.update()

    def go_to(self, day: date) -> None:
        """Make a day current and show its month."""
        turned = (day.year, day.month) != (self.current.year, self.current.month)
        self.current = day
        self._tell()
        self.update()
        if turned:
            self.month_changed.emit()

    def turn(self, months: int) -> None:
        """Show a month before or after."""
        number = self.current.year * 12 + self.current.month - 1 + months
        if date.min.year < number // 12 < date.max.year:
            last = QDate(number // 12, number % 12 + 1, 1).daysInMonth()
            self.go_to(date(number // 12, number % 12 + 1, min(self.current.day, last)))

    def words_of(self, day: date) -> str:
        """Return a day and what it holds in words."""
        words = [date_words(QDate(day.year, day.month, day.day), "dddd, d MMMM yyyy")]
        held = self._days.get(day)
        if held is not None and held.daily_note:
            words.append(self.tr("daily note"))
        if held is not None and held.notes:
            words.append(self.tr("notes: {count}").format(count=format_number(held.notes)))
        if held is not None and held.sessions:
            words.append(self.tr("conversations: {count}").format(count=format_number(held.sessions)))
        return ", ".join(words)

    def sizeHint(self) -> QSize:
        """Return room for seven columns and six weeks."""
        look = theme.current()
        return QSize(COLUMNS * look.scaled(_CELL), (ROWS + 1) * look.scaled(_CELL))

    def minimumSizeHint(self) -> QSize:
        """Return the least room."""
        widest = QFontMetrics(theme.current().font("small")).horizontalAdvance("30")
        return QSize(COLUMNS * (widest + _GAP), self.sizeHint().height())

    # --- events ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, turn the month, open."""
        side = -1 if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else 1
        steps = {
            Qt.Key.Key_Left: -side,
            Qt.Key.Key_Right: side,
            Qt.Key.Key_Up: -COLUMNS,
            Qt.Key.Key_Down: COLUMNS,
        }
        key = Qt.Key(event.key())
        if key in steps and date.min.year < self.current.year < date.max.year:
            self.go_to(self.current + timedelta(days=steps[key]))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.turn(-1 if key == Qt.Key.Key_PageUp else 1)
        elif key == Qt.Key.Key_Home:
            self.go_to(self._today)
        elif key in (*ENTER, Qt.Key.Key_Space):
            self.activated.emit(self.current)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the day under the pointer."""
        day = self.day_at(event.position().toPoint())
        if day is not None and event.button() == Qt.MouseButton.LeftButton:
            self.go_to(day)
            self.activated.emit(day)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up the day under the pointer."""
        self._hovered = self.day_at(event.position().toPoint())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Light up nothing."""
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of a day."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        day = self.current if by_key else self.day_at(event.pos())
        if day is not None:
            spot = self.mapToGlobal(self._cell(day).center().toPoint()) if by_key else event.globalPos()
            self.menu_requested.emit(day, spot)

    def event(self, event: QEvent) -> bool:
        """Tell of the day under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            day = self.day_at(event.pos())
            QToolTip.showText(event.globalPos(), self.words_of(day) if day else "", self)
            return True
        return super().event(event)

    # --- geometry ---

    def day_at(self, spot: QPoint) -> date | None:
        """Return the day at a place."""
        first, _ = self.span
        days = (first + timedelta(days=number) for number in range(COLUMNS * ROWS))
        return next((day for day in days if self._cell(day).contains(spot)), None)

    def _cell(self, day: date) -> QRectF:
        place = (day - self.span[0]).days
        return self._box(place % COLUMNS, place // COLUMNS + 1)

    def _box(self, column: int, row: int) -> QRectF:
        wide, high = self.width() / COLUMNS, self.height() / (ROWS + 1)
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            column = COLUMNS - 1 - column
        return QRectF(column * wide, row * high, wide, high)

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the weekdays and the days."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look, locale = theme.current(), QLocale()
        first, _ = self.span
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        for column in range(COLUMNS):
            number = (first + timedelta(days=column)).isoweekday()
            words = locale.standaloneDayName(number, QLocale.FormatType.NarrowFormat)
            painter.drawText(self._box(column, 0), int(Qt.AlignmentFlag.AlignCenter), words)
        for number in range(COLUMNS * ROWS):
            self._paint_day(painter, first + timedelta(days=number))

    def _paint_day(self, painter: QPainter, day: date) -> None:
        look, cell = theme.current(), self._cell(day).adjusted(1, 1, -1, -1)
        held = self._days.get(day)
        outside = (day.year, day.month) != (self.current.year, self.current.month)
        if day in (self._chosen, self._hovered):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("selected" if day == self._chosen else "hover"))
            painter.drawRoundedRect(cell, Radius.SMALL, Radius.SMALL)
        if day == self._today or (self.hasFocus() and day == self.current):
            painter.setPen(QPen(look.colour("accent" if self.hasFocus() and day == self.current else "edge"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), Radius.SMALL, Radius.SMALL)
        has_daily = held is not None and bool(held.daily_note)
        font = look.font("small")
        font.setBold(has_daily)
        painter.setFont(font)
        painter.setPen(look.colour("accent" if has_daily else "muted" if outside else "text"))
        painter.drawText(cell.adjusted(0, -Space.XS, 0, -1), int(Qt.AlignmentFlag.AlignCenter), str(day.day))
        if held is not None:
            self._paint_marks(painter, cell, held, faint=outside)

    @staticmethod
    def _paint_marks(painter: QPainter, cell: QRectF, held: "CalendarDay", *, faint: bool) -> None:
        """Paint a dot for notes and a ring for conversations."""
        kinds = [kind for kind, count in (("dot", held.notes), ("ring", held.sessions)) if count]
        painter.setOpacity(_FAINT if faint else 1.0)
        for place, kind in enumerate(kinds):
            across = cell.center().x() + (place - (len(kinds) - 1) / 2) * 4 * _DOT
            box = QRectF(across - _DOT, cell.bottom() - 3 * _DOT, 2 * _DOT, 2 * _DOT)
            paint_mark(painter, box, kind)
        painter.setOpacity(1.0)

    def _tell(self) -> None:
        """Say the current day to screen readers."""
        self.setAccessibleDescription(self.words_of(self.current))

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()


def paint_mark(painter: QPainter, box: QRectF, kind: str) -> None:
    """Paint the mark of notes, a ``dot``, or of conversations, a ``ring``."""
    look = theme.current()
    if kind == "dot":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("accent"))
        painter.drawEllipse(box.adjusted(-0.5, -0.5, 0.5, 0.5))
    else:
        painter.setPen(QPen(look.colour("muted"), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box)
