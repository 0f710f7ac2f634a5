"""The runner of schedules: runs due work once, and catches up after sleep."""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from app.changes import ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.error_location import error_location
from app.core.ids import uuid7
from app.errors import KeepsakeError, StaleError
from app.schedule.model import RunStatus, Schedule, ScheduleClaim
from app.schedule.options import ScheduleOptions
from app.schedule.service import ScheduleService

_log = logging.getLogger(__name__)

HOST: Final = "host:"  # holders of claims that end with their process begin so
LEASE_S: Final = 6 * 3600.0
GRACE_S: Final = 60.0  # after the machine woke: network and disks come back, and the person comes first
MAX_QUIET: Final = timedelta(hours=1)
_JUMP_S: Final = 90.0
_AT_ONCE: Final = 50


@dataclass(frozen=True, slots=True)
class JobResult:
    """The outcome of a piece of work.

    Args:
        output: What it did, in words for the person.
        turn_count: Turns of a model.
        cost: Cost of a model.
    """

    output: str
    turn_count: int = 0
    cost: float = 0.0


class ScheduledJob(Protocol):
    """A built-in piece of work."""

    is_heavy: bool
    """Whether it waits while the person types."""

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""

    async def run(self, run_id: str) -> JobResult:
        """Do it; what it changes in the vault bears ``run_id``."""


class GoalRunner(Protocol):
    """A runner of goals by a language model."""

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        """Pursue a schedule's goal."""


class ScheduleRunner:
    """Runs due schedules on the engine's event loop.

    Args:
        service: The schedules.
        clock: The wall clock.
        jobs: Built-in work by the id of its schedule.
        options: Returns the settings as they are now.
        publish: Reports what changed.
        is_quiet: Whether heavy work should wait, because the person types.
        monotonic: A clock that stands still while the machine sleeps.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        service: ScheduleService,
        clock: Clock,
        jobs: Mapping[str, ScheduledJob],
        options: Callable[[], ScheduleOptions],
        publish: Callable[[ChangeSet], None],
        *,
        is_quiet: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.goals: GoalRunner | None = None
        self._service = service
        self._clock = clock
        self._jobs = jobs
        self._options = options
        self._publish = publish
        self._is_quiet = is_quiet
        self._monotonic = monotonic
        self._sleep = sleep
        self.holder = f"{HOST}{os.getpid()}-{uuid7()}"
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stopped: set[str] = set()
        self._heavy = asyncio.Lock()
        self._last: tuple[datetime, float] | None = None
        self._not_before: datetime | None = None
        self._reason = ""

    async def run(self) -> None:
        """Look for due schedules until cancelled.

        Runs that a host left behind when it ended are due again.
        """
        # Only one process owns the vault, so that claims of other hosts belong to none that lives.
        await self._service.recover(lambda claim: claim.holder.startswith(HOST) and claim.holder != self.holder)
        await self._service.realign()
        try:
            while True:
                await self.tick()
                await self._sleep(await self._pause_s())
        finally:
            for task in list(self._running.values()):
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def tick(self) -> None:
        """Start what is due now."""
        now = self._now()
        await self._look_for_jumps(now)
        await self._service.recover(lambda claim: claim.expires_at <= now)
        if self._not_before is not None and now < self._not_before:
            return
        if await self._service.paused_until() is not None:
            return
        for schedule in await self._service.due(_AT_ONCE):
            job = self._jobs.get(schedule.id)
            if job is not None and not job.is_enabled():
                await self._service.skip(schedule, "it is switched off in the settings")
            elif schedule.id not in self._running and self._can_run(schedule, now):
                await self._start(schedule, is_manual=False)
        self._reason = ""

    async def run_now(self, schedule: Schedule) -> ScheduleClaim:
        """Run a schedule on request; its next run stays.

        Raises:
            StaleError: It runs already.
        """
        claim = await self._start(schedule, is_manual=True)
        if claim is None:
            raise StaleError("This schedule runs already.", id=schedule.id)
        return claim

    def can_run(self, schedule: Schedule) -> bool:
        """Return whether this process can do a schedule's work."""
        return schedule.id in self._jobs if schedule.is_built_in else self.goals is not None

    async def settled(self) -> None:
        """Wait until what runs now has ended."""
        while self._running:
            await asyncio.wait(set(self._running.values()))

    async def ended(self, schedule_id: str) -> None:
        """Wait until a schedule's run has ended, if one goes on."""
        task = self._running.get(schedule_id)
        if task is not None:
            await asyncio.wait({task})

    def cancel(self, schedule_id: str) -> bool:
        """Stop a run; False where none goes on."""
        task = self._running.get(schedule_id)
        if task is None:
            return False
        self._stopped.add(schedule_id)
        return task.cancel()

    def _can_run(self, schedule: Schedule, now: datetime) -> bool:
        if not self.can_run(schedule):
            return False
        job = self._jobs.get(schedule.id)
        if job is None or not job.is_heavy or schedule.next_run_at is None:
            return True
        return not self._is_quiet() or now - schedule.next_run_at > MAX_QUIET

    async def _start(self, schedule: Schedule, *, is_manual: bool) -> ScheduleClaim | None:
        claim = await self._service.claim(
            schedule.id, self.holder, LEASE_S, is_manual=is_manual, reason=self._reason or "it was missed"
        )
        if claim is not None:
            task = asyncio.create_task(self._perform(schedule, claim), name=f"schedule {schedule.id}")
            self._running[schedule.id] = task
            self._stopped.discard(schedule.id)
            task.add_done_callback(lambda _: self._running.pop(schedule.id, None))
        return claim

    async def _perform(self, schedule: Schedule, claim: ScheduleClaim) -> None:
        status: RunStatus = "succeeded"
        try:
            result = await self._work(schedule, claim.run_id)
        except KeepsakeError as error:
            status, result = "failed", JobResult(error.message)
        except asyncio.CancelledError:
            ended: RunStatus = "failed" if schedule.id in self._stopped else "interrupted"
            await asyncio.shield(self._finish(schedule, claim, ended, JobResult("It was stopped.")))
            raise
        except Exception as error:  # noqa: BLE001  (a fault in one job must not end the runner)
            _log.error("the scheduled work %s broke: %s", schedule.id, error_location(error))
            status, result = "failed", JobResult(f"It stopped because of a fault in Keepsake ({type(error).__name__}).")
        await self._finish(schedule, claim, status, result)

    async def _work(self, schedule: Schedule, run_id: str) -> JobResult:
        job = self._jobs.get(schedule.id)
        if job is not None:
            async with self._heavy:  # one after the other, so that nobody else is delayed
                return await job.run(run_id)
        if self.goals is None:
            raise StaleError("There is no language model, and no agent has taken this goal.")
        return await self.goals.run_goal(schedule, run_id)

    async def _finish(self, schedule: Schedule, claim: ScheduleClaim, status: RunStatus, result: JobResult) -> None:
        policy = schedule.notification_policy
        done = await self._service.finish(
            claim.run_id,
            self.holder,
            status,
            result.output,
            turn_count=result.turn_count,
            cost=result.cost,
            notified=policy == "always" or (policy == "on_failure" and status == "failed"),
        )
        self._publish(done.changes)

    async def _look_for_jumps(self, now: datetime) -> None:
        """Notice that the machine slept, or that its clock was set."""
        current = (now, self._monotonic())
        before, self._last = self._last, current
        if before is None:
            return
        passed, counted = (now - before[0]).total_seconds(), current[1] - before[1]
        if passed - counted > _JUMP_S:
            self._reason = "the machine slept or its clock was set"
            self._not_before = now + timedelta(seconds=GRACE_S)
        elif counted - passed > _JUMP_S:
            await self._service.realign()

    async def _pause_s(self) -> float:
        """Return the seconds until the next look."""
        poll_s = self._options().poll_s
        due = await self._service.next_due()
        if due is None:
            return poll_s
        return min(max((due - self._now()).total_seconds(), 1.0), poll_s)

    def _now(self) -> datetime:
        return to_datetime(self._clock.now_ms())
