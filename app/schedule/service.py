"""Schedules: definitions, claims, and what came of each run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import apsw

from app.agents.model import Trust
from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime, to_ms
from app.core.ids import new_id
from app.core.text import excerpt, storable
from app.errors import InputError, NotFoundError, StaleError
from app.schedule import repo
from app.schedule.cadence import check_cadence, next_run
from app.schedule.catch_up import Occurrences, back_off, due_occurrences
from app.schedule.model import (
    Cadence,
    Policy,
    RunStatus,
    Schedule,
    ScheduleClaim,
    ScheduleFilter,
    SchedulePatch,
    ScheduleRun,
    ScheduleSearch,
    Status,
)
from app.schedule.notes import AREA, note_missed, note_pause, note_run
from app.schedule.options import ScheduleOptions
from app.schedule.realignment import pause_broken, realign
from app.schedule.schedule_applier import ScheduleApplier
from app.schedule.shared_runs import is_made_here
from app.sentence import Sentence, as_sentence, counted_sentence
from app.store import meta
from app.store.store import Store

MAX_GOAL: Final = 20_000
MAX_NAME: Final = 200
MAX_OUTPUT: Final = 1_000_000
MAX_SCHEDULES: Final = 1000
MAX_TURNS: Final = 200
MAX_COST: Final = 1000.0
_PAUSED_UNTIL: Final = "schedules_paused_until"
_HISTORY: Final = ScheduleApplier()

MISSED: Final = Sentence("It was missed.")
"""Why occurrences were left out that nobody waited for."""


class ScheduleService:
    """Defines schedules and records their runs.

    Args:
        store: The vault.
        clock: The source of the time.
        options: Returns the settings as they are now.
    """

    def __init__(self, store: Store, clock: Clock, options: Callable[[], ScheduleOptions]) -> None:
        self._store = store
        self._clock = clock
        self._options = options

    async def create(
        self,
        goal: str,
        cadence: Cadence,
        *,
        name: str = "",
        notification_policy: Policy = "always",
        channel_id: str | None = None,
        channel_context_id: str | None = None,
        trust: Trust = "inner",
        max_turns: int | None = None,
        max_cost: float | None = None,
        actor: str,
    ) -> Changed[Schedule]:
        """Store a schedule of the person or an agent.

        Raises:
            InputError: The cadence or the goal cannot be used; ``field`` names the part.
        """
        now, clean = self._now(), _goal(goal)
        check_cadence(cadence, now, self._options().min_interval_s)
        schedule = Schedule(
            new_id("schedule"),
            actor,
            _name(name) or excerpt(clean, 60),
            clean,
            cadence,
            notification_policy,
            "active",
            now,
            now,
            next_run(cadence, now),
            channel_id=channel_id,
            channel_context_id=channel_context_id,
            trust=trust,
            max_turns=_max_turns(max_turns),
            max_cost=_max_cost(max_cost),
        )

        def work(connection: apsw.Connection) -> tuple[int, ...]:
            if repo.count(connection, ScheduleFilter()) >= MAX_SCHEDULES:
                raise InputError(
                    Sentence(
                        "There are {max_schedules} schedules already. Delete some first.", max_schedules=MAX_SCHEDULES
                    )
                )
            repo.insert(connection, schedule)
            return _HISTORY.record(connection, None, schedule, actor, to_ms(now))

        return Changed(schedule, _changes(schedule.id, actor, await self._store.write(work)))

    async def install(self, built_in: Sequence[Schedule]) -> None:
        """Store built-in schedules that are missing; the person may have moved the others."""

        def missing(connection: apsw.Connection) -> list[Schedule]:
            return [schedule for schedule in built_in if repo.get(connection, schedule.id) is None]

        def work(connection: apsw.Connection) -> None:
            for schedule in missing(connection):
                repo.insert(connection, replace(schedule, next_run_at=next_run(schedule.cadence, self._now())))

        # Looking first leaves the writer to those who write: nearly always all are there.
        if await self._store.read(missing):
            await self._store.write(work)

    async def get(self, schedule_id: str) -> Schedule:
        """Return a schedule.

        Raises:
            NotFoundError: There is none of that id.
        """
        return await self._store.read(partial(_required, schedule_id=schedule_id))

    async def search(self, wanted: ScheduleFilter, limit: int, offset: int) -> ScheduleSearch:
        """Return a page of schedules, soonest first."""
        schedules, total = await self._store.read(lambda connection: repo.search(connection, wanted, limit, offset))
        return ScheduleSearch(tuple(schedules), total)

    async def count(self, wanted: ScheduleFilter) -> int:
        """Return how many schedules a filter lets through."""
        return await self._store.read(lambda connection: repo.count(connection, wanted))

    async def update(self, schedule_id: str, patch: SchedulePatch, *, actor: str) -> Changed[Schedule]:
        """Change a schedule.

        A new cadence, or going on after a pause, gives it a new next run.

        Raises:
            NotFoundError: There is none of that id.
            InputError: The patch cannot be applied; ``field`` names the part.
        """
        now = self._now()

        def work(connection: apsw.Connection) -> Changed[Schedule]:
            before = _required(connection, schedule_id)
            after = self._patched(before, patch, now)
            repo.update_goal(connection, after)
            return Changed(
                after, _changes(schedule_id, actor, _HISTORY.record(connection, before, after, actor, to_ms(now)))
            )

        return await self._store.write(work)

    async def delete(self, schedule_id: str, *, actor: str) -> Changed[bool]:
        """Delete a schedule with its runs; its undo brings both back.

        Raises:
            NotFoundError: There is none of that id.
            InputError: It is built in; it can be switched off instead.
        """
        now = self._now()

        def work(connection: apsw.Connection) -> tuple[int, ...]:
            schedule = _required(connection, schedule_id)
            if schedule.is_built_in:
                raise InputError("A built-in schedule cannot be deleted. Pause it instead.", field="id")
            repo.delete(connection, schedule_id, now)
            return _HISTORY.record(connection, schedule, None, actor, to_ms(now))

        return Changed(True, _changes(schedule_id, actor, await self._store.write(work)))

    async def due(self, limit: int) -> list[Schedule]:
        """Return the schedules that are due and not claimed.

        One that failed waits for a while, longer with each failure in a row.
        """
        now = self._now()
        schedules = await self._store.read(lambda connection: repo.due(connection, now, limit))
        return [item for item in schedules if not _is_backing_off(item, now)]

    async def next_due(self, after: datetime | None = None) -> datetime | None:
        """Return the next run of all schedules, after an instant if given."""
        return await self._store.read(lambda connection: repo.next_due(connection, after))

    async def claim(
        self, schedule_id: str, holder: str, lease_s: float, *, is_manual: bool = False, reason: str = ""
    ) -> ScheduleClaim | None:
        """Claim a schedule to run it; ``None`` when claimed, not due, or backing off.

        Occurrences that were missed before the latest are recorded as skipped, in the same transaction.

        Args:
            schedule_id: The schedule.
            holder: Who runs it.
            lease_s: Seconds after which the right ends, unless it is extended.
            is_manual: Run it now, due or not; its next run stays.
            reason: Why occurrences were missed, as a sentence.

        Raises:
            NotFoundError: There is no such schedule.
        """
        now = self._now()

        def work(connection: apsw.Connection) -> ScheduleClaim | None:
            schedule = _required(connection, schedule_id)
            is_due = schedule.status == "active" and schedule.next_run_at is not None and schedule.next_run_at <= now
            if not is_manual and (not is_due or _is_backing_off(schedule, now)):
                return None
            occurrences = None
            if is_due and schedule.next_run_at is not None:
                try:
                    occurrences = due_occurrences(schedule.cadence, schedule.next_run_at, now)
                except InputError as error:
                    pause_broken(connection, schedule, error, now)
                    return None
            occurrence = now if occurrences is None else occurrences.run
            until = now + timedelta(seconds=lease_s)
            claim = ScheduleClaim(
                schedule_id, new_id("run"), holder, occurrence, now, until, is_manual=occurrences is None
            )
            if not repo.claim(connection, claim):
                return None
            if occurrences is not None:
                self._record_left_out(connection, schedule, occurrences, now, reason or MISSED)
                repo.set_next_run(connection, schedule_id, occurrences.following)
            return claim

        return await self._store.write(work)

    async def heartbeat(self, run_id: str, holder: str, lease_s: float) -> ScheduleClaim:
        """Keep the right to a run for longer.

        Raises:
            StaleError: The right has ended, it is somebody else's, or the schedule was deleted.
        """
        now = self._now()

        def work(connection: apsw.Connection) -> ScheduleClaim:
            claim = _held(connection, run_id, holder)
            if repo.get(connection, claim.schedule_id) is None:
                raise StaleError("The schedule of this run was deleted. Nobody waits for what it does.", run=run_id)
            expires_at = now + timedelta(seconds=lease_s)
            repo.extend_claim(connection, run_id, expires_at)
            return replace(claim, expires_at=expires_at)

        return await self._store.write(work)

    async def finish(
        self,
        run_id: str,
        holder: str,
        status: RunStatus,
        output: str = "",
        *,
        turn_count: int = 0,
        cost: float = 0.0,
    ) -> Changed[ScheduleRun]:
        """Record how a run ended and when the next one comes, in one transaction.

        The same transaction leaves a note for the person, where the schedule's policy wants one.

        Raises:
            StaleError: The right to the run has ended, or it is somebody else's.
        """
        now = self._now()

        def work(connection: apsw.Connection) -> ScheduleRun:
            claim = _held(connection, run_id, holder)
            run = self._run(claim, now, status, output, turn_count, cost)
            # Keepsake may be quit in the middle of its work as often as the person likes.
            self._record(connection, claim, run, is_failure=status == "failed")
            return run

        run = await self._store.write(work)
        return Changed(run, _changes(run.schedule_id, holder))

    async def recover(self, is_gone: Callable[[ScheduleClaim], bool]) -> list[ScheduleRun]:
        """Record runs whose holder is gone as interrupted; they are due again.

        Args:
            is_gone: Whether nobody works on a claim any more.
        """
        now = self._now()
        # Looking first leaves the writer to those who write: nearly always there is none.
        if not any(is_gone(claim) for claim in await self.claims()):
            return []

        def work(connection: apsw.Connection) -> list[ScheduleRun]:
            runs = []
            for claim in filter(is_gone, repo.claims(connection)):
                run = self._run(claim, now, "interrupted", "Keepsake or the agent ended before this was done.", 0, 0.0)
                self._record(connection, claim, run, is_failure=True)
                runs.append(run)
            return runs

        return await self._store.write(work)

    async def put_back(self, run_id: str, holder: str) -> None:
        """End a claim without a run; the occurrence is due again.

        Raises:
            StaleError: The right has ended, or it is somebody else's.
        """

        def work(connection: apsw.Connection) -> None:
            claim = _held(connection, run_id, holder)
            repo.release(connection, run_id)
            schedule = repo.of_claim(connection, claim)
            if schedule.status == "active" and not claim.is_manual:
                repo.set_next_run(connection, schedule.id, claim.scheduled_for)

        await self._store.write(work)

    async def shift_claims(self, by: timedelta) -> None:
        """Move the ends of claims because the machine slept or its clock was set."""
        now = self._now()
        if await self.claims():
            await self._store.write(lambda connection: repo.shift_claims(connection, by, now))

    async def realign(self) -> list[str]:
        """Realign next runs with the clock and zones, and return which changed."""
        now = self._now()
        return await self._store.write(partial(realign, now=now))

    async def skip(self, schedule: Schedule, reason: str) -> None:
        """Record the due occurrences of a schedule as skipped."""
        now = self._now()

        def work(connection: apsw.Connection) -> None:
            fresh = repo.get(connection, schedule.id)
            if fresh is None or fresh.status != "active" or fresh.next_run_at is None or fresh.next_run_at > now:
                return
            try:
                occurrences = due_occurrences(fresh.cadence, fresh.next_run_at, now)
            except InputError as error:
                pause_broken(connection, fresh, error, now)
                return
            everything = replace(
                occurrences,
                left_out=occurrences.left_out + 1,
                first=occurrences.first or occurrences.run,
                last=occurrences.run,
            )
            self._record_left_out(connection, fresh, everything, now, reason, has_note=False)
            status: Status = "active" if occurrences.following is not None else "completed"
            repo.update(connection, replace(fresh, next_run_at=occurrences.following, status=status))

        await self._store.write(work)

    async def runs(self, schedule_id: str | None, limit: int, before: str | None = None) -> list[ScheduleRun]:
        """Return runs of a schedule or of all, the latest first."""
        return await self._store.read(lambda connection: repo.runs(connection, schedule_id, limit, before))

    async def run(self, run_id: str) -> ScheduleRun:
        """Return a run.

        Raises:
            NotFoundError: There is none of that id.
        """
        run = await self._store.read(partial(repo.run_by_id, run_id=run_id))
        if run is None:
            raise NotFoundError("There is no run of a schedule with that id.", id=run_id)
        return run

    async def is_made_here(self, schedule_id: str) -> bool | None:
        """Return whether a schedule was made on this machine, ``None`` where that is not known."""
        return await self._store.read(partial(is_made_here, schedule_id=schedule_id))

    async def prune(self, schedule_id: str, keep: int, *, actor: str) -> Changed[int]:
        """Delete all but the latest runs of a schedule, and return how many went."""
        gone = await self._store.write(lambda connection: repo.prune(connection, schedule_id, keep))
        return Changed(gone, _changes(schedule_id, actor))

    async def claims(self) -> list[ScheduleClaim]:
        """Return the runs that go on, those of schedules deleted meanwhile among them."""
        return await self._store.read(repo.claims)

    async def pause_all(self, until: datetime | None) -> None:
        """Run nothing until an instant; ``None`` ends the pause.

        Raises:
            InputError: The instant has passed.
        """
        if until is not None and until <= self._now():
            raise InputError("The time until which no schedule runs must be in the future.", field="until")
        value = "" if until is None else repo.to_text(until)
        await self._store.write(partial(meta.write, key=_PAUSED_UNTIL, value=value))

    async def paused_until(self) -> datetime | None:
        """Return when a pause of all schedules ends, ``None`` where there is none."""
        stored = await self._store.read(partial(meta.read, key=_PAUSED_UNTIL))
        until = datetime.fromisoformat(stored) if stored else None
        return until if until is not None and until > self._now() else None

    def _now(self) -> datetime:
        return to_datetime(self._clock.now_ms())

    def _patched(self, before: Schedule, patch: SchedulePatch, now: datetime) -> Schedule:
        if before.is_built_in and patch.goal is not None:
            raise InputError("What a built-in schedule does cannot be changed.", field="goal")
        if before.is_built_in and patch.trust is not None:
            raise InputError("Keepsake's own work has no trust to change.", field="trust")
        cadence = patch.cadence or before.cadence
        if patch.cadence is not None:
            check_cadence(cadence, now, self._options().min_interval_s)
        status = patch.status or before.status
        goes_on = status == "active" and (before.status != "active" or patch.cadence is not None)
        following = next_run(cadence, now) if goes_on else before.next_run_at
        if goes_on and following is None:
            raise InputError("Its time has passed. Give it a new one.", field="cadence")
        return replace(
            before,
            name=before.name if patch.name is None else _name(patch.name),
            goal=before.goal if patch.goal is None else _goal(patch.goal),
            cadence=cadence,
            notification_policy=patch.notification_policy or before.notification_policy,
            status=status,
            updated_at=now,
            next_run_at=following if status == "active" else None,
            consecutive_failures=0 if goes_on else before.consecutive_failures,
            channel_id=before.channel_id if patch.channel_id is None else patch.channel_id,
            channel_context_id=(
                before.channel_context_id if patch.channel_context_id is None else patch.channel_context_id
            ),
            trust=before.trust if patch.trust is None else patch.trust,
            max_turns=before.max_turns if patch.max_turns is None else _max_turns(patch.max_turns),
            max_cost=before.max_cost if patch.max_cost is None else _max_cost(patch.max_cost),
        )

    def _run(
        self,
        claim: ScheduleClaim,
        now: datetime,
        status: RunStatus,
        output: str,
        turn_count: int,
        cost: float,
    ) -> ScheduleRun:
        text = storable(output)[0][:MAX_OUTPUT]
        most = self._options().summary_characters
        if text == output:  # a sentence stays one
            text = output
        summary = text if len(text) <= most else text[:most]
        return ScheduleRun(
            claim.run_id, claim.schedule_id, claim.started_at, now, status, summary, text, turn_count, cost
        )

    def _record(self, connection: apsw.Connection, claim: ScheduleClaim, run: ScheduleRun, *, is_failure: bool) -> None:
        """Store a run, end its claim, and set the next run.

        A schedule that was deleted meanwhile may come back, so its runs are recorded too.
        """
        schedule = repo.of_claim(connection, claim)
        repo.release(connection, claim.run_id)
        repo.insert_run(connection, run)
        note_run(connection, schedule, run)
        following, status = schedule.next_run_at, schedule.status
        failures = 0 if run.status == "succeeded" else schedule.consecutive_failures + is_failure
        if run.status == "interrupted" and not claim.is_manual and status == "active":
            # Not done, so it is still due; at an older time than a changed cadence it would find others to catch up.
            following = run.finished_at if schedule.updated_at >= claim.started_at else claim.scheduled_for
        if failures >= self._options().failures_to_pause:
            if status != "paused":
                note_pause(connection, schedule, run, failures)
            status, following = "paused", None
        elif following is None and status == "active":
            status = "completed"
        repo.reschedule(connection, run, following, status, failures)
        repo.prune(connection, schedule.id, self._options().keep_runs)

    @staticmethod
    def _record_left_out(
        connection: apsw.Connection,
        schedule: Schedule,
        occurrences: Occurrences,
        now: datetime,
        reason: str,
        *,
        has_note: bool = True,
    ) -> None:
        if not occurrences.left_out or occurrences.first is None or occurrences.last is None:
            return
        first, last = repo.to_text(occurrences.first), repo.to_text(occurrences.last)
        text = counted_sentence(
            occurrences.left_out,
            "Skipped at {first}. {why}",
            "Skipped {count} times from {first} to {last}. {why}",
            first=first,
            last=last,
            why=as_sentence(reason),
        )
        run = ScheduleRun(
            new_id("run"), schedule.id, occurrences.first, now, "skipped", text, text, occurrences.left_out
        )
        repo.insert_run(connection, run)
        if has_note:
            note_missed(connection, schedule, occurrences.left_out, reason, now)


def _required(connection: apsw.Connection, schedule_id: str) -> Schedule:
    schedule = repo.get(connection, schedule_id)
    if schedule is None:
        raise NotFoundError("There is no schedule with that id. See 'schedule.search'.", id=schedule_id)
    return schedule


def _held(connection: apsw.Connection, run_id: str, holder: str) -> ScheduleClaim:
    claim = repo.claim_of_run(connection, run_id)
    if claim is None or claim.holder != holder:
        raise StaleError("This run has ended, or it is not yours.", run=run_id)
    return claim


def _is_backing_off(schedule: Schedule, now: datetime) -> bool:
    """Return whether a schedule waits after a failure, even with a changed clock."""
    wait = back_off(schedule.consecutive_failures)
    return schedule.last_run_at is not None and abs(now - schedule.last_run_at) < wait


def _max_turns(turns: int | None) -> int | None:
    if turns is not None and not 1 <= turns <= MAX_TURNS:
        raise InputError(Sentence("A run takes 1 to {max_turns} turns.", max_turns=MAX_TURNS), field="max_turns")
    return turns


def _max_cost(cost: float | None) -> float | None:
    if cost is not None and not 0 < cost <= MAX_COST:  # not a number fails both
        raise InputError(
            Sentence("The cost of a run is above 0 and at most {max_cost}.", max_cost=f"{MAX_COST:g}"), field="max_cost"
        )
    return cost


def _goal(goal: str) -> str:
    clean = storable(goal)[0].strip()
    if not clean or len(clean) > MAX_GOAL:
        raise InputError(Sentence("A goal has 1 to {max_goal} characters.", max_goal=MAX_GOAL), field="goal")
    return clean


def _name(name: str) -> str:
    return excerpt(storable(name)[0], MAX_NAME)


def _changes(schedule_id: str, actor: str, entries: tuple[int, ...] = ()) -> ChangeSet:
    return ChangeSet(frozenset({AREA}), (schedule_id,), actor, history_ids=entries)
