"""Values of foreign JSON taken for what they should be; anything else counts as absent."""

import math
from typing import Any

from app.core.text import storable

MAX_DEPTH = 60


def text(value: object) -> str:
    """Return ``value`` when it is a string, else ``""``."""
    return value if isinstance(value, str) else ""


def table(value: object) -> dict[str, Any]:
    """Return ``value`` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def row(value: object) -> list[Any]:
    """Return ``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def first_text(source: dict[str, Any], *names: str) -> str:
    """Return the first field of ``names`` with text in it, else ``""``."""
    for name in names:
        value = source.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def clean(value: Any, depth: int = 0) -> Any:
    """Return a foreign value fit for storing: storable strings, finite numbers, no nesting beyond reason."""
    if isinstance(value, str):
        return storable(value)[0]
    if isinstance(value, dict):
        return {storable(str(k))[0]: clean(v, depth + 1) for k, v in value.items()} if depth < MAX_DEPTH else "{\u2026}"
    if isinstance(value, list):
        return [clean(item, depth + 1) for item in value] if depth < MAX_DEPTH else "[\u2026]"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def filled(source: dict[str, Any], *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the cleaned fields of ``source`` that are neither null nor empty.

    Those in ``without`` are left out.
    """
    return {
        storable(name)[0]: clean(value)
        for name, value in source.items()
        if name not in without and value is not None and value not in ("", [], {})
    }
