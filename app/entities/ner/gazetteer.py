"""The small lists of names and cue words that come with the program."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.core.paths import resources
from app.core.text_rules.stopwords import ENGLISH

_FILES = ("given_names", "rarer_given_names", "surnames", "places", "organisations")
_LETTERS = ("han_surnames", "han_bounds")  # lists of single characters


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Names and cue words, all case-folded; names of several words have single blanks between them."""

    given_names: frozenset[str]
    rarer_given_names: frozenset[str]
    surnames: frozenset[str]
    ordinary: frozenset[str]
    places: frozenset[str]
    cities: frozenset[str]
    organisations: frozenset[str]
    titles: frozenset[str]
    forms_of_address: frozenset[str]
    greetings: frozenset[str]
    roles: frozenset[str]
    role_ends: frozenset[str]
    programs: frozenset[str]
    deeds: frozenset[str]
    weak_ends: frozenset[str]
    product_ends: frozenset[str]
    thing_ends: frozenset[str]
    stand_ins: frozenset[str]
    product_names: frozenset[str]
    screen_words: frozenset[str]
    organisation_ends: frozenset[str]
    organisation_starts: frozenset[str]
    place_ends: frozenset[str]
    place_starts: frozenset[str]
    directions: frozenset[str]
    place_cues: frozenset[str]
    place_nouns: frozenset[str]
    person_verbs: frozenset[str]
    demonyms: frozenset[str]
    never: frozenset[str]
    links: frozenset[str]
    particles: frozenset[str]
    common: frozenset[str]
    han_places: frozenset[str]
    han_organisation_ends: frozenset[str]
    han_generic: frozenset[str]
    han_banks: frozenset[str]
    han_surnames: frozenset[str]
    han_person_ends: frozenset[str]
    han_bounds: frozenset[str]


@cache
def gazetteer() -> Gazetteer:
    """Return the lists, read at the first call."""
    folder = resources() / "gazetteer"
    cues = tomllib.loads((folder / "cues.toml").read_text(encoding="utf-8"))
    names = {name: _names(folder / f"{name}.txt") for name in _FILES}
    names["cities"] = _names(folder / "places.txt", since="# Cities")
    names["ordinary"] = _names(folder / "ordinary_words.txt")
    words = {name: frozenset(text.casefold().split()) for name, text in cues.items()}
    words["common"] |= ENGLISH
    for name in _LETTERS:
        words[name] = frozenset(letter for word in words[name] for letter in word)
    return Gazetteer(**names, **words)


def _names(path: Path, since: str = "") -> frozenset[str]:
    """Return the names of a list, those after a heading where one is given."""
    lines = (
        path.read_text(encoding="utf-8").partition(since)[2].splitlines()
        if since
        else path.read_text(encoding="utf-8").splitlines()
    )
    kept = (line for line in lines if not line.startswith("#"))
    return frozenset(name.strip().casefold() for line in kept for name in line.split(",") if name.strip())
