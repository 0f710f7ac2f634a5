"""Schedules of a real vault, with clocks that the test sets."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app.core.clock import to_ms
from app.core.paths import migrations
from app.errors import MachineError
from app.schedule.model import BUILT_IN, Cadence, JobResult, Schedule, ScheduleRun, Sharing
from app.schedule.notes import ScheduleNotes
from app.schedule.options import ScheduleOptions
from app.schedule.runner import ScheduleRunner
from app.schedule.service import ScheduleService
from app.store.store import Store

if TYPE_CHECKING:
    from app.changes import ChangeSet

T = TypeVar("T")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOURLY = Cadence(kind="cron", expression="0 * * * *")
DAILY = Cadence(kind="cron", expression="0 3 * * *")


class Schedules:
    """Schedules, their notes and their clocks."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.store = Store.open(vault, migrations())
        self.now = START
        self.awake_s = 0.0
        self.options = ScheduleOptions()
        self.service = ScheduleService(self.store, self, lambda: self.options)
        self.notes = ScheduleNotes(self.store, self)
        self.loop = asyncio.Runner()
        self.changes: list[ChangeSet] = []

    def close(self) -> None:
        self.loop.close()
        self.store.close()

    def now_ms(self) -> int:
        return to_ms(self.now)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work)

    def make(self, cadence: Cadence = HOURLY, goal: str = "Sum up the week", **options: Any) -> Schedule:
        return self.do(self.service.create(goal, cadence, actor="person", **options)).value

    def get(self, schedule: Schedule) -> Schedule:
        return self.do(self.service.get(schedule.id))

    def runs(self, schedule: Schedule) -> list[ScheduleRun]:
        return self.do(self.service.runs(schedule.id, 100))

    def texts(self) -> list[str]:
        return [note.text for note in self.do(self.notes.waiting())]

    def built_in(self, cadence: Cadence = HOURLY, policy: Any = "always") -> tuple[Schedule, "CountingJob"]:
        schedule = Schedule("sch-job", BUILT_IN, "Job", "", cadence, policy, "active", self.now, self.now)
        self.do(self.service.install([schedule]))
        return schedule, CountingJob()

    def runner(self, jobs: dict[str, Any], **options: Any) -> ScheduleRunner:
        return ScheduleRunner(
            self.service,
            self,
            jobs,
            lambda: self.options,
            self.changes.append,
            monotonic=lambda: self.awake_s,
            **options,
        )

    def pass_time(self, asleep: timedelta = timedelta(), awake: timedelta = timedelta()) -> None:
        self.now += asleep + awake
        self.awake_s += awake.total_seconds()

    def tick(self, runner: ScheduleRunner) -> None:
        async def tick() -> None:
            await runner.tick()
            await runner.settled()

        self.do(tick())

    def pass_slowly(self, runner: ScheduleRunner, passed: timedelta, step: timedelta = timedelta(minutes=1)) -> None:
        """Let time pass with a look at every step."""
        for _ in range(int(passed / step)):
            self.pass_time(awake=step)
            self.tick(runner)


class CountingJob:
    """A built-in job that counts its runs, fails on request, and waits at a gate."""

    is_heavy = True
    sharing: Sharing = "own"

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.enabled = True
        self.fails = False
        self.gate: asyncio.Event | None = None

    def is_enabled(self) -> bool:
        return self.enabled

    def is_harmless(self) -> bool:
        return True

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        self.runs.append(run_id)
        if self.gate is not None:
            await self.gate.wait()
        if self.fails:
            raise MachineError("The disk is full.")
        return JobResult("Merged 3.")
