"""Jobs: long work that a person can watch, pause and cancel."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from app.changes import Progress
from app.core.ids import new_id
from app.errors import CancelledByPersonError, InputError
from app.sentence import Sentence

_SECONDS_BETWEEN_REPORTS = 0.1
_RATE_SECONDS = 3.0


class Job:
    """A job under way.

    Args:
        job_id: The id of the job.
        title: The description shown to the person.
        unit: The unit of progress, such as ``bytes``.
        publish: Receives the progress, at the first step, at most ten times a second and at each change of state.
        resumed: Called when a pause ends; without it the job cannot be paused.
    """

    def __init__(
        self,
        job_id: str,
        title: str,
        unit: str,
        publish: Callable[[Progress], None],
        resumed: Callable[[], None] | None = None,
    ) -> None:
        self._publish = publish
        self._resumed = resumed
        self._cancelled = threading.Event()
        self._published = 0.0
        self._samples: list[tuple[float, int]] = []
        self.progress = Progress(job_id, title, 0, unit=unit, can_pause=resumed is not None)
        self.outcome = ""
        """Its final state where it ends without an error; by default whether it was cancelled says that."""

    def cancel(self) -> None:
        """Request the work to stop at its next safe point."""
        self._cancelled.set()

    def pause(self) -> bool:
        """Pause the work at its next safe point; return whether it can be paused."""
        if self._resumed is None:
            return False
        self.progress = replace(self.progress, state="paused", rate=None)
        self._publish(self.progress)
        return True

    def resume(self) -> bool:
        """Continue the work; return whether it was paused."""
        if self._resumed is None or not self.is_paused():
            return False
        self.progress = replace(self.progress, state="running")
        self._samples = []
        self._publish(self.progress)
        self._resumed()
        return True

    def is_paused(self) -> bool:
        """Return whether the job is paused."""
        return self.progress.state == "paused"

    def is_cancelled(self) -> bool:
        """Return whether the job was cancelled."""
        return self._cancelled.is_set()

    def advance(self, done: int, total: int | None, detail: str = "") -> None:
        """Report the progress."""
        now = time.monotonic()
        self._samples = [item for item in self._samples if now - item[0] < _RATE_SECONDS] + [(now, done)]
        begun, first = self._samples[0]
        rate = (done - first) / (now - begun) if now - begun > _SECONDS_BETWEEN_REPORTS else self.progress.rate
        begins = not self.progress.done and done  # the first unit after a silent start is reported at once
        self.progress = replace(self.progress, done=done, total=total, rate=rate, detail=detail)
        if begins or now - self._published >= _SECONDS_BETWEEN_REPORTS:
            self._published = now
            self._publish(self.progress)

    def finish(self, state: str) -> None:
        """Report the final state: ``finished``, ``cancelled`` or ``failed``."""
        self.progress = replace(self.progress, state=state)
        self._publish(self.progress)


class BackgroundJob:
    """Background work that is listed as a pausable job while much of it is left.

    Args:
        jobs: The list of jobs.
        job_id: The id of the job, always the same.
        title: The description shown to the person.
        unit: The unit of progress.
        resumed: Called when a pause ends, from any thread.
        least: The amount left from which the job is listed.
    """

    def __init__(
        self, jobs: "Jobs", job_id: str, title: str, unit: str, resumed: Callable[[], None], least: int = 1
    ) -> None:
        self._jobs = jobs
        self._names = (title, unit, job_id)
        self._resumed = resumed
        self._least = least
        self._job: Job | None = None
        self._done = 0

    @property
    def is_paused(self) -> bool:
        """True while the job is paused by a person."""
        return self._job is not None and self._job.is_paused()

    def advance(self, done: int, left: int) -> None:
        """Report ``done`` more units as finished and ``left`` as remaining; the job ends at 0."""
        if self._job is None and left >= self._least:
            self._done = 0
            self._job = self._jobs.begin(*self._names, resumed=self._resumed)
        if self._job is None:
            return
        self._done += done
        self._job.advance(self._done, self._done + left)
        if not left:
            self.finish()

    def finish(self) -> None:
        """Remove the job from the list."""
        job, self._job = self._job, None
        if job is not None:
            self._jobs.end(job, "finished")


class Jobs:
    """The jobs under way; safe to use from several threads.

    Args:
        publish: Receives the progress of every job.
    """

    def __init__(self, publish: Callable[[Progress], None]) -> None:
        self._publish = publish
        self._running: dict[str, Job] = {}
        self._lock = threading.Lock()

    def begin(self, title: str, unit: str, job_id: str = "", resumed: Callable[[], None] | None = None) -> Job:
        """Return a new job, listed until ``end``; ``resumed`` makes it pausable.

        Raises:
            InputError: A job with that id is running.
        """
        key = job_id or new_id("run")
        job = Job(key, title, unit, self._publish, resumed)
        with self._lock:
            if self._running.setdefault(key, job) is not job:
                raise InputError(Sentence("Job {key} is running already.", key=key), job=key)
        return job

    @contextmanager
    def running(self, title: str, unit: str, job_id: str = "") -> Iterator[Job]:
        """List a job while something is done, and report how that ended.

        Raises:
            InputError: A job with that id is running.
        """
        job, state = self.begin(title, unit, job_id), "failed"
        try:
            yield job
            state = job.outcome or ("cancelled" if job.is_cancelled() else "finished")
        except (CancelledByPersonError, asyncio.CancelledError):
            state = "cancelled"
            raise
        finally:
            self.end(job, state)

    def end(self, job: Job, state: str) -> None:
        """Remove a job from the list and report its final state."""
        with self._lock:
            self._running.pop(job.progress.job, None)
        job.finish(state)

    def all(self) -> list[Progress]:
        """Return the progress of each running job."""
        return [job.progress for job in self._listed()]

    def cancel(self, job_id: str) -> bool:
        """Cancel a job, or pause one that restarts by itself.

        Returns:
            Whether there is a job with that id.
        """
        job = self._running.get(job_id)
        if job is not None and not job.pause():
            job.cancel()
        return job is not None

    def pause(self, job_id: str) -> bool:
        """Pause a job; return whether there is one with that id that can be paused."""
        job = self._running.get(job_id)
        return job is not None and job.pause()

    def resume(self, job_id: str) -> bool:
        """Continue a paused job; return whether one with that id was paused."""
        job = self._running.get(job_id)
        return job is not None and job.resume()

    def cancel_all(self) -> None:
        """Cancel every job."""
        for job in self._listed():
            job.cancel()

    def _listed(self) -> list[Job]:
        with self._lock:
            return [*self._running.values()]


class LoopWake:
    """A signal to a worker from any thread; it arrives on the worker's loop.

    Args:
        loop: The event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._wake: Callable[[], None] | None = None

    def connect(self, wake: Callable[[], None]) -> None:
        """Set the function that wakes the worker."""
        self._wake = wake

    def __call__(self) -> None:
        """Wake the worker, if there is one yet."""
        if self._wake is not None:
            self._loop.call_soon_threadsafe(self._wake)
