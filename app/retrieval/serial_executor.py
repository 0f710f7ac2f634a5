"""Serial execution of searches: ranking holds the GIL, so parallel searches only delay the writer."""

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_WAIT_S = 0.25


class SearchQueue:
    """Queue that runs one search at a time.

    A search that has waited ``max_wait_s`` runs anyway, so that a slow one does not block the others.

    Args:
        max_wait_s: Seconds to wait at most.
    """

    def __init__(self, max_wait_s: float = MAX_WAIT_S) -> None:
        self._max_wait_s = max_wait_s
        self._free = asyncio.Lock()

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run ``work`` when the queue is free, and return its result."""
        taken = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._max_wait_s):
                taken = await self._free.acquire()
        try:
            return await work()
        finally:
            if taken:
                self._free.release()


class HasSearchQueue(Protocol):
    """Protocol of an object whose searches are queued."""

    queue: SearchQueue


S = TypeVar("S", bound=HasSearchQueue)


def serialized(
    method: Callable[Concatenate[S, P], Awaitable[T]],
) -> Callable[Concatenate[S, P], Awaitable[T]]:
    """Decorate a method so that its calls wait in the object's queue."""

    @functools.wraps(method)
    async def waiting(self: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.queue.run(lambda: method(self, *arguments, **named))

    return waiting
