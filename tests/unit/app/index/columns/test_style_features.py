"""Style features: first and second person, numbers, names and time words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.index.columns.style_features import (
    MAX_NAMES,
    READ_CHARACTERS,
    count_names,
    count_person_words,
    says_number,
    says_when,
)


@pytest.mark.parametrize(
    ("text", "spoken", "number", "named"),
    [
        ("", (0, 0, 0), False, 0),
        ("I took my dogs out", (5, 2, 0), False, 0),
        ("I’m glad for you", (4, 1, 1), False, 0),
        ("Your turn. You know it", (5, 0, 2), False, 0),
        ("she has three cats", (4, 0, 0), True, 0),
        ("room 12", (2, 0, 0), True, 0),
        ("we met Kenji in Kyoto. Then we left", (8, 2, 0), False, 2),
        ('he read "The Road"', (4, 0, 0), False, 2),
        ("MY\u3000house\u00a0and-yours", (4, 1, 1), False, 0),
        ("東京で会った", (1, 0, 0), False, 0),
    ],
)
def test_what_is_counted(text: str, spoken: tuple[int, int, int], number: bool, named: int) -> None:
    assert count_person_words(["you", text, "", "me"]).tolist() == [[1, 0, 1], list(spoken), [0, 0, 0], [1, 1, 0]]
    assert (says_number(text), count_names(text)) == (number, named)


def test_only_the_beginning_and_only_so_many_names_count() -> None:
    assert not says_number("x" * READ_CHARACTERS + " 12 we met Ana")
    assert count_person_words(["x" * READ_CHARACTERS + " I"]).tolist() == [[1, 0, 0]]
    assert count_names("met " + "Ana, " * 50) == MAX_NAMES


def test_times() -> None:
    assert says_when("we left last week")
    assert not says_when("we left")


@given(st.lists(st.text(max_size=1_000)))
def test_any_texts_are_counted_one_by_one(texts: list[str]) -> None:
    found = count_person_words(texts)
    assert found.shape == (len(texts), 3)
    assert (found[:, 1] + found[:, 2] <= found[:, 0]).all()
    assert found.tolist() == [count_person_words([text])[0].tolist() for text in texts]


@given(st.text(st.characters(codec="utf-8"), max_size=READ_CHARACTERS))
def test_words_stand_between_spaces_of_any_script(text: str) -> None:
    apart = "".join(" " if mark.isascii() and not mark.isalnum() and mark not in "'\0" else mark for mark in text)
    apart = "".join(" " if mark.isascii() and not mark.isprintable() else mark for mark in apart)
    assert count_person_words([apart])[0, 0] == len(apart.split())
