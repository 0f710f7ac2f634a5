"""Calls on threads that the program does not wait for at its end.

The interpreter waits at its end for the threads of a pool, also for one that waits for a server which says nothing, or
for a disk that hangs. A daemon thread is left alone.
"""

import asyncio
import contextvars
import functools
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from app.errors import CallStoppedError

P = ParamSpec("P")
T = TypeVar("T")

_STOP: Final[contextvars.ContextVar["asyncio.Future[None] | None"]] = contextvars.ContextVar("stop", default=None)


class DaemonThreads(ThreadPoolExecutor):
    """Executor that gives each call a daemon thread of its own."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Begin a call.

        Raises:
            RuntimeError: The machine gives no further thread.
        """
        future: Future[T] = Future()
        work = functools.partial(fn, *args, **kwargs)
        threading.Thread(target=_settle, args=(future, work), name="keepsake-call", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Return at once; calls go on by themselves."""
        super().shutdown(wait=False, cancel_futures=cancel_futures)


_THREADS: Final = DaemonThreads()


def _settle(future: "Future[T]", work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  (the future carries it to the caller)
        future.set_exception(error)
    else:
        future.set_result(result)


def begin_in_daemon_thread(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Begin a call whose result is not needed; it must raise nothing."""
    _THREADS.submit(work, *args, **kwargs)


def _stopped() -> CallStoppedError:
    return CallStoppedError(
        "This was stopped before it was done: the vault was closed, or you chose otherwise meanwhile."
    )


class Calls:
    """Calls by ``in_daemon_thread`` that can be given up together. Belongs to one event loop."""

    def __init__(self) -> None:
        self._stop: asyncio.Future[None] | None = None
        self._is_closed = False

    @contextmanager
    def begun(self) -> Iterator[None]:
        """Count the calls of a block among these.

        Raises:
            CallStoppedError: No further ones are to begin.
        """
        if self._is_closed:
            raise _stopped()
        if self._stop is None:
            self._stop = asyncio.get_running_loop().create_future()
        token = _STOP.set(self._stop)
        try:
            yield
        finally:
            _STOP.reset(token)

    def give_up(self) -> None:
        """Let all who wait go on with a ``CallStoppedError``; their blocks make no further calls."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop.set_result(None)

    def close(self) -> None:
        """Give all up, and let no further ones begin."""
        self._is_closed = True
        self.give_up()


async def in_daemon_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of ``work``, called on a daemon thread.

    Where the caller is cancelled or the call is given up, the thread goes on alone and its result is dropped.

    Raises:
        CallStoppedError: It was given up; see ``Calls``.
    """
    stop = _STOP.get()
    if stop is not None and stop.done():
        raise _stopped()
    context = contextvars.copy_context()
    call = asyncio.get_running_loop().run_in_executor(
        _THREADS, functools.partial(context.run, functools.partial(work, *args, **kwargs))
    )
    if stop is None:
        return await call
    try:
        await asyncio.wait((call, stop), return_when=asyncio.FIRST_COMPLETED)
        if stop.done() and (not call.done() or call.exception() is not None):
            raise _stopped()  # also where what it waited for was closed meanwhile
        return call.result()
    finally:
        call.cancel()  # of no effect where it has ended


class _HasCalls(Protocol):
    calls: Calls


S = TypeVar("S", bound=_HasCalls)


def stoppable(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Count the calls of a method among the ``calls`` of its object."""

    @functools.wraps(method)
    async def within(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.calls.begun():
            return await method(self, *args, **kwargs)

    return within
