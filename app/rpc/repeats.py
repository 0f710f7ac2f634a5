"""Calls that may be made again: a second one with the same key does nothing."""

from collections.abc import Mapping
from typing import Any

IDEMPOTENT = frozenset({"session.append", "memory.write", "note.save"})


def is_keyed(operation: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call has a key against repetition."""
    return operation in IDEMPOTENT and bool(arguments.get("key"))
