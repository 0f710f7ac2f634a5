"""Event loop of the window: asyncio on Qt."""

import asyncio
import inspect
from contextvars import Context
from typing import Any

import qasync


class EventLoop(qasync.QEventLoop):  # type: ignore[misc]  # it has no types
    """qasync's loop, without the function of asyncio that Python 3.14 deprecates and 3.16 removes.

    qasync 0.28 calls ``asyncio.iscoroutinefunction`` for each callback (https://github.com/CabbageDevelopment/qasync).
    """

    def call_later(self, delay: float, callback: Any, *args: Any, context: Context | None = None) -> Any:
        """Call ``callback`` after ``delay`` seconds; see ``asyncio.AbstractEventLoop.call_later``.

        Raises:
            TypeError: It cannot be called, or is a coroutine function.
        """
        if not callable(callback) or inspect.iscoroutinefunction(callback):
            raise TypeError(f"a callback must be a function, not {type(callback).__name__}")
        handle = _Handle(callback, args, self, context=context)
        if self.is_closed():
            handle.cancel()  # another thread handed it over before the end, and nobody waits for it any more
            return handle
        return self._add_callback(handle, delay)


class _Handle(asyncio.Handle):
    """Callback that may be due while only Qt takes events.

    Python 3.14 steps a task only where its loop is the running one.
    """

    def _run(self) -> None:
        if asyncio._get_running_loop() is not None:
            super()._run()
            return
        asyncio._set_running_loop(self._loop)  # type: ignore[attr-defined]  # as above
        try:
            super()._run()
        finally:
            asyncio._set_running_loop(None)
