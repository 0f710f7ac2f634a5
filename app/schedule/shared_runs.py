"""Runs of schedules as all machines of a person name them."""

from datetime import datetime
from typing import Final

import apsw

from app.errors import InputError
from app.schedule.catch_up import due_occurrences
from app.schedule.model import Schedule, Sharing
from app.schedule.repo import to_text
from app.sync.leases.job_turns import SharedRun

_MADE_HERE: Final = (
    "SELECT l.was_own FROM memory_history h JOIN lanes l ON l.lane = h.lane"
    " WHERE h.target_kind = 'schedule' AND h.target = ? ORDER BY h.hlc, h.lane, h.n LIMIT 1"
)


def shared_run(schedule: Schedule, now: datetime, *, is_harmless: bool, is_made_here: bool | None) -> SharedRun | None:
    """Return the run of a schedule that is due.

    It is ``None`` for one that is not, or whose times cannot be worked out. Two machines name it the same: by its time,
    or of an interval by which of the intervals since 1970 it is in.

    Args:
        schedule: The schedule.
        now: The time.
        is_harmless: Whether two machines that both do it unknown to each other come to the same.
        is_made_here: Whether the schedule was made on this machine, ``None`` where that is not known.
    """
    if schedule.next_run_at is None or schedule.next_run_at > now:
        return None
    try:
        due = due_occurrences(schedule.cadence, schedule.next_run_at, now).run
    except InputError:
        return None
    seconds = schedule.cadence.seconds if schedule.cadence.kind == "interval" else None
    return SharedRun(
        schedule.id,
        to_text(due) if seconds is None else f"{seconds:g} {due.timestamp() // seconds:.0f}",
        is_elastic=seconds is not None,
        # What a model or an agent does costs money and trust, and may have been done halfway.
        is_repeatable=schedule.is_built_in,
        is_harmless=is_harmless,
        begins_here=is_made_here,
    )


def sharing_of(schedule: Schedule, built_in: Sharing | None) -> Sharing:
    """Return which machines do the work of a schedule, given that of a built-in one."""
    return built_in or ("own" if schedule.is_built_in else "one")


def is_made_here(connection: apsw.Connection, schedule_id: str) -> bool | None:
    """Return whether a schedule was made here, ``None`` where the history does not tell."""
    row = connection.execute(_MADE_HERE, (schedule_id,)).fetchone()
    return None if row is None else bool(row[0])
