"""A pane's own state as bytes: sizes and choices that come back with the window."""

import json
from typing import Any, Final

WORDS: Final = frozenset({"query", "recent"})
"""Keys under which panes keep words that a person typed."""


def pack(values: dict[str, Any]) -> bytes:
    """Return ``values`` as bytes; those that are bytes themselves become hexadecimal."""
    plain = {key: value.hex() if isinstance(value, bytes) else value for key, value in values.items()}
    return json.dumps(plain).encode()


def unpack(state: bytes) -> dict[str, Any]:
    """Return what ``pack`` was given (bytes as hexadecimal), empty when ``state`` is from another version."""
    try:
        values = json.loads(state or b"{}")
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def without_words(state: bytes) -> bytes:
    """Return ``state`` without what a person typed to search."""
    values = unpack(state)
    return pack({key: value for key, value in values.items() if key not in WORDS}) if WORDS & values.keys() else state


def bytes_of(values: dict[str, Any], key: str) -> bytes:
    """Return a value that was bytes, empty when it is missing or no such thing."""
    try:
        return bytes.fromhex(str(values.get(key, "")))
    except ValueError:
        return b""
