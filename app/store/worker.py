"""Threads that own a connection each and run what is queued: the one writer and the readers."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import apsw

from app.errors import InternalError, KeepsakeError, MachineError
from app.store.faults import from_binding, from_sqlite

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

_PROGRESS_STEPS = 20_000  # SQLite instructions between looks at the clock: about a millisecond


class Job:
    """One piece of queued work and the future of its answer."""

    __slots__ = ("future", "limit_s", "work")

    def __init__(self, work: Work[object], limit_s: float | None) -> None:
        self.work = work
        self.limit_s = limit_s
        self.future: Future[object] = Future()


class ConnectionThread(threading.Thread):
    """Runs jobs from a queue on one connection, in order, until it takes ``None`` from it.

    Args:
        name: The thread's name.
        connect: Makes the connection, inside the thread.
        jobs: Where jobs come from; several threads may share one queue.
        writes: True to run each job in an IMMEDIATE transaction.
    """

    def __init__(
        self, name: str, connect: Callable[[], apsw.Connection], jobs: "queue.SimpleQueue[Job | None]", *, writes: bool
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._connect = connect
        self._jobs = jobs
        self._writes = writes

    def run(self) -> None:
        """Serve jobs; the connection is opened for the first and closed at the end."""
        connection: apsw.Connection | None = None
        while (job := self._jobs.get()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                connection = connection or self._connect()
                job.future.set_result(self._perform(connection, job))
            except KeepsakeError as error:
                job.future.set_exception(error)
            except apsw.Error as error:
                fault = from_sqlite(error) or InternalError(f"The database refused a statement: {error}")
                fault.__cause__ = error
                job.future.set_exception(fault)
            except (UnicodeEncodeError, OverflowError) as error:
                refusal = from_binding(error)
                refusal.__cause__ = error
                job.future.set_exception(refusal)
            except BaseException as error:  # noqa: BLE001  (the future carries it to whoever asked)
                job.future.set_exception(error)
        if connection is not None:
            if self._writes:
                with contextlib.suppress(apsw.Error):
                    connection.pragma("optimize")
            connection.close()

    def _perform(self, connection: apsw.Connection, job: Job) -> object:
        if not self._writes:
            return self._read(connection, job)
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = job.work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    @staticmethod
    def _read(connection: apsw.Connection, job: Job) -> object:
        if job.limit_s is None:
            return job.work(connection)
        deadline = time.monotonic() + job.limit_s
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _PROGRESS_STEPS)
        try:
            # One snapshot for the whole of a read, however many statements it has.
            connection.execute("BEGIN")
            return job.work(connection)
        finally:
            connection.set_progress_handler(None)
            if connection.in_transaction:
                connection.execute("ROLLBACK")


class Pool:
    """Threads over one queue, started as work comes in.

    Args:
        name: Prefix of the threads' names.
        size: Threads at most.
        connect: Makes a connection.
        writes: Passed on to each thread.
    """

    def __init__(self, name: str, size: int, connect: Callable[[], apsw.Connection], *, writes: bool) -> None:
        self._name = name
        self._size = size
        self._connect = connect
        self._writes = writes
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: list[ConnectionThread] = []
        self._lock = threading.Lock()
        self._busy = 0
        self._closed = False

    def submit(self, work: Work[object], limit_s: float | None = None) -> "Future[object]":
        """Queue ``work`` and return the future of its answer."""
        job = Job(work, limit_s)
        with self._lock:
            if self._closed:
                raise MachineError("The vault is closing.")
            self._busy += 1
            if len(self._threads) < min(self._size, self._busy):
                self._grow()
        job.future.add_done_callback(self._finished)
        self._jobs.put(job)
        return job.future

    def _grow(self) -> None:
        thread = ConnectionThread(
            f"keepsake-{self._name}-{len(self._threads)}", self._connect, self._jobs, writes=self._writes
        )
        self._threads.append(thread)
        thread.start()

    def _finished(self, _future: "Future[object]") -> None:
        with self._lock:
            self._busy -= 1

    def close(self, timeout_s: float = 30.0) -> None:
        """Finish what is queued, close the connections and end the threads."""
        with self._lock:
            self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout_s)
