"""Wait of a write for another program that holds the database."""

import time
from typing import Final

from app.core.stop_signal import StopSignal

LEAST_S: Final = 0.25
"""Seconds that a write waits even where it waited in the queue for long."""

_STOPPING_S: Final = 0.5  # for each of the last writes when the vault closes
_STEP_S: Final = 0.01


class WriteWait:
    """Busy handler of one write, whose time counts from when it was queued.

    Writes that were queued together so wait together, not one after the other.

    Args:
        queued_s: When the write was queued, by ``time.perf_counter``.
        busy_ms: Milliseconds it waits in all.
        stop: Set when the vault closes, which shortens the wait.
    """

    __slots__ = ("_began_s", "_stop", "_until_s")

    def __init__(self, queued_s: float, busy_ms: int, stop: StopSignal) -> None:
        self._began_s = time.perf_counter()
        self._until_s = max(queued_s + busy_ms / 1000, self._began_s + min(LEAST_S, busy_ms / 1000))
        self._stop = stop

    def __call__(self, _count: int) -> bool:
        """Wait a moment and return whether to try again."""
        now = time.perf_counter()
        until = min(self._until_s, self._began_s + _STOPPING_S) if self._stop.is_set else self._until_s
        if now >= until:
            return False
        time.sleep(min(_STEP_S, until - now))
        return True
