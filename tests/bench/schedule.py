"""Simulated days of the scheduler, with sleeps, kills and changes of zone.

python -m tests.bench.schedule --days 10000 --json OUT

OUT: ``{"occurrences", "ran", "failed", "skipped", "missing", "double"}``; every occurrence must be accounted for once.
The clock is simulated; the database, the service and the runner are real. A kill leaves the claim of a run behind, as
the end of a process does.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.changes import ChangeSet
from app.core.clock import to_datetime, to_ms
from app.core.paths import migrations
from app.errors import MachineError
from app.schedule.cadence import next_run
from app.schedule.catch_up import due_occurrences
from app.schedule.model import BUILT_IN, Cadence, JobResult, Schedule, SchedulePatch, Sharing
from app.schedule.options import ScheduleOptions
from app.schedule.runner import ScheduleRunner
from app.schedule.service import ScheduleService
from app.store.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
CADENCES = {
    "sch-daily": Cadence(kind="cron", expression="30 2 * * *", zone="Europe/Berlin"),
    "sch-weekly": Cadence(kind="cron", expression="0 3 * * sun", zone="America/New_York"),
    "sch-monthly": Cadence(kind="cron", expression="15 1 31 * *", zone="UTC"),
    "sch-hourly": Cadence(kind="cron", expression="0 */6 * * *", zone="Europe/Berlin"),
    "sch-interval": Cadence(kind="interval", seconds=6 * 3600),
}
KILL_SHARE, FAIL_SHARE, SLEEP_SHARE, ZONE_SHARE = 0.01, 0.05, 0.03, 0.2


class KilledError(BaseException):
    """The end of the simulated process."""


@dataclass
class World:
    """The simulated machine.

    Args:
        chance: Its events.
        now: Its wall clock.
        awake_s: Its monotonic clock.
    """

    chance: random.Random
    now: datetime = START
    awake_s: float = 0.0
    is_killed: bool = False
    kills: int = 0
    sleeps: int = 0
    occurrences: dict[str, set[datetime]] = field(default_factory=dict)
    known_until: dict[str, datetime] = field(default_factory=dict)
    done: Counter[tuple[str, datetime]] = field(default_factory=Counter)
    ended: Counter[tuple[str, str]] = field(default_factory=Counter)

    def now_ms(self) -> int:
        return to_ms(self.now)

    def monotonic(self) -> float:
        return self.awake_s

    async def sleep(self, seconds: float) -> None:
        """Let time pass; now and then the machine sleeps, or the process ends."""
        await asyncio.sleep(0)
        if self.is_killed:
            raise KilledError
        self.now += timedelta(seconds=seconds)
        self.awake_s += seconds
        if self.chance.random() < SLEEP_SHARE:
            self.sleeps += 1
            self.now += timedelta(seconds=round(3600 * self.chance.expovariate(1 / 8)))
        # The clock of the vault has whole milliseconds; both must tell the same time.
        self.now = to_datetime(to_ms(self.now))


class SimulatedJob:
    """Work that fails now and then, or ends with its process."""

    is_heavy = False
    sharing: Sharing = "own"

    def __init__(self, world: World, service: ScheduleService) -> None:
        self._world = world
        self._service = service

    def is_enabled(self) -> bool:
        """Return that it may run."""
        return True

    def is_harmless(self) -> bool:
        """Return that it does."""
        return True

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        """Do nothing, in one of the ways that work ends."""
        chance = self._world.chance.random()
        (claim,) = [one for one in await self._service.claims() if one.run_id == run_id]
        if chance < KILL_SHARE:
            self._world.is_killed = True
            self._world.kills += 1
            raise KilledError
        self._world.done[claim.schedule_id, claim.scheduled_for] += 1
        if chance < KILL_SHARE + FAIL_SHARE:
            raise MachineError("It failed.")
        return JobResult("done")


async def simulate(folder: Path, days: int, seed: int) -> dict[str, int]:
    """Return what became of every occurrence within some days."""
    world = World(random.Random(seed))
    asyncio.get_running_loop().set_exception_handler(_ignore_kills)
    store = Store.open(folder, migrations())
    options = ScheduleOptions(poll_s=86_400, failures_to_pause=10**6, keep_runs=10**9)
    service = ScheduleService(store, world, lambda: options)
    for identity, cadence in CADENCES.items():
        now = world.now
        await service.install([Schedule(identity, BUILT_IN, identity, "", cadence, "never", "active", now, now)])
        world.known_until[identity] = now
    end = START + timedelta(days=days)
    counts: Counter[str] = Counter()
    changes = 0
    while world.now < end:
        counts["processes"] += 1
        await one_process(world, service, end)
        await collect(world, service)
        if world.chance.random() < ZONE_SHARE:
            changes += await change_zone(world, service)
    found = await account(world, service)
    counts.update(found)
    print(f"{world.kills} kills, {world.sleeps} sleeps, {changes} changes of zone, {counts['processes']} processes")
    store.close()
    return {name: counts[name] for name in ("occurrences", "ran", "failed", "skipped", "missing", "double")}


def _ignore_kills(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report what broke, but for the tasks of killed processes, whose end was intended."""
    if not isinstance(context.get("exception"), KilledError):
        loop.default_exception_handler(context)


async def one_process(world: World, service: ScheduleService, end: datetime) -> None:
    """Run one process of Keepsake until it is killed or the simulation ends."""
    world.is_killed = False
    job = SimulatedJob(world, service)

    async def sleep(seconds: float) -> None:
        for task in asyncio.all_tasks():
            if task.get_name().startswith("schedule "):
                await asyncio.gather(task, return_exceptions=True)
        await world.sleep(seconds)
        if world.now >= end:
            raise KilledError

    def ignore(changes: ChangeSet) -> None:
        """Do nothing."""

    jobs = dict.fromkeys(CADENCES, job)
    runner = ScheduleRunner(service, world, jobs, service._options, ignore, monotonic=world.monotonic, sleep=sleep)
    try:
        await runner.run()
    except KilledError:
        return


async def change_zone(world: World, service: ScheduleService) -> int:
    """Move a schedule to another zone, as a traveller does."""
    identity = world.chance.choice([name for name, cadence in CADENCES.items() if cadence.kind == "cron"])
    schedule = await service.get(identity)
    if schedule.next_run_at is None or schedule.next_run_at <= world.now:
        return 0
    remember(world, schedule)
    cadence = Cadence(kind="cron", expression=schedule.cadence.expression, zone=world.chance.choice(ZONES))
    await service.update(identity, SchedulePatch(cadence=cadence), actor="person")
    return 1


def remember(world: World, schedule: Schedule) -> None:
    """Note the occurrences of a cadence up to now, independently of what ran."""
    seen = world.occurrences.setdefault(schedule.id, set())
    at = world.known_until[schedule.id]
    while (following := next_run(schedule.cadence, at)) is not None and following <= world.now:
        seen.add(following)
        at = following
    world.known_until[schedule.id] = world.now if schedule.cadence.kind == "cron" else at


async def collect(world: World, service: ScheduleService) -> None:
    """Count the runs of the history so far and empty it, so that it stays as short as a person's."""
    for identity in CADENCES:
        for run in await service.runs(identity, 10**8):
            # An interrupted run was not done: the same occurrence ran again, or was skipped as missed.
            world.ended[identity, run.status] += run.turn_count if run.status == "skipped" else 1
        await service.prune(identity, 0, actor="person")


async def account(world: World, service: ScheduleService) -> dict[str, int]:
    """Return how many occurrences ran, failed, were skipped, are missing, and ran twice."""
    totals: Counter[str] = Counter()
    for identity in CADENCES:
        schedule = await service.get(identity)
        remember(world, schedule)
        expected = len(world.occurrences[identity])
        if schedule.next_run_at is not None and schedule.next_run_at <= world.now:
            # Due at this moment, and not looked at yet.
            expected -= due_occurrences(schedule.cadence, schedule.next_run_at, world.now).left_out + 1
        # The last process may have been killed in the middle of a run, which the next one would begin anew.
        expected -= sum(claim.schedule_id == identity for claim in await service.claims())
        ended = {status: world.ended[identity, status] for status in ("succeeded", "failed", "skipped")}
        done = ended["succeeded"] + ended["failed"] + ended["skipped"]
        totals["occurrences"] += expected
        totals["ran"] += ended["succeeded"]
        totals["failed"] += ended["failed"]
        totals["skipped"] += ended["skipped"]
        totals["missing"] += max(expected - done, 0)
        twice = sum(count - 1 for (name, _), count in world.done.items() if name == identity)
        totals["double"] += max(twice, done - expected, 0)
    return dict(totals)


def main() -> None:
    """Simulate, print, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    begun = time.perf_counter()
    memory = Path("/dev/shm")  # durable writes to a disk would take most of the time
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        run = asyncio.run(simulate(Path(folder), given.days, given.seed))
    print(f"{given.days} days in {time.perf_counter() - begun:.0f} s")
    text = json.dumps(run)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
