"""Status line: current work, size of the vault, and waiting."""

from dataclasses import dataclass
from datetime import timedelta

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.changes import Progress
from ui import theme
from ui.engine_texts import unit_text
from ui.models.dates import counted, format_number
from ui.shell.status.agent_indicator import AgentIndicator
from ui.shell.status.incognito_indicator import IncognitoIndicator
from ui.shell.status.job_sentences import followed, job_sentence
from ui.style.design_tokens import Space
from ui.style.icons import icon
from ui.translation import translate
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import tooltip

DELAY_MS = 5000
_MINUTE, _HOUR = 60, 3600
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class VaultSummary:
    """Summary of a vault for the status line.

    Args:
        pending: Pieces of text whose vector is not made yet.
        notes: Sentences about what the person should know, worst first.
        read_only: Why nothing can be written, in a sentence; empty where all is well.
        names: Texts that are still to be read for names.
        jobs: Long work under way, each in a sentence.
        next_run: What is done next by itself and when, such as ``Reflection Sun 03:00``.
        agents: How many agents are connected.
    """

    memories: int = 0
    sessions: int = 0
    pending: int = 0
    notes: tuple[str, ...] = ()
    read_only: str = ""
    names: int = 0
    jobs: tuple[str, ...] = ()
    next_run: str = ""
    agents: int = 0

    @property
    def is_idle(self) -> bool:
        """True when nothing is pending and nothing runs."""
        return not (self.pending or self.names or self.jobs)


def span(seconds: float) -> str:
    """Return a length of time in words, as roughly as one would say it."""
    whole = max(1, round(seconds))
    if whole < _MINUTE:
        return translate("Status", "{n} s").format(n=whole)
    if whole < _HOUR:
        return translate("Status", "{n} min").format(n=round(whole / _MINUTE))
    hours, rest = divmod(timedelta(seconds=whole), timedelta(hours=1))
    return translate("Status", "{h} h {m} min").format(h=hours, m=rest.seconds // _MINUTE)


def amount(number: float, unit: str) -> str:
    """Return how much of ``unit``: bytes as megabytes, the rest as a count."""
    if unit == "bytes":
        return translate("Status", "{n} MB").format(n=QLocale().toString(number / _MEGABYTE, "f", 1))
    return format_number(round(number))


def progress_text(progress: Progress) -> str:
    """Return one line about long work: how far, how fast, how long yet."""
    unit = "" if progress.unit == "bytes" else f" {unit_text(progress.unit, progress.total or progress.done)}"
    if progress.total:
        done = translate("Status", "{done} of {total}{unit}").format(
            done=amount(progress.done, progress.unit), total=amount(progress.total, progress.unit), unit=unit
        )
    else:
        done = f"{amount(progress.done, progress.unit)}{unit}"
    parts = [done]
    if progress.rate:
        parts.append(translate("Status", "{rate}/s").format(rate=amount(progress.rate, progress.unit)))
        if progress.total and progress.total > progress.done:
            parts.append(
                translate("Status", "about {span} left").format(
                    span=span((progress.total - progress.done) / progress.rate)
                )
            )
    return " · ".join(parts)


def more_words(count_more: int) -> str:
    """Return how much other work goes on, to stand behind the first."""
    return translate("Status", " (and {n} more)").format(n=format_number(count_more)) if count_more > 0 else ""


def job_text(job: Progress, others: int = 0) -> str:
    """Return one line about a job, its progress, and how many others go on."""
    paused = translate("Status", " (paused)") if job.state == "paused" else ""
    doing = f"{job_sentence(job.title)}{paused}{more_words(others)}"
    return translate("Status", "{doing}: {progress}").format(doing=doing, progress=progress_text(job))


def status_text(summary: VaultSummary) -> str:
    """Return the line while nothing long is running."""
    index = (
        counted(summary.pending, translate("Status", "indexing 1 piece"), translate("Status", "indexing {n} pieces"))
        if summary.pending
        else translate("Status", "index complete")
    )
    if summary.names:
        index += " · " + counted(
            summary.names,
            translate("Status", "recognising names in 1 text"),
            translate("Status", "recognising names in {n} texts"),
        )
    parts = [
        _state(summary),
        counted(summary.memories, translate("Status", "1 memory"), translate("Status", "{n} memories")),
        counted(summary.sessions, translate("Status", "1 session"), translate("Status", "{n} sessions")),
    ]
    if summary.agents:
        parts.append(counted(summary.agents, translate("Status", "1 agent"), translate("Status", "{n} agents")))
    parts.append(index)
    return " · ".join([*parts, *summary.notes[:1]])


def _state(summary: VaultSummary) -> str:
    """Return what the vault does, in a word or by its name."""
    if summary.read_only:
        return translate("Status", "Read-only")
    if summary.jobs:
        return followed(f"{summary.jobs[0]}{more_words(len(summary.jobs) - 1)}", summary.next_run)
    if not summary.is_idle:
        return translate("Status", "Working")
    return followed(translate("Status", "Idle"), summary.next_run)


class StatusLine(QWidget):
    """Status text, progress with a button, and long waits in words."""

    cancel_requested = Signal(str)
    pause_requested = Signal(str, bool)
    details_requested = Signal()
    """Open the status page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("statusLine")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._summary: VaultSummary | None = None
        self._jobs: dict[str, Progress] = {}
        self._waits: list[str] = []
        self._closed = False
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._show)
        self._sign = IconLabel("clock", size=14, parent=self)
        self._text = ElidedLabel(parent=self)
        theme.set_type(self._text, "small muted")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(140)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._cancel = icon_button("x", self.tr("Cancel"), parent=self)
        self._cancel.setMinimumSize(0, 0)  # else it would shrink below its icon
        self._cancel.setIconSize(QSize(14, 14))
        self._cancel.clicked.connect(self._on_cancel_clicked)
        self.agents = AgentIndicator(self)
        self.incognito = IncognitoIndicator(self)
        self.details = icon_button("shield-check", self.tr("Status: privacy and safety"), parent=self)
        self.details.setMinimumSize(0, 0)
        self.details.setIconSize(QSize(16, 16))
        self.details.clicked.connect(self.details_requested)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        row = hbox(parent=self, margins=(Space.L, 2, Space.S, 2), spacing=Space.S)
        for widget in (self._sign, self._text, self._bar, self._cancel):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.agents)
        row.addWidget(self.incognito)
        row.addWidget(self.details)
        # A crowded window takes nothing from it.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._show()

    @property
    def text(self) -> str:
        """Text of the line."""
        return self._text.text()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the status page on a click."""
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.details_requested.emit()
        super().mouseReleaseEvent(event)

    def set_summary(self, summary: VaultSummary) -> None:
        """Take over what the vault holds."""
        self._summary = summary
        self._show()

    def set_closed(self, *, closed: bool) -> None:
        """Say that no vault is open, rather than that one is being opened."""
        self._closed = closed
        self._show()

    def set_progress(self, progress: Progress) -> None:
        """Take over how far long work has come; finished work leaves the line."""
        if progress.state in {"running", "paused"}:
            self._jobs[progress.job] = progress
        else:
            self._jobs.pop(progress.job, None)
        self._show()

    def wait_for(self, what: str) -> None:
        """Say ``what`` is waited for if it is not ``done`` within five seconds."""
        self._waits.append(what)
        if not self._delay.isActive():
            self._delay.start()

    def done(self, what: str) -> None:
        """Stop waiting for ``what``."""
        if what in self._waits:
            self._waits.remove(what)
        if not self._waits:
            self._delay.stop()
        self._show()

    def _show(self) -> None:
        job = next(reversed(self._jobs.values()), None)
        self._bar.setVisible(job is not None)
        self._cancel.setVisible(job is not None)
        if job is not None:
            self._show_job(job)
            return
        waiting = bool(self._waits) and not self._delay.isActive()
        if waiting:
            self._sign.show_icon("clock", "warning")
            self._text.setText(self.tr("Waiting for {what}…").format(what=self._waits[0]))
        elif self._summary is None:
            self._sign.show_icon("clock" if not self._closed else "circle-alert", "muted")
            self._text.setText(self.tr("No vault is open") if self._closed else self.tr("Opening…"))
        else:
            self._sign.show_icon(
                *(
                    ("triangle-alert", "warning")
                    if self._summary.notes or self._summary.read_only
                    else ("circle-check", "success")
                )
            )
            self._text.setText(status_text(self._summary))

    def _show_job(self, job: Progress) -> None:
        self._sign.show_icon("activity", "accent")
        coming = self._summary.next_run if self._summary is not None else ""
        self._text.setText(followed(job_text(job, len(self._jobs) - 1), coming))
        self._bar.setRange(0, 1000 if job.total else 0)
        if job.total:
            self._bar.setValue(min(1000, round(1000 * job.done / job.total)))
        if job.state == "paused":
            label = self.tr("Resume: {title}").format(title=job_sentence(job.title))
        elif job.can_pause:
            label = self.tr("Pause: {title}").format(title=job_sentence(job.title))
        else:
            label = self.tr("Cancel: {title}").format(title=job_sentence(job.title))
        self._cancel.setIcon(icon({"paused": "play"}.get(job.state, "pause" if job.can_pause else "x")))
        self._cancel.setAccessibleName(label)
        self._cancel.setToolTip(tooltip(label))

    def _on_cancel_clicked(self) -> None:
        job = next(reversed(self._jobs.values()), None)
        if job is not None and job.can_pause:
            self.pause_requested.emit(job.job, job.state != "paused")
        elif job is not None:
            self.cancel_requested.emit(job.job)
