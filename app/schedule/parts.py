"""Parts of schedules: definitions, and the runner."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from app.runtime import Runtime
from app.schedule.activity import Activity
from app.schedule.notes import ScheduleNotes
from app.schedule.options import schedule_options
from app.schedule.power import read_power
from app.schedule.runner import ScheduledJob, ScheduleRunner
from app.schedule.service import ScheduleService


@dataclass(frozen=True, slots=True)
class ScheduleParts:
    """Parts of schedules.

    Args:
        service: Definitions, claims and runs.
        runner: Runs what is due.
        notes: What the person is to see of runs.
        activity: What the window reports of the person.
    """

    service: ScheduleService
    runner: ScheduleRunner
    notes: ScheduleNotes
    activity: Activity


def build_service(runtime: Runtime) -> ScheduleService:
    """Build the schedules of a vault."""
    return ScheduleService(runtime.store, runtime.clock, partial(schedule_options, runtime.config))


def build(runtime: Runtime, service: ScheduleService, jobs: Mapping[str, ScheduledJob]) -> ScheduleParts:
    """Build the parts of schedules.

    Args:
        runtime: What all parts share.
        service: The schedules.
        jobs: Built-in work by the id of its schedule.
    """
    options, activity = partial(schedule_options, runtime.config), Activity()
    runner = ScheduleRunner(
        service,
        runtime.clock,
        jobs,
        options,
        runtime.publish,
        is_quiet=activity.is_typing,
        is_metered=lambda: activity.is_metered,
        power=read_power,
    )
    return ScheduleParts(service, runner, ScheduleNotes(runtime.store, runtime.clock), activity)
