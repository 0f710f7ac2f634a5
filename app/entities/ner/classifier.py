"""Classifier of capitalised words: rules over small lists and the words around them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.text_rules.stopwords import ENGLISH
from app.entities.model import EntityType
from app.entities.ner.gazetteer import Gazetteer
from app.entities.ner.word_evidence import WordEvidence
from app.entities.ner.word_tokens import Word

_SHOUTED = 0.75  # in a text with this share of capitalised words, capitals tell nothing
_DONE = ("ed", "ing")
_FEW = 6  # words of a text too short to tell
_SEVERAL = 2
_CODE = 2  # letters of a state's or country's code
_ACRONYM = (3, 5)
_LONGEST_PERSON = 4
_LONGEST_PLACE = 3
_VERSION = re.compile(r"[vV]?\d+(?:\.\d+)+")
_STATES = frozenset({"uk", "us", "eu", "la", "sf", "dc", "ny"})  # two letters that mean little else
_IN = frozenset({"in", "near", "at"})
_TO_PLACES = _IN | {"from", "to", "of", "around", "outside", "through", "visited", "visiting", "leaving", "for", "and"}
_ARTICLES = frozenset({"a", "an", "my", "our", "your", "his", "her", "their", "some", "any", "no", "this", "that"})


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
        text: The text.
        words: All its words.
        lists: Names and cue words.
    """

    def __init__(self, text: str, words: Sequence[Word], lists: Gazetteer) -> None:
        self._text = text
        self._words = words
        self._lists = lists
        self._evidence = WordEvidence(text, words, lists)
        self._lower = {word.key for word in words if not word.capital}
        self._people: set[str] = set()
        capitals = [word for word in words if word.capital]
        self._shouted = len(words) >= _FEW and len(capitals) > _SHOUTED * len(words)

    def run(self, begin: int, end: int) -> list[Classification]:
        """Return the names in a run, which may be several joined by small words."""
        leading = self._led_by_people(begin, end)
        if leading is not None:
            return [leading]
        begin, end = self._trimmed(begin, end)
        if begin >= end:
            return []
        if self._is_term(begin, end):
            return []
        whole = self._team(begin, end) or self._whole(begin, end)
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
        if word.bare in lists.never or word.bare in lists.demonyms or word.bare in lists.greetings or not word.capital:
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
        after = self._words[end].key if end < len(self._words) and self._words[end].joined else ""
        if after == "knife" or (end - begin == _SEVERAL and self._words[begin + 1].bare in self._lists.product_ends):
            return None  # Swiss army knife, French press
        found = self._institution(begin, end)
        return found if found is not None and found.type == "organization" else None

    def _whole(self, begin: int, end: int) -> Classification | None:
        lists, key = self._lists, self._phrase(begin, end)
        is_word = end - begin == 1 and len(key) <= _ACRONYM[0] and not self._words[begin].loud
        is_word = is_word or (end - begin == 1 and self._is_grade(begin))
        is_program = key in lists.product_names and self._evidence.is_technical
        if (
            key in lists.organisations and not is_program and (not is_word or any(letter.isdigit() for letter in key))
        ):  # Who, Un
            return Classification("organization", 0.85, begin, end)
        is_link = self._evidence.is_technical and self._evidence.is_alone(begin, end)  # a program of that name
        if key in lists.places and not is_link and (end - begin > 1 or not self._is_code(begin)):
            return Classification("location", 0.85, begin, end)
        if end - begin < _SEVERAL or self._shouted:
            return None
        return self._institution(begin, end)

    def _team(self, begin: int, end: int) -> Classification | None:
        """Return a team that is named after its place: ``the Vancouver Canucks``."""
        last = self._words[end - 1]
        if end - begin < _SEVERAL or self._before(begin) != "the" or not last.bare.endswith("s"):
            return None
        at = next((at for at in range(end - 1, begin, -1) if self._phrase(begin, at) in self._lists.places), None)
        is_sentence = self._evidence.is_prose(begin, end) and not self._evidence.is_technical
        is_team = at is not None and not last.possessive and is_sentence
        return Classification("organization", 0.6, begin, end) if is_team else None

    def _is_grade(self, at: int) -> bool:
        """Return whether a word in capitals stands before a number: ``lime NHL 3.5``."""
        words = self._words
        return words[at].loud and at + 1 < len(words) and words[at + 1].joined and words[at + 1].key[:1].isdigit()

    def _is_term(self, begin: int, end: int) -> bool:
        """Return whether a place's name is part of a term: ``Guinea pig``, ``a CT scan``."""
        words, key = self._words, self._phrase(begin, end)
        if key not in self._lists.places:
            return False
        after = words[end].key if end < len(words) and words[end].joined else ""
        if key == "guinea" and after.startswith("pig"):
            return True
        if not self._evidence.is_technical:
            return False
        if after in self._lists.screen_words or self._evidence.is_part_of_term(begin, end):
            return True
        if key == "monte carlo":
            return not self._is_after_comma(begin) and self._before(begin) not in _IN
        is_code = end - begin == 1 and len(key) == _CODE and key not in _STATES
        return is_code and not (self._is_after_comma(begin) and words[begin - 1].capital)

    def _is_code(self, at: int) -> bool:
        """Return whether a place is written as two letters but not in capitals: ``Ok``, ``Pa``."""
        word = self._words[at]
        return len(word.bare) <= _CODE and not word.text[:_CODE].isupper()

    def _institution(self, begin: int, end: int) -> Classification | None:
        lists, first, last = self._lists, self._words[begin].bare, self._words[end - 1].bare
        if any(self._words[at].key in _ARTICLES or self._words[at].key == "on" for at in range(begin, end)):
            return None  # Managing Your Company
        if self._evidence.is_technical and not self._is_in_sentence(begin, end):
            return None
        headed = self._headed(begin, end)
        linked = any(not self._words[at].capital for at in range(begin, end))
        if headed is None and self._evidence.is_technical and (linked or last in lists.product_ends):
            return None  # Google Maps and Khan Academy; Convolutional Networks
        if headed is not None or (linked and first in lists.given_names):
            return headed
        if last in lists.organisation_ends and (last not in lists.weak_ends or self._is_own_name(begin, end)):
            return Classification("organization", 0.75, begin, end)
        return None if linked or self._evidence.is_technical else self._place(begin, end)

    def _is_own_name(self, begin: int, end: int) -> bool:
        """Return whether words before an ending that is an ordinary word too are a name's.

        ``Ferrous Systems`` is one in a sentence, ``Distributed Systems`` none.
        """
        evidence = self._evidence
        if not evidence.is_prose(begin, end):
            return False
        return any(evidence.is_plain(at) and not evidence.is_ordinary(at) for at in range(begin, end - 1))

    def _is_in_sentence(self, begin: int, end: int) -> bool:
        """Return whether a sentence speaks of words that are not all ordinary ones.

        Where there is code or an address, what a title calls a bridge or a foundation is a program.
        """
        evidence = self._evidence
        return evidence.is_prose(begin, end) and not all(evidence.is_compound_ordinary(at) for at in range(begin, end))

    def _headed(self, begin: int, end: int) -> Classification | None:
        """Return what ``University of Oslo`` or ``Gulf of Mexico`` is, by the word before ``of``."""
        lists, second = self._lists, self._words[begin + 1].key
        if "of" not in (second, self._words[min(begin + 2, end - 1)].key):
            return None
        head = self._words[begin].bare if second == "of" else second
        if head in lists.organisation_starts:
            return Classification("organization", 0.75, begin, end)
        is_place = head in lists.place_starts or (head in lists.place_ends and head not in lists.weak_ends)
        may_be_place = is_place and not self._evidence.is_ordinary(end - 1) and not self._evidence.is_technical
        if second == "of" and may_be_place:
            return Classification("location", 0.7, begin, end)
        return None

    def _place(self, begin: int, end: int) -> Classification | None:
        lists, first, last = self._lists, self._words[begin].bare, self._words[end - 1].bare
        if last in lists.place_ends and (last not in lists.weak_ends or self._is_own_name(begin, end)):
            return Classification("location", 0.7, begin, end)
        if first in lists.place_starts and last not in lists.common and self._evidence.is_surname(begin + 1):
            return Classification("location", 0.7, begin, end)
        if first in lists.directions and self._phrase(begin + 1, end) in lists.places:
            return Classification("location", 0.75, begin, end)
        return None

    # One name -------------------------------------------------------------------------------------------------

    def _segment(self, begin: int, end: int) -> list[Classification]:
        if self._is_term(begin, end):
            return []
        for judge in (self._whole, self._person, self._before_place):
            found = judge(begin, end)
            if found is not None:
                return [found]
        if self._shouted:
            return []
        found = self._single(begin) if end - begin == 1 else self._several(begin, end)
        return [] if found is None else [found]

    def _person(self, begin: int, end: int) -> Classification | None:
        """Return the person whom a title or given name in the words announces."""
        at = next((at + 1 for at in range(end - 2, begin - 1, -1) if self._is_title(at)), begin)
        titled = at > begin or (begin > 0 and self._words[begin].joined and self._is_title(begin - 1))
        if titled and self._may_be_titled(at, end):
            return self._named(at, self._end_of_name(at, end) or at + 1, 0.7)
        at = next((at for at in range(begin, end) if self._is_given(at)), end)
        last = self._end_of_name(at, end) if at < end else None
        if last is not None and self._phrase(at, last) in self._lists.places:
            return Classification("location", 0.85, at, last)
        if last is not None and last > at + _SEVERAL and self._phrase(at, at + _SEVERAL) in self._lists.places:
            return Classification("location", 0.85, at, at + _SEVERAL)  # Abu Dhabi Grand Prix
        if last is not None and (at == begin or self._evidence.is_ordinary(at - 1) or self._is_sure(at, last)):
            return self._named(at, last, 0.85)
        return self._named(at, at + 1, 0.7) if last is None and at == begin and self._may_be_alone(at, end) else None

    def _is_sure(self, begin: int, end: int) -> bool:
        """Return whether words are a usual given name and a listed surname."""
        return self._words[begin].bare in self._lists.given_names and self._evidence.is_known_surname(end - 1)

    def _named(self, begin: int, end: int, confidence: float) -> Classification | None:
        words = self._words[begin:end]
        if self._before(begin) == "the" and words[-1].bare.endswith("s") and not words[-1].possessive:
            return None  # several of a kind or family: the Jacques Lebels
        if self._evidence.is_work(begin, end) or self._is_thing(begin, end) or self._names_thing(begin, end):
            return None
        self._people.update(word.bare for word in words if len(word.bare) > _CODE and word.capital)
        return Classification("person", confidence, begin, end)

    def _names_thing(self, begin: int, end: int) -> bool:
        """Return whether a place, day or institution has the name: ``Charles de Gaulle Airport``.

        Nor is anybody a version, ``Jackson 2.15``, or a stand-in, ``John Doe``.
        """
        words, lists = self._words, self._lists
        if words[end - 1].bare in lists.stand_ins or (
            self._is_kind_of_thing(end - 1) and not self._evidence.is_known_surname(end - 1)
        ):
            return True
        if end >= len(words) or not words[end].joined:
            return False
        if _VERSION.match(self._text, words[end].start):
            return True
        is_day = words[end].capital and words[end].bare == "day"
        return is_day or (self._is_kind_of_thing(end) and not words[end - 1].possessive)

    def _is_kind_of_thing(self, at: int) -> bool:
        """Return whether a capitalised word says what a place or an institution is: ``Airport``."""
        word, lists = self._words[at], self._lists
        is_end = word.bare in lists.place_ends or word.bare in lists.organisation_ends
        return word.capital and is_end and word.bare not in lists.weak_ends

    def _is_thing(self, begin: int, end: int) -> bool:
        """Return whether an article stands before words that no other follows: ``the Eve Vigil``."""
        if end - begin < _SEVERAL or self._before(begin) not in ("the", "a", "an"):
            return False
        is_attribute = end < len(self._words) and self._words[end].joined and self._words[end].key not in ENGLISH
        is_person = is_attribute or self._words[end - 1].possessive or self._evidence.is_known_surname(end - 1)
        return not is_person

    def _is_program(self, at: int) -> bool:
        """Return whether a given name is as often that of a program.

        Code or an address of this text may have it so.
        """
        evidence = self._evidence
        return evidence.is_product(at) or (evidence.is_technical and self._words[at].bare in self._lists.programs)

    def _is_given(self, at: int) -> bool:
        word, lists, evidence = self._words[at], self._lists, self._evidence
        if not (evidence.is_plain(at) or (word.loud and self._shouted)) or word.bare in lists.never:
            return False
        if at and word.joined and self._words[at - 1].capital and self._phrase(at - 1, at + 1) in lists.places:
            return False  # Monte Carlo
        if word.bare in lists.given_names:
            return True
        is_rare = word.bare in lists.rarer_given_names and not evidence.is_ordinary(at) and not word.possessive
        return is_rare and at + 1 < len(self._words) and evidence.is_known_surname(at + 1)

    def _end_of_name(self, at: int, end: int) -> int | None:
        """Return where a full name ends, ``None`` where no surname follows the given name."""
        words, last = self._words, at + 1
        is_prose = self._evidence.is_prose(at, min(end, at + _LONGEST_PERSON))
        while last < min(end, at + _LONGEST_PERSON) and not words[last - 1].possessive:
            word = words[last]
            if word.capital and not self._continues(at, last, end, is_prose=is_prose):
                break
            if not word.capital and word.key not in self._lists.particles:
                break
            last += 1
        while last > at + 1 and not words[last - 1].capital:
            last -= 1
        if last - at < _SEVERAL or len(words[last - 1].bare) == 1:
            return None
        is_program = words[at].bare in self._lists.programs and self._evidence.is_technical
        return None if is_program else last

    def _continues(self, begin: int, at: int, end: int, *, is_prose: bool) -> bool:
        """Return whether a capitalised word belongs to the person's name that begins before it."""
        evidence, before = self._evidence, self._words[at - 1]
        if self._words[at].key in self._lists.particles:  # Lotte De Smet
            return at + 1 < end and evidence.is_surname(at + 1)
        if len(self._words[at].text) == 1:  # James D. Watson
            return at + 1 < end
        is_second = at == begin + 1 or before.key in self._lists.particles or len(before.text) <= _CODE
        ends = at + 1 == end
        if not evidence.is_surname(at):
            return ends and (is_second or is_prose) and self._is_odd_surname(at, is_prose=is_prose)
        # In a title, the word after a whole name may be any word.
        return is_second or (ends and evidence.is_known_surname(at)) or (is_prose and not self._is_done(at))

    def _is_odd_surname(self, at: int, *, is_prose: bool) -> bool:
        """Return whether an ordinary word may be the surname after a given name: ``Eric Button``."""
        evidence, word = self._evidence, self._words[at]
        if evidence.is_known_surname(at):
            return word.bare not in self._lists.thing_ends
        lists = self._lists
        is_word = any(word.bare in some for some in (lists.common, lists.never, lists.thing_ends))
        is_word = is_word or self._evidence.is_compound(at)
        return not is_word and evidence.is_plain(at) and is_prose and not evidence.is_technical

    def _is_done(self, at: int) -> bool:
        return self._words[at].key.endswith(_DONE)

    def _may_be_alone(self, at: int, end: int) -> bool:
        """Return whether a given name without a surname stands where a person's name stands."""
        word, evidence = self._words[at], self._evidence
        if word.bare not in self._lists.given_names or evidence.is_label(at) or self._is_title_of_work(at):
            return False
        if self._acts(at + 1) or self._is_addressed(at):
            return True
        if self._is_other_thing(at, end):
            return False
        if evidence.is_technical and not word.possessive and self._is_what_kind(at):  # Max number of workers
            return False
        if not evidence.is_technical or word.possessive:
            return True
        return not evidence.is_title_like(at, at + 1) or evidence.is_alone(at, at + 1)

    def _is_title_of_work(self, at: int) -> bool:
        """Return whether a possessive begins a title: ``I read Charlotte's Web``."""
        words = self._words
        if not words[at].possessive or at + 1 >= len(words) or not words[at + 1].joined or not words[at + 1].capital:
            return False
        evidence = self._evidence
        return evidence.is_ordinary(at + 1) and (evidence.is_prose(at, at + 1) or evidence.is_opened(at))

    def _is_other_thing(self, at: int, end: int) -> bool:
        """Return whether a given name is likelier that of a program or an herb."""
        word = self._words[at]
        if self._evidence.is_ordinary(at) and word.first and not word.possessive:  # Rosemary, in a list
            return True
        if self._evidence.is_technical and self._evidence.is_part_of_term(at, at + 1):
            return True
        if self._is_program(at) or self._before(at) in _ARTICLES or self._before(at) in ("in", "the"):
            return True
        return at + 1 < end and not word.possessive and self._words[at + 1].bare not in self._lists.never

    def _is_title(self, at: int) -> bool:
        word = self._words[at]
        return word.bare in self._lists.titles and not (word.loud and len(word.text) > 1)

    def _may_be_titled(self, at: int, end: int) -> bool:
        """Return whether a word after a title is a name.

        Many a title is an ordinary word as well.
        """
        if at >= end or not (self._evidence.is_surname(at) or self._is_given(at)):
            return False
        if self._words[at - 1].bare in self._lists.forms_of_address:
            return True
        return self._is_given(at) or self._evidence.is_known_surname(at)

    def _before_place(self, begin: int, end: int) -> Classification | None:
        """Return the place that stands before a comma and a larger one: ``Metairie, Louisiana``."""
        words = self._words
        if end >= len(words) or not self._is_after_comma(end) or words[end].first or self._shouted:
            return None
        larger = words[end].bare in self._lists.places and words[end].capital and not self._is_code(end)
        last = end + 1
        if not larger and last < len(words) and words[end].capital and words[last].capital:
            last += 1
            larger = self._phrase(end, last) in self._lists.places
        if not larger or end - begin > _LONGEST_PLACE or not self._may_be_there(begin, end):
            return None
        if self._evidence.is_technical and self._is_listed(begin, end, last):
            return None
        return Classification("location", 0.65, begin, end)

    def _may_be_there(self, begin: int, end: int) -> bool:
        """Return whether words stand after a preposition of place, or first in a line."""
        if self._before(begin) in _TO_PLACES:
            return True
        is_ordinary = any(self._evidence.is_ordinary(at) for at in range(begin, end))
        return self._words[begin].first and not is_ordinary

    def _is_listed(self, begin: int, end: int, last: int) -> bool:
        """Return whether a name and the place after its comma are two of a list.

        Args:
            begin: The name's first word.
            end: The place's first word, after the comma.
            last: The end of the place.
        """
        if self._phrase(end, last) in self._lists.cities or any(
            self._evidence.is_ordinary(at) for at in range(begin, end)
        ):
            return True
        return last < len(self._words) and (self._words[last].key in ("and", "or") or self._is_after_comma(last))

    def _is_after_comma(self, at: int) -> bool:
        return at > 0 and self._evidence.is_after_comma(at)

    def _several(self, begin: int, end: int) -> Classification | None:
        """Return the person of several words of which none is a listed given name."""
        evidence = self._evidence
        if end - begin > _LONGEST_PLACE or not all(evidence.is_surname(at) for at in range(begin, end)):
            return None
        if self._before(begin) in _ARTICLES | {"the"} or any(self._is_no_person(at) for at in range(begin, end)):
            return None
        is_prose = evidence.is_prose(begin, end)
        if self._before(begin) in _IN:
            is_place = is_prose and not evidence.is_technical
            return Classification("location", 0.45, begin, end) if is_place else None
        is_known = evidence.is_known_surname(end - 1)
        is_likely = self._has_role(begin) and (is_known or not evidence.is_technical)
        if self._acts(end) or self._is_addressed(begin) or evidence.is_born(end - 1) or (is_prose and is_likely):
            return self._named(begin, end, 0.5)
        return None

    def _is_no_person(self, at: int) -> bool:
        word, lists = self._words[at], self._lists
        return (
            word.loud
            or self._evidence.is_letter(at)
            or any(word.bare in names for names in (lists.organisations, lists.places, lists.programs))
        )

    def _has_role(self, at: int) -> bool:
        """Return whether the word before says what a person does: ``guitarist Thom Yorke``."""
        before = self._before(at)
        return (
            before in self._lists.titles or before in self._lists.roles or before.endswith(tuple(self._lists.role_ends))
        )

    def _acts(self, end: int) -> bool:
        """Return whether the word at ``end`` says what people do."""
        words = self._words
        return end < len(words) and words[end].joined and words[end].key in self._lists.person_verbs

    def _is_addressed(self, at: int) -> bool:
        """Return whether a greeting stands right before a word: ``Hi Noor``, ``Chère Anouk``."""
        return at > 0 and self._words[at].joined and self._words[at - 1].key in self._lists.greetings

    def _single(self, at: int) -> Classification | None:
        word, evidence = self._words[at], self._evidence
        if word.loud:
            return Classification("organization", 0.4, at, at + 1) if self._is_acronym(at) else None
        if (
            evidence.is_ordinary(at)
            or not evidence.is_plain(at)
            or len(word.bare) < _SEVERAL
            or evidence.is_product(at)
        ):
            return None
        is_kind = evidence.is_technical and not (word.possessive or self._acts(at + 1)) and self._is_what_kind(at)
        if word.bare in self._people and evidence.is_known_surname(at) and not is_kind:  # Swift library
            return Classification("person", 0.6, at, at + 1)
        return None if word.bare in self._lower else self._by_context(at)

    def _by_context(self, at: int) -> Classification | None:
        """Return what a name on no list is by the words beside it."""
        before = self._before(at)
        if before == "project":
            return Classification("project", 0.7, at, at + 1)
        if self._is_addressed(at):
            return Classification("person", 0.6, at, at + 1)
        if not self._evidence.is_prose(at, at + 1):
            return None
        is_given = self._words[at].bare in self._lists.given_names
        is_there = before in self._lists.place_cues and not (self._is_what_kind(at) or self._evidence.is_on_screen(at))
        may_be_place = not is_given and not self._evidence.is_technical
        if may_be_place and (is_there or self._is_part_of_place(at, before)):
            return Classification("location", 0.5, at, at + 1)
        # Where there is code, firms and programs do much that people do.
        may_be_person = is_given or not self._evidence.is_technical
        is_person = may_be_person and self._acts(at + 1) and before != "the" and before not in _ARTICLES
        return Classification("person", 0.45, at, at + 1) if is_person else None

    def _is_what_kind(self, at: int) -> bool:
        """Return whether a word says what kind the next one is: ``in Huffman coding``."""
        word, words = self._words[at], self._words
        if word.possessive:
            return True
        return at + 1 < len(words) and words[at + 1].joined and words[at + 1].key not in ENGLISH

    def _is_acronym(self, at: int) -> bool:
        """Return whether a word in capitals is an organisation: ``the AHAC was``."""
        word, words, evidence = self._words[at], self._words, self._evidence
        if not _ACRONYM[0] <= len(word.bare) <= _ACRONYM[1] or not word.bare.isalpha() or self._before(at) != "the":
            return False
        if evidence.is_ordinary(at) or evidence.is_technical or not evidence.is_prose(at, at + 1):
            return False
        after = words[at + 1].key if at + 1 < len(words) and words[at + 1].joined else ""
        return after in self._lists.deeds or after in self._lists.person_verbs or after in ENGLISH

    def _is_part_of_place(self, at: int, before: str) -> bool:
        return before == "of" and at > 1 and self._words[at - 2].key in self._lists.place_nouns

    def _before(self, at: int) -> str:
        return self._words[at - 1].key if at and self._words[at].joined else ""

    def _phrase(self, begin: int, end: int) -> str:
        if end - begin == 1:
            return self._words[begin].bare
        return " ".join([word.key for word in self._words[begin : end - 1]] + [self._words[end - 1].bare])
