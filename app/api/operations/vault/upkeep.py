"""Operations on upkeep: jobs that are planned, run and undone as one."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated

import msgspec

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Area, Changed, ChangeSet, Progress
from app.core.clock import to_datetime
from app.engine import Engine
from app.errors import NotFoundError, StaleError
from app.history.model import RunReport
from app.schedule.model import Schedule, ScheduleRun
from app.upkeep.job_schedules import schedule_ids
from app.upkeep.model import UndoneNight
from app.upkeep.upkeep_job import UpkeepJob, UpkeepPlan

_RECENT = 20  # runs in which to look for the latest that took place
_RUNS_AT_ONCE = 200
Hours = Annotated[int, msgspec.Meta(ge=1, le=168)]


@dataclass(frozen=True, slots=True)
class UpkeepJobStatus:
    """State of a job of upkeep.

    Args:
        name: Its name, such as ``decay``.
        title: Its title, for a person.
        goal: What it does, in a sentence.
        enabled: Whether the settings let it run by itself.
        schedules: When it runs.
        running: Its progress while it runs.
        last_run: Its latest run that took place, with what it said.
        counts: How many changes of each kind that run made that still stand.
    """

    name: str
    title: str
    goal: str
    enabled: bool
    schedules: tuple[Schedule, ...]
    running: Progress | None = None
    last_run: ScheduleRun | None = None
    counts: dict[str, int] = field(default_factory=dict)


@operation("upkeep.status", trust="full", sentence="Looked at upkeep")
async def status(engine: Engine, caller: Caller) -> list[UpkeepJobStatus]:
    """Return each job of upkeep with its schedules, its progress and its latest run."""
    await _install(engine)
    return [await _status(engine, job) for job in engine.upkeep_jobs.all()]


@operation("upkeep.changes", owner_only=True)
async def changes(engine: Engine, caller: Caller, run_id: str, limit: Count = 50, cursor: str = "") -> RunReport:
    """Return what a run changed, item by item, with counts of each kind of change.

    Args:
        run_id: The run, as schedule.runs has it.
        limit: How many items at most.
        cursor: Where to go on, as the page before has it.
    """
    return await engine.undo.run_reader.changes(run_id, limit, cursor)


@operation("upkeep.plan", trust="full", sentence="Looked at upkeep")
async def plan(engine: Engine, caller: Caller, job: str) -> UpkeepPlan:
    """Return what a job would change now; changes nothing.

    Args:
        job: The name of the job, as upkeep.status has it.
    """
    return await engine.upkeep_jobs.named(job).plan()


@operation("upkeep.run", access="write", owner_only=True, review="unrehearsed", kind="vault", undo="history")
async def run(engine: Engine, caller: Caller, job: str) -> ScheduleRun:
    """Run a job now, wait for its end, and return its run.

    What it changed is undone with memory.undo and the id of the run.

    Args:
        job: The name of the job, as upkeep.status has it.
    """
    upkeep_job = engine.upkeep_jobs.named(job)
    await _install(engine)
    schedule = await engine.schedules.service.get(schedule_ids(upkeep_job)[0])
    claim = await engine.schedules.runner.run_now(schedule)
    await engine.schedules.runner.ended(schedule.id)
    return await engine.schedules.service.run(claim.run_id)


@operation("upkeep.cancel", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def cancel(engine: Engine, caller: Caller, job: str) -> bool:
    """Stop a job that runs; False when it does not run.

    What it did so far stays and can be undone.

    Args:
        job: The name of the job, as upkeep.status has it.
    """
    upkeep_job = engine.upkeep_jobs.named(job)
    running = [
        claim for claim in await engine.schedules.service.claims() if claim.schedule_id in schedule_ids(upkeep_job)
    ]
    for claim in running:
        engine.jobs.cancel(claim.run_id)
    return bool(running)


@operation("upkeep.undo_night", access="write", owner_only=True, review="content", kind="note", undo="history")
async def undo_night(engine: Engine, caller: Caller, hours: Hours = 24) -> Changed[UndoneNight]:
    """Undo all that jobs and goals changed in the past day, as one act.

    What was changed again since stays as it is. memory.undo with the entries of this act takes the undo back.

    Args:
        hours: How long ago the runs began at most.
    """
    since = to_datetime(engine.clock.now_ms()) - timedelta(hours=hours)
    undone, remaining, entries = list[str](), list[str](), list[int]()
    areas = frozenset[Area]()
    for run in await _runs_since(engine, since):  # the latest first: what one run changed, a later one may change again
        try:
            undoing = await engine.undo.runs.undo(caller.access, run.run_id)
        except NotFoundError:
            continue  # it changed nothing
        except StaleError:
            remaining.append(run.run_id)
            continue
        undone.append(run.run_id)
        entries += undoing.value
        areas |= undoing.changes.areas
    changes = ChangeSet(areas, (), caller.name, history_ids=tuple(entries))
    return Changed(UndoneNight(tuple(undone), len(entries), tuple(remaining)), changes)


async def _runs_since(engine: Engine, since: datetime) -> list[ScheduleRun]:
    """Return the runs that began since a time, the latest first."""
    runs: list[ScheduleRun] = []
    before: str | None = None
    while True:
        page = await engine.schedules.service.runs(None, _RUNS_AT_ONCE, before)
        runs += [run for run in page if run.started_at >= since]
        if len(page) < _RUNS_AT_ONCE or page[-1].started_at < since:
            return runs
        before = page[-1].run_id


async def _install(engine: Engine) -> None:
    """Store the schedules of the jobs, unless they are there."""
    if engine.store.read_only is None:
        await engine.upkeep_jobs.install()


async def _status(engine: Engine, job: UpkeepJob) -> UpkeepJobStatus:
    service, ids = engine.schedules.service, schedule_ids(job)
    claims = {claim.run_id for claim in await service.claims() if claim.schedule_id in ids}
    running = next((job for job in engine.jobs.all() if job.job in claims), None)
    runs = [run for identity in ids for run in await service.runs(identity, _RECENT) if run.status != "skipped"]
    last = max(runs, key=lambda run: run.started_at, default=None)
    counts = {} if last is None else (await engine.undo.run_reader.changes(last.run_id, 1)).counts
    schedules = tuple([await service.get(identity) for identity in ids])
    return UpkeepJobStatus(job.name, job.title, job.goal, job.is_enabled(), schedules, running, last, counts)
