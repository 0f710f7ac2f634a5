"""Order of the calls of one connection: a later read sees an earlier write."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class CallOrder:
    """Readers-writer lock that is served in the order of arrival.

    A client that sends calls without waiting for answers expects their order: a write waits for everything before it,
    a read for the writes before it. Reads run side by side.
    """

    def __init__(self) -> None:
        self._running: list[tuple[bool, asyncio.Event]] = []

    @asynccontextmanager
    async def turn(self, *, writes: bool) -> AsyncIterator[Callable[[], None]]:
        """Wait for the calls that this one has to follow, and hold up later ones.

        Yields what ends the turn before: a person is asked, which may take any time.
        """
        earlier = [done for is_write, done in self._running if writes or is_write]
        own = (writes, asyncio.Event())
        self._running.append(own)
        try:
            for done in earlier:
                await done.wait()
            yield own[1].set
        finally:
            self._running.remove(own)
            own[1].set()
