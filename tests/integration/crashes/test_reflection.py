"""A host is killed while it writes reflections: there is one in a week, whole and with its sources."""

import os
import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.helpers.processes.warm_process import start_module
from tests.helpers.upkeep_runs import UpkeepRuns

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "3"))


def killed(vault: Path, weeks: int, after_s: float) -> None:
    with start_module("tests.integration.processes.reflecting", str(vault), str(weeks)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after_s)
        process.kill()


@pytest.mark.slow
def test_killed_while_writing_reflections(vault: Path) -> None:
    dice = random.Random(7)
    weeks = 0
    for _ in range(ROUNDS):
        killed(vault, weeks, dice.uniform(0.0, 0.5))
        runs = UpkeepRuns(vault, {"reflection.min_facts": 1})
        try:
            found = runs.rows("SELECT created_at FROM memories WHERE kind = 'reflection' ORDER BY 1")
            assert all(after[0] - before[0] >= 6 * 86_400_000 for before, after in pairwise(found))
            bare = "SELECT id FROM memories m WHERE kind = 'reflection' AND (content = '' OR NOT EXISTS (SELECT 1 FROM"
            assert runs.rows(f"{bare} memory_sources s WHERE s.memory_id = m.id))") == []
            unrecorded = "SELECT id FROM memories m WHERE kind = 'reflection' AND NOT EXISTS (SELECT 1 FROM"
            assert runs.rows(f"{unrecorded} memory_history h WHERE h.target = m.id AND h.run_id <> '')") == []
            assert [finding for finding in runs.ask("vault.check").findings if finding.area != "backups"] == []
            newest = runs.rows("SELECT max(created_at) FROM memories")[0][0] or runs.clock.now_ms()
            weeks = (newest - runs.clock.now_ms()) // (7 * 86_400_000) + 1
            runs.clock.pass_days(7 * weeks)
            runs.ask("fact.remember", content=f"Rosa hung picture {weeks}")
            assert runs.run("reflection")[1].counts["written"] == 1
            assert runs.run("reflection")[1].counts["written"] == 0
            weeks += 1
        finally:
            runs.stop()
