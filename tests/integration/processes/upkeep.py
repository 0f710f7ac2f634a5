"""A host that runs upkeep jobs again and again until it is killed.

python -m tests.integration.processes.upkeep VAULT DAYS prints ``ready`` once the vault is open and
``ran`` after each job.
"""

import sys
from pathlib import Path

from tests.helpers.upkeep_runs import UpkeepRuns


def main() -> None:
    """Run the jobs, a day after each round."""
    runs = UpkeepRuns(Path(sys.argv[1]), {"retention.max_rows_per_run": 60, "decay.max_share_month": 1})
    runs.clock.pass_days(float(sys.argv[2]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        for job in ("decay", "retention"):
            runs.run(job)
            sys.stdout.write("ran\n")
            sys.stdout.flush()
        runs.clock.pass_days(1)


if __name__ == "__main__":
    main()
