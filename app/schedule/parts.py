"""Parts of schedules: definitions, and the runner."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.errors import MachineError
from app.part import BackgroundTask, Part
from app.runtime import Runtime
from app.schedule.activity import Activity
from app.schedule.notes import ScheduleNotes
from app.schedule.options import schedule_options
from app.schedule.power import read_power
from app.schedule.runner import GoalRunner, ScheduledJob, ScheduleRunner
from app.schedule.service import ScheduleService

_INSTALL_AGAIN_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class ScheduleParts(Part):
    """Parts of schedules.

    Args:
        service: Definitions, claims and runs.
        runner: Runs what is due.
        notes: What the person is to see of runs.
        activity: What the window reports of the person.
        install: Stores Keepsake's own schedules.
    """

    service: ScheduleService
    runner: ScheduleRunner
    notes: ScheduleNotes
    activity: Activity
    install: Callable[[], Awaitable[None]]

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the running of what is due."""
        return (BackgroundTask("schedules", self._run, is_essential=False),)

    async def _run(self) -> None:
        while True:
            try:
                await self.install()
                break
            except MachineError:  # as on a full disk
                await asyncio.sleep(_INSTALL_AGAIN_S)
        await self.runner.run()


def build_service(runtime: Runtime) -> ScheduleService:
    """Build the schedules of a vault."""
    return ScheduleService(runtime.store, runtime.clock, partial(schedule_options, runtime.config))


def build(
    runtime: Runtime,
    service: ScheduleService,
    jobs: Mapping[str, ScheduledJob],
    install: Callable[[], Awaitable[None]],
    goals: GoalRunner | None,
) -> ScheduleParts:
    """Build the parts of schedules.

    Args:
        runtime: What all parts share.
        service: The schedules.
        jobs: Built-in work by the id of its schedule.
        install: Stores the schedules of the built-in work.
        goals: Pursues goals; they wait where ``None``.
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
        goals=goals,
    )
    return ScheduleParts(service, runner, ScheduleNotes(runtime.store, runtime.clock), activity, install)
