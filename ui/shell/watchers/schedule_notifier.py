"""Notifier of schedules: shows the notes about runs that wait for the person."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QGuiApplication

from app.changes import Area
from app.schedule.model import ScheduleNote
from ui import operations
from ui.engine_texts import engine_report
from ui.models.dates import counted
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

AREA: Area = "schedules"
SINGLE = 3  # with more of them at a time, one note stands for all
FETCHED = 200

Show = Callable[[str, str], bool]


class ScheduleNotifier(QObject):
    """The notes about schedules, shown as they come and when the window is opened.

    Args:
        bridge: The way to the engine.
        show: Shows a text about a schedule, given its id; False where it cannot be seen now.
        parent: The Qt parent.
    """

    def __init__(self, bridge: "Bridge", show: Show, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._show = show
        self._work.on_areas({AREA}, self.refresh)
        app = QCoreApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.connect(self._on_app_state_changed)
        self.refresh()

    def refresh(self) -> None:
        """Show the notes that wait, and report those that could be shown."""
        self._work.coalesce(self._show_waiting)  # one at a time: no note is shown twice

    async def _show_waiting(self) -> None:
        waiting: list[ScheduleNote] = await self._bridge.call(operations.schedule.notes(limit=FETCHED))
        if shown := self._shown(waiting):
            await self._bridge.call(operations.schedule.notes_shown(ids=shown))

    def _shown(self, waiting: list[ScheduleNote]) -> list[int]:
        """Show notes and return the numbers of those that could be shown."""
        if len(waiting) <= SINGLE:
            return [note.id for note in waiting if self._show(engine_report(note.text), note.schedule_id)]
        last = waiting[-1]
        more = counted(
            len(waiting) - 1,
            self.tr("There is 1 more note about schedules; the pane Schedule shows all runs."),
            self.tr("There are {n} more notes about schedules; the pane Schedule shows all runs."),
        )
        is_shown = self._show(f"{engine_report(last.text)} {more}", last.schedule_id)
        return [note.id for note in waiting] if is_shown else []

    def _on_app_state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.refresh()
