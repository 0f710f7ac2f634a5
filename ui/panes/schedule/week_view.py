"""Week view: the runs of a week, past and planned, a column for each day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDate, QEvent, QLocale, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui import theme
from ui.engine_texts import engine_text
from ui.models.dates import date_words
from ui.panes.schedule.run_labels import duration, local_of, state_badge
from ui.style.design_tokens import Radius, Space

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

HEAD = 34
LANE = 20
HOURS = 24
EVERY = 3
LEFT = 52
_MARK, _END = 11, 4
"""Pixels in a box before and after its words."""
_HEADINGS = ("ddd d MMM", "ddd d", "d")
_TONES = {"planned": "accent", "succeeded": "success", "failed": "danger", "skipped": "warning"}


@dataclass(frozen=True, slots=True)
class _Slot:
    """Place of a run within its day, among ``count`` runs side by side."""

    top: float
    height: float
    place: int = 0
    count: int = 1


class WeekView(QWidget):
    """Seven days of runs, with keys: arrows move from run to run, Enter opens."""

    opened = Signal(str)
    """Open the schedule of this id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = date.today()  # noqa: DTZ011  (the person's own calendar)
        self._today = self._first
        self._entries: list[Any] = []
        self._titles: Mapping[str, str] = {}
        self._boxes: list[tuple[QRectF, Any]] = []
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Week"))
        theme.current().changed.connect(self.update)

    @property
    def current(self) -> Any:
        """The run that the keyboard is on, ``None`` for none."""
        return self._entries[self._current] if 0 <= self._current < len(self._entries) else None

    def show_week(
        self, first: date, entries: Sequence[Any], today: date, titles: Mapping[str, str] | None = None
    ) -> None:
        """Show the runs of a week.

        Args:
            first: Its first day.
            entries: Runs in order of time, each with ``at``, ``name``, ``state``, ``schedule_id`` and ``seconds``.
            today: The present day.
            titles: What schedules are called, by their ids; others have the names of their runs.
        """
        self._first, self._today = first, today
        self._entries = list(entries)
        self._titles = titles or {}
        self._current = min(self._current, len(self._entries) - 1)
        self._tell()
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Return room for the hours."""
        look = theme.current()
        return QSize(look.scaled(420), look.scaled(HEAD + HOURS * 16))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grid and the runs."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = theme.current()
        painter.fillRect(self.rect(), look.colour("surface"))
        self._paint_grid(painter)
        self._boxes = []
        painter.setFont(look.font("small"))
        for number, (entry, box) in enumerate(self._laid_out()):
            self._boxes.append((box, entry))
            self._paint_entry(painter, box, entry, is_current=self.hasFocus() and number == self._current)
        if self.hasFocus() and self._current < 0:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(look.colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def event(self, event: QEvent) -> bool:
        """Tell of the run under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            entry = self._entry_at(event.pos())
            QToolTip.showText(event.globalPos(), self._speech(entry) if entry is not None else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over runs."""
        over = self._entry_at(event.position().toPoint()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the schedule of the run under the pointer."""
        entry = self._entry_at(event.position().toPoint())
        if entry is not None and event.button() == Qt.MouseButton.LeftButton:
            self._current = self._entries.index(entry)
            self.opened.emit(entry.schedule_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from run to run, and open."""
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and self._entries:
            self._current = max(0, min(len(self._entries) - 1, self._current + step))
            self._tell()
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.opened.emit(self.current.schedule_id)
        else:
            super().keyPressEvent(event)

    def _tell(self) -> None:
        """Say the current run to screen readers."""
        spoken = self._speech(self.current) if self.current is not None else ""
        words = self.tr("{n} runs this week. {current}").format(n=len(self._entries), current=spoken)
        self.setAccessibleDescription(words.strip())

    def _title_of(self, entry: Any) -> str:
        return self._titles.get(entry.schedule_id) or engine_text(entry.name)

    def _speech(self, entry: Any) -> str:
        when = QLocale().toString(local_of(entry.at), "dddd HH:mm")
        took = f", {duration(entry.seconds)}" if entry.state not in ("planned", "skipped") else ""
        return f"{self._title_of(entry)}, {when}, {state_badge(entry.state).text}{took}"

    def _entry_at(self, spot: QPoint) -> Any:
        return next((entry for box, entry in reversed(self._boxes) if box.contains(spot)), None)

    # --- painting ---

    def _day_width(self) -> float:
        return max((self.width() - theme.current().scaled(LEFT) - Space.S) / 7, 1.0)

    def _column(self, day: int) -> float:
        """Return where the column of a day begins, from the left."""
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            return Space.S + (6 - day) * self._day_width()
        return theme.current().scaled(LEFT) + day * self._day_width()

    def _top_of(self, hours: float) -> float:
        head = theme.current().scaled(HEAD)
        return head + hours * (self.height() - head - Space.S) / HOURS

    def _paint_grid(self, painter: QPainter) -> None:
        look = theme.current()
        today = (self._today - self._first).days
        if 0 <= today < 7:  # noqa: PLR2004  (a week)
            rect = QRectF(self._column(today), 0, self._day_width(), self.height())
            painter.fillRect(rect, look.colour("canvas"))
        painter.setPen(QPen(look.colour("line"), 1))
        for hour in range(0, HOURS + 1, EVERY):
            top = round(self._top_of(hour))
            painter.drawLine(0, top, self.width(), top)
        for day in range(7):
            left = round(self._column(day))
            painter.drawLine(left, 0, left, self.height())
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("muted"))
        self._paint_hours(painter)
        for day, words in enumerate(self.headings(painter.fontMetrics())):
            painter.setPen(look.colour("accent" if day == today else "muted"))
            box = QRect(round(self._column(day)), 0, round(self._day_width()), look.scaled(HEAD))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)

    def headings(self, metrics: QFontMetrics) -> list[str]:
        """Return the days in the longest form that fits into all columns."""
        days = [self._first + timedelta(days=day) for day in range(7)]
        forms = [[date_words(QDate(day.year, day.month, day.day), form) for day in days] for form in _HEADINGS]
        room = self._day_width() - Space.XS
        return next((form for form in forms if max(map(metrics.horizontalAdvance, form)) <= room), forms[-1])

    def _paint_hours(self, painter: QPainter) -> None:
        look = theme.current()
        left = self.width() - look.scaled(LEFT) if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else 0
        for hour in range(0, HOURS, EVERY):
            box = QRectF(left, self._top_of(hour) + 2, look.scaled(LEFT) - Space.XS, look.scaled(LANE))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), f"{hour:02}:00")

    def _laid_out(self) -> list[tuple[Any, QRectF]]:
        """Return each run with its box at its hour.

        Runs that would overlap stand side by side; where not even their times fit so, one below the other.
        """
        lane = theme.current().scaled(LANE)
        bottom = self.height() - lane
        days: list[list[tuple[Any, float]]] = [[] for _ in range(7)]
        for entry in self._entries:
            there = local_of(entry.at)
            day = (_day_of(entry.at) - self._first).days
            if 0 <= day < len(days):
                hours = there.time().hour() + there.time().minute() / 60
                days[day].append((entry, min(self._top_of(hours), bottom)))
        found = []
        room = self._day_width() - 6
        for day, runs in enumerate(days):
            slots = self._slots([top for _, top in runs], lane, bottom)
            for (entry, _), slot in zip(runs, slots, strict=True):
                across = slot.count - 1 - slot.place if self.isRightToLeft() else slot.place
                left = self._column(day) + 3 + across * room / slot.count
                width = room / slot.count - (1 if slot.count > 1 else 0)
                found.append((entry, QRectF(left, slot.top + 1, width, slot.height - 2)))
        return found

    def _slots(self, tops: Sequence[float], lane: float, bottom: float) -> list[_Slot]:
        """Return the place of each run of a day, which begin at ``tops``."""
        metrics = QFontMetrics(theme.current().font("small"))
        least = metrics.horizontalAdvance("00:00") + _MARK + _END
        places = _side_by_side(tops, lane)
        if any((self._day_width() - 6) / count < least for _, count in places):
            first = float(theme.current().scaled(HEAD))
            low = min(lane, (bottom + lane - first) / len(tops))
            if low >= metrics.height() + 2:
                return [_Slot(top, low) for top in _one_below_the_other(tops, low, first, bottom + lane - low)]
        return [_Slot(top, lane, place, count) for top, (place, count) in zip(tops, places, strict=True)]

    def _paint_entry(self, painter: QPainter, box: QRectF, entry: Any, *, is_current: bool) -> None:
        look = theme.current()
        tone: QColor = look.colour(_TONES.get(entry.state, "warning"))
        ground = look.colour("accent_soft" if entry.state == "planned" else "raised")
        painter.setPen(QPen(look.colour("accent") if is_current else look.colour("line"), 2 if is_current else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(box, Radius.SMALL, Radius.SMALL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tone)
        is_mirrored = self.isRightToLeft()
        edge = box.right() - 6 if is_mirrored else box.left() + 3
        painter.drawRoundedRect(QRectF(edge, box.top() + 4, 3, box.height() - 8), 1.5, 1.5)
        painter.setPen(look.colour("text"))
        room = box.adjusted(_END, 0, -_MARK, 0) if is_mirrored else box.adjusted(_MARK, 0, -_END, 0)
        time = local_of(entry.at).time().toString("HH:mm")
        metrics, width = QFontMetrics(painter.font()), int(room.width())
        words = metrics.elidedText(f"{time} {self._title_of(entry)}", Qt.TextElideMode.ElideRight, width)
        if len(words) <= len(time) + 2:  # a title of one letter says nothing
            words = time if metrics.horizontalAdvance(time) <= width else ""
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)


def _day_of(moment: datetime) -> date:
    return moment.astimezone().date()


def _one_below_the_other(tops: Sequence[float], height: float, first: float, last: float) -> list[float]:
    """Return where boxes begin that are moved apart, no further than the others make it.

    Args:
        tops: Where they would begin, in ascending order.
        height: How high each is.
        first: Where the first may begin.
        last: Where the last may begin; all of them must fit above it.
    """
    moved: list[float] = []
    for top in tops:
        moved.append(max(top, moved[-1] + height) if moved else max(top, first))
    limit = last
    for place in range(len(moved) - 1, -1, -1):
        moved[place] = min(moved[place], limit)
        limit = moved[place] - height
    return moved


def _side_by_side(tops: Sequence[float], height: float) -> list[tuple[int, int]]:
    """Return the place of each box beside those that overlap it, and their number.

    Args:
        tops: Where boxes begin, in ascending order.
        height: How high each is.
    """
    found: list[tuple[int, int]] = []
    group: list[int] = []
    ends: list[float] = []
    for top in [*tops, float("inf")]:
        if ends and top >= max(ends):
            found += [(place, len(ends)) for place in group]
            group, ends = [], []
        free = next((place for place, end in enumerate(ends) if end <= top), len(ends))
        ends[free : free + 1] = [top + height]
        group.append(free)
    return found
