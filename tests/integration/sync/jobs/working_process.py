"""A process that is killed while it does the due work of a vault."""

import os
import signal
import sys
from datetime import datetime
from pathlib import Path

from app.schedule.model import JobResult
from tests.helpers.engine import engine_of
from tests.integration.sync.jobs.working_machines import WorkingMachine


def main(vault: str, now: str, job: str, moment: str) -> None:
    """Do what is due at a time; a goal is begun and never ends.

    Args:
        vault: The folder of the vault.
        now: The time.
        job: A built-in schedule at whose work the process kills itself, ``""`` for none.
        moment: Whether it does so at the ``beginning`` of it or at its ``end``.
    """
    machine = WorkingMachine(Path(vault), Path(vault).parent / "unused", [])
    machine.time.now = datetime.fromisoformat(now)
    machine.goals.gate.clear()
    if job:
        work = engine_of(machine.host).schedules.runner._jobs[job]
        run = work.run

        async def run_and_die(run_id: str, *, decides: bool) -> JobResult:
            if moment == "end":
                await run(run_id, decides=decides)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError

        work.run = run_and_die  # type: ignore[method-assign]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    machine.work()


if __name__ == "__main__":
    main(*sys.argv[1:])
