"""Cadences in words, and their next runs in their zone."""

import calendar
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from app.schedule.cadence import check_cadence, expression_of, upcoming, zone_of
from app.schedule.model import Cadence, Preview

_LOCALES = {"de": "de_DE", "es": "es_ES", "zh_CN": "zh_CN"}
_ENGLISH = "en_US"
_NAMES = {
    "en_US": (
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August"
        " September October November December"
    ),
    "de_DE": (
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"
        " Januar Februar März April Mai Juni Juli August September Oktober November Dezember"  # codespell:ignore
    ),
    "es_ES": (
        "lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto"
        " septiembre octubre noviembre diciembre"
    ),
    "zh_CN": (
        "星期一 星期二 星期三 星期四 星期五 星期六 星期日"
        " 一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"
    ),
}
"""Days of the week and months, each in the order of ``calendar``."""
_SIZES = (60, 24, 31, 12, 7)
_EVEN = (60, 24, 12)
_ROW = 3
_STEP = re.compile(r"(?:\*|(?P<first>\d+)(?:-(?P<last>\d+))?)/(?P<step>\d+)")
_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def preview(cadence: Cadence, after: datetime, count: int, min_interval_s: float, language: str = "") -> Preview:
    """Return a cadence in words, with its next runs.

    Args:
        cadence: The cadence.
        after: An aware instant.
        count: How many runs at most.
        min_interval_s: Seconds between two runs at least.
        language: See ``in_words``.

    Raises:
        InputError: The cadence cannot be scheduled; ``field`` names the part.
    """
    check_cadence(cadence, after, min_interval_s)
    zone = zone_of(cadence)
    runs = tuple(run.astimezone(zone).isoformat(timespec="seconds") for run in upcoming(cadence, after, count))
    return Preview(in_words(cadence, language), cadence.zone or "UTC", runs)


def in_words(cadence: Cadence, language: str = "") -> str:
    """Return a cadence in words, such as ``At 04:00``.

    Args:
        cadence: The cadence.
        language: ``de``, ``es`` or ``zh_CN`` for a cron expression in that language; else all is English.

    Raises:
        InputError: It is malformed.
    """
    if cadence.kind == "cron":
        return _cron_in_words(_plain(expression_of(cadence)), _LOCALES.get(language, _ENGLISH))
    if cadence.kind == "once":
        at = cadence.at
        return "Once" if at is None else f"Once, on {at.astimezone(zone_of(cadence)):%Y-%m-%d at %H:%M}"
    seconds = cadence.seconds or 0
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size and seconds % size == 0), (1, "second"))
    number = seconds / size
    return f"Every {unit}" if number == 1 else f"Every {number:g} {unit}s"


def _cron_in_words(expression: str, locale: str) -> str:
    from cron_descriptor import Options, get_description  # noqa: PLC0415  (loaded with the first schedule)

    options = Options(locale_code=locale)  # without one it speaks the language of the process
    options.use_24hour_time_format = True
    options.verbose = False
    return _name_days(str(get_description(expression, options)), locale)


def _plain(expression: str) -> str:
    """Return an expression of the same runs whose steps mean what they seem to.

    ``*/45`` does not run every 45 minutes, but at 0 and 45 past the hour. Of a day of the month and one of the week
    either is enough, so that together with every day the other means nothing.
    """
    from croniter import croniter  # noqa: PLC0415

    values = croniter.expand(expression)[0]
    fields = zip(expression.split(" "), values, _SIZES, strict=True)
    minute, hour, day, month, weekday = (_plain_field(field, listed, size) for field, listed, size in fields)
    if len(values[2]) == _SIZES[2] or len(values[4]) == _SIZES[4]:
        day = weekday = "*"
    return " ".join((minute, hour, day, month, weekday))


def _plain_field(field: str, values: Sequence[int | str], size: int) -> str:
    """Return a field, as a list where its step would mislead."""
    numbers = sorted(value for value in values if isinstance(value, int))
    if len(numbers) == size or "*" in values:
        return "*"
    if field in ("l", "L"):
        return "L"
    if "/" not in field or len(numbers) != len(values) or "#" in field:
        return field
    match = _STEP.fullmatch(field)
    is_long = len(numbers) > 1
    if match is not None and match["last"]:
        return field if is_long and int(match["first"]) <= int(match["last"]) else _listed(numbers)
    # Only hours, days and years begin anew without an odd step; months and weeks have no whole number of days.
    is_even = match is not None and size in _EVEN and len(numbers) * int(match["step"]) == size
    return field if is_even and is_long else _listed(numbers)


def _listed(numbers: list[int]) -> str:
    """Return numbers as a list, three and more in a row as a range."""
    parts: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) >= _ROW else map(str, run)
    return ",".join(parts)


def _name_days(words: str, locale: str) -> str:
    """Return ``words`` with days and months named in the language of ``locale``.

    They come in the language of the process.
    """
    day_names = [*calendar.day_name, *calendar.month_name[1:]]
    names = dict(zip(day_names, _NAMES[locale].split(), strict=True))
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # Letters of Latin scripts alone bound a name: Chinese writes its words without spaces.
    return re.sub(rf"(?<![A-Za-zÀ-ɏ])(?:{longest_first})(?![A-Za-zÀ-ɏ])", lambda match: names[match[0]], words)
