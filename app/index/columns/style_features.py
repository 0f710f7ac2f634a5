"""Style features of a text: person, numbers, names and time words.

Only English words are counted; texts in other languages have no features. All functions are pure.
"""

import re
import string
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

READ_CHARACTERS: Final = 600
"""Characters that are read of a text; the subject of a message is usually at its beginning."""
MAX_NAMES: Final = 4

_NAME: Final = re.compile(r"[a-z,;:'’\"] [\"“']?[A-Z][a-zA-Z]")
_FIRST: Final = ("i", "i'm", "i've", "i'd", "i'll", "my", "me", "mine", "we", "we're", "we've", "our", "us", "myself")
_SECOND: Final = ("you", "your", "you're", "you've", "you'll", "yours", "yourself")
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b"
)
_WHEN: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|recently|\d{4}"
    r"|mon|tues|wednes|thurs|fri|satur|sun)(?:s|day|days)?\b"
)
_APART: Final = (string.punctuation + string.whitespace + "\x1c\x1d\x1e\x1f").replace("'", "")
_PLAIN: Final = bytes(range(256)).lower().translate(bytes.maketrans(_APART.encode(), b" " * len(_APART)))
_WIDE_SPACES: Final = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_END: Final = "\0"  # in no text that is stored
_ENDED: Final = f" {_END} "
_CODES: Final = {
    **dict.fromkeys((word.encode() for word in _FIRST), 1),
    **dict.fromkeys((word.encode() for word in _SECOND), 2),
    _END.encode(): 3,
}


def count_person_words(texts: Sequence[str]) -> "Ints":
    """Return for each text its words, first-person words and second-person words, shape ``(n, 3)``."""
    begun = [text[:READ_CHARACTERS].replace(_END, " ") for text in texts]
    joined = _ENDED.join([*begun, ""])
    if not joined.isascii():
        joined = joined.replace("’", "'")
        for space in _WIDE_SPACES:
            joined = joined.replace(space, " ")
    words = joined.encode("utf-8", "replace").translate(_PLAIN).split()
    codes = np.fromiter(map(_CODES.get, words, repeat(0)), np.int8, len(words))
    ends = np.flatnonzero(codes == _CODES[_END.encode()])
    size = np.diff(ends, prepend=-1) - 1
    persons = [np.diff(np.cumsum(codes == code)[ends], prepend=0) for code in (1, 2)]
    return np.stack([size, *persons], axis=1).astype(np.int64)


def says_number(text: str) -> bool:
    """Return whether a text contains a number in digits or words."""
    return _NUMBER.search(text[:READ_CHARACTERS].lower()) is not None


def count_names(text: str) -> int:
    """Return how many capitalised words do not begin a sentence, at most ``MAX_NAMES``."""
    return min(len(_NAME.findall(text[:READ_CHARACTERS])), MAX_NAMES)


def says_when(folded: str) -> bool:
    """Return whether a lower-case text contains a time word or a year."""
    return _WHEN.search(folded) is not None
