"""How a turn speaks: shares of words of the speaker and the other, numbers and names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.index.manner import MOST_NAMES, READ_CHARACTERS, Manner


@pytest.mark.parametrize(
    ("text", "first", "second", "number", "names"),
    [
        ("", 0, 0, False, 0),
        ("I took my dogs out", 2 / 10, 0, False, 0),
        ("I’m glad for you", 1 / 9, 1 / 9, False, 0),
        ("Your turn. You know it", 0, 2 / 10, False, 0),
        ("she has three cats", 0, 0, True, 0),
        ("room 12", 0, 0, True, 0),
        ("we met Kenji in Kyoto. Then we left", 2 / 13, 0, False, 2),
        ('he read "The Road"', 0, 0, False, 2),
        ("東京で会った", 0, 0, False, 0),
    ],
)
def test_what_is_counted(text: str, first: float, second: float, number: bool, names: int) -> None:
    got = Manner(text)
    assert got.persons == pytest.approx((first, second))
    assert (got.number, got.names) == (number, names)


def test_only_the_beginning_and_only_so_many_names_count() -> None:
    assert not Manner("x" * READ_CHARACTERS + " 12 we met Ana").number
    assert Manner("met " + "Ana, " * 50).names == MOST_NAMES


@given(st.text(max_size=2_000))
def test_any_text_has_shares(text: str) -> None:
    got = Manner(text)
    assert all(0 <= share <= 1 for share in got.persons)
    assert 0 <= got.names <= MOST_NAMES
