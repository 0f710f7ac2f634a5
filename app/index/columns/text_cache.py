"""Texts of chunks that were read recently, folded for word matching.

They are kept because searches read many of them again.
"""

from collections.abc import Mapping, Sequence
from typing import Final

KEPT_CHARACTERS: Final = 4_000_000


class TextCache:
    """Folded texts by chunk id (lower case, no diacritics); safe to use from several threads.

    The texts are in two generations. When the young one is full it becomes the old one, whose texts are dropped.

    Args:
        most: Approximate limit in characters.
    """

    def __init__(self, most: int = KEPT_CHARACTERS) -> None:
        self._half = most // 2
        self._young: dict[int, str] = {}
        self._old: dict[int, str] = {}
        self._size = 0

    def known(self, ids: Sequence[int]) -> list[str | None]:
        """Return the texts of chunks, ``None`` for those not in the cache."""
        young, old = self._young, self._old
        texts = list(map(young.get, ids))
        if None not in texts:
            return texts
        rows = [row for row, text in enumerate(texts) if text is None]
        again = {row: text for row in rows if (text := old.get(ids[row])) is not None}
        if again:
            for row, text in again.items():
                texts[row] = text
            self.keep({ids[row]: text for row, text in again.items()})
        return texts

    def keep(self, texts: Mapping[int, str]) -> None:
        """Keep texts; drop the ones unused since the cache was last full."""
        self._young.update(texts)
        self._size += sum(map(len, texts.values()))
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0
