"""Runs of a schedule: a chart, a list, and the output of one."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ui import theme
from ui.engine_texts import engine_report
from ui.models.card_list_model import CardListModel
from ui.models.cards import Badge, Card
from ui.models.dates import format_number, full_date, short_date
from ui.panes.schedule.run_chart import RunChart
from ui.panes.schedule.run_labels import change_words, duration, state_badge
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.fields.text_field import TextField
from ui.widgets.lists.list_view import CardList
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.history.acts.model import Act
    from app.history.model import RunReport
    from app.schedule.model import ScheduleRun

LIST_HEIGHT = 190
OUTPUT_HEIGHT = 180
SHOWN_CHANGES = 50


class RunHistory(QWidget):
    """The latest runs of one schedule."""

    undo_requested = Signal(object)
    """Undo this ``Act``, which is what a run changed, or do again what is undone."""
    changes_wanted = Signal(str)
    """Show what the run of this id changed, with ``show_changes``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: dict[str, ScheduleRun] = {}
        self._acts: dict[str, Act] = {}
        self._changes: dict[str, str] = {}
        """What the runs changed, a line for each change, as far as it is known."""
        self.chart = RunChart(self)
        self._model = CardListModel(self._card, self)
        self.list = CardList(self.tr("Runs"), self)
        self.list.set_source(self._model)
        self._nothing = PlainLabel(self.tr("It has not run yet."), self, style="body muted")
        self.list.chosen.connect(self._show)
        self._about = PlainLabel("", self, style="small muted", wraps=True)
        self.output = TextField(self.tr("Output of the run"), self, is_read_only=True)
        self.undo = text_button(self.tr("Undo this run"), icon_name="undo-2", parent=self)
        self.undo.clicked.connect(self._on_undo_clicked)
        line = hbox((self._about, 1), self.undo)
        vbox(self._nothing, self.chart, self.list, line, self.output, parent=self, margins=0, spacing=Space.S)
        theme.current().changed.connect(self._fit)
        self._fit()
        self.show_runs(())

    def show_runs(self, runs: "Sequence[ScheduleRun]", acts: "Sequence[Act]" = (), chosen: str = "") -> None:
        """Show runs, latest first.

        Args:
            runs: The runs.
            acts: What those of them that changed something did, from the history.
            chosen: The id of the run to choose; else the choice stays, and follows the latest run where that was it.
        """
        current = self.list.current_id()
        run_id = chosen or ("" if current == next(iter(self._runs), "") else current)
        self._acts = {act.id: act for act in acts}
        self._changes = {run.run_id: self._changes.get(run.run_id, "") for run in runs}
        self._runs = {run.run_id: run for run in runs}
        self._model.set_rows(self._runs)
        self.chart.show_runs(runs)
        first = next(iter(self._runs), "")
        self.list.choose(run_id if run_id in self._runs else first, quiet=True)
        self._show(self.list.current_id())

    def show_changes(self, report: "RunReport") -> None:
        """Show what a run changed below what it said, where it is still chosen."""
        if report.run_id not in self._runs:
            return
        lines = [f"•  {change_words(item)}" for item in report.items if not item.undone]
        if (more := sum(report.counts.values()) - len(lines)) > 0:
            lines.append(self.tr("… and {n} more").format(n=format_number(more)))
        self._changes[report.run_id] = "\n".join(lines)
        if report.run_id == self.list.current_id():
            self._show_output(self._runs[report.run_id])

    def _card(self, run: "ScheduleRun") -> Card:
        text = engine_report(run.output_summary) or self.tr("No output")
        took = duration((run.finished_at - run.started_at).total_seconds())
        return Card(
            " ".join(text.split()),
            took if run.status != "skipped" else "",
            short_date(run.started_at, datetime.now(UTC)),
            (self._badge(run),),
        )

    def _badge(self, run: "ScheduleRun") -> Badge:
        act = self._acts.get(run.run_id)
        if act is not None and act.state == "undone":
            return Badge(self.tr("Undone"), "quiet")
        if act is not None and act.state == "partly":
            return Badge(self.tr("Undone in part"), "quiet")
        return state_badge(run.status)

    def _show(self, identity: str) -> None:
        run = self._runs.get(identity)
        has_run = run is not None
        self._nothing.setVisible(not self._runs)
        self.list.setVisible(bool(self._runs))
        for widget in (self._about, self.output):
            widget.setVisible(has_run)
        act = self._acts.get(identity)
        self.undo.setVisible(act is not None)
        if act is not None:
            self.undo.setText(self.tr("Bring back") if act.is_to_redo else self.tr("Undo this run"))
            self.undo.setEnabled(act.is_to_redo or act.state != "undone")
        if run is None:
            return
        parts = [full_date(run.started_at), self._badge(run).text]
        if run.turn_count and run.status != "skipped":
            words = self.tr("1 turn") if run.turn_count == 1 else self.tr("{n} turns")
            parts.append(words.format(n=run.turn_count))
        if run.cost:
            parts.append(self.tr("cost {cost}").format(cost=f"{run.cost:.4f}"))
        self._about.setText(" · ".join(parts))
        self._show_output(run)
        if act is not None:
            self.changes_wanted.emit(identity)

    def _show_output(self, run: "ScheduleRun") -> None:
        output = engine_report(run.output or run.output_summary) or self.tr("No output")
        self.output.setPlainText("\n\n".join(filter(None, (output, self._changes.get(run.run_id, "")))))

    def _fit(self) -> None:
        self.list.setFixedHeight(theme.current().scaled(LIST_HEIGHT))
        self.output.setFixedHeight(theme.current().scaled(OUTPUT_HEIGHT))

    def _on_undo_clicked(self) -> None:
        if (act := self._acts.get(self.list.current_id())) is not None:
            self.undo_requested.emit(act)
