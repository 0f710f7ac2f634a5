"""Cards: the contents of two-line rows in lists."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["quiet", "accent", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Badge:
    """A small label in a row.

    Args:
        text: One or two words.
        tone: What it means to the eye; never the only sign of it.
        icon: Name of an icon before the text, ``""`` for none.
    """

    text: str
    tone: Tone = "quiet"
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One row.

    Args:
        title: First line.
        text: Second line.
        date: Short date at the right of the first line.
        badges: Labels at the right of the second line, first ones first.
        icon: Name of the icon before the title, ``""`` for none.
        marked: A dot before the title: something waits here.
        faded: Painted dimmer: archived or deleted.
        hint: What the badges mean, in words, for those who point at the row.
        spoken: What a screen reader says; title, text and date when empty.
    """

    title: str
    text: str = ""
    date: str = ""
    badges: tuple[Badge, ...] = ()
    icon: str = ""
    marked: bool = False
    faded: bool = False
    hint: str = ""
    spoken: str = ""

    @property
    def speech(self) -> str:
        """The row in words."""
        if self.spoken:
            return self.spoken
        return ", ".join(part for part in (self.title, self.text, *(b.text for b in self.badges), self.date) if part)
