"""Order and calendar of the numbers in the dates that a phone wrote."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, Literal

from app.exchange.parsing import calendars
from app.exchange.parsing.calendars import Calendar, Numbers

Order = Literal["dmy", "mdy", "ymd"]

# Of the earlier ones, where a year is possible in several.
_CALENDARS: Final[tuple[Calendar, ...]] = ("gregorian", "buddhist", "persian", "hijri", "minguo")
_ORDERS: Final[tuple[Order, ...]] = ("dmy", "mdy", "ymd")
_PLACES: Final[dict[Order, tuple[int, int, int]]] = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
_DAYS = 31
_BEFORE_CHATS = date(2009, 1, 1)  # WhatsApp began in this year
_BEFORE_CLOCKS = date(1970, 1, 1)
_SHORT_YEAR = 100


@dataclass(frozen=True, slots=True)
class DateReading:
    """Order and calendar by which dates are read.

    Args:
        order: What the three numbers are.
        calendar: The calendar of the year.
        is_proven: Whether the dates leave no other choice of day and month.
    """

    order: Order
    calendar: Calendar
    is_proven: bool

    def date(self, numbers: Numbers, today: date) -> date | None:
        """Return the date of three numbers.

        It is ``None`` where there is no such day or it lies in the future.
        """
        year, month, day = (numbers[place] for place in _PLACES[self.order])
        for whole in calendars.whole_years(self.calendar, year):
            earliest = _earliest(self.calendar, year)
            try:
                result = calendars.gregorian(self.calendar, (whole, month, day))
            except (ValueError, OverflowError):
                continue
            if earliest <= result <= today + timedelta(1):
                return result
        return None


def _earliest(calendar: Calendar, year: int) -> date:
    if calendar != "gregorian":
        return _BEFORE_CHATS
    return date(2000, 1, 1) if year < _SHORT_YEAR else _BEFORE_CLOCKS


def decide(
    dates: Sequence[Numbers], era: Calendar | None, *, is_year_first: bool, is_american: bool, today: date
) -> DateReading:
    """Return how the dates of one form are read.

    A date that cannot be decides first, then their order in the file, then the form.

    Args:
        dates: The dates in the order of the file.
        era: The calendar that is written with them.
        is_year_first: Whether the form says that the year comes first.
        is_american: Whether the month comes first where the dates do not say.
        today: Dates after it are wrong.
    """
    readings = [_reading(order, dates, era, today) for order in _possible(dates, is_year_first=is_year_first)]
    best = min(rank for rank, _ in readings)
    choices = {reading.order: reading for rank, reading in readings if rank == best}
    if "ymd" in choices and (len(choices) == 1 or _is_year(dates)):
        return DateReading("ymd", choices["ymd"].calendar, is_proven=True)
    if len(choices) > 1 and "ymd" in choices:
        del choices["ymd"]
    preferred: Order = "mdy" if is_american else "dmy"
    chosen = choices.get(preferred) or next(iter(choices.values()))
    is_proven = len(choices) == 1 or all(first == two for first, two, _ in dates)
    return DateReading(chosen.order, chosen.calendar, is_proven)


def _possible(dates: Sequence[Numbers], *, is_year_first: bool) -> tuple[Order, ...]:
    if is_year_first or any(first > _DAYS for first, _, _ in dates):
        return ("ymd",)
    return _ORDERS[:2] if any(three > _DAYS for _, _, three in dates) else _ORDERS


def _reading(
    order: Order, dates: Sequence[Numbers], era: Calendar | None, today: date
) -> tuple[tuple[int, int], DateReading]:
    """Return a reading with its number of impossible dates and of steps back."""
    ranked = []
    for calendar in (era,) if era is not None else _CALENDARS:
        reading = DateReading(order, calendar, is_proven=True)
        readings = [reading.date(numbers, today) for numbers in dates]
        days = [day for day in readings if day is not None]
        falls = sum(later < earlier for earlier, later in pairwise(days))
        ranked.append(((len(readings) - len(days), falls), reading))
        if len(days) == len(readings):
            break
    return min(ranked, key=lambda ranking: ranking[0][0])


def _is_year(dates: Sequence[Numbers]) -> bool:
    """Return whether the first numbers change less than the last ones, as years do."""
    return len({first for first, _, _ in dates}) < len({three for _, _, three in dates})
