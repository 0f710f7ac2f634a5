"""Status updater: refreshes the status line after changes and while work is pending."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.changes import Area, ChangeSet
from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import engine_text
from ui.panes.schedule.run_labels import coming
from ui.shell.status.job_sentences import job_sentence
from ui.shell.status.status_line import StatusLine, VaultSummary
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

SETTLE_MS = 400
INDEXING_MS = 3000
_AREAS: frozenset[Area] = frozenset({"sessions", "messages", "memories", "index", "settings", "schedules"})
_PRESENCE = "presence"


class StatusUpdater(QObject):
    """Updates a status line from changes and progress."""

    summary_changed = Signal(object)
    found_read_only = Signal(str)

    def __init__(self, bridge: "Bridge", line: StatusLine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._line = line
        self._busy = False
        self._is_stale = False
        self._stopped = False
        self._read_only = ""
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self._ask)
        bridge.changed.connect(self._on_bridge_changed)
        bridge.progressed.connect(line.set_progress)
        line.cancel_requested.connect(self._on_line_cancel_requested)
        line.pause_requested.connect(self._on_line_pause_requested)
        self._ask()

    def stop(self) -> None:
        """Ask nothing more."""
        self._stopped = True
        self._timer.stop()

    async def refresh(self) -> None:
        """Ask once and show the answer."""
        self._is_stale = False
        what = self.tr("the vault to answer")
        self._line.wait_for(what)
        try:
            status = await self._bridge.call(operations.vault.status())
        except KeepsakeError:
            if not self._stopped:
                self._timer.start(INDEXING_MS)
            raise
        finally:
            self._busy = False
            if isValid(self._line):  # the window may go while the vault answers
                self._line.done(what)
        if self._stopped:
            return
        doing = tuple(job_sentence(job.title) for job in status.jobs) or tuple(map(job_sentence, status.running))
        coming_next = (
            f"{engine_text(status.next_name)} {coming(status.next_at, datetime.now(UTC))}" if status.next_at else ""
        )
        holdings = VaultSummary(
            status.memories,
            status.sessions,
            status.pending_vectors,
            tuple(map(engine_text, status.notes)),
            engine_text(status.read_only),
            status.pending_names,
            doing,
            coming_next,
            len(status.agents),
        )
        self._line.set_summary(holdings)
        self.summary_changed.emit(holdings)
        if status.read_only != self._read_only:
            self._read_only = status.read_only
            self.found_read_only.emit(engine_text(status.read_only))
        if self._is_stale:
            self._timer.start(SETTLE_MS)
        elif status.pending_vectors or status.pending_names or doing:
            self._timer.start(INDEXING_MS)

    async def _refresh_open(self) -> None:
        if not self._stopped:  # the window may be closed before its turn comes
            await self.refresh()

    def _ask(self) -> None:
        if self._busy:
            self._is_stale = True  # the answer to come may be from before the change
        elif not self._stopped:
            self._busy = True
            self._work.refresh(self._refresh_open())

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        # Agents call often; only their coming and going changes the line.
        is_presence = _PRESENCE in changes.areas and not changes.operation
        if (is_presence or changes.areas & _AREAS) and (
            not self._timer.isActive() or self._timer.interval() != SETTLE_MS
        ):
            self._timer.start(SETTLE_MS)

    def _on_line_cancel_requested(self, job: str) -> None:
        self._bridge.start(self._bridge.call(operations.job.cancel(job=job)))

    def _on_line_pause_requested(self, job: str, is_pause: bool) -> None:
        call = operations.job.pause(job=job) if is_pause else operations.job.resume(job=job)
        self._bridge.start(self._bridge.call(call))
