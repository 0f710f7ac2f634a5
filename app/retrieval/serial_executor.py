"""Searches one after the other: ranking holds Python's lock, so side by side they only keep the writer waiting."""

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE_S = 0.25


class SearchQueue:
    """Lets one in at a time; whoever has waited for long goes in beside, so that a slow search holds up nobody.

    Args:
        patience_s: Seconds to wait at most.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._free = asyncio.Lock()

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do ``work`` when its turn has come, and return what it returns."""
        taken = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s):
                taken = await self._free.acquire()
        try:
            return await work()
        finally:
            if taken:
                self._free.release()


class HasSearchQueue(Protocol):
    """An object whose methods take turns."""

    queue: SearchQueue


S = TypeVar("S", bound=HasSearchQueue)


def serialized(
    method: Callable[Concatenate[S, P], Awaitable[T]],
) -> Callable[Concatenate[S, P], Awaitable[T]]:
    """Make calls of a method wait for their turn."""

    @functools.wraps(method)
    async def waiting(self: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.queue.run(lambda: method(self, *arguments, **named))

    return waiting
