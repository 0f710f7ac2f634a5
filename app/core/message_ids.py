"""Ids of messages, ``<session>#<number>``, and their parsing."""

from dataclasses import dataclass
from typing import Final

_MAX_DIGITS: Final = 18  # so that SQLite can hold the number


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message by its session and its number in it, written ``<session>#<number>``."""

    session: str
    seq: int

    def __str__(self) -> str:
        """Return the id as it is written."""
        return f"{self.session}#{self.seq}"


def parse(text: str) -> MessageRef | None:
    """Return the message that an id names, ``None`` for another id."""
    session, _, number = text.rpartition("#")
    if session and number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS:
        return MessageRef(session, int(number))
    return None
