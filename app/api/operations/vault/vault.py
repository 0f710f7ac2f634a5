"""Operations on the vault itself."""

import asyncio
from dataclasses import replace
from functools import partial

from app.api.caller import Caller
from app.api.operations.agents.isolation import with_isolated
from app.api.registry import Count, operation
from app.changes import Changed, ChangeSet
from app.core.clock import to_datetime
from app.engine import Engine
from app.schedule.model import Schedule, ScheduleFilter
from app.trace.model import TraceLine
from app.trace.trace_reader import latest
from app.upkeep.model import CheckReport, RepairReport, VaultStats, VaultStatus

_mend = partial(
    operation,
    access="write",
    owner_only=True,
    review="free",
    kind="vault",
    undo="needless",
    sentence="Looked after the vault",
)

_LOOKED_AT = 200  # schedules


@operation("vault.status", trust="full", sentence="Asked how the vault stands")
async def status(engine: Engine, caller: Caller) -> VaultStatus:
    """Return the status of the vault: counts, indexing, jobs and failures."""
    return await _status(engine)


@operation("vault.stats", trust="full", sentence="Asked how the vault stands")
async def stats(engine: Engine, caller: Caller) -> VaultStats:
    """Return counts of the vault's content and its size on disk.

    Chunks with and without vectors are counted too, and sizes are given by file.
    """
    return await engine.upkeep.service.stats()


@operation("vault.check", owner_only=True, sentence="Asked how the vault stands")
async def check(engine: Engine, caller: Caller) -> CheckReport:
    """Check that the vault is sound, by reading all of it.

    Each finding says whether a repair corrects it.
    """
    if engine.store.read_only is None:
        await engine.erasure.settled()
    report = await engine.upkeep.service.check()
    if engine.isolated is not None:
        report = await with_isolated(report, engine.isolated)
    await engine.safety.keep_check(report)
    engine.feed.publish(ChangeSet(frozenset({"checks"}), (), caller.name))
    return report


@_mend("vault.repair")
async def repair(engine: Engine, caller: Caller) -> Changed[RepairReport]:
    """Rebuild the derived data that a check finds wrong, and check again.

    Search entries, words, vectors, counts, indexes and mentions are made from what was written, which itself stays as
    it is; rows that belong to nothing go, and messages without a conversation get one. Where more than that is damaged
    nothing is changed, and the failure says what helps.
    """
    return await engine.upkeep.service.repair(caller.name, engine.entities.worker.start_over)


@_mend("vault.reindex")
async def reindex(engine: Engine, caller: Caller) -> Changed[int]:
    """Rebuild search entries and vectors of everything; return the number of items.

    Cut off by the end of Keepsake, it goes on at the next start.
    """
    done = await engine.upkeep.service.reindex(caller.name)
    await engine.entities.worker.start_over()
    return done


@operation("vault.settle", trust="full", sentence="Asked how the vault stands")
async def settle(engine: Engine, caller: Caller, names: bool = False, token_vectors: bool = False) -> VaultStatus:
    """Wait until the index has caught up, and return how the vault stands.

    Args:
        names: Wait also until everything has been read for the names of people, places and organisations.
        token_vectors: Wait also until late interaction has read everything, where the settings name such a model.
    """
    await engine.upkeep.service.wait_rebuilt()
    await engine.index.worker.wait_idle()
    if token_vectors:
        await engine.index.token_vectors.wait_idle()
    if names:
        await engine.entities.worker.wait_idle()
    return await _status(engine)


@operation("vault.trace", owner_only=True, sentence="Asked how the vault stands")
async def read_trace(engine: Engine, caller: Caller, limit: Count = 200, contains: str = "") -> list[TraceLine]:
    """Return the latest lines of the trace, newest first.

    It holds times, counts and names of the program's own, never content. Empty while no trace is kept.

    Args:
        limit: How many lines at most.
        contains: Letters that a line contains, such as the name of an event.
    """
    return await asyncio.to_thread(latest, engine.vault / "trace", limit, contains)


async def _status(engine: Engine) -> VaultStatus:
    coming = await _next_schedule(engine)
    status = replace(
        await engine.upkeep.service.status(),
        pending_names=await engine.entities.worker.left(),
        running=await _running(engine),
        next_name=coming.name if coming is not None else "",
        next_at=coming.next_run_at if coming is not None else None,
        agents=tuple(agent.name for agent in engine.presence.connected()),
    )
    return status if engine.isolated is None else replace(status, isolated=engine.isolated.opened())


async def _next_schedule(engine: Engine) -> Schedule | None:
    """Return the schedule that runs next; what is due already and waits does not count.

    In safe mode, none runs.
    """
    if engine.config.is_safe_mode or await engine.schedules.service.paused_until() is not None:
        return None
    now = to_datetime(engine.clock.now_ms())
    page = await engine.schedules.service.search(ScheduleFilter(status="active"), _LOOKED_AT, 0)
    return next(
        (schedule for schedule in page.schedules if schedule.next_run_at is not None and schedule.next_run_at > now),
        None,
    )


async def _running(engine: Engine) -> tuple[str, ...]:
    """Return the names of the schedules that run now."""
    claims = {claim.schedule_id for claim in await engine.schedules.service.claims()}
    if not claims:
        return ()
    page = await engine.schedules.service.search(ScheduleFilter(), _LOOKED_AT, 0)
    return tuple(schedule.name for schedule in page.schedules if schedule.id in claims)
