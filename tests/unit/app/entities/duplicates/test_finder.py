"""Near-duplicates: what may be one is found, and what is likely two is not."""

import random
import time

import pytest

from app.entities.duplicates.finder import near_duplicates, sure_joins
from app.entities.duplicates.model import NamedEntity, SpelledName
from app.entities.model import EntityType


def pairs(*names: str, kind: EntityType = "person") -> dict[frozenset[str], str]:
    made = near_duplicates([NamedEntity(f"ent-{number:03}", name, kind, 3) for number, name in enumerate(names)])
    return {frozenset((one.into.name, one.other.name)): one.reason for one in made}


@pytest.mark.parametrize(
    ("first", "second", "kind", "reason"),
    [
        ("José García", "Jose Garcia", "person", "spelling"),
        ("Jürgen Müller", "Juergen Mueller", "person", "spelling"),
        ("Mary-Ann Lee", "Mary Ann Lee", "person", "spelling"),
        ("Sean O'Brien", "Sean O’Brien", "person", "spelling"),
        ("Иван Петров", "Ivan Petrov", "person", "spelling"),
        ("Dr. Alice Jones", "Alice Jones", "person", "title"),
        ("Dr. Jones", "Jones", "person", "title"),
        ("Jones, Alice", "Alice Jones", "person", "order"),
        ("Alice B. Jones", "Alice Jones", "person", "middle name"),
        ("A. Jones", "Alice Jones", "person", "initial"),
        ("Alice J.", "Alice Jones", "person", "initial"),
        ("Eugene Shwartz", "Eugene Schwartz", "person", "letters"),
        ("Alice", "Alice Jones", "person", "short name"),
        ("Warholey", "Andrew Warholey", "person", "short name"),
        ("Acme", "Acme Inc.", "organization", "ending"),
        ("The Guardian", "Guardian", "organization", "ending"),
        ("WHO", "World Health Organization", "organization", "acronym"),
        ("San Fransisco", "San Francisco", "location", "letters"),
        ("Shisen-do Temple", "Shisendo Temple", "location", "spelling"),
    ],
)
def test_pairs_that_may_be_one(first: str, second: str, kind: EntityType, reason: str) -> None:
    assert pairs(first, second, kind=kind) == {frozenset((first, second)): reason}


@pytest.mark.parametrize(
    "names",
    [
        ("Maria Curie", "Marie Curie"),
        ("Paul", "Paula"),
        ("Daniel", "Daniela"),
        ("John Smith", "Jane Smith"),
        ("John Smith", "John Smith Jr."),
        ("Mr. Smith", "Mrs. Smith"),
        ("John Petrov", "Anna Petrova"),
        ("Alice", "Alice Jones", "Alice Brown"),
        ("A. Jones", "Alice Jones", "Anna Jones"),
        ("Ann", "Anne"),
        ("Estimated Cost", "Estimated Flight Cost"),
        ("Data Collected", "Collected Data"),
        ("Henry IV", "Henry V"),
        ("Louis 14", "Louis 16"),
        ("", " "),
        ("。", "、"),
    ],
)
def test_people_that_are_likely_two(names: tuple[str, ...]) -> None:
    assert pairs(*names) == {}


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("Boeing 737", "Boeing 747"), "other"),
        (("Stanford", "Stanford University"), "organization"),
        (("Austria", "Australia"), "location"),
        (("Iran", "Iraq"), "location"),
        (("New York", "New York City"), "location"),
        (("WHO", "World Health Organization", "World Heritage Office"), "organization"),
        (("か", "が"), "other"),
        (("Май", "Маи"), "other"),
    ],
)
def test_other_things_that_are_likely_two(names: tuple[str, ...], kind: EntityType) -> None:
    assert pairs(*names, kind=kind) == {}


def test_names_of_different_types_are_no_pair() -> None:
    apple = [NamedEntity("ent-1", "Jose", "person", 1), NamedEntity("ent-2", "José", "location", 1)]
    assert near_duplicates(apple) == []


def test_what_a_person_decided_about_remains_then_the_full_name_then_the_frequent_one() -> None:
    (one,) = near_duplicates([NamedEntity("a", "José", "person", 1, True), NamedEntity("b", "Jose", "person", 9)])
    assert one.into.id == "a"
    (one,) = near_duplicates([NamedEntity("a", "José", "person", 1), NamedEntity("b", "Jose", "person", 9)])
    assert one.into.id == "b"
    (one,) = near_duplicates([NamedEntity("a", "Alice", "person", 9), NamedEntity("b", "Alice Jones", "person", 1)])
    assert (one.into.id, one.needs_context) == ("b", True)


def test_many_names_alike_take_no_quadratic_time() -> None:
    draw = random.Random(1)
    given = ["Alice", "Bob", "Carla", "David"]
    some = [NamedEntity(str(n), f"{draw.choice(given)} {draw.randbytes(3).hex()}", "person", 1) for n in range(5_000)]
    same = [NamedEntity(f"x{n}", f"Widget{'é' * (n % 7)}", "other", 1) for n in range(5_000)]
    begun = time.process_time()
    near_duplicates([*some, *same])
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    ("others", "is_sure"),
    [
        ((), True),
        ((NamedEntity("3", "Bob Mori", "person", 1),), True),
        ((NamedEntity("3", "Mori", "person", 1, aliases=("Kenji Mori",)),), False),
        ((NamedEntity("3", "K-San", "person", 1, aliases=("Kenji",)),), False),
        ((NamedEntity("3", "Kenji Hospital", "organization", 1),), False),
        ((NamedEntity("3", "Kenji", "location", 1),), False),
        ((NamedEntity("3", "Kenjiro Mori", "person", 1),), False),
        ((NamedEntity("3", "Ken Mori", "person", 1),), False),
        ((NamedEntity("3", "Kemji Mori", "person", 1),), False),
        ((NamedEntity("3", "Kemji Garden", "location", 1),), True),
    ],
    ids=[
        "alone",
        "another name",
        "an alias of two words",
        "an alias",
        "a part of another type",
        "another type",
        "what it may be short for",
        "a short form",
        "another spelling",
        "a spelling of another type",
    ],
)
def test_a_short_name_is_sure_only_without_a_rival(others: tuple[NamedEntity, ...], is_sure: bool) -> None:
    entities = [
        NamedEntity("1", "Kenji Tanaka", "person", 3, aliases=("Kenji T.",)),
        NamedEntity("2", "Kenji", "person", 9),
        *others,
    ]
    spelled = [SpelledName(one.id, one.type, name) for one in entities for name in (one.name, *one.aliases)]
    made = sure_joins(near_duplicates(entities), spelled)
    assert [(one.other.name, one.into.name) for one in made] == ([("Kenji", "Kenji Tanaka")] if is_sure else [])
