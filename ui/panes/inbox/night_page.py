"""The page about the latest runs of upkeep, each with its undo."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from ui.models.dates import short_date
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.schedule.model import ScheduleRun
    from app.upkeep.model import UndoneNight

WIDTH = 760
_ICONS = {"succeeded": ("circle-check", "success"), "failed": ("circle-alert", "danger")}
_OTHER = ("triangle-alert", "warning")


class NightPage(QScrollArea):
    """A card for each run of upkeep in the past day."""

    undo_requested = Signal(object)
    """Undo the runs of these ids."""
    schedule_opened = Signal(str)
    """Open the schedule of this id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        title = PlainLabel(self.tr("While you were away"), page, style="title")
        about = PlainLabel(
            self.tr("Keepsake did this by itself in the past day. You can take back any of it."),
            page,
            style="body muted",
            wraps=True,
        )
        self.undo_all = text_button(self.tr("Undo the night"), icon_name="undo-2", parent=page)
        self._rows = vbox(spacing=Space.S)
        column = QVBoxLayout()
        column.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        column.setSpacing(Space.M)
        column.addWidget(title)
        column.addWidget(about)
        column.addLayout(self._rows)
        column.addWidget(self.undo_all, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        self.setWidget(page)

    def show_runs(self, runs: "Sequence[ScheduleRun]", names: dict[str, str]) -> None:
        """Show runs.

        Args:
            runs: The runs, latest first.
            names: The name of each schedule by its id.
        """
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for run in runs:
            self._rows.addWidget(self._row(run, names.get(run.schedule_id, run.schedule_id)))
        self.undo_all.setVisible(len(runs) > 1)

    def _row(self, run: "ScheduleRun", name: str) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        icon, tone = _ICONS.get(run.status, _OTHER)
        head = PlainLabel(name, card, style="strong")
        text = PlainLabel(run.output_summary, card, wraps=True)
        when = PlainLabel(short_date(run.started_at, datetime.now(UTC)), card, style="small muted")
        undo = text_button(self.tr("Undo"), "quiet", parent=card)
        undo.setAccessibleName(self.tr("Undo {name}").format(name=name))
        undo.setProperty("run", run.run_id)
        undo.clicked.connect(self._on_undo_clicked)
        more = text_button(self.tr("Details"), "quiet", parent=card)
        more.setAccessibleName(self.tr("Details of {name}").format(name=name))
        more.setProperty("schedule", run.schedule_id)
        more.clicked.connect(self._on_details_clicked)
        words = vbox(head, text, spacing=2)
        row = QHBoxLayout(card)
        row.setContentsMargins(Space.L, Space.M, Space.M, Space.M)
        row.setSpacing(Space.M)
        row.addWidget(IconLabel(icon, tone, parent=card), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        for widget in (when, more, undo):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        return card

    def _on_undo_clicked(self) -> None:
        self.undo_requested.emit([str(self.sender().property("run"))])

    def _on_details_clicked(self) -> None:
        self.schedule_opened.emit(str(self.sender().property("schedule")))


def night_words(undone: "UndoneNight") -> str:
    """Return what was undone, in a sentence."""
    if not undone.runs:
        return QCoreApplication.translate("NightPage", "There is nothing left to undo.")
    if len(undone.runs) == 1:
        words = QCoreApplication.translate("NightPage", "Undid what one job did")
    else:
        words = QCoreApplication.translate("NightPage", "Undid what {n} jobs did").format(n=len(undone.runs))
    stays = QCoreApplication.translate("NightPage", "what changed since stays")
    return f"{words} · {stays}" if undone.left else words
