"""Spellings that a search takes for the same word or name.

Case, marks and letters such as ß, æ and ø are set aside.

The tokenizer takes marks off letters (``é`` is ``e``), but ``ß``, ``æ`` and ``ø`` are letters of their own. Where
they are not at hand one writes ``ss``, ``ae`` and ``o``; a search for either finds both. Texts, operators and facets
all compare by what is here; ``spelled_alike`` is an SQL function of the vault's connections.
"""

import json
import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

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
_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")

Place = Literal["same", "under", "within"]
"""Match of a stored name: equal, equal or nested below, or containing the wanted one."""


def fold(text: str) -> str:
    """Return ``text`` in lower case without diacritics, as the tokenizer compares words."""
    if text.isascii():
        return text.lower()
    bare = unicodedata.normalize("NFC", _DIACRITICS.sub("", unicodedata.normalize("NFD", text)))
    return "ß".join(part.casefold() for part in bare.replace("ẞ", "ß").split("ß"))


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


@lru_cache(maxsize=16384)
def name_keys(name: str) -> tuple[str, str]:
    """Return the two keys of a name, of which equal names share one.

    They differ where the name has ``ø``, which is written as o or oe.
    """
    folded = fold(name)
    return plain(folded), plain(folded.replace("ø", "oe"))


def wanted_names(name: str) -> str:
    """Return a wanted name as ``spelled_alike`` takes it: its keys and itself, in JSON."""
    return json.dumps([*name_keys(name), name])


def spelled_alike(place: Place, stored: str, wanted: str) -> bool:
    """Return whether a stored name fits a wanted one.

    Args:
        place: How it must fit.
        stored: A name as it is stored.
        wanted: What ``wanted_names`` made of the wanted one.
    """
    keys, wanted_keys = name_keys(stored), _wanted_keys(wanted)
    if place == "within":
        return any(part in key for key in keys for part in wanted_keys)
    if place == "under" and any(key.startswith(f"{parent}/") for key in keys for parent in wanted_keys):
        return True
    return not wanted_keys.isdisjoint(keys)


@lru_cache(maxsize=64)
def _wanted_keys(wanted: str) -> frozenset[str]:
    return frozenset(json.loads(wanted)[:2])


def _replaced(text: str, letter: str, other: str) -> list[str]:
    """Return a text with each of a letter replaced, then with all of them."""
    places = [place for place, character in enumerate(text) if character == letter]
    each = [text[:place] + other + text[place + 1 :] for place in places]
    return [*each, text.replace(letter, other)] if places else []
