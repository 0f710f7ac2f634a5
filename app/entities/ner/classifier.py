"""Classifier of capitalised words: rules over small lists and the words around them."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.entities.model import EntityType
from app.entities.ner.gazetteer import Gazetteer
from app.entities.ner.word_tokens import Word

_SHOUTED = 0.75  # in a text with this share of capitalised words, capitals tell nothing
_LOUD = 0.3  # in a text with this share of words in all capitals, they are no acronyms
_PROSE = 0.5  # with less than this share of capitalised words, an unknown pair of them may be a person
_FEW = 6  # words of a text too short to tell
_SEVERAL = 2
_CODE = 2  # letters of a state's or country's code
_ACRONYM = (3, 5)
_LONGEST_PERSON = 4
_LONGEST_UNKNOWN = 3
_IN = frozenset({"in", "near", "at"})
_ARTICLES = frozenset({"a", "an", "my", "our", "your", "his", "her", "their", "some", "any", "no", "this", "that"})
_ABSTRACT = (
    "tion",
    "ment",
    "ing",
    "ness",
    "ity",
    "ology",
    "ism",
    "ics",
    "ware",
    "ance",
    "ence",
    "ship",
    "tional",
    "ical",
)
_FUNCTION = frozenset({"the", "of", "at", "by", "for", "with", "and"})


@dataclass(frozen=True, slots=True)
class Classification:
    """Return the type of the words from ``begin`` to ``end``, with its confidence."""

    type: EntityType
    confidence: float
    begin: int
    end: int


class NameClassifier:
    """Judges the runs of one text.

    Args:
        words: All its words.
        lists: Names and cue words.
    """

    def __init__(self, words: list[Word], lists: Gazetteer) -> None:
        self._words = words
        self._lists = lists
        self._lower = {word.key for word in words if not word.capital}
        self._people: set[str] = set()
        capitals = [word for word in words if word.capital]
        self._prose = len(capitals) < _PROSE * len(words)
        self._shouted = len(words) >= _FEW and len(capitals) > _SHOUTED * len(words)
        self._loud = sum(word.loud for word in capitals) > _LOUD * len(words)

    def run(self, begin: int, end: int) -> list[Classification]:
        """Return the names in a run, which may be several joined by small words."""
        leading = self._led_by_people(begin, end)
        if leading is not None:
            return [leading]
        begin, end = self._trimmed(begin, end)
        if begin >= end:
            return []
        whole = self._whole(begin, end)
        if whole is not None:
            return [whole]
        found: list[Classification] = []
        for first, last in self._segments(begin, end):
            found.extend(self._segment(first, last))
        return found

    # Cutting --------------------------------------------------------------------------------------------------

    def _trimmed(self, begin: int, end: int) -> tuple[int, int]:
        """Strip ordinary words from the ends: sentence starts, days, months."""
        while begin < end and self._is_ordinary(begin):
            begin += 1
        while begin < end and (self._words[end - 1].bare in self._lists.never or not self._words[end - 1].capital):
            end -= 1
        return begin, end

    def _is_ordinary(self, at: int) -> bool:
        word, lists = self._words[at], self._lists
        if word.bare in lists.never or word.bare in lists.demonyms or not word.capital:
            return True
        if not word.first:
            return False
        return word.bare in lists.common or (word.bare in self._lower and word.bare not in lists.given_names)

    def _segments(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Part a run at its linking words, but not at the particles of people's names."""
        first = begin
        for at in range(begin, end + 1):
            if at == end or not (self._words[at].capital or self._words[at].key in self._lists.particles):
                trimmed = self._trimmed(first, at)
                if trimmed[0] < trimmed[1]:
                    yield trimmed
                first = at + 1

    # Whole runs -----------------------------------------------------------------------------------------------

    def _led_by_people(self, begin: int, end: int) -> Classification | None:
        """Return an organisation whose name begins with a people's: ``British Museum``, ``Irish Army``."""
        while begin < end and (not self._words[begin].capital or self._words[begin].bare in self._lists.never):
            begin += 1
        if end - begin < _SEVERAL or self._shouted or self._words[begin].bare not in self._lists.demonyms:
            return None
        found = self._institution(begin, end)
        return found if found is not None and found.type == "organization" else None

    def _whole(self, begin: int, end: int) -> Classification | None:
        lists, key = self._lists, self._phrase(begin, end)
        if key in lists.organisations:
            return Classification("organization", 0.85, begin, end)
        if key in lists.places and (end - begin > 1 or not self._is_code(begin)):
            return Classification("location", 0.85, begin, end)
        if end - begin < _SEVERAL or self._shouted:
            return None
        return self._institution(begin, end)

    def _is_code(self, at: int) -> bool:
        """Return whether a place is written as two letters but not in capitals: ``Ok``, ``Pa``."""
        word = self._words[at]
        return len(word.bare) <= _CODE and not word.text[:_CODE].isupper()

    def _institution(self, begin: int, end: int) -> Classification | None:
        lists, first, last = self._lists, self._words[begin].bare, self._words[end - 1].bare
        headed = self._headed(begin, end)
        linked = any(not self._words[at].capital for at in range(begin, end))
        if headed is not None or (linked and first in lists.given_names):
            return headed
        if last in lists.organisation_ends:
            return Classification("organization", 0.75, begin, end)
        return None if linked else self._place(begin, end)

    def _headed(self, begin: int, end: int) -> Classification | None:
        """Return what ``University of Oslo`` or ``Gulf of Mexico`` is, by the word before ``of``."""
        lists, second = self._lists, self._words[begin + 1].key
        if "of" not in (second, self._words[min(begin + 2, end - 1)].key):
            return None
        head = self._words[begin].bare if second == "of" else second
        if head in lists.organisation_starts:
            return Classification("organization", 0.75, begin, end)
        if second == "of" and (head in lists.place_starts or head in lists.place_ends):
            return Classification("location", 0.7, begin, end)
        return None

    def _place(self, begin: int, end: int) -> Classification | None:
        lists, first, last = self._lists, self._words[begin].bare, self._words[end - 1].bare
        if last in lists.place_ends or first in lists.place_starts:
            return Classification("location", 0.7, begin, end)
        if first in lists.directions and self._phrase(begin + 1, end) in lists.places:
            return Classification("location", 0.75, begin, end)
        return None

    # One name -------------------------------------------------------------------------------------------------

    def _segment(self, begin: int, end: int) -> list[Classification]:
        for judge in (self._whole, self._person, self._before_place):
            found = judge(begin, end)
            if found is not None:
                return [found]
        if self._shouted:
            return []
        found = self._single(begin) if end - begin == 1 else self._unknown(begin, end)
        return [] if found is None else [found]

    def _person(self, begin: int, end: int) -> Classification | None:
        """Return the person whom a title or given name in the words announces."""
        lists, words = self._lists, self._words
        at = next((at + 1 for at in range(end - 2, begin - 1, -1) if self._is_title(at)), begin)
        titled = at > begin or (begin > 0 and words[begin].joined and self._is_title(begin - 1))
        if not titled:
            at = next((at for at in range(begin, end) if words[at].bare in lists.given_names), end)
            if at > begin and end - at < _SEVERAL:  # after other words a given name needs a surname
                return None
        if at >= end or (self._shouted and words[at].bare not in lists.given_names):
            return None
        last = min(end, at + _LONGEST_PERSON)
        given = words[at].bare in lists.given_names
        self._people.update(word.bare for word in words[at:last] if len(word.bare) > _CODE and word.capital)
        return Classification("person", 0.85 if given and last - at > 1 else 0.7, at, last)

    def _is_title(self, at: int) -> bool:
        word = self._words[at]
        return word.bare in self._lists.titles and not (word.loud and len(word.text) > 1)

    def _before_place(self, begin: int, end: int) -> Classification | None:
        """Return the place that stands before a comma and a larger one: ``Metairie, Louisiana``."""
        words = self._words
        if end >= len(words) or not self._is_after_comma(end) or words[end].first or self._shouted:
            return None
        larger = words[end].bare in self._lists.places and words[end].capital
        if not larger and end + 1 < len(words) and words[end].capital and words[end + 1].capital:
            larger = self._phrase(end, end + 2) in self._lists.places
        return Classification("location", 0.65, begin, end) if larger and end - begin <= _LONGEST_UNKNOWN else None

    def _is_after_comma(self, at: int) -> bool:
        return self._words[at].start - self._words[at - 1].end == len(", ")

    def _unknown(self, begin: int, end: int) -> Classification | None:
        before = self._before(begin)
        if before in _IN:
            return Classification("location", 0.45, begin, end)
        if before == "the":
            plural = self._words[end - 1].bare.endswith("s") and not self._words[end - 1].possessive
            return Classification("organization", 0.4, begin, end) if plural else None
        if before in _ARTICLES or not self._prose or end - begin > _LONGEST_UNKNOWN:
            return None
        if all(self._is_surname(at) for at in range(begin, end)):
            return Classification("person", 0.4, begin, end)
        return None

    def _single(self, at: int) -> Classification | None:
        word, lists = self._words[at], self._lists
        key = word.bare
        if key in self._people:
            return Classification("person", 0.6, at, at + 1)
        if key in lists.common or key in self._lower:
            return None
        before = self._before(at)
        after = self._words[at + 1].key if at + 1 < len(self._words) and self._words[at + 1].joined else ""
        if before == "project":
            return Classification("project", 0.7, at, at + 1)
        if not word.loud and (before in lists.place_cues or self._is_part_of_place(at, before)):
            return Classification("location", 0.5, at, at + 1)
        if word.loud and not self._loud and _ACRONYM[0] <= len(key) <= _ACRONYM[1] and key.isalpha():
            return Classification("organization", 0.4, at, at + 1) if before in _FUNCTION else None
        return Classification("person", 0.45, at, at + 1) if after in lists.person_verbs else None

    def _is_part_of_place(self, at: int, before: str) -> bool:
        return before == "of" and at > 1 and self._words[at - 2].key in self._lists.place_nouns

    def _before(self, at: int) -> str:
        return self._words[at - 1].key if at and self._words[at].joined else ""

    def _is_surname(self, at: int) -> bool:
        word = self._words[at]
        if not word.capital or word.loud or not word.bare.isalpha() or word.bare in self._lists.common:
            return False
        return len(word.bare) > 1 and not word.bare.endswith(_ABSTRACT)

    def _phrase(self, begin: int, end: int) -> str:
        if end - begin == 1:
            return self._words[begin].bare
        return " ".join([word.key for word in self._words[begin : end - 1]] + [self._words[end - 1].bare])
