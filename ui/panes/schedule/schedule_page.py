"""The page of one schedule: its times, its plan, and its runs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QFrame, QSizePolicy, QWidget

from ui import theme
from ui.engine_texts import engine_report, engine_text
from ui.models.dates import counted, format_number
from ui.panes.schedule.run_history import RunHistory
from ui.panes.schedule.run_labels import change_words, coming, last_words, next_words, schedule_title, zone_words
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn

if TYPE_CHECKING:
    from app.history.acts.model import Act
    from app.schedule.model import Preview, Schedule, ScheduleRun

WIDTH = 760
SHOWN_CHANGES = 12


class SchedulePage(PageArea):
    """A schedule with its actions, times, plan and runs."""

    run_requested = Signal()
    switched = Signal()
    """Switch it on or off."""
    edit_requested = Signal()
    delete_requested = Signal()
    erase_requested = Signal()
    """Erase it for ever."""
    plan_requested = Signal()
    take_requested = Signal()
    """Run it on this machine from now on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        page = QWidget(self)
        page.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._title = self._label("title")
        self._goal = self._label("body muted")
        self.run = text_button(self.tr("Run now"), "primary", icon_name="play", parent=page)
        self.switch = text_button("", parent=page)
        self.edit = text_button(self.tr("Change…"), icon_name="pencil", parent=page)
        self.delete = text_button(self.tr("Delete"), "danger", icon_name="trash-2", parent=page)
        self.erase = text_button(self.tr("Erase for ever…"), "danger", parent=page)
        self._when = self._label("strong")
        self._next = self._label("body")
        self._last = self._label("body muted")
        self._machine = self._label("body muted")
        self.take = text_button(self.tr("Run it here from now on"), icon_name="monitor", parent=page)
        self._plan_text = self._label("body muted")
        self.look = text_button(self.tr("Show what it would do now"), icon_name="eye", parent=page)
        self._forecast = self._label("body muted")
        self.history = RunHistory(page)
        self._plan_card = self._card(self.tr("Before it runs"), [self._plan_text, self._forecast, self.look])
        buttons = FlowLayout(spacing=Space.S)
        for button in (self.run, self.switch, self.edit, self.delete, self.erase):
            buttons.addWidget(button)
        column = vbox(margins=Space.XL, spacing=Space.M)
        for widget in (self._title, self._goal):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addWidget(self._card(self.tr("When"), [self._when, self._next, self._last, self._machine, self.take]))
        column.addWidget(self._plan_card)
        column.addWidget(self._card(self.tr("Runs"), [self.history]))
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        self.setWidget(page)
        self.run.clicked.connect(self.run_requested)
        self.switch.clicked.connect(self.switched)
        self.edit.clicked.connect(self.edit_requested)
        self.delete.clicked.connect(self.delete_requested)
        self.erase.clicked.connect(self.erase_requested)
        self.look.clicked.connect(self.plan_requested)
        self.take.clicked.connect(self.take_requested)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        buttons = self.run, self.switch, self.edit, self.delete, self.erase
        return *buttons, self.take, self.look, self.history.list, self.history.undo

    def show_schedule(self, schedule: "Schedule", *, has_plan: bool, waits: str = "") -> None:
        """Show a schedule.

        Args:
            schedule: The schedule.
            has_plan: Whether it can say beforehand what it would do.
            waits: Why it cannot run now, in a sentence; empty where it can.
        """
        now = datetime.now(UTC)
        self._title.setText(schedule_title(schedule))
        self._goal.setText(engine_text(schedule.goal) if schedule.goal != schedule.name else "")
        self._goal.setVisible(bool(self._goal.text()))
        is_on = schedule.status == "active"
        self.switch.setText(self.tr("Switch off") if is_on else self.tr("Switch on"))
        self.switch.setVisible(schedule.status != "completed")
        for button in (self.delete, self.erase):
            button.setVisible(not schedule.is_built_in)
        self.run.setEnabled(not waits)
        self._next.setText(next_words(schedule, now))
        last = last_words(schedule, now)
        last_run = self.tr("Last run: {last}").format(last=last) if last else ""
        self._last.setText(engine_report(waits or schedule.waits) or last_run)
        self._last.setVisible(bool(self._last.text()))
        for widget in (self._machine, self.take):
            widget.setVisible(bool(schedule.machine))
        self._machine.setText(self.tr("It runs on {machine}, for all your machines.").format(machine=schedule.machine))
        self._plan_card.setVisible(has_plan)
        self._plan_text.setText("")
        self._plan_text.hide()
        self._forecast.hide()
        self.look.setVisible(has_plan)

    def show_times(self, words: str, preview: "Preview | None", schedule: "Schedule") -> None:
        """Show a cadence in words, with its next times."""
        now = datetime.now(UTC)
        runs = [datetime.fromisoformat(run) for run in preview.runs] if preview is not None else []
        is_clock = preview is not None and schedule.cadence.kind == "cron"
        zone = zone_words(preview.zone, runs) if preview is not None and is_clock else ""
        self._when.setText(self.tr("{words} (time of {zone})").format(words=words, zone=zone) if zone else words)
        if preview is None or schedule.status != "active":
            return
        if schedule.next_run_at is not None and schedule.cadence.kind == "interval":
            self._next.setText(self.tr("Next: {times}").format(times=coming(schedule.next_run_at, now)))
            return
        # A line ends between times, not within one.
        times = "  ·  ".join(coming(run, now).replace(" ", "\u00a0") for run in runs)
        words = self.tr("Next, in your time: {times}") if zone else self.tr("Next: {times}")
        self._next.setText(words.format(times=times))

    def show_plan(self, plan: Any) -> None:
        """Show an ``UpkeepPlan``."""
        lines = [engine_report(plan.summary)]
        lines += [f"•  {change_words(change)}" for change in plan.changes[:SHOWN_CHANGES]]
        if plan.total > SHOWN_CHANGES and len(plan.changes) >= SHOWN_CHANGES:
            lines.append(self.tr("… and {n} more").format(n=format_number(plan.total - SHOWN_CHANGES)))
        lines += map(engine_report, plan.notes)
        self._plan_text.setText("\n".join(lines))
        self._plan_text.show()

    def show_forecast(self, forecast: Any) -> None:
        """Show a ``Forecast`` of the facts that fade."""
        single, many = self.tr("1 day: {count}"), self.tr("{n} days: {count}")
        parts = [
            counted(horizon.days, single, many).format(count=format_number(horizon.count))
            for horizon in forecast.horizons
        ]
        words = counted(
            forecast.fading,
            self.tr("Of 1 fact that can fade, these would be gone if nobody used it:"),
            self.tr("Of {n} facts that can fade, these would be gone if nobody used them:"),
        )
        self._forecast.setText(f"{words} {'  ·  '.join(parts)}")
        self._forecast.show()

    def show_runs(self, runs: "Sequence[ScheduleRun]", acts: "Sequence[Act]", chosen: str = "") -> None:
        """Show the latest runs; choose one by its id, or keep the choice."""
        self.history.show_runs(runs, acts, chosen)

    def _label(self, kind: str) -> PlainLabel:
        label = PlainLabel("", self, wraps=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(label, kind)
        return label

    def _card(self, heading: str, widgets: Sequence[QWidget]) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        head = PlainLabel(heading, card, style="small muted")
        column = vbox(head, parent=card, margins=(Space.L, Space.M, Space.L, Space.L), spacing=Space.S)
        for widget in widgets:
            if isinstance(widget, QAbstractButton):
                column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)
            else:
                column.addWidget(widget)
        return card
