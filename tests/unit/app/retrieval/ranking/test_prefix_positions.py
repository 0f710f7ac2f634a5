"""Beginnings of words are found wherever looking for them one by one finds them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.ranking.prefix_positions import PrefixPositions

LETTERS = st.text(alphabet="ab1_ é я中’\n'Z😀", max_size=12)
KEYS = st.text(alphabet="ab1_éя中", min_size=1, max_size=3)


def one_by_one(texts: list[str], key: str, *, whole: bool) -> list[tuple[int, int]]:
    found = []
    for row, text in enumerate(texts):
        place = text.find(key)
        while place >= 0:
            if not whole or not text[:place][-1:].isalnum():
                found.append((row, place))
            place = text.find(key, place + len(key))
    return found


@given(st.lists(LETTERS), KEYS, st.booleans())
def test_every_place_is_found(texts: list[str], key: str, whole: bool) -> None:
    beginnings = PrefixPositions(texts)
    places = beginnings.of(key, whole=whole)
    rows = beginnings.rows(places).tolist()
    starts = [2 + sum(len(text) + 2 for text in texts[:row]) for row in rows]
    got = [(row, place - start) for row, place, start in zip(rows, places.tolist(), starts, strict=True)]
    assert got == one_by_one(texts, key, whole=whole)


@pytest.mark.parametrize("key", ["heron", "h", "heroic"])
def test_nothing_is_found_in_nothing(key: str) -> None:
    assert PrefixPositions([]).of(key, whole=True).tolist() == []
    assert PrefixPositions(["", ""]).of(key, whole=True).tolist() == []
