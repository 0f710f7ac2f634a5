"""A pane's own state as bytes: sizes and choices that come back with the window."""

import json
from typing import Any


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


def bytes_of(values: dict[str, Any], key: str) -> bytes:
    """Return a value that was bytes, empty when it is missing or no such thing."""
    try:
        return bytes.fromhex(str(values.get(key, "")))
    except ValueError:
        return b""
