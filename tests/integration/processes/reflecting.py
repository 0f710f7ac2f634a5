"""A host that writes weekly reflections, a week apart, until it is killed.

python -m tests.integration.processes.reflecting VAULT WEEKS prints ``ready`` once the vault is open.
"""

import sys
from pathlib import Path

from tests.helpers.upkeep_runs import UpkeepRuns


def main() -> None:
    """Write reflections, beginning some weeks after the clock's first day."""
    runs = UpkeepRuns(Path(sys.argv[1]), {"reflection.min_facts": 1})
    runs.clock.pass_days(7 * int(sys.argv[2]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for week in range(1_000):
        runs.ask("fact.remember", content=f"Rosa painted picture {sys.argv[2]}.{week}")
        runs.run("reflection")
        runs.run("reflection")
        runs.clock.pass_days(7)


if __name__ == "__main__":
    main()
