"""Spans of time as people write them, ISO or English, half-open in milliseconds UTC.

Days, weeks (from Monday), months and years are those of the person's zone; a day on which clocks change is as long as
it is. ``monday`` or ``october`` without more is the latest one that has begun, for memories lie in the past.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
EXAMPLES: Final = (
    "today",
    "yesterday",
    '"last week"',
    '"last 7 days"',
    '"3 days ago"',
    "monday",
    "october",
    "2026-10-12",
)

_NUMBERS: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_MONTHS_A_YEAR: Final = 12
_DAYS_A_WEEK: Final = 7
_YEARS_TO_LEAP: Final = 9  # 29 February was not in 1900, so that eight years lay between two
_LONGEST: Final = 64

Parts = re.Match[str]


def parse_span(text: str, now_ms: int, zone: tzinfo | None = None) -> tuple[int, int] | None:
    """Read a span of time.

    Args:
        text: ``2026``, ``2026-10``, ``2026-10-12``, ``2026-W41``, ``2026-10-12T14:30`` (as exact as written), ``a..b``;
            today, yesterday, tomorrow, now, ``this|last|next week``, ``last 7 days`` (to the end of today),
            ``3 days ago``, weekdays and months, also with last, this or next, ``october 2025``, ``12 october 2025``.
        now_ms: The current time, milliseconds since 1970 UTC.
        zone: Whose days these are; the machine's when ``None``.

    Returns:
        ``[since, until)`` in milliseconds since 1970 UTC, or ``None`` when ``text`` is no time.
    """
    flat = " ".join(text.lower().replace(",", " ").split())
    if not flat or len(flat) > _LONGEST:
        return None
    reader = _Reader(now_ms, zone)
    try:
        span = reader.between(flat) if ".." in flat else reader.read(flat)
    except (ValueError, OverflowError, OSError):  # a day the calendar or the platform does not have
        return None
    return span if span and span[0] < span[1] else None


class _Reader:
    """Reads one text against one moment."""

    def __init__(self, now_ms: int, zone: tzinfo | None) -> None:
        self.now_ms = now_ms
        self.zone = zone
        moment = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
        self.today = moment.date()
        self.shift = round((moment.utcoffset() or timedelta()).total_seconds() * 1000)

    def read(self, text: str) -> tuple[int, int] | None:
        for pattern, method in _FORMS:
            if match := pattern.fullmatch(text):
                return method(self, match)
        return None

    def between(self, text: str) -> tuple[int, int] | None:
        first, _, last = text.partition("..")
        start, end = self.read(first.strip()), self.read(last.strip())
        return (start[0], end[1]) if start and end else None

    # Spans of the calendar

    def ms(self, when: datetime) -> int:
        """Return the instant of a local time.

        A skipped local time is the next valid one, a repeated one is the first.
        """
        local = when if when.tzinfo else when.replace(tzinfo=self.zone)
        return round(local.timestamp() * 1000)

    def days(self, first: date, count: int = 1) -> tuple[int, int]:
        start = datetime(first.year, first.month, first.day)  # noqa: DTZ001  (local; ``ms`` gives it its zone)
        return self.ms(start), self.ms(start + timedelta(days=count))

    def week(self, weeks: int) -> tuple[int, int]:
        return self.days(self.today - timedelta(days=self.today.weekday()) + timedelta(weeks=weeks), _DAYS_A_WEEK)

    def month(self, year: int, month: int) -> tuple[int, int]:
        """Return the month of a number from 1.

        Numbers below 1 or beyond 12 lie in other years.
        """
        years, index = divmod(month - 1, _MONTHS_A_YEAR)
        first = date(year + years, index + 1, 1)
        return self.days(first, monthrange(first.year, first.month)[1])

    def year(self, year: int) -> tuple[int, int]:
        return self.days(date(year, 1, 1), (date(year, 12, 31) - date(year, 1, 1)).days + 1)

    def unit(self, unit: str, offset: int) -> tuple[int, int]:
        """Return the span ``offset`` units from the current one.

        The unit is a day, week, month or year, or the hour or minute around that moment.
        """
        if unit == "day":
            return self.days(self.today + timedelta(days=offset))
        if unit == "week":
            return self.week(offset)
        if unit == "month":
            return self.month(self.today.year, self.today.month + offset)
        if unit == "year":
            return self.year(self.today.year + offset)
        length = _MILLISECONDS[unit]
        start = ((self.now_ms + self.shift) // length + offset) * length - self.shift
        return start, start + length

    # Forms

    def iso_year(self, parts: Parts) -> tuple[int, int]:
        return self.year(int(parts[1]))

    def iso_month(self, parts: Parts) -> tuple[int, int]:
        year, month = int(parts[1]), int(parts[2])
        return self.days(date(year, month, 1), monthrange(year, month)[1])

    def iso_day(self, parts: Parts) -> tuple[int, int]:
        return self.days(date(int(parts[1]), int(parts[2]), int(parts[3])))

    def iso_week(self, parts: Parts) -> tuple[int, int]:
        year, week, day = int(parts[1]), int(parts[2]), parts[3]
        first = date.fromisocalendar(year, week, int(day or 1))
        return self.days(first, 1 if day else _DAYS_A_WEEK)

    def iso_time(self, parts: Parts) -> tuple[int, int]:
        day, hour, minute, second, fraction, offset = parts.groups()
        clock = f"{hour}:{minute or '00'}:{second or '00'}{'.' + fraction[:6].ljust(6, '0') if fraction else ''}"
        start = self.ms(datetime.fromisoformat(f"{day}T{clock}{offset.upper() if offset else ''}"))
        unit = "hour" if not minute else "minute" if not second else "second"
        return start, start + (1 if fraction else _MILLISECONDS[unit])

    def named_day(self, parts: Parts) -> tuple[int, int]:
        return self.unit("day", {"yesterday": -1, "today": 0, "tomorrow": 1}[parts[0]])

    def now(self, _parts: Parts) -> tuple[int, int]:
        return self.now_ms, self.now_ms + 1

    def this_last_next(self, parts: Parts) -> tuple[int, int]:
        return self.unit(parts[2], _OFFSETS[parts[1]])

    def ago(self, parts: Parts) -> tuple[int, int]:
        return self.unit(parts[2], -_number(parts[1]))

    def ahead(self, parts: Parts) -> tuple[int, int]:
        return self.unit(parts["unit1"] or parts["unit2"], _number(parts["count1"] or parts["count2"]))

    def last_many(self, parts: Parts) -> tuple[int, int]:
        """Return the last days up to the end of today, or hours up to now."""
        count, unit = _number(parts[2]), parts[3]
        ahead = parts[1] == "next"
        if unit in _MILLISECONDS:
            length = count * _MILLISECONDS[unit]
            return (self.now_ms, self.now_ms + length) if ahead else (self.now_ms - length, self.now_ms + 1)
        first = _moved(self.today, unit, count if ahead else -count)
        if ahead:
            return self.days(self.today, (first - self.today).days)
        return self.days(first + timedelta(days=1), (self.today - first).days)

    def weekday(self, parts: Parts) -> tuple[int, int]:
        wanted = _index(WEEKDAYS, parts[2])
        behind = (self.today.weekday() - wanted) % _DAYS_A_WEEK
        if parts[1] == "this":
            behind = self.today.weekday() - wanted
        elif parts[1] in _PAST:
            behind = behind or _DAYS_A_WEEK
        elif parts[1]:
            behind -= _DAYS_A_WEEK
        return self.days(self.today - timedelta(days=behind))

    def month_name(self, parts: Parts) -> tuple[int, int]:
        month = _index(MONTHS, parts[2]) + 1
        behind = (self.today.month - month) % _MONTHS_A_YEAR
        if parts[1] == "this":
            behind = self.today.month - month
        elif parts[1] in _PAST:
            behind = behind or _MONTHS_A_YEAR
        elif parts[1]:
            behind -= _MONTHS_A_YEAR
        return self.month(self.today.year, self.today.month - behind)

    def month_of_year(self, parts: Parts) -> tuple[int, int]:
        return self.month(int(parts[2]), _index(MONTHS, parts[1]) + 1)

    def day_month(self, parts: Parts) -> tuple[int, int]:
        return self._dated(parts[1], parts[2], parts[3])

    def month_day(self, parts: Parts) -> tuple[int, int]:
        return self._dated(parts[2], parts[1], parts[3])

    def _dated(self, day: str, name: str, year: str | None) -> tuple[int, int]:
        month = _index(MONTHS, name) + 1
        if year:
            return self.days(date(int(year), month, int(day)))
        for candidate in range(self.today.year, max(self.today.year - _YEARS_TO_LEAP, 0), -1):
            if (
                int(day) <= monthrange(candidate, month)[1]
                and (moment := date(candidate, month, int(day))) <= self.today
            ):
                return self.days(moment)
        raise ValueError(f"no {name} has a day {day}")


def _moved(day: date, unit: str, count: int) -> date:
    """Return the day ``count`` units later.

    With months and years it is the same day, or the last one of the month.
    """
    if unit in ("day", "week"):
        return day + timedelta(days=count * (_DAYS_A_WEEK if unit == "week" else 1))
    months = day.year * _MONTHS_A_YEAR + day.month - 1 + count * (_MONTHS_A_YEAR if unit == "year" else 1)
    year, index = divmod(months, _MONTHS_A_YEAR)
    return date(year, index + 1, min(day.day, monthrange(year, index + 1)[1]))


def _number(text: str) -> int:
    if text in ("a", "an"):
        return 1
    return _NUMBERS.index(text) if text in _NUMBERS else int(text)


def _index(names: tuple[str, ...], short: str) -> int:
    return next(at for at, name in enumerate(names) if name.startswith(short[:3]))


_MILLISECONDS: Final = {"second": 1_000, "minute": 60_000, "hour": 3_600_000}
_OFFSETS: Final = {"this": 0, "current": 0, "last": -1, "previous": -1, "past": -1, "next": 1, "coming": 1}
_PAST: Final = ("last", "previous", "past")

_COUNT: Final = rf"(\d{{1,5}}|an?|{'|'.join(_NUMBERS)})"
_UNIT: Final = "(second|minute|hour|day|week|month|year)s?"
_NAMED_COUNT: Final = _COUNT.replace("(", "(?P<count%d>", 1)
_NAMED_UNIT: Final = _UNIT.replace("(", "(?P<unit%d>", 1)
_WHICH: Final = "(?:(this|last|next|previous|past|coming) )?"
_MONTH: Final = rf"({'|'.join(MONTHS)}|{'|'.join(name[:3] for name in MONTHS)}|sept)\.?"
_WEEKDAY: Final = rf"({'|'.join(WEEKDAYS)}|{'|'.join(name[:3] for name in WEEKDAYS)}|tues|thur|thurs)"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_OFFSET: Final = r"(z|[+-]\d\d:?\d\d)?"

_FORMS: Final[list[tuple[re.Pattern[str], Callable[[_Reader, Parts], tuple[int, int]]]]] = [
    (re.compile(pattern, re.ASCII), method)
    for pattern, method in (
        (r"(\d{4})", _Reader.iso_year),
        (r"(\d{4})[-/](\d{1,2})", _Reader.iso_month),
        (r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", _Reader.iso_day),
        (r"(\d{4})(\d\d)(\d\d)", _Reader.iso_day),
        (r"(\d{4})-?w(\d\d)(?:-?([1-7]))?", _Reader.iso_week),
        (rf"(\d{{4}}-\d\d-\d\d)[t ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{{1,9}}))?)?)? ?{_OFFSET}", _Reader.iso_time),
        ("today|yesterday|tomorrow", _Reader.named_day),
        ("now", _Reader.now),
        (f"(this|current|last|previous|past|next|coming) {_UNIT}", _Reader.this_last_next),
        (f"{_COUNT} {_UNIT} ago", _Reader.ago),
        (f"in {_NAMED_COUNT % 1} {_NAMED_UNIT % 1}|{_NAMED_COUNT % 2} {_NAMED_UNIT % 2} from now", _Reader.ahead),
        (f"(?:the )?(last|past|previous|next) {_COUNT} {_UNIT}", _Reader.last_many),
        (_WHICH + _WEEKDAY, _Reader.weekday),
        (_WHICH + _MONTH, _Reader.month_name),
        (rf"{_MONTH} (?:of )?(\d{{4}})", _Reader.month_of_year),
        (rf"{_DAY} (?:of )?{_MONTH}(?: (\d{{4}}))?", _Reader.day_month),
        (rf"{_MONTH} {_DAY}(?: (\d{{4}}))?", _Reader.month_day),
    )
]
