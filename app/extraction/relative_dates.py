"""Relative dates in a sentence, resolved against the time it was said."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from app.core.timespans import parse_span

_UNIT: Final = r"(?:day|week|month|year)"
_COUNT: Final = r"(?:\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several)"
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_PHRASE: Final = re.compile(
    rf"\b(?:the day before yesterday|yesterday|last night|this morning|tonight|today|tomorrow"
    rf"|(?:last|this|next|this past|this coming) (?:week(?:end)?|month|year|summer|winter|spring|fall|autumn|{_WEEKDAY}"
    rf"|{_MONTH})|{_COUNT} {_UNIT}s? ago|in {_COUNT} {_UNIT}s?|on {_WEEKDAY})\b",
    re.IGNORECASE,
)
_DAY_WORDS: Final = {
    "yesterday": -1, "last night": -1, "this morning": 0, "tonight": 0, "today": 0, "tomorrow": 1,
    "the day before yesterday": -2,
}  # fmt: skip
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
                   "eight": 8, "nine": 9, "ten": 10}  # fmt: skip
_DAYS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_AMOUNT: Final = re.compile(rf"(?:in )?({_COUNT}) ({_UNIT})s?(?: ago)?\Z", re.IGNORECASE)
_MOST: Final = 3  # phrases of one sentence


def resolved(sentence: str, said_at: datetime) -> tuple[str, datetime | None]:
    """Return a sentence with the date after each relative one, and the first such date.

    Args:
        sentence: A sentence.
        said_at: When it was said, aware.

    Returns:
        ``I met her yesterday`` as ``I met her yesterday (7 May 2023)``, and that day at noon in UTC.
    """
    first: datetime | None = None
    count = 0

    def put(match: re.Match[str]) -> str:
        nonlocal first, count
        found = _date_of(match[0].lower(), said_at)
        if found is None or count >= _MOST:
            return match[0]
        words, moment = found
        first, count = first or moment, count + 1
        return f"{match[0]} ({words})"

    return _PHRASE.sub(put, sentence), first


def _date_of(phrase: str, said_at: datetime) -> tuple[str, datetime] | None:
    """Return a phrase's date in words, and an instant within it."""
    if phrase in _DAY_WORDS:
        return _day(said_at + timedelta(days=_DAY_WORDS[phrase]))
    if found := _AMOUNT.fullmatch(phrase):
        count = _NUMBERS.get(found[1], int(found[1]) if found[1].isdecimal() else 0)
        if not count:
            return None
        days = count * _DAYS[found[2]] * (-1 if phrase.endswith("ago") else 1)
        moment = said_at + timedelta(days=days)
        if found[2] == "day" or (found[2] == "week" and count <= 1):
            return _day(moment) if found[2] == "day" else (f"about {_day(moment)[0]}", moment)
        return (f"{moment.year}" if found[2] == "year" else f"{moment:%B %Y}"), moment
    return _span(phrase, said_at)


def _span(phrase: str, said_at: datetime) -> tuple[str, datetime] | None:
    text = phrase.replace("this past ", "last ").replace("this coming ", "next ").removeprefix("on ")
    if text.endswith("weekend"):
        shift = {"last": -7, "next": 7}.get(text.split(" ")[0], 0)
        saturday = said_at + timedelta(days=5 - said_at.weekday() + shift)
        return f"weekend of {_day(saturday)[0]}", saturday
    if (season := text.rpartition(" ")[2]) in ("summer", "winter", "spring", "fall", "autumn"):
        year = said_at.year + {"last": -1, "next": 1}.get(text.split(" ")[0], 0)
        return f"{season} {year}", said_at.replace(year=year, day=1)
    span = parse_span(text, round(said_at.timestamp() * 1000), UTC)
    if span is None:
        return None
    begin, end = (datetime.fromtimestamp(ms / 1000, UTC) for ms in span)
    if text.endswith("year"):
        return str(begin.year), begin
    if text.endswith("month") or end - begin > timedelta(days=20):
        return f"{begin:%B %Y}", begin
    return (f"week of {_day(begin)[0]}", begin) if text.endswith("week") else _day(begin)


def _day(moment: datetime) -> tuple[str, datetime]:
    return f"{moment.day} {moment:%B %Y}", moment.astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
