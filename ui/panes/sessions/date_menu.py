"""The date menu of a conversation.

A calendar of its days, where days with messages stand out.
"""

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QFont, QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QMenu, QTableView, QToolButton, QWidget, QWidgetAction

from app.sessions.model import Session
from ui import theme
from ui.models.dates import day_of
from ui.style.icons import icon

_WEEKDAYS = tuple(Qt.DayOfWeek)


class DateMenu(QMenu):
    """A calendar from the first to the last day of a conversation.

    Args:
        parent: Its parent.
    """

    chosen = Signal(object)
    """A day was chosen: a ``QDate``."""
    days_requested = Signal(object, object)
    """Days with messages are requested from one ``QDate`` to another; ``mark_days`` takes the answer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.calendar = QCalendarWidget(self)
        self.calendar.setAccessibleName(self.tr("Date to go to"))
        self.calendar.setFirstDayOfWeek(QLocale().firstDayOfWeek())
        self.calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.calendar.setGridVisible(False)
        self.calendar.activated.connect(self._on_calendar_activated)
        self.calendar.clicked.connect(self._on_calendar_activated)
        self.calendar.currentPageChanged.connect(self._on_calendar_current_page_changed)
        action = QWidgetAction(self)
        action.setDefaultWidget(self.calendar)
        self.addAction(action)
        theme.current().changed.connect(self._refresh_look)
        self._refresh_look()

    def open_below(self, button: QWidget, session: Session) -> None:
        """Open below a button, at the last day of a conversation."""
        first, last = (QDate(day_of(moment)) for moment in (session.created_at, session.updated_at))  # type: ignore[call-overload]
        self.calendar.setDateTextFormat(QDate(), QTextCharFormat())
        self.calendar.setDateRange(first, last)
        self.calendar.setSelectedDate(last)
        self._request_days()
        self.popup(button.mapToGlobal(QPoint(0, button.height())))

    def mark_days(self, days: list[QDate]) -> None:
        """Mark days that have messages."""
        form = QTextCharFormat()
        form.setFontWeight(QFont.Weight.Bold)
        form.setForeground(theme.current().colour("accent"))
        for day in days:
            self.calendar.setDateTextFormat(day, form)

    def _request_days(self) -> None:
        start = QDate(self.calendar.yearShown(), self.calendar.monthShown(), 1)
        first = max(start, self.calendar.minimumDate())
        last = min(start.addMonths(1).addDays(-1), self.calendar.maximumDate())
        if first <= last:
            self.days_requested.emit(first, last)

    def _refresh_look(self) -> None:
        """Take the colours of the theme; Qt paints weekends red by itself."""
        look = theme.current()
        plain, header = QTextCharFormat(), QTextCharFormat()
        plain.setForeground(look.colour("text"))
        header.setForeground(look.colour("muted"))
        header.setBackground(look.colour("surface"))
        for day in _WEEKDAYS:
            self.calendar.setWeekdayTextFormat(day, plain)
        self.calendar.setHeaderTextFormat(header)
        for name, picture in (("qt_calendar_prevmonth", "chevron-left"), ("qt_calendar_nextmonth", "chevron-right")):
            button = self.calendar.findChild(QToolButton, name)
            if button is not None:
                button.setIcon(icon(picture))
        view = self.calendar.findChild(QTableView, "qt_calendar_calendarview")
        if view is not None:
            view.setFrameShape(QTableView.Shape.NoFrame)

    def _on_calendar_activated(self, day: QDate) -> None:
        self.close()
        self.chosen.emit(day)

    def _on_calendar_current_page_changed(self) -> None:
        if self.isVisible():
            self._request_days()
