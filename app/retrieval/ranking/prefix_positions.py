"""Prefix search in many texts at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_BREAK: Final = "\n\n"
_ASCII: Final = 0x80
_LEADS: Final = 0xC0  # least first byte of a non-ASCII character in UTF-8
_UPPER: Final = 0x20


class PrefixPositions:
    """Texts prepared for finding the positions of prefixes.

    Args:
        texts: Folded texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        # Breaks at both ends avoid bounds checks.
        self._text = _BREAK.join(["", *texts, ""])
        self._codes = np.frombuffer(self._text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        is_ascii = len(self._codes) == len(self._text)
        classes = _classes(self._codes, is_ascii=is_ascii)
        # A preceding non-ASCII character may or may not belong to a word; results are checked for it.
        before = np.flatnonzero(classes[1:] > classes[:-1])
        self._pairs = self._codes[1:].take(before).astype(np.uint16) << 8
        self._pairs |= self._codes[2:].take(before)
        before += 1
        self._places = before
        self._ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + len(_BREAK)) + len(_BREAK)
        # Continuation bytes of UTF-8, to convert byte positions to characters.
        self._inner = None if is_ascii else np.flatnonzero((self._codes >= _ASCII) & (self._codes < _LEADS))

    def of(self, key: str, *, whole: bool) -> "Ints":
        """Return the positions of ``key`` in the joined texts, in characters.

        Args:
            key: A prefix.
            whole: Whether ``key`` must begin a word.
        """
        if whole and key.isalnum():
            return self._of_words(key)
        return np.array(_found(self._text, key, whole=whole), dtype=np.int64)

    def rows(self, places: "NDArray[Any]") -> "Ints":
        """Return the index of the text for each position."""
        return np.searchsorted(self._ends, places, side="right")

    def _of_words(self, key: str) -> "Ints":
        wanted = key.encode("utf-8", "surrogatepass")
        if len(wanted) == 1:
            places = self._places[self._pairs >> 8 == wanted[0]]
        else:
            places = self._places[self._pairs == wanted[0] << 8 | wanted[1]]
            places = places[: np.searchsorted(places, len(self._codes) - len(wanted), side="right")]
        for step in range(2, len(wanted)):
            if not len(places):
                break
            places = places[self._codes[places + step] == wanted[step]]
        return places if self._inner is None else self._in_characters(places)

    def _in_characters(self, places: "Ints") -> "Ints":
        """Return byte positions as character positions, without positions inside a word."""
        is_doubtful = self._codes[np.maximum(places - 1, 0)] >= _ASCII
        places = places - np.searchsorted(np.asarray(self._inner), places)
        if is_doubtful.any():
            inside = [row for row in np.flatnonzero(is_doubtful).tolist() if self._is_inside(int(places[row]))]
            places = np.delete(places, inside)
        return places

    def _is_inside(self, place: int) -> bool:
        return place > 0 and self._text[place - 1].isalnum()


def _classes(codes: "NDArray[np.uint8]", *, is_ascii: bool) -> "NDArray[Any]":
    """Return the character class of each byte; word starts exceed the byte before them."""
    is_letter, is_digit = (codes | _UPPER) - np.uint8(ord("a")) < 26, codes - np.uint8(ord("0")) < 10  # noqa: PLR2004
    is_plain = is_letter | is_digit
    if is_ascii:
        return np.asarray(is_plain)
    return np.asarray(2 * (is_plain | (codes >= _LEADS)) + ((codes >= _ASCII) & (codes < _LEADS)))


def _found(text: str, key: str, *, whole: bool) -> list[int]:
    positions: list[int] = []
    place = text.find(key)
    while place >= 0:
        if not whole or place == 0 or not text[place - 1].isalnum():
            positions.append(place)
        place = text.find(key, place + len(key))
    return positions
