"""Chinese names: listed places, and names before endings such as those of companies.

Chinese has neither capitals nor blanks to tell names by.
"""

import re
from collections.abc import Iterator
from functools import cache

from app.entities.model import EntityType
from app.entities.ner.gazetteer import gazetteer
from app.entities.ner.provider import MAX_SPANS, NameSpan

_HAN = re.compile(r"[\u4e00-\u9fff]")
_BEFORE_END = 8  # characters of a name before its telling ending
_NAMING = frozenset("中新上")  # bounds that begin names too
_SAYING = frozenset({"说", "表示", "认为"})  # these stand inside other words too
_SAID_WORDS = frozenset("明法话服谎教书")  # 说明, 说法
_PREPOSITIONS = frozenset("在到从由向对给被")
_MARKET = frozenset("场民值面")  # 市场
_GIVEN = 2  # characters of a given name at most


@cache
def _pattern() -> re.Pattern[str]:
    lists = gazetteer()
    ends = sorted(
        lists.han_organisation_ends | lists.han_places | lists.han_person_ends, key=lambda word: (-len(word), word)
    )
    return re.compile("|".join(map(re.escape, ends)))


def han_names(text: str, provider: str) -> Iterator[NameSpan]:
    """Yield people, organisations and places named in the Chinese parts of ``text``."""
    if text.isascii() or not _HAN.search(text):
        return
    lists = gazetteer()
    for count, match in enumerate(_pattern().finditer(text)):
        if count >= MAX_SPANS:
            return
        word, start, end = match[0], match.start(), match.end()
        if word in lists.han_places:
            yield _span(text, start, _place_end(text, end), "location", 0.8, provider)
        elif word in lists.han_organisation_ends:
            begin = _begin(text, start)
            if start - begin > 1 and _is_organisation(text, begin, start, word):
                yield _span(text, begin, end, "organization", 0.6, provider)
        elif (first := _person_begin(text, start)) is not None and _is_apart(text, first, end, word):
            yield _span(text, first, start, "person", 0.6, provider)


def _is_apart(text: str, begin: int, end: int, word: str) -> bool:
    """Return whether a name and what follows it are whole words."""
    before = text[begin - 1 : begin] if begin else ""
    is_bound = not before or not _HAN.match(before) or before in gazetteer().han_bounds
    return is_bound and (word not in _SAYING or text[end : end + 1] not in _SAID_WORDS)


def _place_end(text: str, end: int) -> int:
    is_rest = text[end : end + 1] == "省" or (text[end : end + 1] == "市" and text[end + 1 : end + 2] not in _MARKET)
    return end + 1 if is_rest else end


def _begin(text: str, start: int) -> int:
    """Return where the name that ends at ``start`` begins.

    It begins after the last character that is in no name.
    """
    bounds, begin = gazetteer().han_bounds, start
    while begin > max(0, start - _BEFORE_END) and _HAN.match(text[begin - 1]) and text[begin - 1] not in bounds:
        begin -= 1
    if begin and text[begin - 1] in _NAMING and _is_open(text, begin - 1):
        begin -= 1
    return begin


def _is_open(text: str, at: int) -> bool:
    """Return whether no Chinese character stands before a place in a text."""
    return at == 0 or _HAN.match(text[at - 1]) is None


def _is_organisation(text: str, begin: int, start: int, word: str) -> bool:
    """Return whether what stands before an ending is an organisation's name.

    It is one after a mark or blank, or with a place in it; a school or bank needs more, since their words stand in
    other words as well.
    """
    lists, name = gazetteer(), text[begin:start]
    if any(name.startswith(generic) or name.endswith(generic) for generic in lists.han_generic):
        return False
    has_place = any(place in name for place in lists.han_places)
    if word == "中学":
        return has_place or name.startswith("第")
    if word == "银行":
        return has_place or any(name.endswith(bank) for bank in lists.han_banks)
    return has_place or _is_open(text, begin) or text[begin - 1] in _PREPOSITIONS


def _person_begin(text: str, start: int) -> int | None:
    """Return where the surname begins of which the given name, if any, ends at ``start``."""
    lists = gazetteer()
    for length in range(_GIVEN + 1, 1, -1):
        begin = start - length
        if begin < 0 or text[begin] not in lists.han_surnames:
            continue
        given = text[begin + 1 : start]
        if all(_HAN.match(letter) and letter not in lists.han_bounds for letter in given):
            return begin
    return None


def _span(text: str, start: int, end: int, kind: EntityType, confidence: float, provider: str) -> NameSpan:
    return NameSpan(start, end, text[start:end], kind, confidence, provider)
