"""Runs of upkeep jobs in a host with a clock that the test sets."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.core.ids import new_id
from app.engine import Engine
from app.host import Host
from app.schedule.model import JobResult
from app.upkeep.upkeep_job import UpkeepRun
from tests.helpers.engine import engine_of


class SetClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now_ms(self) -> int:
        """Return the time that was set, in milliseconds."""
        return round(self.now.timestamp() * 1000)

    def pass_days(self, days: float) -> None:
        """Let some days pass."""
        self.now += timedelta(days=days)


@dataclass
class UpkeepRuns:
    """A host whose jobs run only when the test says so.

    Args:
        vault: The vault's folder.
        overrides: Settings.
    """

    vault: Path
    overrides: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = SetClock()
        quiet = {
            "embedding.model": "hashed",
            "backup.daily": False,
            "schedule.poll": 3600,
            "decay.enabled": False,
            "retention.enabled": False,
            "housekeeping.enabled": False,
            "consolidation.enabled": False,
            "enrichment.enabled": False,
            "reflection.enabled": False,
        }
        self.host = Host(self.vault, serve=False, clock=self.clock, overrides=quiet | self.overrides)
        self.host.start()
        self.host.ask("vault.settle")

    @property
    def engine(self) -> Engine:
        """Return the engine."""
        engine = engine_of(self.host)
        assert isinstance(engine, Engine)
        return engine

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call an operation."""
        return self.host.ask(operation, **arguments)

    def run(self, job: str) -> tuple[str, JobResult]:
        """Run a job to its end; return the run's id and its outcome."""
        run_id = new_id("run")

        async def work() -> JobResult:
            progress = self.engine.jobs.begin(job, "things", run_id)
            try:
                run = UpkeepRun(run_id, progress, self.engine.publish)
                return await self.engine.upkeep_jobs.named(job).apply(run)
            finally:
                self.engine.jobs.end(progress, "finished")

        return run_id, self.host.submit(work()).result(120)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return rows of the database."""
        return self.host.submit(self.engine.store.read(lambda connection: connection.execute(sql).fetchall())).result()

    def stop(self) -> None:
        """Stop the host."""
        self.host.stop()
