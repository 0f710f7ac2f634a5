"""Cadences as the fields of a form: daily, weekly, monthly, interval, once, or cron."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.schedule.model import Cadence

Mode = Literal["daily", "weekly", "monthly", "interval", "once", "cron"]
MODES: Final[tuple[Mode, ...]] = ("daily", "weekly", "monthly", "interval", "once", "cron")
UNITS: Final = ("minutes", "hours", "days")
_SECONDS: Final = {"minutes": 60, "hours": 3600, "days": 86_400}
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_SIMPLE: Final = re.compile(r"(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7a-z,-]+)\Z")


@dataclass(frozen=True, slots=True)
class CadenceFields:
    """The fields of a cadence form.

    Args:
        mode: Which of the fields count.
        hour: Hour of the day, for ``daily``, ``weekly`` and ``monthly``.
        minute: Minute of the hour.
        days: Days of the week, 0 for Sunday.
        day: Day of the month.
        number: How many units an interval has.
        unit: ``minutes``, ``hours`` or ``days``.
        at: The time of ``once``, aware.
        expression: The cron expression.
        zone: The IANA zone that times are meant in.
    """

    mode: Mode = "daily"
    hour: int = 8
    minute: int = 0
    days: frozenset[int] = frozenset({1})
    day: int = 1
    number: int = 6
    unit: str = "hours"
    at: datetime | None = None
    expression: str = ""
    zone: str = ""


def cadence_of(fields: CadenceFields) -> Cadence:
    """Return the cadence that the fields mean; the engine checks it."""
    if fields.mode == "interval":
        return Cadence(kind="interval", seconds=float(fields.number * _SECONDS[fields.unit]))
    if fields.mode == "once":
        return Cadence(kind="once", at=fields.at)
    return Cadence(kind="cron", expression=_expression(fields), zone=fields.zone)


def fields_of(cadence: Cadence, zone: str) -> CadenceFields:
    """Return the simplest fields that mean a cadence.

    Args:
        cadence: The cadence.
        zone: The zone shown where it has none.
    """
    if cadence.kind == "once":
        return CadenceFields("once", at=cadence.at, zone=cadence.zone or zone)
    if cadence.kind == "interval":
        number, unit = _units(cadence.seconds or 0)
        if number:
            return CadenceFields("interval", number=number, unit=unit, zone=zone)
        return CadenceFields("interval", number=1, unit="minutes", zone=zone)
    expression = (cadence.expression or "").strip()
    return _simple(expression, cadence.zone or zone) or CadenceFields(
        "cron", expression=expression, zone=cadence.zone or zone
    )


def _expression(fields: CadenceFields) -> str:
    if fields.mode == "cron":
        return fields.expression.strip()
    when = f"{fields.minute} {fields.hour}"
    if fields.mode == "weekly":
        # Without a day the engine would refuse it; a week without days is every day.
        days = ",".join(_DAYS[day] for day in sorted(fields.days)) or "*"
        return f"{when} * * {days}"
    return f"{when} {fields.day} * *" if fields.mode == "monthly" else f"{when} * * *"


def _simple(expression: str, zone: str) -> CadenceFields | None:
    match = _SIMPLE.match(expression.lower())
    if match is None:
        return None
    minute, hour, day, week = int(match[1]), int(match[2]), match[3], match[4]
    if week == "*":
        mode: Mode = "daily" if day == "*" else "monthly"
        return CadenceFields(mode, hour, minute, day=1 if day == "*" else int(day), expression=expression, zone=zone)
    days = _week_days(week)
    if day != "*" or days is None:
        return None
    return CadenceFields("weekly", hour, minute, days, expression=expression, zone=zone)


def _week_days(text: str) -> frozenset[int] | None:
    """Return the days of a list such as ``mon,3``; ``None`` for ranges and steps."""
    days = set()
    for part in text.split(","):
        if part in _DAYS:
            days.add(_DAYS.index(part))
        elif part.isdecimal() and int(part) <= len(_DAYS):
            days.add(int(part) % len(_DAYS))
        else:
            return None
    return frozenset(days)


def _units(seconds: float) -> tuple[int, str]:
    """Return the largest unit that divides ``seconds``; 0 units where none does."""
    for unit in reversed(UNITS):
        if seconds and seconds % _SECONDS[unit] == 0:
            return int(seconds // _SECONDS[unit]), unit
    return 0, "minutes"
