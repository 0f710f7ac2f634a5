"""SQL of ``Memory.said_by`` and ``Memory.said_at``.

A fact may be stored long after it was said.
"""

from typing import Final

from app.memories.model import SAID_AT

_SAID: Final = "m.attributes ->> '$.said_at'"
IS_SAID: Final = (
    f"m.kind = 'fact' AND m.attributes <> '{{}}' AND {_SAID} GLOB '{SAID_AT}' AND unixepoch({_SAID}) IS NOT NULL"
)
"""SQL condition on ``memories m`` that it is known when a fact was said."""
SAID_MS: Final = f"CAST(unixepoch({_SAID}, 'subsec') * 1000 AS INTEGER)"
"""SQL expression of when a fact was said, milliseconds UTC."""
SAID_BY: Final = "CASE WHEN m.kind = 'fact' AND m.attributes <> '{}' THEN m.attributes ->> '$.said_by' END"
"""SQL expression of who said a fact; no text where that is not known."""
