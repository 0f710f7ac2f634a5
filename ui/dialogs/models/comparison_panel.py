"""Comparison of search models: how many questions about the person's texts each one finds."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QWidget

from app.core.ids import uuid7
from app.errors import KeepsakeError
from ui import operations
from ui.dialogs.base_dialog import note
from ui.dialogs.models.model_title import model_title
from ui.engine_texts import engine_report, error_text
from ui.models.dates import format_number
from ui.shell.status.status_line import progress_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.work import Work

if TYPE_CHECKING:
    from app.changes import Progress
    from app.evaluation.model import ModelComparison, ModelResult
    from app.index.generations.model import EmbeddingStatus
    from ui.bridge import Bridge


def serving_number(status: "EmbeddingStatus") -> int:
    """Return the number of the vectors that answer searches, 0 before there are any."""
    return next((info.id for info in status.generations if info.state == "serving"), 0)


class ComparisonPanel(QWidget):
    """Asks two models the same questions and says how many each one found."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._job = ""
        self._serving = 0
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress of the comparison"))
        self.stop = text_button(self.tr("Stop"), parent=self)
        self.stop.clicked.connect(self._on_stop_clicked)
        self.result = note("", self, "body")
        row = hbox((self._bar, 1), self.stop, spacing=Space.M)
        vbox(row, self.result, parent=self, margins=0, spacing=Space.S)
        self._show_running(running=False)
        self.hide()

    @property
    def is_busy(self) -> bool:
        """Comparison running or not."""
        return bool(self._job)

    def compare(self, generation: int) -> None:
        """Compare the model in use with another one."""
        if self._job:
            return
        self._job = f"compare-{uuid7()}"
        self._bar.setRange(0, 0)
        self.result.setText(self.tr("Asking both models the same questions…"))
        self._show_running(running=True)
        self.show()
        self._work.start(self._compare(generation, self._job, self._serving))

    def show_progress(self, progress: "Progress") -> None:
        """Show how far the comparison has come."""
        if progress.job == self._job and progress.state == "running" and progress.total:
            self.result.setText(progress_text(progress))
            self._bar.setRange(0, progress.total)
            self._bar.setValue(progress.done)

    def follow(self, status: "EmbeddingStatus") -> None:
        """Take back a comparison with a model that answers no more."""
        before, self._serving = self._serving, serving_number(status)
        if before != self._serving and not self._job:
            self.hide()

    async def _compare(self, generation: int, job: str, serving: int) -> None:
        try:
            comparison: ModelComparison = await self._bridge.call(
                operations.embedding.compare(other=generation, job=job)
            )
            text = self.sentences(comparison)
        except KeepsakeError as error:
            text = error_text(error)
        self._job = ""
        self._show_running(running=False)
        self.result.setText(text)
        self.setVisible(serving == self._serving)

    def sentences(self, comparison: "ModelComparison") -> str:
        """Return the result of a comparison in words."""
        now, other = comparison.now, comparison.other
        parts = [
            self.tr(
                "{now} finds {found} of {questions} known answers among its first ten results, {other} finds {others}."
                " The questions are made from your own texts."
            ).format(
                questions=format_number(comparison.questions),
                now=model_title(now.model),
                found=format_number(now.found),
                other=model_title(other.model),
                others=format_number(other.found),
            )
        ]
        for side in (now, other):
            parts += self._lacks(side)
        if comparison.cancelled:
            parts.append(self.tr("It was stopped, so this is of part of the questions."))
        return " ".join((*parts, *map(engine_report, comparison.notes)))

    def _lacks(self, side: "ModelResult") -> list[str]:
        """Return what kept a model from finding more."""
        parts = []
        if side.missing:
            parts.append(self.tr("Texts without a vector by {model}: {count}."))
        if side.without_meaning:
            parts.append(self.tr("Questions answered by words alone because {model} failed: {failed}."))
        count, failed = format_number(side.missing), format_number(side.without_meaning)
        return [part.format(model=model_title(side.model), count=count, failed=failed) for part in parts]

    def _show_running(self, *, running: bool) -> None:
        self._bar.setVisible(running)
        self.stop.setVisible(running)
        self.stop.setEnabled(running)

    def _on_stop_clicked(self) -> None:
        self.stop.setEnabled(False)
        self._bridge.start(self._bridge.call(operations.job.cancel(job=self._job)))
