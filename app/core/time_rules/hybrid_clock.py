"""Hybrid logical clock: one integer that follows the wall clock and never goes back.

Its upper 48 bits are milliseconds since 1970 UTC and its lower 16 a counter, so that of two changes the one whose
writer knew of the other is always the later one, whatever their machines' clocks say (Kulkarni et al., *Logical
Physical Clocks*, 2014).
"""

from typing import Final

COUNTER_BITS: Final = 16
MOST_MS: Final = (1 << 46) - 1
"""The latest wall time that it follows, in the year 4199: what comes after it still fits into SQLite's integers."""
END: Final = (MOST_MS + 1) << COUNTER_BITS
"""No clock reaches it."""


def at_wall(ms: int) -> int:
    """Return the clock's first value of a wall time in milliseconds since 1970 UTC."""
    return min(max(ms, 0), MOST_MS) << COUNTER_BITS
