"""Dates of other calendars against days that almanacs give."""

from datetime import date, timedelta

import pytest

from app.exchange.parsing.calendars import Calendar, gregorian

NEW_YEARS = {
    1388: date(2009, 3, 21),
    1391: date(2012, 3, 20),
    1395: date(2016, 3, 20),
    1396: date(2017, 3, 21),
    1399: date(2020, 3, 20),
    1400: date(2021, 3, 21),
    1403: date(2024, 3, 20),
    1404: date(2025, 3, 21),
    1408: date(2029, 3, 20),
    1412: date(2033, 3, 20),
    1357: date(1978, 3, 21),
}


@pytest.mark.parametrize("year", NEW_YEARS)
def test_persian_new_year(year: int) -> None:
    assert gregorian("persian", (year, 1, 1)) == NEW_YEARS[year]


def test_every_persian_day_follows_the_one_before() -> None:
    days = []
    for year in range(1385, 1412):
        for month in range(1, 13):
            for day in range(1, 32):
                try:
                    days.append(gregorian("persian", (year, month, day)))
                except ValueError:
                    continue
    assert days == [days[0] + timedelta(number) for number in range(len(days))]


@pytest.mark.parametrize(
    ("calendar", "numbers", "expected"),
    [
        ("hijri", (1442, 9, 30), date(2021, 5, 12)),
        ("hijri", (1447, 6, 5), date(2025, 11, 26)),
        ("hijri", (1430, 1, 1), date(2008, 12, 29)),
        ("buddhist", (2564, 2, 28), date(2021, 2, 28)),
        ("minguo", (110, 5, 12), date(2021, 5, 12)),
        ("reiwa", (1, 5, 1), date(2019, 5, 1)),
        ("heisei", (31, 4, 30), date(2019, 4, 30)),
    ],
)
def test_days_of_other_calendars(calendar: Calendar, numbers: tuple[int, int, int], expected: date) -> None:
    assert gregorian(calendar, numbers) == expected


@pytest.mark.parametrize(
    ("calendar", "numbers"),
    [("persian", (1400, 12, 30)), ("persian", (1400, 13, 1)), ("hijri", (1442, 10, 30)), ("hijri", (1300, 1, 1))],
)
def test_days_that_there_are_not(calendar: Calendar, numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"Persian|Hijri|known"):
        gregorian(calendar, numbers)
