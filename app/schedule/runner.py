"""The runner of schedules: runs due work once, and catches up after sleep."""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from app.changes import ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.error_location import error_location
from app.core.ids import uuid7
from app.errors import KeepsakeError, ModelUnavailableError, StaleError
from app.schedule.deferral import MAX_METERED, METERED, reason_to_wait, waited_sentence
from app.schedule.model import BUILT_IN, JobResult, RunStatus, Schedule, ScheduleClaim, ScheduleFilter, Sharing
from app.schedule.notes import AREA
from app.schedule.options import ScheduleOptions
from app.schedule.power import PowerState
from app.schedule.service import MISSED, ScheduleService
from app.schedule.shared_runs import shared_run, sharing_of
from app.sentence import Sentence, as_sentence, joined
from app.sync.leases.job_turns import JobTurn, JobTurns

_log = logging.getLogger(__name__)

HOST: Final = "host:"  # holders of claims that end with their process begin so
LEASE_S: Final = 6 * 3600.0
GRACE_S: Final = 60.0  # after the machine woke: network and disks come back, and the person comes first
MODEL_PAUSE_S: Final = 300.0  # before a model that could not be asked is asked again; it doubles each time
_LONGEST_MODEL_PAUSE_S: Final = 6 * 3600.0
NO_MODEL: Final = Sentence("Waits for a language model or an agent.")
_WAITED: Final = {
    NO_MODEL.template: Sentence("It waited for a language model or an agent."),
    "Waits because incognito is on.": Sentence("It waited because incognito was on."),
    "Waits because {agent}, who made it, is paused.": Sentence("It waited because {agent}, who made it, was paused."),
    "Waits: {why}": Sentence("It waited: {why}"),
    "Waits: it runs already.": Sentence("It ran already."),
    "Waits: it is the turn of another of your machines.": Sentence("It was the turn of another of your machines."),
    "Waits: it is the turn of {machine}.": Sentence("It was the turn of {machine}."),
    "Waits until your other machines can be asked. {reason}": Sentence(
        "Your other machines could not be asked. {reason}"
    ),
}
"""Sentences about past waiting, by the template of the sentence about waiting."""
_JUMP_S: Final = 90.0
_AT_ONCE: Final = 2000  # more than there can be, so that goals which wait never hide others
_RECORDING_PAUSES_S: Final = (1.0, 10.0, 60.0)


class ScheduledJob(Protocol):
    """A built-in piece of work."""

    is_heavy: bool
    """Whether it waits while the person types."""

    @property
    def sharing(self) -> Sharing:
        """The machines that do it, of those that share the vault."""

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""

    def is_harmless(self) -> bool:
        """Return whether two machines that both do it come to the same, at no cost."""

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        """Do it; what it changes in the vault bears ``run_id``.

        Args:
            run_id: The id of the run.
            decides: Whether this machine decides what concerns all that share the vault.
        """


class GoalRunner(Protocol):
    """A runner of goals by a language model."""

    async def obstacle(self, schedule: Schedule) -> str:
        """Return why a schedule's goal cannot be pursued now, in words; ``""`` when it can."""

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        """Pursue a schedule's goal.

        Raises:
            ModelUnavailableError: The model could not be asked, and nothing was done.
        """


@dataclass(frozen=True, slots=True)
class _PutBack:
    """A goal that no model could be asked about, and the problem of its service."""

    until_s: float
    pause_s: float
    reason: str
    problem: str


class ScheduleRunner:
    """Runs due schedules on the engine's event loop.

    Args:
        service: The schedules.
        clock: The wall clock.
        jobs: Built-in work by the id of its schedule.
        options: Returns the settings as they are now.
        publish: Reports what changed.
        is_quiet: Whether heavy work should wait, because the person types.
        is_metered: Whether the connection is paid by volume.
        power: Reads the power supply; may block.
        goals: Pursues goals; they wait where ``None``.
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
        is_metered: Callable[[], bool] = lambda: False,
        power: Callable[[], PowerState] = PowerState,
        goals: GoalRunner | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.goals = goals
        self.turns: JobTurns | None = None
        """Says whose turn it is among the machines that share the vault; it is this one's where ``None``."""
        self.problem = ""
        self._service = service
        self._clock = clock
        self._jobs = jobs
        self._options = options
        self._publish = publish
        self._is_quiet = is_quiet
        self._is_metered = is_metered
        self._power = power
        self._monotonic = monotonic
        self._sleep = sleep
        self.holder = f"{HOST}{os.getpid()}-{uuid7()}"
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stopped: set[str] = set()
        self._heavy = asyncio.Lock()
        self._last: tuple[datetime, float] | None = None
        self._woken: tuple[datetime, float] | None = None
        self._is_prepared = False
        self._reason = ""
        self._waits: dict[str, str] = {}  # why due schedules wait
        self._waited: dict[str, str] = {}  # why they last waited, until they start
        self._deferred: dict[str, str] = {}  # why they last waited though they could run
        self._put_back: dict[str, _PutBack] = {}

    async def run(self) -> None:
        """Look for due schedules until cancelled.

        Runs that a host left behind when it ended are due again. A database that is locked or full is tried again.
        """
        try:
            while True:
                await self._sleep(await self._look())
        finally:
            for task in list(self._running.values()):
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def tick(self) -> None:
        """Start what is due now."""
        now = self._now()
        await self._look_for_jumps(now)
        gone = await self._service.recover(
            lambda claim: claim.expires_at <= now and not (claim.holder == self.holder and self._runs(claim))
        )
        for run in gone:
            self._interrupted(run.schedule_id)
        self._tell_changed(run.schedule_id for run in gone)
        self._waits = {}
        if self._is_waking(now) or await self._service.paused_until() is not None:
            return
        for schedule in await self._service.due(_AT_ONCE):
            job = self._jobs.get(schedule.id)
            if job is not None and not job.is_enabled():
                await self._service.skip(schedule, Sentence("It is switched off in the settings."))
            elif schedule.id not in self._running:
                await self._start_unless_it_waits(schedule, now)
        self._reason = ""

    async def run_now(self, schedule: Schedule) -> ScheduleClaim:
        """Run a schedule on request; its next run stays.

        Raises:
            StaleError: It runs already.
        """
        claim = await self._start(schedule, is_manual=True, decides=True)
        if claim is None:
            raise StaleError("This schedule runs already.", id=schedule.id)
        return claim

    async def obstacle(self, schedule: Schedule) -> str:
        """Return why this process cannot do a schedule's work, in words; ``""`` when it can."""
        if schedule.is_built_in:
            return "" if schedule.id in self._jobs else Sentence("This version of Keepsake has no such work.")
        return NO_MODEL if self.goals is None else await self.goals.obstacle(schedule)

    async def reason_to_wait(self, schedule: Schedule) -> str:
        """Return why a due schedule does not run; ``""`` for others."""
        if schedule.status != "active" or schedule.next_run_at is None or schedule.next_run_at > self._now():
            return ""
        paused_until = await self._service.paused_until()
        if paused_until is not None:
            return Sentence("All schedules are paused until {time} UTC.", time=f"{paused_until:%Y-%m-%d %H:%M}")
        return self._waits.get(schedule.id) or await self._obstacle(schedule)

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

    async def _look(self) -> float:
        """Start what is due and return the seconds until the next look."""
        try:
            if not self._is_prepared:
                # Only one process owns the vault, so that claims of other hosts belong to none that lives.
                await self._service.recover(lambda claim: claim.holder.startswith(HOST) and claim.holder != self.holder)
                self._tell_changed(await self._service.realign())
                self._is_prepared = True
            await self.tick()
            pause_s = await self._pause_s()
        except KeepsakeError as error:
            if not self.problem:
                _log.warning("schedules cannot be looked at: %s", error.message)
            self.problem = Sentence("Schedules cannot run: {why}", why=error.sentence)
            return self._options().poll_s
        self.problem = ""
        return pause_s

    async def _start_unless_it_waits(self, schedule: Schedule, now: datetime) -> None:
        waited = now - (schedule.next_run_at or now)
        reason = await self._obstacle(schedule)
        if not reason and (detail := await self._deferral(schedule, waited)):
            self._waits[schedule.id] = Sentence("Waits: {why}.", why=as_sentence(detail))
            self._waited[schedule.id] = Sentence("It waited: {why}.", why=as_sentence(detail))
            self._deferred[schedule.id] = detail
            return
        decides = True
        if not reason:
            turn = await self.turn_at(schedule)
            if turn.verdict == "done":
                await self._service.skip(schedule, turn.reason)
                self._tell_changed([schedule.id])
                return
            reason, decides = turn.reason, turn.decides
        if reason:
            self._waits[schedule.id] = self._waited[schedule.id] = reason
        elif await self._start(schedule, is_manual=False, decides=decides) is None:
            await self.give_back(schedule.id, is_done=False)

    async def other_machine(self, schedule: Schedule) -> str:
        """Return the name of another machine that runs a schedule for all, ``""`` without."""
        if self.turns is None or self._sharing(schedule) != "one":
            return ""
        return await self.turns.other_machine(schedule.id)

    async def machines(self) -> Mapping[str, str]:
        """Return the id of the machine that ran each schedule for all last."""
        if self.turns is None:
            return {}
        page = await self._service.search(ScheduleFilter(status="active"), _AT_ONCE, 0)
        return await self.turns.machines(item.id for item in page.schedules if self._sharing(item) != "own")

    def _sharing(self, schedule: Schedule) -> Sharing:
        job = self._jobs.get(schedule.id)
        return sharing_of(schedule, None if job is None else job.sharing)

    async def turn_at(self, schedule: Schedule) -> JobTurn:
        """Return whether it is this machine's turn at a schedule that is due; see ``JobTurns``."""
        job, sharing = self._jobs.get(schedule.id), self._sharing(schedule)
        if self.turns is None or sharing == "own" or not await self.turns.are_needed():
            return JobTurn("go")
        is_made_here = await self._service.is_made_here(schedule.id)
        is_harmless = job is not None and job.is_harmless()
        run = shared_run(schedule, self._now(), is_harmless=is_harmless, is_made_here=is_made_here)
        if run is None:
            return JobTurn("go")
        return await self.turns.ask(run) if sharing == "one" else await self.turns.ask_to_decide(run)

    async def _obstacle(self, schedule: Schedule) -> str:
        put_back = self._put_back.get(schedule.id)
        if put_back is not None and self._monotonic() < put_back.until_s:
            return put_back.reason
        return await self.obstacle(schedule)

    async def _deferral(self, schedule: Schedule, waited: timedelta) -> str:
        """Return why due work that could be done should wait, ``""`` when it should not."""
        job, options = self._jobs.get(schedule.id), self._options()
        if job is None:
            is_too_dear = options.waits_on_metered and self._is_metered() and waited <= MAX_METERED
            return METERED if is_too_dear else ""
        if not job.is_heavy:
            return ""
        power = await asyncio.to_thread(self._power) if options.waits_on_battery else PowerState()
        is_typing = self._is_quiet()
        return reason_to_wait(waited, power, is_typing=is_typing, waits_on_battery=options.waits_on_battery)

    async def _start(self, schedule: Schedule, *, is_manual: bool, decides: bool) -> ScheduleClaim | None:
        reason = self.reason_of_gap(schedule)
        claim = await self._service.claim(schedule.id, self.holder, LEASE_S, is_manual=is_manual, reason=reason)
        if claim is not None:
            task = asyncio.create_task(self._perform(schedule, claim, decides=decides), name=f"schedule {schedule.id}")
            self._running[schedule.id] = task
            self._stopped.discard(schedule.id)
            task.add_done_callback(lambda _: self._running.pop(schedule.id, None))
            self._tell_changed([schedule.id])
        return claim

    def reason_of_gap(self, schedule: Schedule) -> str:
        """Return why occurrences were left out before the one that starts now, if any were."""
        waited = self._waited.pop(schedule.id, "")
        if (put_back := self._put_back.get(schedule.id)) is not None:
            return Sentence("No model could be asked: {why}", why=as_sentence(put_back.problem))
        if self._reason:
            return self._reason
        if waited:
            reason = as_sentence(waited)
            return (
                Sentence(_WAITED[reason.template].template, **reason.values) if reason.template in _WAITED else waited
            )
        return Sentence("It waited after a failure.") if schedule.consecutive_failures else MISSED

    async def _perform(self, schedule: Schedule, claim: ScheduleClaim, *, decides: bool) -> None:
        try:
            result = await self._work(schedule, claim.run_id, decides=decides)
            self._put_back.pop(schedule.id, None)
        except ModelUnavailableError as error:
            if not schedule.is_built_in and not claim.is_manual:
                await self._wait_for_model(schedule, claim, error)
                return
            result = JobResult(error.sentence, status="failed")
        except KeepsakeError as error:
            result = JobResult(error.sentence, status="failed")
        except asyncio.CancelledError:
            ended: RunStatus = "failed" if schedule.id in self._stopped else "interrupted"
            self._interrupted(schedule.id)
            await asyncio.shield(self._finish(claim, JobResult(Sentence("It was stopped."), status=ended)))
            raise
        except Exception as error:  # noqa: BLE001  (a fault in one job must not end the runner)
            _log.error("the scheduled work %s broke: %s", schedule.id, error_location(error))
            fault = Sentence("It stopped because of a fault in Keepsake ({kind}).", kind=type(error).__name__)
            result = JobResult(fault, status="failed")
        await self._finish(claim, self._with_wait(result, claim))
        await self.give_back(schedule.id, is_done=True)

    async def give_back(self, schedule_id: str, *, is_done: bool) -> None:
        """Let the other machines know of the end of a run; see ``JobTurns.ended``."""
        if self.turns is not None:
            await self.turns.ended(schedule_id, is_done=is_done)

    def _interrupted(self, schedule_id: str) -> None:
        if self.turns is not None:
            self.turns.interrupted(schedule_id)

    async def _work(self, schedule: Schedule, run_id: str, *, decides: bool) -> JobResult:
        job = self._jobs.get(schedule.id)
        if job is not None:
            async with self._heavy:  # one after the other, so that nobody else is delayed
                return await job.run(run_id, decides=decides)
        if self.goals is None:
            raise StaleError("There is no language model, and no agent has taken this goal.")
        return await self.goals.run_goal(schedule, run_id)

    async def _wait_for_model(self, schedule: Schedule, claim: ScheduleClaim, error: KeepsakeError) -> None:
        """Give a goal back that waits for a model; agents may claim it."""
        before = self._put_back.get(schedule.id)
        pause_s = MODEL_PAUSE_S if before is None else min(before.pause_s * 2, _LONGEST_MODEL_PAUSE_S)
        pause = _PutBack(self._monotonic() + pause_s, pause_s, joined((NO_MODEL, error.sentence)), error.sentence)
        self._put_back[schedule.id] = pause
        self._waits[schedule.id] = pause.reason
        with suppress(StaleError):
            await self._service.put_back(claim.run_id, self.holder)
        await self.give_back(schedule.id, is_done=False)
        self._tell_changed([schedule.id])

    def _with_wait(self, result: JobResult, claim: ScheduleClaim) -> JobResult:
        """Return a result that also says how long the work waited and why."""
        reason = self._deferred.pop(claim.schedule_id, "")
        if not reason or claim.is_manual:
            return result
        waited = waited_sentence(claim.started_at - claim.scheduled_for, reason)
        return replace(result, output=joined((as_sentence(result.output), waited), "\n\n"))

    async def _finish(self, claim: ScheduleClaim, result: JobResult) -> None:
        """Record how a run ended, again if the database is locked or full."""
        for pause_s in (*_RECORDING_PAUSES_S, None):
            try:
                done = await self._service.finish(
                    claim.run_id,
                    self.holder,
                    result.status,
                    result.output,
                    turn_count=result.turn_count,
                    cost=result.cost,
                )
            except StaleError:
                _log.warning("the claim of the run %s had ended before it was done", claim.run_id)
                return
            except KeepsakeError as error:
                if pause_s is None or result.status == "interrupted":
                    # The claim stays, so that it runs again once the vault is opened anew.
                    _log.error("the end of the run %s could not be stored: %s", claim.run_id, error.message)
                    return
                await self._sleep(pause_s)
            else:
                self._publish(done.changes)
                return

    async def _look_for_jumps(self, now: datetime) -> None:
        """Notice that the machine slept, or that its clock was set."""
        current = (now, self._monotonic())
        before, self._last = self._last, current
        if before is None:
            return
        jump_s = (now - before[0]).total_seconds() - (current[1] - before[1])
        if abs(jump_s) <= _JUMP_S:
            return
        # Agents slept too, and a clock that was set says nothing of how long they have worked.
        await self._service.shift_claims(timedelta(seconds=jump_s))
        if jump_s > 0:
            self._reason = Sentence("The machine slept or its clock was set.")
            self._woken = current
        self._tell_changed(await self._service.realign())

    def _is_waking(self, now: datetime) -> bool:
        """Return whether the machine woke just now, by both clocks."""
        if self._woken is None:
            return False
        since, at = self._woken
        return timedelta() <= now - since < timedelta(seconds=GRACE_S) and self._monotonic() - at < GRACE_S

    async def _pause_s(self) -> float:
        """Return the seconds until the next look."""
        poll_s, now = self._options().poll_s, self._now()
        due = await self._service.next_due(now)
        if due is None:
            return poll_s
        return min(max((due - now).total_seconds(), 1.0), poll_s)

    def _runs(self, claim: ScheduleClaim) -> bool:
        return claim.schedule_id in self._running

    def _tell_changed(self, schedule_ids: Iterable[str]) -> None:
        ids = tuple(dict.fromkeys(schedule_ids))
        if ids:
            self._publish(ChangeSet(frozenset({AREA}), ids, BUILT_IN))

    def _now(self) -> datetime:
        return to_datetime(self._clock.now_ms())
