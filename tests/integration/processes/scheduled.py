"""Process of a host with one slow scheduled job, to be killed in the middle of it.

Run as ``python -m tests.integration.processes.scheduled VAULT START SECONDS``: its clock begins at START (ISO 8601) and
goes thirty times as fast; the job takes SECONDS. Lines on its output tell when the job begins and ends.
"""

import asyncio
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from app.host import Host
from app.schedule.model import BUILT_IN, Cadence, JobResult, Schedule, Sharing
from tests.helpers.engine import engine_of

SCHEDULE = "sch-slow"
SPEED = 30


class FastClock:
    """A clock that begins at a time and goes fast."""

    def __init__(self, start: datetime) -> None:
        self._start_ms = round(start.timestamp() * 1000)
        self._begun = time.monotonic()

    def now_ms(self) -> int:
        return self._start_ms + round((time.monotonic() - self._begun) * 1000 * SPEED)


class SlowJob:
    """Work that takes a while and tells of it."""

    is_heavy = True
    sharing: Sharing = "own"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def is_enabled(self) -> bool:
        return True

    def is_harmless(self) -> bool:
        return True

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        print(f"begun {run_id}", flush=True)  # noqa: T201
        await asyncio.sleep(self._seconds)
        print(f"ended {run_id}", flush=True)  # noqa: T201
        return JobResult("Done.")


def main() -> None:
    """Run until a line comes on the input, or killed."""
    vault, start, seconds = Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), float(sys.argv[3])
    clock = FastClock(start)
    host = Host(vault, clock=clock, overrides={"embedding.model": "hashed", "schedule.poll": 1, "backup.daily": False})
    host.start()
    engine: Any = engine_of(host)
    cadence = Cadence(kind="cron", expression="0 * * * *")
    schedule = Schedule(SCHEDULE, BUILT_IN, "Slow", "", cadence, "always", "active", start, start)
    engine.schedules.runner._jobs = {SCHEDULE: SlowJob(seconds)}
    host.submit(engine.schedules.service.install([schedule])).result()
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    host.stop()


if __name__ == "__main__":
    main()
