"""Proximity of moments to the dates that a question names."""

import math
import tracemalloc
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.query.date_proximity import proximity


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    return round(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1000)


def near(moments: list[int], years: set[int], months: set[int], days: set[int]) -> list[float]:
    return list(proximity(np.array(moments, dtype=np.int64), years, months, days).tolist())


def test_a_day_and_the_week_after_it() -> None:
    moments = [at(2023, 10, 15, 9), at(2023, 10, 24), at(2023, 10, 13), at(2024, 10, 15)]
    got = near(moments, {2023}, {10}, {15})
    assert got[0] == 1
    assert got[1] == pytest.approx(math.exp(-1))
    assert got[2] == pytest.approx(math.exp(-2))
    assert got[3] < 1e-9


def test_a_month_of_any_year() -> None:
    got = near([at(2022, 12, 31), at(2023, 12, 1), at(2024, 1, 1), at(2023, 6, 1)], set(), {12}, set())
    assert got[:3] == [1, 1, 1]
    assert got[3] < 1e-6


def test_a_whole_year() -> None:
    assert near([at(2023, 1, 1), at(2023, 12, 31, 23)], {2023}, set(), set()) == [1, 1]


def test_no_such_day_is_near_nothing() -> None:
    assert near([at(2023, 2, 28)], {2023}, {2}, {30}) == [0]
    assert near([at(2023, 2, 28)], set(), set(), {28}) == [0]
    assert near([], {2023}, {2}, set()) == []


def test_moments_that_no_calendar_has_cost_nothing() -> None:
    tracemalloc.start()
    try:
        assert near([-(2**55), 2**55], set(), {12}, set()) == [0, 0]
        assert near([2**62], set(), {12}, set()) == [0]
        assert near([-(2**62)], set(), {1}, set()) == [0]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000


@given(
    st.lists(st.integers(-(2**62), 2**62), max_size=5),
    st.frozensets(st.integers(1900, 2199), max_size=3),
    st.frozensets(st.integers(1, 12), max_size=12),
    st.frozensets(st.integers(1, 31), max_size=31),
)
def test_any_moment_has_a_nearness(
    moments: list[int], years: frozenset[int], months: frozenset[int], days: frozenset[int]
) -> None:
    got = proximity(np.array(moments, dtype=np.int64), years, months, days)
    assert ((got >= 0) & (got <= 1)).all()
