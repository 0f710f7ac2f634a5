"""Memory trimming: freed memory that the C library keeps is returned to the system.

Works with glibc; does nothing elsewhere.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

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
