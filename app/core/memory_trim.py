"""Memory trimming: freed memory that the C library keeps is returned to the system.

Works with glibc; does nothing elsewhere.

Big work, such as an import or forgetting a long conversation, otherwise leaves more behind than all that is in use.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

REST_S: Final = 5.0
WORTH_BYTES: Final = 16 << 20
_M_ARENA_MAX: Final = -8  # of glibc's malloc.h


def share_one_arena() -> bool:
    """Let all threads take memory from one place, and return whether that was understood.

    Each thread would else get an arena, a place of its own, and keep there what it once needed: with a writer, its
    readers and the index's threads a hundred megabytes and more. Threads that run already keep theirs.
    """
    tune = _of_libc("mallopt")
    return tune is not None and bool(tune(_M_ARENA_MAX, 1))


def trim_memory() -> bool:
    """Give freed memory back to the system, and return whether there was any; takes milliseconds."""
    trim = _of_libc("malloc_trim")
    return trim is not None and bool(trim(0))


def private_bytes() -> int:
    """Return the private resident memory in bytes, 0 where it is not known."""
    if sys.platform != "linux":
        return 0
    try:
        resident, shared = Path("/proc/self/statm").read_text(encoding="ascii").split()[1:3]
    except OSError:  # a sandbox may hide it
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _of_libc(name: str) -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415  (clients of a host never need it)

    return getattr(ctypes.CDLL(None), name, None)


class MemoryTrimmer:
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
        self._quiet = quiet
        self._rest_s = rest_s
        self._release = release
        self._held = held
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Say that something was changed or that long work ended."""
        self._woken.set()

    async def run(self) -> None:
        """Work until cancelled."""
        least = self._held()
        while True:
            await self._woken.wait()
            self._woken.clear()
            await self._quiet()
            await asyncio.sleep(self._rest_s)
            held = self._held()
            least = min(least, held)
            if held - least >= WORTH_BYTES:
                await asyncio.to_thread(self._release)
                least = self._held()
