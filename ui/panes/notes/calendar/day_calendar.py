"""The calendar of days below the facets: a month, its legend, and menus."""

from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QPoint, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.changes import Area
from app.errors import KeepsakeError
from ui import operations, theme
from ui.models.dates import date_words
from ui.panes.notes.calendar.month_sheet import MonthSheet, paint_mark
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.context_menu import open_menu
from ui.widgets.inspector import LineButton
from ui.work import Work

if TYPE_CHECKING:
    from app.memories.model import CalendarDay
    from ui.bridge import Bridge

RELOAD_MS = 400
AREAS: frozenset[Area] = frozenset({"memories", "messages", "sessions"})


class DayCalendar(QWidget):
    """Marks the days with notes and conversations, and opens one.

    Args:
        bridge: The way to the engine.
        parent: Its parent.
    """

    daily_requested = Signal(object)
    """Open, or begin, the daily note of a ``date``."""
    notes_requested = Signal(object)
    """List the notes of a ``date``."""
    sessions_requested = Signal(object)
    """Find the conversations of a ``date``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._days: dict[date, CalendarDay] = {}
        self.sheet = MonthSheet(self)
        self.sheet.activated.connect(self.choose)
        self.sheet.month_changed.connect(self._on_sheet_month_changed)
        self.sheet.menu_requested.connect(self._on_sheet_menu_requested)
        self._month = LineButton("", self)
        self._month.setToolTip(self.tr("Go to today"))
        self._month.clicked.connect(self.show_today)
        before = icon_button("chevron-left", self.tr("Month before"), parent=self)
        before.clicked.connect(partial(self.sheet.turn, -1))
        after = icon_button("chevron-right", self.tr("Month after"), parent=self)
        after.clicked.connect(partial(self.sheet.turn, 1))
        self.tab_chain: tuple[QWidget, ...] = (self._month, before, after, self.sheet)
        head = hbox((self._month, 1), before, after, spacing=0)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.M, Space.XS, Space.S, Space.S)
        column.setSpacing(Space.XS)
        column.addLayout(head)
        column.addWidget(self.sheet)
        column.addWidget(_Legend((("dot", self.tr("Notes")), ("ring", self.tr("Conversations"))), self))
        self._work.on_areas(AREAS, self.load, RELOAD_MS)
        self._refresh_month()

    def load(self) -> None:
        """Fetch what the days of the month hold; the old marks show until it arrives."""
        self._work.latest(self._load)

    def show_today(self) -> None:
        """Show this month, with today current."""
        self.sheet.go_to(date.today())  # noqa: DTZ011  (the person's own calendar)

    def choose(self, day: date) -> None:
        """Open the daily note of a day; where there is none, what the day holds."""
        held = self._days.get(day)
        if held is None or held.daily_note:
            self.daily_requested.emit(day)
        elif held.notes:
            self.notes_requested.emit(day)
        else:
            self.sessions_requested.emit(day)

    async def _load(self) -> None:
        first, last = self.sheet.span
        try:
            days: list[CalendarDay] = await self._bridge.call(operations.note.days(first=first, last=last))
        except KeepsakeError:
            return  # the list beside it tells what is wrong
        self._days = {day.day: day for day in days}
        self.sheet.show_days(self._days, date.today())  # noqa: DTZ011

    def _refresh_month(self) -> None:
        day = self.sheet.current
        first = QDate(day.year, day.month, 1)
        self._month.set_words(date_words(first, "MMM yyyy"))
        month = self.tr("{month}, go to today").format(month=date_words(first, "MMMM yyyy"))
        self._month.setAccessibleName(month)

    def _on_sheet_month_changed(self) -> None:
        self._refresh_month()
        self.load()

    def _on_sheet_menu_requested(self, day: date, where: QPoint) -> None:
        held = self._days.get(day)
        daily = self.tr("Open the daily note") if held and held.daily_note else self.tr("Begin a daily note")
        entries = [
            (self.tr("Show notes of this day"), partial(self.notes_requested.emit, day)),
            (self.tr("Show conversations of this day"), partial(self.sessions_requested.emit, day)),
        ]
        open_menu(self, where, [[(daily, partial(self.daily_requested.emit, day))], entries])


class _Legend(QWidget):
    """Legend of the marks."""

    def __init__(self, marks: tuple[tuple[str, str], ...], parent: QWidget) -> None:
        super().__init__(parent)
        self._marks = marks
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Return room for one line."""
        return QSize(120, theme.current().scaled(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint each mark and its words."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.current()
        painter.setFont(look.font("small"))
        left, middle = 2.0, self.height() / 2
        for kind, words in self._marks:
            width = painter.fontMetrics().horizontalAdvance(words)
            start = self.width() - left - width - 10 if self.isRightToLeft() else left
            mark = start + width + 6 if self.isRightToLeft() else start
            paint_mark(painter, QRectF(mark, middle - 2, 4, 4), kind)
            painter.setPen(look.colour("muted"))
            place = start if self.isRightToLeft() else start + 10
            painter.drawText(QRectF(place, 0, width + 2, self.height()), 0x0080, words)
            left += width + 10 + Space.M
