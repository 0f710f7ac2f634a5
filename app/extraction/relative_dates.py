"""Days that an English sentence names by their distance from the day it was said."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from app.core.time_rules.timespans import parse_span

_COUNT: Final = r"(?:\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten)"
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
# The longer phrase is first, or "the day after tomorrow" would be tomorrow.
_PHRASE: Final = re.compile(
    rf"\b(?:(?P<day>the day before yesterday|the day after tomorrow|yesterday|last night|this morning|tonight|today"
    rf"|tomorrow)|(?P<span>(?:last|this|next) {_WEEKDAY})"
    rf"|(?P<past>{_COUNT}) (?P<past_unit>day|week)s? ago|in (?P<ahead>{_COUNT}) (?P<ahead_unit>day|week)s?)\b",
    re.IGNORECASE,
)
_DAY_WORDS: Final = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "this morning": 0, "tonight": 0, "today": 0,
    "tomorrow": 1, "the day after tomorrow": 2,
}  # fmt: skip
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
                   "eight": 8, "nine": 9, "ten": 10}  # fmt: skip
_DAYS: Final = {"day": 1, "week": 7}


def named_day(sentence: str, said_at: datetime) -> datetime | None:
    """Return the first day that a sentence names, ``None`` where it names none.

    It is given at noon UTC. Weeks, months, years, seasons and a mere weekday are left out: they are no day, or may be
    one of two.

    Args:
        sentence: A sentence.
        said_at: When it was said, aware.
    """
    match = _PHRASE.search(sentence)
    if match is None:
        return None
    if match["span"]:
        span = parse_span(match["span"].lower(), round(said_at.timestamp() * 1000), UTC)
        return None if span is None else _noon(datetime.fromtimestamp(span[0] / 1000, UTC))
    if match["day"]:
        days = _DAY_WORDS[match["day"].lower()]
    else:
        count, unit, sign = (
            (match["past"], match["past_unit"], -1) if match["past"] else (match["ahead"], match["ahead_unit"], 1)
        )
        number = _NUMBERS.get(count.lower(), int(count) if count.isdecimal() else 0)
        days = sign * number * _DAYS[unit.lower()]
    return _noon(said_at + timedelta(days=days))


def _noon(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
