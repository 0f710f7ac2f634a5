"""Event loop on a thread of its own, for callers that may block."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, Final, TypeVar

from app.core.process.daemon_thread import DaemonThreads

T = TypeVar("T")

_END_S: Final = 1.0


class LoopThread:
    """An event loop whose thread begins with the first call.

    Any thread but its own may use it.

    Args:
        name: The name of the thread.
        on_end: Called on the loop when everything else on it has ended.
    """

    def __init__(self, name: str, on_end: Callable[[], Awaitable[None]]) -> None:
        self._name = name
        self._on_end = on_end
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of ``work``, done on the loop.

        Raises:
            CancelledError: The loop was closed, now or before.
            RuntimeError: The machine gives no further thread.
        """
        with self._lock:
            if self._is_closed:
                raise CancelledError
            if self._loop is None:
                self._loop = self._started()
            future = asyncio.run_coroutine_threadsafe(work(), self._loop)
        return future.result()

    def close(self) -> None:
        """Cancel what runs, and end the thread."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_END_S)

    def _started(self) -> asyncio.AbstractEventLoop:
        """Return a loop that runs; without a thread for it, a later call tries again."""
        loop = asyncio.new_event_loop()
        loop.set_default_executor(DaemonThreads())  # looking up an address cannot be cancelled
        thread = threading.Thread(target=self._serve, args=(loop,), name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            loop.close()
            raise
        self._thread = thread
        return loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.get_loop().run_forever()
            runner.run(self._end())

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._on_end()
