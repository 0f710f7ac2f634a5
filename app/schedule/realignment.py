"""Realignment of next runs with the clock and the rules of zones."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import apsw

from app.errors import InputError
from app.schedule import repo
from app.schedule.cadence import next_run
from app.schedule.model import Schedule, ScheduleFilter, Status
from app.schedule.notes import note_broken

# A last run that lies further ahead was made while the clock was wrong, and says nothing of the true time.
MAX_AHEAD: Final = timedelta(days=2)
_MANY: Final = 10_000


def aligned_next_run(schedule: Schedule, now: datetime) -> datetime | None:
    """Return the next run that a schedule should have at ``now``.

    What is due stays due. Where the clock was set back, what ran before does not run again at the repeated time.

    Raises:
        InputError: The cadence cannot be read, such as for a zone that this machine does not know.
    """
    due, cadence = schedule.next_run_at, schedule.cadence
    if due is None or due <= now:
        next_run(cadence, now)  # a cadence that cannot be read is found before it is due
        return due
    if cadence.kind == "once":
        return due
    if cadence.kind == "interval":
        return min(due, next_run(cadence, now) or due)
    last = schedule.last_run_at
    is_repeated = last is not None and now < last <= now + MAX_AHEAD
    return next_run(cadence, last if is_repeated and last is not None else now)


def realign(connection: apsw.Connection, now: datetime) -> list[str]:
    """Set the next runs of active schedules anew, and return which changed.

    A schedule whose times cannot be worked out is paused, with a note for the person.
    """
    schedules, _ = repo.search(connection, ScheduleFilter(status="active"), _MANY, 0)
    changed = []
    for schedule in schedules:
        try:
            following = aligned_next_run(schedule, now)
        except InputError as error:
            pause_broken(connection, schedule, error, now)
            changed.append(schedule.id)
            continue
        if following != schedule.next_run_at:
            status: Status = "active" if following is not None else "completed"
            repo.update(connection, replace(schedule, next_run_at=following, status=status))
            changed.append(schedule.id)
    return changed


def pause_broken(connection: apsw.Connection, schedule: Schedule, error: InputError, now: datetime) -> None:
    """Pause a schedule whose times cannot be worked out, and tell the person."""
    repo.update(connection, replace(schedule, status="paused", next_run_at=None, updated_at=now))
    note_broken(connection, schedule, error.sentence, now)
