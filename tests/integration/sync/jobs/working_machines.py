"""Machines of one person with clocks that the test sets, and the work that each did for all."""

import asyncio
import threading
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import pytest

from app.schedule.model import JobResult, Schedule
from app.sync.leases.job_turns import TurnTiming
from tests.helpers.engine import engine_of
from tests.helpers.upkeep_runs import SetClock
from tests.integration.sync.machines import Machine

IN_FOLDER = pytest.mark.parametrize("place", ["folder"], indirect=True)
WEEK = [f"Anna will bring the boat number {number} to Bremen in May." for number in range(5)]
Done = list[tuple[str, datetime]]
TIMING = TurnTiming(look=1, beat=0.05, silence=600, long_silence=3600)
JOBS = {
    "retention.enabled": True,
    "reflection.enabled": True,
    "retention.compression_min_cluster_size": 2,
}


class Goals:
    """A runner of goals that notes what it did and where."""

    def __init__(self, machine: "WorkingMachine") -> None:
        self._machine = machine
        self.reason = ""
        self.dies = False
        self.gate = threading.Event()
        self.gate.set()

    async def obstacle(self, _schedule: Schedule) -> str:
        """Return why it does not run here."""
        return self.reason

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        """Note that the goal was pursued."""
        claims = await engine_of(self._machine.host).schedules.service.claims()
        (due,) = [claim.scheduled_for for claim in claims if claim.run_id == run_id]
        self._machine.done.append((self._machine.vault.name, due))
        await asyncio.to_thread(self.gate.wait)
        if self.dies:
            raise asyncio.CancelledError
        return JobResult("Done.")


class WorkingMachine(Machine):
    """A machine whose wall clock and steady clock the test sets; it looks for due work only when asked to."""

    works_by_itself = False

    def __init__(self, vault: Path, folder: Path, done: list[tuple[str, datetime]], **overrides: object) -> None:
        self.done = done
        self.steady_s = 0.0
        super().__init__(vault, folder, SetClock(), {**JOBS, **overrides})

    @property
    def time(self) -> SetClock:
        """Return its wall clock."""
        assert isinstance(self.clock, SetClock)
        return self.clock

    def start(self) -> None:
        """Open the vault."""
        super().start()
        engine = engine_of(self.host)
        self.goals = Goals(self)
        engine.schedules.runner.goals = self.goals
        engine.sync.turns.timing = TIMING
        engine.sync.turns.monotonic = engine.schedules.runner._monotonic = lambda: self.steady_s

    def work(self) -> None:
        """Do what is due here."""
        runner = engine_of(self.host).schedules.runner

        async def tick() -> None:
            await runner.tick()
            await runner.settled()

        self.host.submit(tick()).result(120)

    def runs(self, schedule: str) -> list[tuple[str, str]]:
        """Return state and words of the runs of a schedule, the newest first."""
        return [(run.status, run.output_summary) for run in self.ask("schedule.runs", id=schedule)]

    def waits(self, schedule: str) -> str:
        """Return why a schedule waits."""
        found: Schedule = self.ask("schedule.get", id=schedule)
        return str(found.waits)


def pass_time(machines: Iterable[WorkingMachine], hours: float = 0.0, seconds: float = 0.0) -> None:
    """Let time pass on all machines, which stay awake."""
    for machine in machines:
        machine.time.pass_days(hours / 24 + seconds / 86_400)
        machine.steady_s += hours * 3600 + seconds


def reflections(machine: WorkingMachine) -> list[str]:
    """Return the ids of the reflections that are there."""
    rows = machine.rows("SELECT id FROM memories WHERE kind = 'reflection' AND valid_until IS NULL")
    return [row[0] for row in rows]
