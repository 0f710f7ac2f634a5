"""Cadences: when recurring work runs next. Pure functions.

A cron expression is read by croniter on local times without a zone; this module turns them into instants. Local times
that do not exist (the clock goes forward) become the first instant after the gap, and repeated ones (the clock goes
back) run once. An expression whose hour is a wildcard means elapsed time instead, so that it goes on through both.
This is the rule of Vixie cron (``cron(8)``: "Local time changes").
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.errors import InputError
from app.schedule.model import Cadence
from app.sentence import Sentence

MAX_INTERVAL_S: Final = 366 * 86_400
_FIELDS: Final = 5
_YEARS: Final = 50  # an expression that matches no day within them never runs
_SAMPLE: Final = 20  # runs looked at for the shortest distance
_MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
# Names may be written in full; croniter knows the first three letters.
_FULL_NAME: Final = re.compile(
    r"\b(jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)"
    r"(uary|ruary|ch|il|e|y|ust|tember|ober|ember|day|sday|nesday|rsday|urday)\b",
    re.IGNORECASE,
)
_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?\Z")
_ALLOWED: Final = re.compile(r"[0-9A-Za-z*,/?#-]+\Z")
_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)


def next_run(cadence: Cadence, after: datetime) -> datetime | None:
    """Return the first instant in UTC at which a cadence runs, ``None`` for never.

    Args:
        cadence: A checked cadence; see ``check_cadence``.
        after: An aware instant; the next one is strictly later.

    Raises:
        InputError: The cadence is malformed.
    """
    if cadence.kind == "once":
        at = _instant(cadence)
        return at if at > after else None
    if cadence.kind == "interval":
        return after.astimezone(UTC) + timedelta(seconds=_seconds(cadence))
    return next(_cron_runs(cadence, after.astimezone(UTC)), None)


def upcoming(cadence: Cadence, after: datetime, count: int) -> list[datetime]:
    """Return the next instants of a cadence, at most ``count``, in UTC."""
    moments: list[datetime] = []
    while len(moments) < count and (following := next_run(cadence, moments[-1] if moments else after)) is not None:
        moments.append(following)
    return moments


def check_cadence(cadence: Cadence, now: datetime, min_interval_s: float) -> None:
    """Refuse a cadence that cannot be scheduled now.

    Args:
        cadence: The cadence.
        now: The time.
        min_interval_s: Seconds between two runs at least.

    Raises:
        InputError: It is malformed, lies in the past, never runs, or runs too often; ``field`` names the part.
    """
    if cadence.kind == "once":
        if _instant(cadence) <= now:
            raise InputError("The time of a schedule that runs once must be in the future.", field="at")
        return
    if cadence.kind == "interval":
        if _seconds(cadence) < min_interval_s:
            raise InputError(
                Sentence(
                    "An interval must be at least {min_interval_s} seconds.", min_interval_s=f"{min_interval_s:g}"
                ),
                field="seconds",
            )
        return
    runs = upcoming(cadence, now, _SAMPLE)
    if not runs:
        raise InputError("This expression matches no date, so it would never run.", field="expression")
    if any((later - earlier).total_seconds() < min_interval_s for earlier, later in pairwise(runs)):
        raise InputError(
            Sentence(
                "This expression runs more often than every {min_interval_s} seconds.",
                min_interval_s=f"{min_interval_s:g}",
            ),
            field="expression",
        )


def zone_of(cadence: Cadence) -> tzinfo:
    """Return the zone of a cadence, UTC where none is named.

    Raises:
        InputError: There is no such zone.
    """
    return _zone(cadence.zone) if cadence.zone else UTC


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    if (fixed := _OFFSET.match(name)) is not None:
        ahead = timedelta(hours=int(fixed[2]), minutes=int(fixed[3] or 0))
        if ahead < _DAY:
            return timezone(-ahead if fixed[1] == "-" else ahead)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError("There is no such time zone. Use a name such as Europe/Berlin.", field="zone") from None


def expression_of(cadence: Cadence) -> str:
    """Return the five fields of a cron cadence, macros such as ``@daily`` written out.

    Raises:
        InputError: It has not five fields, or one of them is wrong.
    """
    text = " ".join((cadence.expression or "").split())
    text = _FULL_NAME.sub(r"\1", _MACROS.get(text.lower(), text))
    _expanded(text)
    return text


@lru_cache(maxsize=256)
def _expanded(text: str) -> bool:
    """Check an expression; return whether its hour is a wildcard."""
    from croniter import croniter  # noqa: PLC0415  (loaded with the first schedule)
    from croniter.croniter import CroniterError  # noqa: PLC0415

    fields = text.split(" ")
    if len(fields) != _FIELDS or not all(map(_ALLOWED.match, fields)):
        raise InputError(
            "A cron expression has five fields: minute, hour, day of month, month, day of week.", field="expression"
        )
    try:
        croniter.expand(text)
    except (CroniterError, ValueError, KeyError, IndexError, AttributeError, TypeError):
        raise InputError("This is not a cron expression. An example: 30 8 * * mon-fri.", field="expression") from None
    return fields[1].startswith("*")


def _instant(cadence: Cadence) -> datetime:
    at = cadence.at
    if at is None:
        raise InputError("A schedule that runs once needs its time.", field="at")
    instant = at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=zone_of(cadence)).astimezone(UTC)
    # The database keeps milliseconds: a finer instant would count as later than its own run.
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def _seconds(cadence: Cadence) -> float:
    seconds = cadence.seconds
    if seconds is None or not 0 < seconds <= MAX_INTERVAL_S:  # not a number fails both
        raise InputError(
            Sentence(
                "An interval needs 'seconds', above 0 and at most {max_interval_s}.",
                max_interval_s=MAX_INTERVAL_S,
            ),
            field="seconds",
        )
    return seconds


def _cron_runs(cadence: Cadence, after: datetime) -> Iterator[datetime]:
    text, zone = expression_of(cadence), zone_of(cadence)
    if _expanded(text):
        yield from _elapsed_runs(text, zone, after)
        return
    # The clock may have gone back just before, so that later local times lie before this one.
    for local in _local_times(text, after.astimezone(zone).replace(tzinfo=None)):
        instant = _existing(local, zone)
        if instant > after:
            yield instant
            return


def _elapsed_runs(text: str, zone: tzinfo, after: datetime) -> Iterator[datetime]:
    """Yield the next run of an expression that goes on through changes of the clock."""
    start = after
    while True:
        offset = _offset(start, zone)
        local = next(_local_times(text, (start + offset).replace(tzinfo=None)), None)
        if local is None:
            return
        instant = local.replace(tzinfo=UTC) - offset
        if _offset(instant, zone) == offset:
            yield instant
            return
        # The clock changes before; from there on another offset holds.
        start = _change_of_offset(start, instant, zone) - _SECOND
        following = _offset(start + _SECOND, zone)
        local = next(_local_times(text, (start + following).replace(tzinfo=None)), None)
        if local is None:
            return
        instant = local.replace(tzinfo=UTC) - following
        if _offset(instant, zone) == following:
            yield instant
            return
        start = start + _SECOND


def _local_times(text: str, after: datetime) -> Iterator[datetime]:
    """Yield local times without a zone that match an expression, strictly after one."""
    from croniter import croniter  # noqa: PLC0415
    from croniter.croniter import CroniterBadDateError  # noqa: PLC0415

    times = croniter(text, after, max_years_between_matches=_YEARS)
    while True:
        try:
            yield times.get_next(datetime)  # type: ignore[no-untyped-call]
        except (CroniterBadDateError, OverflowError, ValueError):
            return


def _offset(instant: datetime, zone: tzinfo) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta()


def _existing(local: datetime, zone: tzinfo) -> datetime:
    """Return the instant of a local time.

    It is the first where the time is repeated, and the end of the gap where it is skipped.
    """
    instant = local.replace(tzinfo=zone).astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == local:
        return instant
    earlier = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return _change_of_offset(min(earlier, instant) - _SECOND, max(earlier, instant), zone)


def _change_of_offset(start: datetime, end: datetime, zone: tzinfo) -> datetime:
    """Return the first instant after ``start`` with another offset than there, to the second."""
    before = _offset(start, zone)
    # A whole year may lie between two runs, with several changes: find a day with the first one.
    while end - start > _DAY and _offset(start + _DAY, zone) == before:
        start += _DAY
    end = min(end, start + _DAY)
    while end - start > _SECOND:
        middle = start + timedelta(seconds=int((end - start).total_seconds()) // 2)
        if _offset(middle, zone) == before:
            start = middle
        else:
            end = middle
    return end
