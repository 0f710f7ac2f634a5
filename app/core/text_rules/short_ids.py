"""Short ids: the kind and the last characters of an id.

They are for models, to which a whole id costs as much as a sentence. An id ends in random digits, so that eight of them
tell apart what one vault holds. Pure functions.
"""

import re
from dataclasses import dataclass
from typing import Final

from app.core.ids import PREFIXES

SHOWN: Final = 8
"""Characters of an id that are shown; of 100,000 memories another one has the same in one case of 40,000."""
LEAST: Final = 6
"""Characters by which an id may be named."""

_KINDS: Final = ("note", "fact", "observation", "reflection", "digest", "entity", "session")
_NAMES: Final = "|".join(PREFIXES[kind] for kind in _KINDS)
_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TURN: Final = r"#\d{1,18}"
# Conversations of other programs are named by the program and an id of its own.
_WHOLE: Final = re.compile(rf"(?:(?P<kind>{_NAMES})-|[^\s#]{{1,100}}[:/])(?P<uuid>{_UUID})(?P<turn>{_TURN})?")
_SHORT: Final = re.compile(
    rf"(?P<kind>{_NAMES})-(?!{_UUID})(?P<ending>[0-9a-f][0-9a-f-]{{{LEAST - 1},34}})(?P<turn>{_TURN})?"
)


@dataclass(frozen=True, slots=True)
class ShortId:
    """A short id, read.

    Args:
        kind: The prefix of its kind: ``note``, ``ses``.
        ending: The last characters of the id.
        turn: ``#`` and the number of a message, ``""`` for none.
    """

    kind: str
    ending: str
    turn: str

    @property
    def text(self) -> str:
        """Return what is looked for, without the number of a message."""
        return f"{self.kind}-{self.ending}"


def short_id(whole: str) -> str:
    """Return the short form of an id; other texts as they are.

    Memories, conversations, messages and entities have one.
    """
    match = _WHOLE.fullmatch(whole)
    if match is None:
        return whole
    return f"{match['kind'] or PREFIXES['session']}-{match['uuid'][-SHOWN:]}{match['turn'] or ''}"


def parse(text: str) -> ShortId | None:
    """Return a short id, ``None`` for a whole one and for other texts."""
    match = _SHORT.fullmatch(text)
    return None if match is None else ShortId(match["kind"], match["ending"], match["turn"] or "")
