"""Finder of near-duplicates: names of one type that may mean the same.

Pure, and blind to the texts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from app.entities.duplicates import name_forms
from app.entities.duplicates.model import DuplicateReason, NamedEntity, NearDuplicate, SpelledName
from app.entities.ner.gazetteer import gazetteer

COMPARED = ("person", "organization", "location", "project", "other")
_LEAST_LETTERS = 5  # of a word with another letter, in a name of several words
_LEAST_ALONE = 7  # of a name of one word with another letter
_RARER = 3  # times that a misspelt name of one word is mentioned less often at least
_MOST_ALIKE = 6  # entities with one form; more are a class of things, not one
_ACRONYM = range(3, 7)
_RARER_FULL = 10  # times that a full name is mentioned less often than its short form at most
_FULL = 2  # words of a person's full name

Form = Callable[[NamedEntity], Iterable[str]]


def near_duplicates(entities: Sequence[NamedEntity]) -> list[NearDuplicate]:
    """Return pairs that may be one entity, the surest first.

    An entity is to be merged in one pair at most.

    Args:
        entities: Entities of all types, none merged into another.
    """
    best: dict[tuple[str, str], NearDuplicate] = {}
    for kind in COMPARED:
        same = [one for one in entities if one.type == kind]
        for pair in _pairs(same, kind):
            if name_forms.digits(pair.into.name) != name_forms.digits(pair.other.name):
                continue
            if pair.key not in best or best[pair.key].score < pair.score:
                best[pair.key] = pair
    chosen, gone = [], set[str]()
    for pair in sorted(best.values(), key=_rank):
        if pair.other.id not in gone:
            gone.add(pair.other.id)
            chosen.append(pair)
    return chosen


def sure_joins(pairs: Iterable[NearDuplicate], names: Iterable[SpelledName]) -> list[NearDuplicate]:
    """Return the pairs of a short name and the one full name that it fits.

    Nothing else of any type has the name as a part of one of its names, no other person has one that is spelled much
    like it or that it may be short for, and no person decided about it. No full name ends with an ordinary word.

    Args:
        pairs: Near-duplicates, or names that were joined before.
        names: Every name of every entity.
    """
    short = (one for one in pairs if one.reason == "short name" and not (one.other.is_decided or one.into.is_decided))
    wanted = [one for one in short if _is_surname(name_forms.name_words(one.into.name)[-1])]
    owners: dict[str, set[str]] = defaultdict(set)
    people: set[str] = set()
    for one in names if wanted else ():
        for word in name_forms.name_words(one.name):
            owners[word].add(one.entity_id)
            if one.type == "person":
                people.add(word)
    shorts = [(pair, _only_word(pair.other)) for pair in wanted]
    alike = _alike_words({word for _, word in shorts if word}, people)
    return [
        pair
        for pair, word in shorts
        if word and all(owners[one] <= {pair.into.id, pair.other.id} for one in (word, *alike[word]))
    ]


def _is_surname(word: str) -> bool:
    """Return whether a word may end a person's name: not as in ``Holly Story``."""
    lists = gazetteer()
    return word not in lists.common and (word not in lists.ordinary or word in lists.surnames)


def _only_word(one: NamedEntity) -> str:
    """Return the word that all names of an entity are; empty where they are several."""
    words = set().union(*(name_forms.name_words(name) for name in (one.name, *one.aliases)))
    return words.pop() if len(words) == 1 else ""


def _alike_words(shorts: set[str], words: Iterable[str]) -> dict[str, set[str]]:
    """Return the words that each short name may be taken for."""
    forms: dict[str, set[str]] = defaultdict(set)
    starts: dict[str, set[str]] = defaultdict(set)
    for short in shorts:
        for form in _close_forms(short):
            forms[form].add(short)
        for end in range(2, len(short)):
            starts[short[:end]].add(short)
    found: dict[str, set[str]] = defaultdict(set)
    for word in words:
        near = set(starts.get(word, ()))
        near.update(*(forms[form] for form in _close_forms(word) if form in forms))
        near.update(word[:end] for end in range(2, len(word)) if word[:end] in shorts)
        for short in near:
            if short[:1] == word[:1] and _may_be_taken_for(short, word):
                found[short].add(word)
    return found


def _close_forms(word: str) -> Iterator[str]:
    """Yield forms of a word; words spelled much alike share one."""
    yield word
    yield name_forms.loose_latin(word)
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]


def _may_be_taken_for(word: str, other: str) -> bool:
    """Return whether one name may be a short form or a spelling of the other."""
    short, long = sorted((word, other), key=len)
    if len(short) > 1 and long.startswith(short):
        return True
    return name_forms.differ_in_one_letter(word, other) or name_forms.loose_latin(word) == name_forms.loose_latin(other)


def _rank(pair: NearDuplicate) -> tuple[float, int, tuple[str, str]]:
    return -pair.score, -pair.into.mentions - pair.other.mentions, pair.key


def _pairs(same: list[NamedEntity], kind: str) -> Iterator[NearDuplicate]:
    yield from _alike(same, lambda one: name_forms.compact_forms(one.name), "spelling", 0.95)
    yield from _alike(same, _cross_script, "spelling", 0.85, accept=_has_other_script)
    yield from _one_letter(same)
    if kind == "person":
        yield from _alike(same, _untitled, "title", 0.9, accept=_has_one_title, needs_context=_is_short_untitled)
        yield from _alike(same, _sorted_words, "order", 0.85, accept=_has_given_name)
        yield from _full_names(same)
        return
    yield from _alike(same, _bare, "ending", 0.85)
    if kind != "location":
        yield from _acronyms(same)


# Names with a form in common -----------------------------------------------------------------------------------


def _never(first: NamedEntity, second: NamedEntity) -> bool:
    return False


def _always(first: NamedEntity, second: NamedEntity) -> bool:
    return True


def _alike(
    entities: Iterable[NamedEntity],
    form: Form,
    reason: DuplicateReason,
    score: float,
    *,
    accept: Callable[[NamedEntity, NamedEntity], bool] = _always,
    needs_context: Callable[[NamedEntity, NamedEntity], bool] = _never,
) -> Iterator[NearDuplicate]:
    """Yield pairs of entities that have a form in common."""
    groups: dict[str, list[NamedEntity]] = defaultdict(list)
    for one in entities:
        for key in form(one):
            if key:
                groups[key].append(one)
    for group in groups.values():
        if not 1 < len(group) <= _MOST_ALIKE:
            continue
        for at, first in enumerate(group):
            for second in group[at + 1 :]:
                if first.id != second.id and accept(first, second):
                    yield _pair(first, second, reason, score, needs_context=needs_context(first, second))


def _cross_script(one: NamedEntity) -> Iterable[str]:
    return (name_forms.latin_form(one.name) or name_forms.loose_latin(one.name),)


def _has_other_script(first: NamedEntity, second: NamedEntity) -> bool:
    return bool(name_forms.latin_form(first.name)) != bool(name_forms.latin_form(second.name))


def _untitled(one: NamedEntity) -> Iterable[str]:
    return (" ".join(name_forms.titled(name_forms.name_words(one.name))[1]),)


def _has_one_title(first: NamedEntity, second: NamedEntity) -> bool:
    """Return whether one of two names has a title, which does not contradict the other's."""
    titles = [name_forms.titled(name_forms.name_words(one.name))[0] for one in (first, second)]
    return bool(titles[0]) != bool(titles[1])


def _is_short_untitled(first: NamedEntity, second: NamedEntity) -> bool:
    return len(name_forms.titled(name_forms.name_words(first.name))[1]) < _FULL


def _sorted_words(one: NamedEntity) -> Iterable[str]:
    words = name_forms.name_words(one.name)
    return (" ".join(sorted(words)),) if len(words) >= _FULL else ()


def _has_given_name(first: NamedEntity, second: NamedEntity) -> bool:
    words = name_forms.name_words(first.name)
    return words[0] in gazetteer().given_names or words[-1] in gazetteer().given_names


def _bare(one: NamedEntity) -> Iterable[str]:
    return (" ".join(name_forms.bare_organisation(name_forms.name_words(one.name))),)


# Names that differ in one letter -------------------------------------------------------------------------------


def _one_letter(same: list[NamedEntity]) -> Iterator[NearDuplicate]:
    for pair in _alike(same, _with_a_letter_less, "letters", 0.75, accept=_is_misspelt, needs_context=_is_alone):
        if not pair.needs_context or pair.other.mentions * _RARER <= pair.into.mentions:
            yield pair


def _with_a_letter_less(one: NamedEntity) -> Iterable[str]:
    """Return a name as it is, and without each letter of its longer words."""
    words = name_forms.name_words(one.name)
    least = _LEAST_LETTERS if len(words) > 1 else _LEAST_ALONE
    forms = {" ".join(words)}
    for at, word in enumerate(words):
        if len(word) < least or not word.isalpha():
            continue
        for place in range(1, len(word)):
            forms.add(" ".join((*words[:at], word[:place] + word[place + 1 :], *words[at + 1 :])))
    return forms


def _is_misspelt(first: NamedEntity, second: NamedEntity) -> bool:
    """Return whether one of two names may be a misspelling of the other.

    They differ in one letter of a word that is not a common name in both.
    """
    words, others = name_forms.name_words(first.name), name_forms.name_words(second.name)
    if len(words) != len(others):
        return False
    differing = [(one, other) for one, other in zip(words, others, strict=True) if one != other]
    if len(differing) != 1:
        return False
    one, other = differing[0]
    least = _LEAST_LETTERS if len(words) > 1 else _LEAST_ALONE
    lists = gazetteer()
    known = lists.given_names | lists.places | lists.common
    if (one in known and other in known) or min(len(one), len(other)) < least or one[0] != other[0]:
        return False
    return name_forms.differ_in_one_letter(one, other)


def _is_alone(first: NamedEntity, second: NamedEntity) -> bool:
    return len(name_forms.name_words(first.name)) == 1


# Persons by parts of their names -------------------------------------------------------------------------------


def _full_names(people: list[NamedEntity]) -> Iterator[NearDuplicate]:
    """Yield pairs of a full name with a short form of it alone."""
    by_form: dict[tuple[DuplicateReason, str], list[NamedEntity]] = defaultdict(list)
    for one in people:
        for form in _short_forms(name_forms.titled(name_forms.name_words(one.name))[1]):
            by_form[form].append(one)
    scores: dict[DuplicateReason, float] = {"middle name": 0.8, "initial": 0.75, "short name": 0.65}
    for one in people:
        words = name_forms.name_words(one.name)
        for reason, score in scores.items():
            full = by_form.get((reason, " ".join(words)), ())
            if len(full) != 1 or full[0].id == one.id or full[0].mentions * _RARER_FULL < one.mentions:
                continue
            yield _pair(one, full[0], reason, score, into=full[0], needs_context=reason == "short name")


def _short_forms(words: tuple[str, ...]) -> Iterator[tuple[DuplicateReason, str]]:
    """Yield what a full name may be shortened to."""
    if len(words) < _FULL or words[-1] in name_forms.SUFFIXES or len(words[0]) == 1:
        return
    first, last = words[0], words[-1]
    # Title case makes persons of many a phrase: without a given name, the parts of a name say nothing.
    is_person = first in gazetteer().given_names
    if len(words) > _FULL and (is_person or all(len(word) == 1 for word in words[1:-1])):
        yield "middle name", f"{first} {last}"
    if len(last) > 1:
        yield "initial", f"{first[0]} {last}"
        yield "initial", f"{first} {last[0]}"
        if is_person and last not in gazetteer().given_names:
            yield "short name", last
    if is_person or last not in gazetteer().given_names:
        yield "short name", first


# Acronyms ------------------------------------------------------------------------------------------------------


def _acronyms(same: list[NamedEntity]) -> Iterator[NearDuplicate]:
    by_initials: dict[str, list[NamedEntity]] = defaultdict(list)
    for one in same:
        letters = name_forms.initials(name_forms.name_words(one.name))
        if len(letters) in _ACRONYM:
            by_initials[letters].append(one)
    for one in same:
        plain = one.name.replace(".", "")
        full = by_initials.get(plain.casefold(), ()) if plain.isalpha() and plain.isupper() else ()
        if len(full) == 1 and full[0].id != one.id:
            yield _pair(one, full[0], "acronym", 0.7, into=full[0], needs_context=True)


def _pair(
    first: NamedEntity,
    second: NamedEntity,
    reason: DuplicateReason,
    score: float,
    *,
    into: NamedEntity | None = None,
    needs_context: bool = False,
) -> NearDuplicate:
    """Return a pair in the order of merging.

    What a person decided about remains, then the full name, then the one mentioned most.
    """
    ranked = sorted((first, second), key=lambda one: (not one.is_decided, one is not into, -one.mentions, one.id))
    return NearDuplicate(ranked[0], ranked[1], reason, score, needs_context)
