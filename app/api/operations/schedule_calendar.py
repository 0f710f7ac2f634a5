"""Operation that lists the past and coming runs of schedules between two times."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from app.api.caller import Caller
from app.api.operations.schedules import visible_schedules
from app.api.registry import Count, operation
from app.core.clock import to_datetime
from app.engine import Engine
from app.errors import InputError
from app.schedule.cadence import next_run
from app.schedule.model import Schedule

_LONGEST: Final = timedelta(days=62)
_MAX_RUNS: Final = 2_000
_MAX_SCHEDULES: Final = 1_000
_MAX_ONE: Final = 400
"""Coming runs of one schedule; one that runs each minute would hide the others."""


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """A run of a schedule, past or to come.

    Args:
        schedule_id: The schedule.
        name: Its name.
        at: When it began, or will begin.
        state: ``planned``, or how it ended: ``succeeded``, ``failed``, ``skipped``, ``interrupted``.
        run_id: The run; empty while it is planned.
        seconds: How long it took.
    """

    schedule_id: str
    name: str
    at: datetime
    state: Literal["planned", "succeeded", "failed", "skipped", "interrupted"]
    run_id: str = ""
    seconds: float = 0.0


@operation("schedule.calendar", trust="inner", sentence="Used schedules")
async def calendar(
    engine: Engine, caller: Caller, after: datetime, before: datetime, limit: Count = 1000
) -> list[CalendarEntry]:
    """Return past and coming runs of schedules between two times, earliest first.

    Below full trust, only those of the caller's own schedules.

    Args:
        after: From this time on.
        before: Until this time, at most 62 days later.
        limit: How many at most.
    """
    if not after < before <= after + _LONGEST:
        raise InputError("'before' must be later than 'after', by 62 days at most.", field="before")
    service, now = engine.schedules.service, to_datetime(engine.clock.now_ms())
    schedules = (await service.search(visible_schedules(caller), _MAX_SCHEDULES, 0)).schedules
    names = {schedule.id: schedule.name for schedule in schedules}
    entries = [
        CalendarEntry(
            run.schedule_id,
            names[run.schedule_id],
            run.started_at,
            run.status,
            run.run_id,
            (run.finished_at - run.started_at).total_seconds(),
        )
        for run in await service.runs(None, _MAX_RUNS, None)
        if run.schedule_id in names and after <= run.started_at < before
    ]
    for schedule in schedules:
        entries += [
            CalendarEntry(schedule.id, schedule.name, at, "planned") for at in _planned(schedule, now, after, before)
        ]
    return sorted(entries, key=lambda entry: (entry.at, entry.schedule_id, entry.run_id))[:limit]


def _planned(schedule: Schedule, now: datetime, after: datetime, before: datetime) -> Iterator[datetime]:
    """Return the coming runs of an active schedule between two times."""
    at = schedule.next_run_at if schedule.status == "active" else None
    interval = schedule.cadence.seconds if schedule.cadence.kind == "interval" else None
    if at is not None and interval and at < after:
        at += math.ceil((after - at).total_seconds() / interval) * timedelta(seconds=interval)
    for _ in range(_MAX_ONE):
        if at is None or at >= before:
            return
        if at >= max(after, now):
            yield at
        if schedule.cadence.kind == "once":
            return
        # What lies before the range is skipped in one step: a cadence knows its next run after any instant.
        at = next_run(schedule.cadence, at if interval else max(at, after - timedelta(seconds=1)))
