"""Operations on schedules: recurring work of Keepsake, of the person and of agents."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import msgspec

from app.agents.model import Trust
from app.api.caller import TRUSTS, Caller
from app.api.registry import Count, operation
from app.changes import Changed, ChangeSet
from app.core.clock import to_datetime
from app.engine import Engine
from app.errors import AccessDeniedError, InputError, NotFoundError, StaleError
from app.schedule.discretion import as_seen
from app.schedule.model import (
    Cadence,
    Policy,
    Preview,
    RunStatus,
    Schedule,
    ScheduleClaim,
    ScheduleFilter,
    ScheduleNote,
    SchedulePatch,
    ScheduleRun,
    ScheduleSearch,
    Status,
)
from app.schedule.notes import AREA
from app.schedule.options import schedule_options
from app.schedule.words import in_words, preview
from app.sentence import Sentence

_change = partial(
    operation,
    access="write",
    trust="inner",
    review="content",
    kind="schedule",
    undo="history",
    sentence="Used schedules",
)
_claim = partial(
    operation, access="write", trust="inner", review="free", kind="schedule", undo="needless", sentence="Used schedules"
)

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
        waits: Every schedule that is due and does not run, with the reason in words.
        problems: Sentences about what keeps schedules from running at all.
        notes: How many notes wait for the person; see schedule.notes.
    """

    next_run_at: datetime | None
    paused_until: datetime | None
    running: tuple[ScheduleClaim, ...]
    waiting_goals: tuple[str, ...]
    waits: dict[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: int = 0


@operation("schedule.preview", trust="public", sentence="Used schedules")
async def preview_cadence(
    engine: Engine,
    caller: Caller,
    cadence: Cadence,
    zone: str = "",
    after: datetime | None = None,
    count: Count = 5,
    language: str = "",
) -> Preview:
    """Return a cadence in words, with its next runs in its zone.

    Args:
        cadence: {"kind": "cron", "expression": "0 8 * * mon"}, {"kind": "once", "at": "2026-03-01T10:00:00Z"} or
            {"kind": "interval", "seconds": 3600}.
        zone: An IANA zone such as Europe/Berlin; that of the cadence by default.
        after: The runs after this time; now by default.
        count: How many runs, at most 100.
        language: Of the words: de, es or zh_CN; English by default.
    """
    chosen = msgspec.structs.replace(cadence, zone=zone) if zone else cadence
    start = after or to_datetime(engine.clock.now_ms())
    shortest = schedule_options(engine.config).min_interval_s
    return preview(chosen, start, min(count, _MAX_PREVIEW), shortest, language)


@_change("schedule.create")
async def create(
    engine: Engine,
    caller: Caller,
    goal: str,
    cadence: Cadence,
    name: str = "",
    notification_policy: Policy = "always",
    channel_id: str | None = None,
    channel_context_id: str | None = None,
    trust: Trust | None = None,
    max_turns: int | None = None,
    max_cost: float | None = None,
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
        trust: The trust at which the goal is pursued, which decides what it reads; an agent's own for agents, who
            cannot give more, and inner for the person.
        max_turns: Turns of the model that a run may take; the setting goals.max_turns by default.
        max_cost: Cost that a run may have; the setting goals.max_cost by default.
    """
    if trust is None:
        trust = "inner" if caller.is_owner else caller.trust
    _check_trust(caller, trust)
    return await engine.schedules.service.create(
        goal,
        cadence,
        name=name,
        notification_policy=notification_policy,
        channel_id=channel_id,
        channel_context_id=channel_context_id,
        trust=trust,
        max_turns=max_turns,
        max_cost=max_cost,
        actor=caller.name,
    )


@operation("schedule.get", trust="inner", sentence="Used schedules")
async def get(engine: Engine, caller: Caller, id: str) -> Schedule:
    """Return a schedule.

    Args:
        id: The schedule.
    """
    schedule = await _with_wait(engine, caller, await _visible(engine, caller, id))
    if not caller.is_owner:
        return schedule
    return replace(schedule, machine=await engine.schedules.runner.other_machine(schedule))


@operation("schedule.search", trust="inner", sentence="Used schedules")
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
    page = await engine.schedules.service.search(visible_schedules(caller, text, status), limit, offset)
    return ScheduleSearch(
        tuple([await _with_wait(engine, caller, schedule) for schedule in page.schedules]), page.total
    )


@operation("schedule.count", trust="inner", sentence="Used schedules")
async def count(engine: Engine, caller: Caller, text: str = "", status: Status | None = None) -> int:
    """Return how many schedules there are.

    Args:
        text: Words in name or goal.
        status: active, paused or completed.
    """
    return await engine.schedules.service.count(visible_schedules(caller, text, status))


@_change("schedule.update", guard="built_in")
async def update(engine: Engine, caller: Caller, id: str, patch: SchedulePatch) -> Changed[Schedule]:
    """Change a schedule: its name, goal, cadence, policy, trust, limits or status.

    Args:
        id: The schedule.
        patch: Only the fields that change.
    """
    await _visible(engine, caller, id)
    if patch.trust is not None:
        _check_trust(caller, patch.trust)
    return await engine.schedules.service.update(id, patch, actor=caller.name)


@_change("schedule.delete", destructive=True, guard="built_in")
async def delete(engine: Engine, caller: Caller, id: str) -> Changed[bool]:
    """Delete a schedule with its runs; can be undone.

    A built-in one can only be paused.

    Args:
        id: The schedule.
    """
    await _visible(engine, caller, id)
    return await engine.schedules.service.delete(id, actor=caller.name)


@operation("schedule.due", trust="inner", sentence="Used schedules")
async def due(engine: Engine, caller: Caller, limit: Count = 20) -> list[Schedule]:
    """Return the schedules that are due and not claimed, the longest waiting first.

    Args:
        limit: How many at most.
    """
    schedules = [item for item in await engine.schedules.service.due(2000) if _may_use(caller, item)]
    return [await _with_wait(engine, caller, item) for item in schedules[:limit]]


@operation("schedule.runs", trust="inner", sentence="Used schedules")
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
    runs = await engine.schedules.service.runs(id, limit, before)
    return [as_seen(run, names_machines=caller.reaches("full")) for run in runs]


@operation("schedule.run", trust="inner", sentence="Used schedules")
async def run(engine: Engine, caller: Caller, run_id: str) -> ScheduleRun:
    """Return a run by its id.

    Args:
        run_id: The run.
    """
    run = await engine.schedules.service.run(run_id)
    if not _may_use(caller, await engine.schedules.service.get(run.schedule_id)):
        # Neither that there is such a run nor of which schedule it is.
        raise NotFoundError("There is no run of a schedule with that id.", id=run_id)
    return as_seen(run, names_machines=caller.reaches("full"))


@operation(
    "schedule.run_now",
    access="write",
    trust="full",
    review="free",
    kind="schedule",
    guard="built_in",
    undo="needless",
    sentence="Used schedules",
)
async def run_now(engine: Engine, caller: Caller, id: str) -> ScheduleClaim:
    """Run a schedule now; its next run stays.

    The answer comes at once; see schedule.run for how the run ended.

    Args:
        id: The schedule.
    """
    schedule = await _visible(engine, caller, id)
    if obstacle := await engine.schedules.runner.obstacle(schedule):
        raise InputError(obstacle, field="id")
    return await engine.schedules.runner.run_now(schedule)


@operation(
    "schedule.run_here", access="write", owner_only=True, review="free", kind="schedule", undo="needless",
    sentence="Used schedules",
)  # fmt: skip
async def run_here(engine: Engine, caller: Caller, id: str) -> Changed[Schedule]:
    """Run a schedule on this machine from now on, for all that share the memory.

    Args:
        id: The schedule.
    """
    schedule = await _visible(engine, caller, id)
    if not await engine.sync.turns.take_over(id):
        raise StaleError("Another of your machines runs it at this moment. Try again when it has ended.", id=id)
    return Changed(schedule, ChangeSet(frozenset({AREA}), (id,), caller.name))


@operation(
    "schedule.prune",
    access="write",
    trust="full",
    destructive=True,
    review="content",
    kind="schedule",
    guard="others",
    undo="none",
    sentence="Used schedules",
)
async def prune(engine: Engine, caller: Caller, id: str, keep: Count) -> Changed[int]:
    """Delete all but the latest runs of a schedule, and return how many went.

    Args:
        id: The schedule.
        keep: How many runs stay.
    """
    await _visible(engine, caller, id)
    return await engine.schedules.service.prune(id, keep, actor=caller.name)


@_claim("schedule.claim")
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
    runner = engine.schedules.runner
    for schedule in wanted:
        if (await runner.turn_at(schedule)).verdict != "go":
            continue
        claim = await engine.schedules.service.claim(
            schedule.id, caller.name, lease, reason=runner.reason_of_gap(schedule)
        )
        if claim is not None:
            return Changed(claim, ChangeSet(frozenset({AREA}), (schedule.id,), caller.name))
        await runner.give_back(schedule.id, is_done=False)
    return Changed(None)


@_claim("schedule.heartbeat")
async def heartbeat(engine: Engine, caller: Caller, run_id: str, lease_seconds: float = _LEASE_S) -> ScheduleClaim:
    """Extend the claim of a run.

    Args:
        run_id: The run, as schedule.claim answered it.
        lease_seconds: Seconds from now for which the claim holds, at most a day.
    """
    return await engine.schedules.service.heartbeat(run_id, caller.name, _lease(lease_seconds))


@_claim("schedule.report")
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
    done = await engine.schedules.service.finish(run_id, caller.name, status, output, turn_count=turn_count, cost=cost)
    await engine.schedules.runner.give_back(done.value.schedule_id, is_done=True)
    return done


@operation("schedule.pause_all", access="write", owner_only=True, sentence="Used schedules", undo="operation")
async def pause_all(engine: Engine, caller: Caller, until: datetime | None = None) -> Changed[bool]:
    """Run no schedule until a time, or end such a pause.

    The answer says whether that changed anything.

    Args:
        until: When they go on; left out, the pause ends and they go on now.
    """
    before = await engine.schedules.service.paused_until()
    await engine.schedules.service.pause_all(until)
    return Changed(until != before, ChangeSet(frozenset({AREA}), (), caller.name))


@operation("schedule.status", trust="full", sentence="Used schedules")
async def status(engine: Engine, caller: Caller) -> SchedulerStatus:
    """Return the status of the scheduler: what runs, what is next, and what waits."""
    service, runner = engine.schedules.service, engine.schedules.runner
    due_now = await service.due(2000)
    waits = {item.id: reason for item in due_now if (reason := await runner.reason_to_wait(item))}
    goals = tuple([item.id for item in due_now if await runner.obstacle(item)])
    return SchedulerStatus(
        await service.next_due(),
        await service.paused_until(),
        tuple(await service.claims()),
        goals,
        waits,
        tuple(filter(None, (_read_only(engine), runner.problem))),
        len(await engine.schedules.notes.waiting(1000)),
    )


@operation("schedule.notes", trust="full", sentence="Used schedules")
async def notes(engine: Engine, caller: Caller, limit: Count = 100) -> list[ScheduleNote]:
    """Return the notes about schedules that wait for the person, oldest first.

    Args:
        limit: How many at most.
    """
    return await engine.schedules.notes.waiting(limit)


@operation(
    "schedule.notes_shown",
    access="write",
    owner_only=True,
    review="free",
    kind="schedule",
    undo="needless",
    sentence="Used schedules",
)
async def notes_shown(engine: Engine, caller: Caller, ids: list[int]) -> Changed[int]:
    """Record that the person was shown notes about schedules; return how many were new.

    Args:
        ids: The numbers of the notes.
    """
    return await engine.schedules.notes.mark_shown(ids, actor=caller.name)


@operation("schedule.activity", owner_only=True, sentence="Used schedules")
async def activity(engine: Engine, caller: Caller, typing: bool = True, metered: bool | None = None) -> None:
    """Report that the person types, so that heavy work waits; nothing of it is stored.

    Args:
        typing: Whether the person has just typed.
        metered: Whether the connection is paid by volume, where that is known.
    """
    if typing:
        engine.schedules.activity.note_typing()
    if metered is not None:
        engine.schedules.activity.is_metered = metered


@operation("schedule.words", trust="public", sentence="Used schedules")
async def words(engine: Engine, caller: Caller, cadence: Cadence, language: str = "") -> str:
    """Return a cadence in words, whether or not it lies in the past.

    Args:
        cadence: The cadence; see schedule.preview.
        language: Of the words: de, es or zh_CN; English by default.
    """
    return in_words(cadence, language)


async def _visible(engine: Engine, caller: Caller, schedule_id: str) -> Schedule:
    """Return a schedule that the caller may use: any with full trust, else its own.

    Raises:
        NotFoundError: There is none that it may use.
    """
    schedule = await engine.schedules.service.get(schedule_id)
    if not _may_use(caller, schedule):
        raise NotFoundError("There is no schedule with that id. See 'schedule.search'.", id=schedule_id)
    return schedule


def _may_use(caller: Caller, schedule: Schedule) -> bool:
    """Return whether a caller may see and claim a schedule.

    Its goal may name what only its trust reads, so that an agent whose trust was lowered no longer sees its own.
    """
    user = _user(caller)
    return user is None or (schedule.user_id == user and caller.reaches(schedule.trust))


def visible_schedules(caller: Caller, text: str = "", status: Status | None = None) -> ScheduleFilter:
    """Return the filter that lets through what a caller may see of the schedules."""
    user = _user(caller)
    trusts = None if user is None else tuple(level for level in TRUSTS if caller.reaches(level))
    return ScheduleFilter(text, status, user, trusts)


def _user(caller: Caller) -> str | None:
    """Return whose schedules alone the caller may use, ``None`` for any."""
    return None if caller.reaches("full") else caller.name


async def _with_wait(engine: Engine, caller: Caller, schedule: Schedule) -> Schedule:
    waiting = replace(schedule, waits=await engine.schedules.runner.reason_to_wait(schedule))
    return as_seen(waiting, names_machines=caller.reaches("full"))


def _check_trust(caller: Caller, trust: Trust) -> None:
    if not caller.is_owner and not caller.reaches(trust):
        raise AccessDeniedError(
            Sentence("A goal cannot have more trust than {agent} has.", agent=caller.name), field="trust"
        )


def _read_only(engine: Engine) -> str:
    reason = engine.store.read_only
    return (
        ""
        if reason is None
        else Sentence("No schedule runs, because the vault cannot be written: {why}", why=reason.sentence)
    )


def _lease(seconds: float) -> float:
    if not 0 < seconds <= _MAX_LEASE_S:
        raise InputError(
            Sentence("A lease lasts up to {most} seconds.", most=f"{_MAX_LEASE_S:,.0f}"), field="lease_seconds"
        )
    return seconds
