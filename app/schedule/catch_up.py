"""Catching up: due and missed occurrences of a late schedule. Pure functions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.schedule.cadence import next_run
from app.schedule.model import Cadence

MAX_COUNTED: Final = 1000
BACK_OFF_S: Final = 60.0
MAX_BACK_OFF_S: Final = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Occurrences of a schedule that are due.

    Args:
        run: The one to run, the latest.
        left_out: How many before it are left out; at most ``MAX_COUNTED``.
        first: The first of them.
        last: The last of them.
        following: The next one after now, ``None`` for never.
    """

    run: datetime
    left_out: int
    first: datetime | None
    last: datetime | None
    following: datetime | None


def due_occurrences(cadence: Cadence, since: datetime, now: datetime) -> Occurrences:
    """Return what is due between ``since``, itself an occurrence, and ``now``.

    Work that was missed several times, such as while the machine slept, runs once.
    """
    if cadence.kind == "interval" and cadence.seconds:
        step = timedelta(seconds=cadence.seconds)
        missed = int((now - since) / step)
        run = since + missed * step
        last = run - step if missed else None
        return Occurrences(run, min(missed, MAX_COUNTED), since if missed else None, last, run + step)
    run, left_out, last = since, 0, None
    following = next_run(cadence, since)
    while following is not None and following <= now:
        last, run = run, following
        left_out += 1
        if left_out >= MAX_COUNTED:
            # Far behind: the rest is not counted one by one.
            return Occurrences(run, left_out, since, last, next_run(cadence, now))
        following = next_run(cadence, run)
    return Occurrences(run, left_out, since if left_out else None, last, following)


def back_off(failures: int) -> timedelta:
    """Return the time to wait after failures in a row; each doubles it."""
    if failures < 1:
        return timedelta()
    return timedelta(seconds=min(BACK_OFF_S * 2 ** min(failures - 1, 20), MAX_BACK_OFF_S))
