"""Other spellings of words with letters such as ß, æ and ø.

The tokenizer takes marks off letters (``é`` is ``e``), but ``ß``, ``æ`` and ``ø`` are letters of their own. Where
they are not at hand one writes ``ss``, ``ae`` and ``o``; a search for either finds both.
"""

from functools import lru_cache
from typing import Final

PLAIN: Final = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ı": "i",
    "ħ": "h",
    "ŧ": "t",
    "ĳ": "ij",
    "ŋ": "ng",
    "ĸ": "k",
    "ə": "e",
    "ɛ": "e",
    "ɔ": "o",
}
"""Letters with what is written in their place."""
_DIGRAPHS: Final = (("ss", "ß"), ("ae", "æ"), ("oe", "œ"), ("oe", "ø"), ("th", "þ"))
_SINGLE: Final = (("o", "ø"), ("l", "ł"), ("d", "đ"), ("d", "ð"), ("i", "ı"))
_TABLE: Final = str.maketrans(PLAIN)
_SHORTEST: Final = 4
_MOST: Final = 12


def plain(text: str) -> str:
    """Return a folded text with plain letters in place of such letters."""
    return text if text.isascii() else text.translate(_TABLE)


@lru_cache(maxsize=4096)
def spellings(text: str) -> tuple[str, ...]:
    """Return other spellings of a folded text, at most twelve.

    Args:
        text: A word or a phrase in lower case without marks.
    """
    found = dict.fromkeys([plain(text), text.replace("ø", "oe")])
    base = plain(text)
    if len(base) >= _SHORTEST and base.isascii():
        changed = [base.replace(pair, letter) for pair, letter in _DIGRAPHS if pair in base]
        found.update(dict.fromkeys(changed))
        # Danish and Norwegian have both letters: "Ærø".
        found.update(dict.fromkeys(part for one in changed for part in _replaced(one, "o", "ø")))
        for letter, other in _SINGLE:
            found.update(dict.fromkeys(_replaced(base, letter, other)))
    found.pop(text, None)
    return tuple(found)[:_MOST]


def _replaced(text: str, letter: str, other: str) -> list[str]:
    """Return a text with each of a letter replaced, then with all of them."""
    places = [place for place, character in enumerate(text) if character == letter]
    each = [text[:place] + other + text[place + 1 :] for place in places]
    return [*each, text.replace(letter, other)] if places else []
