"""Calls that may be made again: a second one with the same key does nothing."""

from collections.abc import Mapping
from typing import Any

from app.core.declared_operations import declared_operations


def is_keyed(operation: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call has a key against repetition."""
    key = declared_operations().keys.get(operation)
    return key is not None and bool(arguments.get(key))
