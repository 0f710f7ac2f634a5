"""Threads with a connection each: the one writer and the readers."""

import contextlib
import math
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from app.core.stop_signal import StopSignal
from app.errors import DiskFullError, InternalError, KeepsakeError, MachineError, TimeLimitError
from app.sentence import Sentence
from app.store.connection import BUSY_MS, empty_log
from app.store.files.database_file import DatabaseConnection
from app.store.interruption import interruptible
from app.store.options import WorkTiming
from app.store.planner_statistics import update_planner_statistics
from app.store.sqlite_errors import from_binding, from_sqlite
from app.store.write_wait import WriteWait

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
Watch = Callable[[WorkTiming], None]

_READER_NICENESS = 5
_CLOSING_MS = 200  # that closing waits for another program to leave the database
_GRACE_S = 0.5  # that a read gets at least when the vault closes
_MOST_WAITS = 256  # that are remembered: as many as reads of a millisecond within the longest rest
_PROGRESS_STEPS = 20_000  # SQLite instructions between looks at the clock: about a millisecond


class QueuedWork:
    """One piece of queued work and the future of its answer."""

    __slots__ = ("future", "is_bare", "is_derived", "is_stoppable", "limit_s", "queued_s", "stop", "work")

    def __init__(
        self,
        work: Work[object],
        limit_s: float | None,
        *,
        is_bare: bool = False,
        is_derived: bool = False,
        is_stoppable: bool = False,
        stop: StopSignal | None = None,
    ) -> None:
        self.work = work
        self.limit_s = limit_s
        self.is_bare = is_bare
        self.is_derived = is_derived
        self.is_stoppable = is_stoppable
        self.stop = stop or StopSignal()
        self.queued_s = time.perf_counter()
        self.future: Future[object] = Future()


class ConnectionThread(threading.Thread):
    """A thread that runs queued work on its connection, in order, until ``None``.

    Args:
        name: The thread's name.
        connect: Makes the connection, inside the thread.
        jobs: Where jobs come from; several threads may share one queue.
        writes: True to run each job in an IMMEDIATE transaction.
        stop: Stops long reads, and writes that can be stopped.
        busy_ms: Milliseconds that a write waits for another program from when it is queued.
        watch: Told how each job went.
        at_end: Called with the connection before it is closed.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], apsw.Connection],
        jobs: "queue.SimpleQueue[QueuedWork | None]",
        *,
        writes: bool,
        stop: StopSignal,
        busy_ms: int,
        watch: Watch | None = None,
        at_end: Work[object] | None = None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._connect = connect
        self._jobs = jobs
        self._writes = writes
        self._stop_signal = stop  # a thread has a method ``_stop``
        self._busy_ms = busy_ms
        self._watch = watch
        self._at_end = at_end
        self._is_log_swollen = False

    def run(self) -> None:
        """Serve jobs; the connection is opened for the first and closed at the end."""
        connection: apsw.Connection | None = None
        if not self._writes:
            _stand_back()
        job = self._jobs.get()
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                connection = self._serve(connection, job)
            del job  # what was read is not kept while there is nothing to do
            job = self._jobs.get()
        if connection is not None:
            self._leave(connection)

    def _serve(self, connection: apsw.Connection | None, job: QueuedWork) -> apsw.Connection | None:
        """Do a job, and return the connection for the next."""
        try:
            connection = connection or self._connect()
            job.future.set_result(self._watched(connection, job))
        except KeepsakeError as error:
            job.future.set_exception(error)
        except apsw.Error as error:
            fault = from_sqlite(
                error, _file_of(connection), 0 if connection is None else connection.system_errno
            ) or InternalError(Sentence("The database refused a statement ({error}).", error=type(error).__name__))
            fault.__cause__ = error
            job.future.set_exception(fault)
        except (UnicodeEncodeError, OverflowError) as error:
            refusal = from_binding(error)
            refusal.__cause__ = error
            job.future.set_exception(refusal)
        except BaseException as error:  # noqa: BLE001  (the future carries it to the caller)
            job.future.set_exception(error)
        return connection

    def _leave(self, connection: apsw.Connection) -> None:
        if self._writes:
            connection.set_busy_handler(WriteWait(time.perf_counter(), self._busy_ms, self._stop_signal))
            with contextlib.suppress(apsw.Error):
                update_planner_statistics(connection)
            if self._at_end is not None:
                with contextlib.suppress(apsw.Error):  # the next opening finds out
                    self._at_end(connection)
            _take_in_log(connection)
        connection.close()

    def _watched(self, connection: apsw.Connection, job: QueuedWork) -> object:
        if self._watch is None:
            return self._perform(connection, job)
        begun, before, is_done = time.perf_counter(), connection.total_changes(), False
        try:
            result = self._perform(connection, job)
            is_done = True
            return result
        finally:
            ms, rows = (time.perf_counter() - begun) * 1000, connection.total_changes() - before
            self._watch(WorkTiming(job.work, (begun - job.queued_s) * 1000, ms, rows, is_done))

    def _perform(self, connection: apsw.Connection, job: QueuedWork) -> object:
        if not self._writes:
            return self._read(connection, job)
        with interruptible(connection, self._stop_signal) if job.is_stoppable else contextlib.nullcontext():
            return self._write(connection, job)

    def _write(self, connection: apsw.Connection, job: QueuedWork) -> object:
        connection.set_busy_handler(WriteWait(job.queued_s, self._busy_ms, self._stop_signal))
        if job.is_bare:
            return job.work(connection)
        with _unsynchronised(connection) if job.is_derived else contextlib.nullcontext():
            try:
                return _transact(connection, job)
            except (apsw.FullError, DiskFullError):
                self._is_log_swollen = True
                raise
            finally:
                self._shrink_log(connection)

    def _shrink_log(self, connection: apsw.Connection) -> None:
        """Truncate the log after a failure for lack of space, as soon as possible."""
        if self._is_log_swollen:
            # Without room for what was committed, or while somebody reads, it stays until after a later write.
            with contextlib.suppress(apsw.Error):
                self._is_log_swollen = not empty_log(connection)

    def _read(self, connection: apsw.Connection, job: QueuedWork) -> object:
        if job.limit_s is None:
            return job.work(connection)
        begun, limit_s, stop = time.monotonic(), job.limit_s, self._stop_signal

        def is_over() -> bool:
            seconds = time.monotonic() - begun
            return job.stop.is_set or seconds > limit_s or (seconds > _GRACE_S and stop.is_set)

        job.stop.check()
        connection.set_progress_handler(is_over, _PROGRESS_STEPS)
        try:
            # One snapshot for the whole of a read, however many statements it has.
            connection.execute("BEGIN")
            return job.work(connection)
        except (apsw.InterruptError, TimeLimitError):
            job.stop.check()
            if time.monotonic() - begun <= limit_s:
                stop.check()
            raise
        finally:
            connection.set_progress_handler(None)
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _file_of(connection: apsw.Connection | None) -> Path | None:
    return connection.path if isinstance(connection, DatabaseConnection) else None


def _take_in_log(connection: apsw.Connection) -> None:
    """Take the log into the database, whose header then says so.

    See ``database_file.has_log``.
    """
    connection.set_busy_timeout(_CLOSING_MS)
    with contextlib.suppress(apsw.Error):  # another program reads it, or the disk is full: the log stays
        connection.pragma("journal_mode", "DELETE")


def _stand_back() -> None:
    """Lower this thread's priority below the writer and the engine's loop.

    Only where threads have a priority of their own.

    With four readers busy on two cores an append then takes about two thirds of the time.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # only a courtesy: a sandbox may forbid it
            here = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, here, os.getpriority(os.PRIO_PROCESS, here) + _READER_NICENESS)


def _transact(connection: apsw.Connection, job: QueuedWork) -> object:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = job.work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


@contextlib.contextmanager
def _unsynchronised(connection: apsw.Connection) -> Iterator[None]:
    """Commit inside the block without syncing; the next commit outside syncs everything."""
    before = connection.pragma("synchronous")
    connection.pragma("synchronous", "NORMAL")
    try:
        yield
    finally:
        connection.pragma("synchronous", before)


class ThreadPool:
    """Threads over one queue, started as work comes in.

    Args:
        name: Prefix of the threads' names.
        size: Threads at most.
        connect: Makes a connection.
        writes: Passed on to each thread.
        stop: Passed on to each thread.
        busy_ms: Passed on to each thread.
        watch: Told how each job went.
        at_end: Passed on to each thread.
    """

    def __init__(
        self,
        name: str,
        size: int,
        connect: Callable[[], apsw.Connection],
        *,
        writes: bool,
        stop: StopSignal,
        busy_ms: int = BUSY_MS,
        watch: Watch | None = None,
        at_end: Work[object] | None = None,
    ) -> None:
        self._name = name
        self._size = size
        self._connect = connect
        self._writes = writes
        self._stop = stop
        self._busy_ms = busy_ms
        self._watch = watch
        self._at_end = at_end
        self._jobs: queue.SimpleQueue[QueuedWork | None] = queue.SimpleQueue()
        self._threads: list[ConnectionThread] = []
        self._lock = threading.Lock()
        self._busy = 0
        self._awaited = 0
        self._since_s = math.inf
        self._waits: deque[tuple[float, float]] = deque(maxlen=_MOST_WAITS)
        self._closed = False

    def submit(
        self,
        work: Work[object],
        limit_s: float | None = None,
        *,
        is_bare: bool = False,
        is_derived: bool = False,
        is_background: bool = False,
        is_stoppable: bool = False,
        stop: StopSignal | None = None,
    ) -> "Future[object]":
        """Queue ``work`` and return its future; bare work gets no transaction.

        Background work is what nobody waits for; see ``was_awaited``. A write that is stoppable ends without a trace
        when the vault closes. ``stop`` ends a read.
        """
        job = QueuedWork(work, limit_s, is_bare=is_bare, is_derived=is_derived, is_stoppable=is_stoppable, stop=stop)
        with self._lock:
            if self._closed:
                raise MachineError("The vault is closing.")
            if len(self._threads) < min(self._size, self._busy + 1):
                self._grow()
            self._busy += 1
            if not is_background:
                self._awaited += 1
                if self._awaited == 1:
                    self._since_s = time.monotonic()
        job.future.add_done_callback(partial(self._finished, is_background=is_background))
        self._jobs.put(job)
        return job.future

    def _grow(self) -> None:
        thread = ConnectionThread(
            f"keepsake-{self._name}-{len(self._threads)}",
            self._connect,
            self._jobs,
            writes=self._writes,
            stop=self._stop,
            busy_ms=self._busy_ms,
            watch=self._watch,
            at_end=self._at_end,
        )
        try:
            thread.start()
        except RuntimeError:  # the machine gives no further thread; those there are do its work
            if not self._threads:
                raise
        else:
            self._threads.append(thread)

    def _finished(self, _future: "Future[object]", *, is_background: bool) -> None:
        with self._lock:
            self._busy -= 1
            if not is_background:
                self._awaited -= 1
                if not self._awaited:
                    self._waits.append((self._since_s, time.monotonic()))

    def has_waiting_work(self) -> bool:
        """Return whether a caller waits."""
        with self._lock:
            return self._awaited > 0

    def awaited_s(self, within_s: float) -> float:
        """Return for how many of the last ``within_s`` seconds callers waited."""
        with self._lock:
            now = time.monotonic()
            waits = [*self._waits, (self._since_s, now)] if self._awaited else [*self._waits]
            begun = now - within_s
            return sum(max(0.0, end - max(start, begun)) for start, end in waits)

    def close(self, timeout_s: float = 30.0) -> None:
        """Finish what is queued, close the connections and end the threads."""
        with self._lock:
            self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout_s)
