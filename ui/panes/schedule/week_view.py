"""Week view: the runs of a week, past and planned, a column for each day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDate, QEvent, QLocale, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui import theme
from ui.engine_texts import engine_text
from ui.models.dates import counted, date_words
from ui.panes.schedule.run_labels import duration, local_of, state_badge
from ui.style.design_tokens import Radius, Space
from ui.widgets.context_menu import open_menu

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
class _Box:
    """Box of one run, or of several whose times do not fit side by side."""

    place: QRectF
    runs: tuple[Any, ...]


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
        self._boxes: list[_Box] = []
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
        painter.setFont(look.font("small"))
        self._boxes = self._laid_out()
        for box in self._boxes:
            self._paint_box(painter, box)
        if self.hasFocus() and self._current < 0:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(look.colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def event(self, event: QEvent) -> bool:
        """Tell of the run under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), "\n".join(map(self._speech, self._runs_at(event.pos()))), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over runs."""
        over = self._runs_at(event.position().toPoint())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the schedule of the run under the pointer, or offer those of the box."""
        runs = self._runs_at(event.position().toPoint())
        if not runs or event.button() != Qt.MouseButton.LeftButton:
            return
        if len(runs) == 1:
            self._open(runs[0])
        else:
            open_menu(
                self, event.globalPosition().toPoint(), [[(self._words(run), partial(self._open, run)) for run in runs]]
            )

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

    def _open(self, run: Any) -> None:
        self._current = self._entries.index(run)
        self.opened.emit(run.schedule_id)

    def _tell(self) -> None:
        """Say the current run to screen readers."""
        spoken = self._speech(self.current) if self.current is not None else ""
        count = counted(len(self._entries), self.tr("1 run this week."), self.tr("{n} runs this week."))
        words = f"{count} {spoken}"
        self.setAccessibleDescription(words.strip())

    def _title_of(self, entry: Any) -> str:
        return self._titles.get(entry.schedule_id) or engine_text(entry.name)

    def _speech(self, entry: Any) -> str:
        when = QLocale().toString(local_of(entry.at), "dddd HH:mm")
        took = f", {duration(entry.seconds)}" if entry.state not in ("planned", "skipped") else ""
        return f"{self._title_of(entry)}, {when}, {state_badge(entry.state).text}{took}"

    def _words(self, run: Any) -> str:
        return f"{local_of(run.at).time().toString('HH:mm')} {self._title_of(run)}"

    def _runs_at(self, spot: QPoint) -> tuple[Any, ...]:
        return next((box.runs for box in reversed(self._boxes) if box.place.contains(spot)), ())

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

    def _laid_out(self) -> list[_Box]:
        """Return the boxes of the runs, each at its hour.

        Runs that would overlap stand side by side; where not even their times fit so, they share a box.
        """
        days: list[list[Any]] = [[] for _ in range(7)]
        for run in self._entries:
            day = (_day_of(run.at) - self._first).days
            if 0 <= day < len(days):
                days[day].append(run)
        return [box for day, runs in enumerate(days) for group in self._groups(runs) for box in self._row(day, group)]

    def _row(self, day: int, runs: Sequence[tuple[float, Any]]) -> list[_Box]:
        """Return the boxes of runs that would overlap, each given with where it begins."""
        lane = theme.current().scaled(LANE)
        left, room = self._column(day) + 3, self._day_width() - 6
        places, count = _side_by_side([top for top, _ in runs], lane)
        metrics = QFontMetrics(theme.current().font("small"))
        if room / count < metrics.horizontalAdvance("00:00") + _MARK + _END:
            height = runs[-1][0] - runs[0][0] + lane
            return [_Box(QRectF(left, runs[0][0] + 1, room, height - 2), tuple(run for _, run in runs))]
        boxes = []
        for (top, run), place in zip(runs, places, strict=True):
            across = count - 1 - place if self.isRightToLeft() else place
            width = room / count - (1 if count > 1 else 0)
            boxes.append(_Box(QRectF(left + across * room / count, top + 1, width, lane - 2), (run,)))
        return boxes

    def _groups(self, runs: Sequence[Any]) -> list[list[tuple[float, Any]]]:
        """Return runs of a day with where they begin, those together that would overlap."""
        lane = theme.current().scaled(LANE)
        groups: list[list[tuple[float, Any]]] = []
        for run in runs:
            there = local_of(run.at).time()
            top = min(self._top_of(there.hour() + there.minute() / 60), float(self.height() - lane))
            if groups and top < groups[-1][-1][0] + lane:
                groups[-1].append((top, run))
            else:
                groups.append([(top, run)])
        return groups

    def _paint_box(self, painter: QPainter, box: _Box) -> None:
        look = theme.current()
        is_current = self.hasFocus() and self.current in box.runs
        states = {run.state for run in box.runs}
        # What went wrong must show among what went well.
        state = next(
            (state for state in ("failed", "interrupted", "skipped", "planned") if state in states), "succeeded"
        )
        tone: QColor = look.colour(_TONES.get(state, "warning"))
        ground = look.colour("accent_soft" if states == {"planned"} else "raised")
        painter.setPen(QPen(look.colour("accent") if is_current else look.colour("line"), 2 if is_current else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(box.place, Radius.SMALL, Radius.SMALL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tone)
        is_mirrored = self.isRightToLeft()
        edge = box.place.right() - 6 if is_mirrored else box.place.left() + 3
        painter.drawRoundedRect(QRectF(edge, box.place.top() + 4, 3, box.place.height() - 8), 1.5, 1.5)
        painter.setPen(look.colour("text"))
        room = box.place.adjusted(_END, 0, -_MARK, 0) if is_mirrored else box.place.adjusted(_MARK, 0, -_END, 0)
        words = self._words_within(box.runs, painter.fontMetrics(), int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)

    def _words_within(self, runs: Sequence[Any], metrics: QFontMetrics, width: int) -> str:
        time = local_of(runs[0].at).time().toString("HH:mm")
        if len(runs) > 1 and self.current not in runs:
            count = self.tr("{n} runs").format(n=len(runs))
            words = f"{time} {count}"
        else:
            words = self._words(self.current if len(runs) > 1 else runs[0])
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
        if len(words) <= len(time) + 2:  # a title of one letter says nothing
            return time if metrics.horizontalAdvance(time) <= width else ""
        return words


def _day_of(moment: datetime) -> date:
    return moment.astimezone().date()


def _side_by_side(tops: Sequence[float], height: float) -> tuple[list[int], int]:
    """Return the place of each box within its group, and the number of places.

    Args:
        tops: Where boxes begin, in ascending order.
        height: How high each is.
    """
    ends: list[float] = []
    places: list[int] = []
    for top in tops:
        free = next((place for place, end in enumerate(ends) if end <= top), len(ends))
        ends[free : free + 1] = [top + height]
        places.append(free)
    return places, len(ends)
