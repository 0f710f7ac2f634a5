"""Time when a fact was said, which may be long before it was stored."""

from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

from app.memories.model import Memory

_SAID: Final = "m.attributes ->> '$.said_at'"
# As consolidation writes it; anything else is foreign. Both halves below read the same ones.
_TIME: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*[+-][0-9][0-9]:[0-9][0-9]"
IS_SAID: Final = (
    f"m.kind = 'fact' AND m.attributes <> '{{}}' AND {_SAID} GLOB '{_TIME}' AND unixepoch({_SAID}) IS NOT NULL"
)
"""SQL condition on ``memories m`` that it is known when a fact was said."""
SAID_MS: Final = f"CAST(unixepoch({_SAID}, 'subsec') * 1000 AS INTEGER)"
"""SQL expression of when a fact was said, milliseconds UTC."""


def said_time(memory: Memory) -> datetime | None:
    """Return when a fact was said, ``None`` where that is not known."""
    said = memory.attributes.get("said_at") if memory.kind == "fact" else None
    if not isinstance(said, str) or not fnmatchcase(said, _TIME):
        return None
    try:
        return datetime.fromisoformat(said)
    except ValueError:
        return None
