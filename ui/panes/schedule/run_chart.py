"""Chart of the latest runs of a schedule: durations and outcomes."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui import theme
from ui.models.dates import full_date
from ui.panes.schedule.run_labels import duration, state_badge
from ui.style.design_tokens import Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.schedule.model import ScheduleRun

HEIGHT = 56
BARS = 40
_LEAST = 4.0
_COLOURS = {"succeeded": "success", "failed": "danger", "skipped": "warning", "interrupted": "warning"}


class RunChart(QWidget):
    """Bars of the latest runs, as high as each took time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[ScheduleRun] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self._on_theme_changed)

    def show_runs(self, runs: "Sequence[ScheduleRun]") -> None:
        """Show runs, given latest first."""
        self._runs = list(reversed(runs[:BARS]))
        counts: dict[str, int] = {}
        for run in self._runs:
            counts[run.status] = counts.get(run.status, 0) + 1
        parts = [f"{state_badge(state).text}: {count}" for state, count in counts.items()]
        self.setAccessibleName(self.tr("Latest runs. {parts}").format(parts=", ".join(parts)))
        self.setVisible(len(self._runs) > 1)
        self.update()

    def sizeHint(self) -> QSize:
        """Return its height, at any width."""
        return QSize(200, theme.current().scaled(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a bar for each run."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        longest = max((_seconds(run) for run in self._runs), default=0.0)
        for place, run in enumerate(self._runs):
            box = self._box(place)
            share = _seconds(run) / longest if longest else 0.0
            height = _LEAST + (box.height() - _LEAST) * share
            painter.setBrush(theme.current().colour(_COLOURS.get(run.status, "muted")))
            painter.drawRoundedRect(box.adjusted(0, box.height() - height, 0, 0), 2, 2)

    def event(self, event: QEvent) -> bool:
        """Tell of the run under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(event.pos().x()), self)
            return True
        return super().event(event)

    def words_at(self, x: int) -> str:
        """Return what the bar at a place stands for."""
        for place, run in enumerate(self._runs):
            box = self._box(place)
            if box.left() - 1 <= x <= box.right() + 1:
                return f"{full_date(run.started_at)} · {state_badge(run.status).text} · {duration(_seconds(run))}"
        return ""

    def _box(self, place: int) -> QRectF:
        """Return the room of a bar; the latest stands at the right end."""
        step = min(theme.current().scaled(14), self.width() / max(len(self._runs), 1))
        left = place * step
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            left = self.width() - left - step
        return QRectF(left, Space.XS, max(step - 3, 2), self.height() - 2 * Space.XS)

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()


def _seconds(run: "ScheduleRun") -> float:
    return max((run.finished_at - run.started_at).total_seconds(), 0.0)
