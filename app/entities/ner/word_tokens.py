"""Word tokens of a text, with capitals, sentence starts and code marked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# A word may hold inner apostrophes, hyphens and ampersands; a dot belongs to it in initials only.
_WORD = re.compile(r"(?:[^\W\d_]\.){2,8}|[^\W_]+(?:['’&-][^\W_]+)*\+*")
CODE = re.compile(r"```[^`]*(?:```|\Z)|`[^`\n]{1,200}`")
URL = re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'`{}|\\^\[\]]{2,2000}", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_TAIL = ".,;:!?…。，、）»”’*_~"
_ENDERS = frozenset('.!?…:;\n\r。！？|>*•–—"“”‘([{#~=/\\')
_POSSESSIVE = 3  # letters that a word with a possessive ending has more than
_SHORT = frozenset(
    (
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "mt",
        "jr",
        "sr",
        "vs",
        "no",
        "gen",
        "col",
        "sgt",
        "capt",
        "lt",
        "rev",
        "sen",
    )
)


@dataclass(slots=True)
class Word:
    """Word token: its place in the text, its letters and marks.

    ``key`` is the word case-folded, ``bare`` the same without a possessive ending.
    """

    start: int
    end: int
    text: str
    key: str
    bare: str
    capital: bool
    first: bool
    joined: bool

    @property
    def possessive(self) -> bool:
        """Return whether it ends with ``'s``."""
        return len(self.bare) < len(self.key)

    @property
    def name_end(self) -> int:
        """Return where the name in it ends: before a possessive ending."""
        return self.end - 2 if self.possessive else self.end

    @property
    def loud(self) -> bool:
        """Return whether it is all capitals."""
        return self.capital and len(self.text) > 1 and self.text.isupper()


@lru_cache(maxsize=4)  # a text is read for each kind of its readers, with its heading and author
def words(text: str) -> tuple[Word, ...]:
    """Return the words of ``text``, without those in code and addresses.

    ``first`` says that a sentence begins there, ``joined`` that only one blank (or an initial's dot) is before it.
    """
    text = without_code(text)
    found: list[Word] = []
    previous, last = 0, ""
    before: Word | None = None
    for match in _WORD.finditer(text):
        (start, end), word = match.span(), match[0]
        if before is not None and start == previous + 1 and text[previous] == " ":  # most words, without a slice
            first, joined = last == "." and len(before.text) > len("U.S."), True
        else:
            gap = text[previous:start]
            first = before is None or _begins(gap, before)
            joined = before is not None and gap == ". " and _is_short(before)
        key = word.casefold()
        bare = key[:-2] if key[-1] == "s" and len(key) > _POSSESSIVE and key[-2] in "'’" else key
        before = Word(start, end, word, key, bare, word[0].isupper(), first, joined)
        found.append(before)
        previous, last = end, word[-1]
    return tuple(found)


def without_code(text: str) -> str:
    """Return ``text`` with line ends in place of code and addresses, where no names stand."""
    for hint, pattern in (("`", CODE), ("://", URL), ("www.", URL), ("@", _EMAIL)):
        if hint in text:
            text = pattern.sub(_blanked, text)
    return text


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where web and e-mail addresses stand in ``text``: start and end of each."""
    for hints, pattern in ((("://", "www."), URL), (("@",), _EMAIL)):
        if any(hint in text for hint in hints):
            for match in pattern.finditer(text):
                yield match.start(), match.start() + len(_without_tail(match[0]))


def _without_tail(address: str) -> str:
    """Return ``address`` without the punctuation of the sentence around it."""
    end = len(address)
    while end and (address[end - 1] in _TAIL or (address[end - 1] == ")" and _opens_less(address, end))):
        end -= 1
    return address[:end]


def _opens_less(address: str, end: int) -> bool:
    return address.count("(", 0, end) < address.count(")", 0, end)


def _blanked(match: re.Match[str]) -> str:
    return "\n" * len(match[0])


def _begins(gap: str, before: Word) -> bool:
    if gap == ". " and _is_short(before):
        return False
    return any(letter in _ENDERS for letter in gap)


def _is_short(word: Word) -> bool:
    return (len(word.text) == 1 and word.capital) or word.key in _SHORT
