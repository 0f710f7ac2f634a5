"""Parts of schedules: definitions, and the runner."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from app.runtime import Runtime
from app.schedule.options import schedule_options
from app.schedule.runner import ScheduledJob, ScheduleRunner
from app.schedule.service import ScheduleService


@dataclass(frozen=True, slots=True)
class ScheduleParts:
    """Parts of schedules.

    Args:
        service: Definitions, claims and runs.
        runner: Runs what is due.
    """

    service: ScheduleService
    runner: ScheduleRunner


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
    options = partial(schedule_options, runtime.config)
    return ScheduleParts(service, ScheduleRunner(service, runtime.clock, jobs, options, runtime.publish))
