"""How a turn speaks: of the speaker, to the other, of numbers and of names. Pure."""

import re
import string
from functools import cached_property
from typing import Final

READ_CHARACTERS: Final = 600
"""How much of a text decides; what a turn is about mostly stands at its beginning."""
MOST_NAMES: Final = 4

_PUNCTUATION: Final = {ord(mark): " " for mark in string.punctuation if mark != "'"} | {ord("’"): "'"}
_NAME: Final = re.compile(r"[a-z,;:'’\"] [\"“']?[A-Z][a-zA-Z]")
_FIRST: Final = frozenset(
    ["i", "i'm", "i've", "i'd", "i'll", "my", "me", "mine", "we", "we're", "we've", "our", "us", "myself"]
)
_SECOND: Final = frozenset(["you", "your", "you're", "you've", "you'll", "yours", "yourself"])
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b"
)
_SHORTEST: Final = 5


class Manner:
    """How a text speaks; English words only, other texts speak of nothing.

    Args:
        text: Its beginning, as it was said.
    """

    def __init__(self, text: str) -> None:
        self._text = text[:READ_CHARACTERS]

    @cached_property
    def persons(self) -> tuple[float, float]:
        """Return the shares of words in the first and in the second person."""
        words = self._text.lower().translate(_PUNCTUATION).split()
        # A few words more than there are, so that a turn of two words is not all about its speaker.
        size = len(words) + _SHORTEST
        return sum(map(_FIRST.__contains__, words)) / size, sum(map(_SECOND.__contains__, words)) / size

    @cached_property
    def number(self) -> bool:
        """Tell whether it says a number."""
        return _NUMBER.search(self._text.lower()) is not None

    @cached_property
    def names(self) -> int:
        """Return how many words with a capital do not begin a sentence, at most ``MOST_NAMES``."""
        return min(len(_NAME.findall(self._text)), MOST_NAMES)
