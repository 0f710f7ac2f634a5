"""Cadences as a person types them."""

import re
from typing import Any, Final

_EVERY: Final = re.compile(r"every (\d+(?:\.\d+)?) ?(s|m|h|d|w)[a-z]*\Z")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_CRON_FIELDS: Final = 5


def cadence_of(text: str) -> dict[str, Any] | None:
    """Return the cadence of a text, ``None`` where it is none.

    Args:
        text: Five fields of cron, with a zone after them or without, or ``every 2h``.
    """
    words = text.split()
    if len(words) in {_CRON_FIELDS, _CRON_FIELDS + 1} and words[0][0] in "*0123456789":
        zone = {"zone": words[-1]} if len(words) > _CRON_FIELDS else {}
        return {"kind": "cron", "expression": " ".join(words[:_CRON_FIELDS]), **zone}
    match = _EVERY.match(text.strip().lower())
    return {"kind": "interval", "seconds": float(match[1]) * _SECONDS[match[2]]} if match else None
