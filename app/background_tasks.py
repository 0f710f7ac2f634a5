"""Background tasks of an engine: started together, stopped together."""

import asyncio
import logging
from collections.abc import Sequence

from app.core.error_location import error_location
from app.part import BackgroundTask, Part

_log = logging.getLogger(__name__)
_BROKEN = "The background work “{work}” stopped because of a fault in Keepsake; it begins again when you restart it."


class BackgroundTasks(Part):
    """The background tasks of one engine. Belongs to its event loop."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._failures: list[str] = []

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about tasks that broke."""
        return self._failures

    def start(self, tasks: Sequence[BackgroundTask], *, is_read_only: bool, is_safe_mode: bool = False) -> None:
        """Start all tasks, those that only read, or those that safe mode needs."""
        for task in tasks:
            if (task.is_reading or not is_read_only) and (task.is_essential or not is_safe_mode):
                started = asyncio.create_task(task.run(), name=task.name)
                started.add_done_callback(self._on_ended)
                self._running.add(started)

    def cancel(self) -> None:
        """Ask all tasks to stop."""
        for task in self._running:
            task.cancel()

    async def close(self) -> None:
        """Wait until all tasks have ended, after ``cancel``; their failures are known.

        It cancels nothing itself: a second time would interrupt what a task still finishes, such as a run's record.
        """
        await asyncio.gather(*self._running, return_exceptions=True)

    def _on_ended(self, ended: "asyncio.Task[None]") -> None:
        """Report a task that failed: no caller waits for it."""
        error = None if ended.cancelled() else ended.exception()
        if error is not None:
            _log.error("background work %s broke: %s", ended.get_name(), error_location(error))
            self._failures.append(_BROKEN.format(work=ended.get_name()))
