"""Memory trimmer: memory is given back to the system after big work.

Big work, such as an import or forgetting a long conversation, otherwise leaves more behind than all that is in use.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from app.changes import ChangeSet
from app.core.process.memory_trim import private_bytes, trim_memory
from app.part import BackgroundTask, Part

REST_S: Final = 5.0
WORTH_BYTES: Final = 16 << 20


class MemoryTrimmer(Part):
    """Gives memory back after work that took more of it.

    Args:
        quiet: Returns when the work that follows a change is done.
        rest_s: Seconds after that, so that a burst of changes counts as one.
        release: Gives memory back; runs in a worker thread.
        held: Tells how much there is.
    """

    def __init__(
        self,
        quiet: Callable[[], Awaitable[None]],
        rest_s: float = REST_S,
        release: Callable[[], object] = trim_memory,
        held: Callable[[], int] = private_bytes,
    ) -> None:
        self.quiet = quiet
        self.rest_s = rest_s
        self.release = release
        self.held = held
        self._woken = asyncio.Event()

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the giving back of memory."""
        return (BackgroundTask("heap", self.run, is_reading=True),)

    def on_change(self, changes: ChangeSet) -> None:
        """Look at the memory once the work that follows is done."""
        self.wake()

    def wake(self) -> None:
        """Say that something was changed or that long work ended."""
        self._woken.set()

    async def run(self) -> None:
        """Work until cancelled."""
        least = self.held()
        while True:
            await self._woken.wait()
            self._woken.clear()
            await self.quiet()
            await asyncio.sleep(self.rest_s)
            held = self.held()
            least = min(least, held)
            if held - least >= WORTH_BYTES:
                await asyncio.to_thread(self.release)
                least = self.held()
