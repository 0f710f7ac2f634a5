"""Foreign values as JSON that every part of Keepsake can store, compare and send."""

import math
from collections.abc import Iterable, Mapping
from datetime import date, time
from typing import Any

from app.core.text import storable
from app.errors import InputError
from app.sentence import Sentence

MAX_DEPTH = 64
_WORD_BITS = 63
_DECIMAL_BITS = 10_000  # Python refuses to write longer integers in decimal


def plain(value: object, depth: int = 0) -> Any:
    """Return ``value`` as JSON-ready builtins.

    Keys and texts are storable, times are ISO 8601, NaN and infinity are dropped.

    Raises:
        InputError: It is nested deeper than ``MAX_DEPTH``.
    """
    if value is None or isinstance(value, bool | int | float | date | time):  # a datetime is a date
        return _single(value)
    if depth >= MAX_DEPTH:
        raise InputError(Sentence("Attributes may be nested at most {most} deep.", most=MAX_DEPTH), allowed=MAX_DEPTH)
    if isinstance(value, Mapping):
        return {storable(str(key))[0]: plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | memoryview):
        return [plain(item, depth + 1) for item in value]
    return storable(str(value))[0]


def _single(value: object) -> Any:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and value.bit_length() > _WORD_BITS:
        return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)
    return value
