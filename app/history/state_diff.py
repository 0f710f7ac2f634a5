"""Differences between two recorded states of one target."""

from collections.abc import Mapping
from typing import Any

READ_COUNTS = frozenset({"access_count", "last_accessed"})  # by reading alone: no state ever brings them back
# Counters that move on by themselves, and the time that goes with them: no change of what a memory says.
VOLATILE = frozenset({"version", "mention_count", "updated_at"}) | READ_COUNTS


def differing(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the fields in which two states differ, by name.

    The only name is ``existence`` when just one of the states is there.
    """
    if first is None or second is None:
        return () if first is second else ("existence",)
    names = dict.fromkeys([*first, *second])
    return tuple(name for name in names if name not in VOLATILE and first.get(name) != second.get(name))
