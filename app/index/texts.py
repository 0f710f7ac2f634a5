"""Texts of turns and memories that were read last, made ready to look for words in: searches come back to many."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.index.manner import Manner

KEPT_CHARACTERS: Final = 3_000_000


@dataclass(frozen=True)
class Text:
    """What a chunk says.

    Args:
        begun: The beginning, as it was said.
        folded: What the features read of it, in lower case without diacritics.
        asks: Whether it asks something.
        author: Who said it.
    """

    begun: str
    folded: str
    asks: bool
    author: str

    @cached_property
    def manner(self) -> Manner:
        """Return how it speaks."""
        return Manner(self.begun)


class Texts:
    """Keeps them by chunk id, those used last; safe to use from several threads.

    Args:
        most: Characters kept at most, about.
    """

    def __init__(self, most: int = KEPT_CHARACTERS) -> None:
        self._half = most // 2
        self._young: dict[int, Text] = {}
        self._old: dict[int, Text] = {}
        self._size = 0

    def known(self, ids: Iterable[int]) -> list[Text | None]:
        """Return the texts of chunks, ``None`` for those that are not kept."""
        young, old = self._young, self._old
        found: list[Text | None] = []
        for chunk in ids:
            text = young.get(chunk)
            if text is None and (text := old.get(chunk)) is not None:
                self.keep(chunk, text)
            found.append(text)
        return found

    def keep(self, chunk: int, text: Text) -> None:
        """Keep a text; when there are too many, those that were not used since the last time this happened go."""
        self._young[chunk] = text
        self._size += len(text.folded)
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0
