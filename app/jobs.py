"""Long work that a person can watch and cancel."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from app.changes import Progress
from app.core.ids import new_id
from app.errors import InputError

_SECONDS_BETWEEN_REPORTS = 0.1
_RATE_SECONDS = 3.0


class Job:
    """One piece of long work.

    Args:
        job_id: Its id.
        title: What is done, in words.
        unit: What is counted.
        publish: Hears of its progress, at most ten times a second and at each change of state.
    """

    def __init__(self, job_id: str, title: str, unit: str, publish: Callable[[Progress], None]) -> None:
        self._publish = publish
        self._cancelled = threading.Event()
        self._published = 0.0
        self._samples: list[tuple[float, int]] = []
        self.progress = Progress(job_id, title, 0, unit=unit)

    def cancel(self) -> None:
        """Ask the work to stop at its next safe point."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Return whether it was asked to stop."""
        return self._cancelled.is_set()

    def advance(self, done: int, total: int | None, detail: str = "") -> None:
        """Say how far the work has come."""
        now = time.monotonic()
        self._samples = [item for item in self._samples if now - item[0] < _RATE_SECONDS] + [(now, done)]
        begun, first = self._samples[0]
        rate = (done - first) / (now - begun) if now - begun > _SECONDS_BETWEEN_REPORTS else self.progress.rate
        self.progress = replace(self.progress, done=done, total=total, rate=rate, detail=detail)
        if now - self._published >= _SECONDS_BETWEEN_REPORTS:
            self._published = now
            self._publish(self.progress)

    def finish(self, state: str) -> None:
        """Say that it ended: ``finished``, ``cancelled`` or ``failed``."""
        self.progress = replace(self.progress, state=state)
        self._publish(self.progress)


class Jobs:
    """The long work under way; its methods are called from any thread.

    Args:
        publish: Hears of all progress.
    """

    def __init__(self, publish: Callable[[Progress], None]) -> None:
        self._publish = publish
        self._running: dict[str, Job] = {}
        self._lock = threading.Lock()

    def begin(self, title: str, unit: str, job_id: str = "") -> Job:
        """Return a new job that is listed until ``end``.

        Raises:
            InputError: One of that id is running.
        """
        key = job_id or new_id("run")
        job = Job(key, title, unit, self._publish)
        with self._lock:
            if self._running.setdefault(key, job) is not job:
                raise InputError(f"Job {key} is running already.", job=key)
        return job

    def end(self, job: Job, state: str) -> None:
        """Take a job off the list and say how it ended."""
        with self._lock:
            self._running.pop(job.progress.job, None)
        job.finish(state)

    def all(self) -> list[Progress]:
        """Return how far each running job has come."""
        return [job.progress for job in self._listed()]

    def cancel(self, job_id: str) -> bool:
        """Ask a job to stop; False when there is none of that id."""
        job = self._running.get(job_id)
        if job is not None:
            job.cancel()
        return job is not None

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        for job in self._listed():
            job.cancel()

    def _listed(self) -> list[Job]:
        with self._lock:
            return [*self._running.values()]
