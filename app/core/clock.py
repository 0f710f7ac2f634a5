"""Time: milliseconds UTC in the database, aware ``datetime`` in Python, ISO 8601 at the edges."""

import time
from datetime import UTC, date, datetime, tzinfo
from datetime import time as time_of_day
from typing import Final, Protocol

DAY_MS: Final = 86_400_000
MAX_MS = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z, the last instant datetime can hold


class Clock(Protocol):
    """Clock: the source of the current time."""

    def now_ms(self) -> int:
        """Return milliseconds since 1970 UTC."""


class SystemClock:
    """The machine's wall clock."""

    def now_ms(self) -> int:
        """Return milliseconds since 1970 UTC."""
        return time.time_ns() // 1_000_000


def to_datetime(ms: int) -> datetime:
    """Return the aware datetime of ``ms`` milliseconds since 1970 UTC.

    Times beyond what ``datetime`` can hold are clamped.
    """
    return datetime.fromtimestamp(min(max(ms, 0), MAX_MS) / 1000, UTC)


def optional_datetime(ms: int | None) -> datetime | None:
    """Return the aware datetime of ``ms``, or ``None`` for ``None``."""
    return None if ms is None else to_datetime(ms)


def to_ms(when: datetime) -> int:
    """Return milliseconds since 1970 UTC of ``when``; a naive datetime is taken as local time."""
    try:
        return round(when.timestamp() * 1000)
    except (OverflowError, ValueError):  # a naive one at the edge of the calendar, where no zone is known
        return round(when.replace(tzinfo=UTC).timestamp() * 1000)


def midnight_ms(day: date, zone: tzinfo | None) -> int:
    """Return the start of a day in milliseconds UTC, in ``zone`` or here."""
    return to_ms(datetime.combine(day, time_of_day.min, zone))


def parse_instant(value: object) -> int | None:
    """Read a time as foreign files write it.

    Args:
        value: ISO 8601 text, or an epoch number in seconds or milliseconds.

    Returns:
        Milliseconds since 1970 UTC, or ``None`` when ``value`` is no time.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, datetime):
        return to_ms(value)
    if isinstance(value, int | float):
        return _from_number(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    return None


def _from_number(number: float) -> int | None:
    if not 0 <= number <= MAX_MS:  # also without an answer for what is no number, and for whole ones beyond a float
        return None
    ms = number if number >= 1e11 else number * 1000  # noqa: PLR2004  (1e11 s lies in the year 5138)
    return round(ms) if 0 <= ms <= MAX_MS else None


def _from_text(text: str) -> int | None:
    try:
        return _from_number(float(text))
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    ms = to_ms(when)
    return ms if 0 <= ms <= MAX_MS else None
