"""Spellings that a search takes for the same word or name.

Case, marks and letters such as ß, æ and ø are set aside.

The tokenizer takes marks off letters (``é`` is ``e``), but ``ß``, ``æ`` and ``ø`` are letters of their own. Where
they are not at hand one writes ``ss``, ``ae`` and ``o``; a search for either finds both. Texts, operators and facets
all compare by what is here; ``spelled_alike`` is an SQL function of the vault's connections.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
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

OTHER_LETTERS: Final = "{0} GLOB '*[^ -~]*' AND spelled_alike('{1}', {0}, {2})"
"""SQL of whether a column with other than plain letters fits a wanted name."""

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
    spellings_of_name = dict.fromkeys([plain(text), text.replace("ø", "oe")])
    base = plain(text)
    if len(base) >= _SHORTEST and base.isascii():
        changed = [base.replace(pair, letter) for pair, letter in _DIGRAPHS if pair in base]
        spellings_of_name.update(dict.fromkeys(changed))
        # Danish and Norwegian have both letters: "Ærø".
        spellings_of_name.update(dict.fromkeys(part for spelling in changed for part in _replaced(spelling, "o", "ø")))
        for letter, other in _SINGLE:
            spellings_of_name.update(dict.fromkeys(_replaced(base, letter, other)))
    spellings_of_name.pop(text, None)
    return tuple(spellings_of_name)[:_MOST]


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


def spelled_sql(column: str, place: Place = "same", wanted: str = "?") -> str:
    """Return the SQL of whether a name is spelled like a wanted one.

    The wanted one is bound as ``wanted_names`` made it. SQLite compares names of plain letters by itself, which is
    many times faster.
    """
    keys = [f"{wanted} ->> {number}" for number in range(2)]
    plain_names = f"lower({column}) IN ({', '.join(keys)})"
    if place == "under":  # "0" follows "/"
        nested = (f" OR (lower({column}) > {key} || '/' AND lower({column}) < {key} || '0')" for key in keys)
        plain_names += "".join(nested)
    elif place == "within":
        plain_names = " OR ".join(f"instr(lower({column}), {key})" for key in keys)
    return f"({plain_names} OR ({OTHER_LETTERS.format(column, place, wanted)}))"


def covered_names(names: Iterable[str], *, nested: bool) -> dict[str, tuple[str, ...]]:
    """Return for each of some names those among them that are spelled like it.

    Args:
        names: The names.
        nested: Whether a name covers those nested in it too: ``a`` covers ``a/b``.
    """
    sharing: dict[str, dict[str, None]] = {}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        for key in name_keys(name):
            sharing.setdefault(key, {})[name] = None
            for place, letter in enumerate(key if nested else ""):
                if letter == "/":
                    sharing.setdefault(key[:place], {})[name] = None
    bearers = {name: [sharing[key] for key in name_keys(name)] for name in wanted}
    return {name: tuple(first | second) for name, (first, second) in bearers.items()}


@lru_cache(maxsize=64)
def _wanted_keys(wanted: str) -> frozenset[str]:
    return frozenset(json.loads(wanted)[:2])


def _replaced(text: str, letter: str, other: str) -> list[str]:
    places = [place for place, character in enumerate(text) if character == letter]
    each = [text[:place] + other + text[place + 1 :] for place in places]
    return [*each, text.replace(letter, other)] if places else []
