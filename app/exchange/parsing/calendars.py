"""Dates of calendars that phones write, as dates of the Gregorian calendar.

The Persian leap years are those of the 33-year cycle, which agrees with the astronomical rule from 1244 to 1472. The
months of the Hijri calendar are those of Umm al-Qura (King Abdulaziz City for Science and Technology; also in the
Unicode CLDR and in Java).
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, Literal

Calendar = Literal["gregorian", "buddhist", "persian", "hijri", "minguo", "heisei", "reiwa"]
Numbers = tuple[int, int, int]

NAMES: Final[dict[Calendar, str]] = {
    "gregorian": "Gregorian",
    "buddhist": "Buddhist",
    "persian": "Persian",
    "hijri": "Hijri",
    "minguo": "Minguo",
    "heisei": "Japanese",
    "reiwa": "Japanese",
}
_ADDED: Final[dict[Calendar, int]] = {"gregorian": 0, "buddhist": -543, "minguo": 1911, "heisei": 1988, "reiwa": 2018}
_CENTURY = 100
_MONTHS = 12
_PERSIAN_EPOCH = (1400, date(2021, 3, 21))
_PERSIAN_RANGE = range(1244, 1473)
_PERSIAN_CYCLE = 33
_PERSIAN_LEAPS = frozenset({1, 5, 9, 13, 17, 22, 26, 30})
_LONG_MONTHS = 6
_HIJRI_EPOCH = (1430, date(2008, 12, 29))
# One number a year from 1430 on; the bit of a month of thirty days is set, the first month's is the lowest.
_HIJRI_MONTHS = (
    *(0xAA6, 0x956, 0x2AE, 0x56D, 0x36A, 0xB55, 0xAAA, 0x94D, 0x49D, 0x95D, 0x2BA),
    *(0x5B5, 0x5AA, 0xD55, 0xA9A, 0x92E, 0x26E, 0x55D, 0xADA, 0x6D4, 0x6A5, 0xB27, 0xA4D),
    *(0x4AD, 0x56D, 0xB5A, 0x754, 0xF49, 0xE92, 0xD26, 0xA56),
)


def gregorian(calendar: Calendar, numbers: Numbers) -> date:
    """Return the Gregorian date of ``numbers``: year, month and day in ``calendar``.

    Raises:
        ValueError: There is no such day, or the years of that calendar are not known here.
    """
    year, month, day = numbers
    if calendar == "persian":
        return _persian(year, month, day)
    if calendar == "hijri":
        return _hijri(year, month, day)
    return date(year + _ADDED[calendar], month, day)


def whole_years(calendar: Calendar, year: int) -> Iterator[int]:
    """Yield the years that a written year may stand for.

    One of two digits lacks its century.
    """
    yield year
    if year < _CENTURY:
        if calendar == "gregorian":
            yield 2000 + year
        elif calendar == "buddhist":
            yield 2500 + year
        elif calendar in ("persian", "hijri"):
            yield from (1300 + year, 1400 + year)


def _persian(year: int, month: int, day: int) -> date:
    if year not in _PERSIAN_RANGE or not 1 <= month <= _MONTHS:
        raise ValueError("There is no such day in the Persian calendar.")
    length = 31 if month <= _LONG_MONTHS else 30 if month < _MONTHS or _is_leap(year) else 29
    if not 1 <= day <= length:
        raise ValueError("There is no such day in the Persian calendar.")
    known, new_year = _PERSIAN_EPOCH
    between = range(min(year, known), max(year, known))
    days = sum(366 if _is_leap(passed) else 365 for passed in between) * (1 if year >= known else -1)
    return new_year + timedelta(days + 30 * (month - 1) + min(month - 1, _LONG_MONTHS) + day - 1)


def _is_leap(year: int) -> bool:
    return year % _PERSIAN_CYCLE in _PERSIAN_LEAPS


def _hijri(year: int, month: int, day: int) -> date:
    first, new_year = _HIJRI_EPOCH
    index = year - first
    if not 0 <= index < len(_HIJRI_MONTHS) or not 1 <= month <= _MONTHS:
        raise ValueError("The months of this year are not known.")
    if not 1 <= day <= _length(index, month):
        raise ValueError("There is no such day in the Hijri calendar.")
    days = sum(_length(passed, number) for passed in range(index) for number in range(1, _MONTHS + 1))
    return new_year + timedelta(days + sum(_length(index, number) for number in range(1, month)) + day - 1)


def _length(index: int, month: int) -> int:
    return 29 + (_HIJRI_MONTHS[index] >> (month - 1) & 1)
