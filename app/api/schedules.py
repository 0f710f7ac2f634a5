"""Operations on schedules: recurring work of Keepsake, of the person and of agents."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed, ChangeSet
from app.core.clock import to_datetime
from app.engine import Engine
from app.errors import InputError, NotFoundError
from app.schedule.model import (
    Cadence,
    Policy,
    Preview,
    RunStatus,
    Schedule,
    ScheduleClaim,
    ScheduleFilter,
    SchedulePatch,
    ScheduleRun,
    ScheduleSearch,
    Status,
)
from app.schedule.options import schedule_options
from app.schedule.service import AREA
from app.schedule.words import in_words, preview

_MAX_PREVIEW = 100
_MAX_LEASE_S = 24 * 3600.0
_LEASE_S = 900.0


@dataclass(frozen=True, slots=True)
class SchedulerStatus:
    """Status of the scheduler.

    Args:
        next_run_at: The next run of all schedules.
        paused_until: When a pause of all schedules ends, ``None`` where there is none.
        running: The runs that go on.
        waiting_goals: Goals that are due and wait, because no language model is set up and no agent has claimed them.
    """

    next_run_at: datetime | None
    paused_until: datetime | None
    running: tuple[ScheduleClaim, ...]
    waiting_goals: tuple[str, ...]


@operation("schedule.preview", trust="public")
async def preview_cadence(
    engine: Engine, caller: Caller, cadence: Cadence, zone: str = "", after: datetime | None = None, count: Count = 5
) -> Preview:
    """Return a cadence in words, with its next runs in its zone.

    Args:
        cadence: {"kind": "cron", "expression": "0 8 * * mon"}, {"kind": "once", "at": "2026-03-01T10:00:00Z"} or
            {"kind": "interval", "seconds": 3600}.
        zone: An IANA zone such as Europe/Berlin; that of the cadence by default.
        after: The runs after this time; now by default.
        count: How many runs, at most 100.
    """
    chosen = msgspec.structs.replace(cadence, zone=zone) if zone else cadence
    start = after or to_datetime(engine.clock.now_ms())
    shortest = schedule_options(engine.config).min_interval_s
    return preview(chosen, start, min(count, _MAX_PREVIEW), shortest)


@operation("schedule.create", access="write", trust="inner")
async def create(
    engine: Engine,
    caller: Caller,
    goal: str,
    cadence: Cadence,
    name: str = "",
    notification_policy: Policy = "always",
    channel_id: str | None = None,
    channel_context_id: str | None = None,
) -> Changed[Schedule]:
    """Create a schedule that pursues a goal at given times.

    A language model pursues it where one is set up; else it waits until a connected agent claims it.

    Args:
        goal: What is to be done, in words.
        cadence: When; see schedule.preview.
        name: A short name; the beginning of the goal by default.
        notification_policy: Whether the person is told of runs: always, on_failure or never.
        channel_id: The channel that it was asked for in, for its answers.
        channel_context_id: The place in that channel.
    """
    return await engine.schedules.service.create(
        goal,
        cadence,
        name=name,
        notification_policy=notification_policy,
        channel_id=channel_id,
        channel_context_id=channel_context_id,
        actor=caller.name,
    )


@operation("schedule.get", trust="inner")
async def get(engine: Engine, caller: Caller, id: str) -> Schedule:
    """Return a schedule.

    Args:
        id: The schedule.
    """
    return await _visible(engine, caller, id)


@operation("schedule.search", trust="inner")
async def search(
    engine: Engine, caller: Caller, text: str = "", status: Status | None = None, limit: Count = 50, offset: Count = 0
) -> ScheduleSearch:
    """Return schedules, soonest first, a page at a time.

    Args:
        text: Words in name or goal.
        status: active, paused or completed.
        limit: How many at most.
        offset: How many to skip.
    """
    wanted = ScheduleFilter(text, status, _user(caller))
    return await engine.schedules.service.search(wanted, limit, offset)


@operation("schedule.count", trust="inner")
async def count(engine: Engine, caller: Caller, text: str = "", status: Status | None = None) -> int:
    """Return how many schedules there are.

    Args:
        text: Words in name or goal.
        status: active, paused or completed.
    """
    return await engine.schedules.service.count(ScheduleFilter(text, status, _user(caller)))


@operation("schedule.update", access="write", trust="inner")
async def update(engine: Engine, caller: Caller, id: str, patch: SchedulePatch) -> Changed[Schedule]:
    """Change a schedule: its name, goal, cadence, policy, or whether it is active or paused.

    Args:
        id: The schedule.
        patch: Only the fields that change.
    """
    await _visible(engine, caller, id)
    return await engine.schedules.service.update(id, patch, actor=caller.name)


@operation("schedule.delete", access="write", trust="inner", destructive=True)
async def delete(engine: Engine, caller: Caller, id: str) -> Changed[bool]:
    """Delete a schedule with its runs; a built-in one can only be paused.

    Args:
        id: The schedule.
    """
    await _visible(engine, caller, id)
    return await engine.schedules.service.delete(id, actor=caller.name)


@operation("schedule.due", trust="inner")
async def due(engine: Engine, caller: Caller, limit: Count = 20) -> list[Schedule]:
    """Return the schedules that are due and not claimed, the longest waiting first.

    Args:
        limit: How many at most.
    """
    user = _user(caller)
    found = await engine.schedules.service.due(1000)
    return [item for item in found if user is None or item.user_id == user][:limit]


@operation("schedule.runs", trust="inner")
async def runs(
    engine: Engine, caller: Caller, id: str | None = None, limit: Count = 50, before: str | None = None
) -> list[ScheduleRun]:
    """Return the runs of a schedule, the latest first.

    Args:
        id: The schedule; all by default, which needs full trust.
        limit: How many at most.
        before: The id of a run; only earlier ones are returned.
    """
    if id is None and _user(caller) is not None:
        raise InputError("Name a schedule of yours.", field="id")
    if id is not None:
        await _visible(engine, caller, id)
    return await engine.schedules.service.runs(id, limit, before)


@operation("schedule.run", trust="inner")
async def run(engine: Engine, caller: Caller, run_id: str) -> ScheduleRun:
    """Return a run by its id.

    Args:
        run_id: The run.
    """
    found = await engine.schedules.service.run(run_id)
    if _user(caller) is not None and (await engine.schedules.service.get(found.schedule_id)).user_id != caller.name:
        # Neither that there is such a run nor of which schedule it is.
        raise NotFoundError("There is no run of a schedule with that id.", id=run_id)
    return found


@operation("schedule.run_now", access="write", trust="full")
async def run_now(engine: Engine, caller: Caller, id: str) -> ScheduleClaim:
    """Run a schedule now; its next run stays.

    The answer comes at once; see schedule.run for how the run ended.

    Args:
        id: The schedule.
    """
    schedule = await _visible(engine, caller, id)
    if not engine.schedules.runner.can_run(schedule):
        raise InputError(
            "No language model is set up that could pursue this goal. A connected agent can claim it.", field="id"
        )
    return await engine.schedules.runner.run_now(schedule)


@operation("schedule.prune", access="write", trust="full", destructive=True)
async def prune(engine: Engine, caller: Caller, id: str, keep: Count) -> Changed[int]:
    """Delete all but the latest runs of a schedule, and return how many went.

    Args:
        id: The schedule.
        keep: How many runs stay.
    """
    await _visible(engine, caller, id)
    return await engine.schedules.service.prune(id, keep, actor=caller.name)


@operation("schedule.claim", access="write", trust="inner")
async def claim(
    engine: Engine, caller: Caller, id: str | None = None, lease_seconds: float = _LEASE_S
) -> Changed[ScheduleClaim | None]:
    """Claim a due goal to pursue it; the answer is null when none is due.

    Pursue the goal, extend the lease with schedule.heartbeat while that takes, and end with schedule.report. When a
    lease runs out, the goal is due again.

    Args:
        id: The schedule; the longest waiting goal by default. Below full trust, only your own.
        lease_seconds: Seconds for which the claim holds, at most a day.
    """
    lease = _lease(lease_seconds)
    if id is not None:
        schedule = await _visible(engine, caller, id)
        if schedule.is_built_in:
            raise InputError("Keepsake runs its own schedules itself.", field="id")
        wanted = [schedule]
    else:
        wanted = [item for item in await due(engine, caller, 1000) if not item.is_built_in]
    for schedule in wanted:
        made = await engine.schedules.service.claim(schedule.id, caller.name, lease)
        if made is not None:
            return Changed(made, ChangeSet(frozenset({AREA}), (schedule.id,), caller.name))
    return Changed(None)


@operation("schedule.heartbeat", access="write", trust="inner")
async def heartbeat(engine: Engine, caller: Caller, run_id: str, lease_seconds: float = _LEASE_S) -> ScheduleClaim:
    """Extend the claim of a run.

    Args:
        run_id: The run, as schedule.claim answered it.
        lease_seconds: Seconds from now for which the claim holds, at most a day.
    """
    return await engine.schedules.service.heartbeat(run_id, caller.name, _lease(lease_seconds))


@operation("schedule.report", access="write", trust="inner")
async def report(
    engine: Engine,
    caller: Caller,
    run_id: str,
    output: str,
    status: RunStatus = "succeeded",
    turn_count: Count = 0,
    cost: float = 0.0,
) -> Changed[ScheduleRun]:
    """Report how a claimed run ended, and schedule the next one.

    Args:
        run_id: The run, as schedule.claim answered it.
        output: What came of it, in words for the person.
        status: succeeded or failed.
        turn_count: Turns of the model.
        cost: Cost of the model.
    """
    if status not in ("succeeded", "failed"):
        raise InputError("'status' must be succeeded or failed.", field="status")
    return await engine.schedules.service.finish(
        run_id, caller.name, status, output, turn_count=turn_count, cost=cost, notified=True
    )


@operation("schedule.pause_all", access="write", trust="full", owner_only=True)
async def pause_all(engine: Engine, caller: Caller, until: datetime | None = None) -> Changed[bool]:
    """Run no schedule until a time.

    Args:
        until: When they go on; now, when left out.
    """
    await engine.schedules.service.pause_all(until)
    return Changed(until is not None, ChangeSet(frozenset({AREA}), (), caller.name))


@operation("schedule.status", trust="full")
async def status(engine: Engine, caller: Caller) -> SchedulerStatus:
    """Return the status of the scheduler: what runs, what is next, and what waits."""
    service = engine.schedules.service
    waiting = [item.id for item in await service.due(1000) if not engine.schedules.runner.can_run(item)]
    return SchedulerStatus(
        await service.next_due(), await service.paused_until(), tuple(await service.claims()), tuple(waiting)
    )


@operation("schedule.words", trust="public")
async def words(engine: Engine, caller: Caller, cadence: Cadence) -> str:
    """Return a cadence in words, whether or not it lies in the past.

    Args:
        cadence: The cadence; see schedule.preview.
    """
    return in_words(cadence)


async def _visible(engine: Engine, caller: Caller, schedule_id: str) -> Schedule:
    """Return a schedule that the caller may use: any with full trust, else its own.

    Raises:
        NotFoundError: There is none that it may use.
    """
    found = await engine.schedules.service.get(schedule_id)
    user = _user(caller)
    if user is not None and found.user_id != user:
        raise NotFoundError("There is no schedule with that id. See 'schedule.search'.", id=schedule_id)
    return found


def _user(caller: Caller) -> str | None:
    """Return whose schedules alone the caller may use, ``None`` for any."""
    return None if caller.reaches("full") else caller.name


def _lease(seconds: float) -> float:
    if not 0 < seconds <= _MAX_LEASE_S:
        raise InputError(f"A lease lasts up to {_MAX_LEASE_S:,.0f} seconds.", field="lease_seconds")
    return seconds
