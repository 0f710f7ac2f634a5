"""Time slider: the graph as of a day."""

from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QDate, Qt, QTimer, Signal
from PySide6.QtWidgets import QSlider, QWidget

from ui import theme
from ui.models.dates import date_words, day_of
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button, name_button
from ui.widgets.plain_text import PlainLabel

_FRAMES = 90
_FRAME_MS = 60


class TimeSlider(QWidget):
    """A slider over the days from the first name to the last."""

    moved = Signal(object)
    """The end of the day it stands on, as a datetime; ``None`` at its end, which is now."""
    settled = Signal(object)
    """The same, once it rests."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = QDate.currentDate()
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(self.tr("Show the graph as of a day"))
        self.slider.setRange(0, 0)
        self.slider.setMinimumWidth(60)
        self.slider.setMaximumWidth(360)
        self.label = PlainLabel("", self, style="small muted")
        self.play = icon_button("play", self.tr("Play how the graph grew"), parent=self)
        hbox(self.play, (self.slider, 1), self.label, parent=self, margins=0, spacing=Space.S)
        self._rest = QTimer(self, singleShot=True, interval=350)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._player = QTimer(self, interval=_FRAME_MS)
        self._player.timeout.connect(self._on_player_timeout)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.play.clicked.connect(self._on_play_clicked)
        theme.current().changed.connect(self._say)
        self._say()

    @property
    def is_now(self) -> bool:
        """True at its end: everything known now."""
        return self.slider.value() >= self.slider.maximum()

    @property
    def until(self) -> datetime | None:
        """The end of the day it stands on, ``None`` at its end."""
        if self.is_now:
            return None
        day = self._first.addDays(self.slider.value())
        local = datetime(day.year(), day.month(), day.day()).astimezone()
        return (local + timedelta(days=1)).astimezone(UTC)

    def set_span(self, first_ms: int, last_ms: int) -> None:
        """Set the first and the last day, unless it stands on an earlier one."""
        if not self.is_now:
            return
        first = day_of(datetime.fromtimestamp(first_ms / 1000, UTC))
        last = day_of(datetime.fromtimestamp(last_ms / 1000, UTC))
        self._first = QDate(first.year, first.month, first.day)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, (last - first).days))
        self.slider.setPageStep(max(1, (last - first).days // 12))
        self.slider.setValue(self.slider.maximum())
        self.slider.blockSignals(False)
        self.setVisible(bool(first_ms) and last > first)
        self._say()

    def _on_slider_moved(self) -> None:
        self._say()
        self.moved.emit(self.until)
        self._rest.start()

    def _on_rest_timeout(self) -> None:
        if not self._player.isActive():
            self.settled.emit(self.until)

    def _on_play_clicked(self) -> None:
        if self._player.isActive():
            self._stop()
            self._rest.start()
            return
        if self.is_now:
            self.slider.setValue(0)
        self._player.start()
        self.play.setIcon(icon("pause"))
        name_button(self.play, self.tr("Stop"))

    def _on_player_timeout(self) -> None:
        self.slider.setValue(self.slider.value() + max(1, self.slider.maximum() // _FRAMES))
        if self.is_now:
            self._stop()

    def _stop(self) -> None:
        self._player.stop()
        self.play.setIcon(icon("play"))
        name_button(self.play, self.tr("Play how the graph grew"))

    def _say(self) -> None:
        shown = self._first.addDays(self.slider.value())
        words = self.tr("Today") if self.is_now else date_words(shown, "d MMM yyyy")
        self.label.setText(words)
        self.slider.setAccessibleDescription(words)
        width = self.label.fontMetrics().horizontalAdvance("30 MMM 0000") + 8
        self.label.setMinimumWidth(width)
