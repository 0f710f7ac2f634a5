"""Crash within decay and retention: nothing is lost or doubled, and the next run goes on."""

import os
import random
import time
from datetime import timedelta
from pathlib import Path

import pytest

from app.memories.model import NewMemory
from tests.helpers.access import EVERYTHING
from tests.helpers.processes.warm_process import start_module
from tests.helpers.upkeep_runs import UpkeepRuns

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "3"))
MEMORIES = 400


def fill(vault: Path) -> None:
    runs = UpkeepRuns(vault)
    try:
        for number in range(MEMORIES):
            is_fact = number % 2 == 0
            draft = NewMemory(
                f"Statement {number} by hand.",
                "" if is_fact else f"Topic {number // 10}",
                kind="fact" if is_fact else "observation",
                decay_rate=0.05 if is_fact else 0.0,
                created_at=runs.clock.now - timedelta(days=20 + number % 40),
            )
            runs.host.submit(runs.engine.memories.service.save(EVERYTHING, draft)).result()
    finally:
        runs.stop()


def killed(vault: Path, days: float, after_s: float) -> None:
    with start_module("tests.integration.processes.upkeep", str(vault), str(days)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after_s)
        process.kill()


def wrong(runs: UpkeepRuns) -> list[object]:
    """Return what must not be: lost memories, half a cluster, a change of confidence that nothing recorded."""
    everything = runs.rows(
        "SELECT (SELECT count(*) FROM memories WHERE kind <> 'digest') + (SELECT count(*) FROM memory_archive)"
    )
    half = runs.rows(
        "SELECT d.id FROM memories d JOIN memory_sources s ON s.memory_id = d.id JOIN memories o ON o.id = s.source_id"
        " WHERE d.kind = 'digest' AND d.valid_until IS NULL AND o.valid_until IS NULL"
    )
    orphans = runs.rows(
        "SELECT id FROM memories WHERE superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT id FROM memories)"
    )
    unrecorded = runs.rows(
        "SELECT m.id FROM memories m WHERE m.decayed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM confidence_runs r"
        " JOIN confidence_changes c ON c.run = r.number WHERE r.at = m.decayed_at AND c.memory = m.rowid"
        " AND c.after = m.confidence)"
    )
    problems = [finding for finding in runs.ask("vault.check").findings if finding.area != "backups"]
    lost = [] if everything == [(MEMORIES,)] else [everything]
    return [*lost, *half, *orphans, *unrecorded, *problems]


@pytest.mark.slow
def test_killed_within_decay_and_retention(vault: Path) -> None:
    dice = random.Random(14)
    fill(vault)
    for number in range(ROUNDS):
        killed(vault, number, dice.uniform(0.0, 0.6))
        runs = UpkeepRuns(vault)
        try:
            assert wrong(runs) == []
            runs.clock.pass_days(number)
        finally:
            runs.stop()
    runs = UpkeepRuns(vault)
    try:
        runs.clock.pass_days(ROUNDS + 60)
        for job in ("decay", "retention"):
            runs.run(job)
        assert wrong(runs) == []
        # The last night of all may have set aside what was left, and so lowered nothing.
        ids = [
            row[0]
            for row in runs.rows(
                "SELECT run_id FROM confidence_runs WHERE number IN (SELECT run FROM confidence_changes)"
                " ORDER BY number DESC LIMIT 1"
            )
        ]
        # What is given back is kept under the undo, for doing it again, and so the sum may stay.
        of_run = (
            "SELECT count(*) FROM confidence_changes WHERE run ="
            f" (SELECT number FROM confidence_runs WHERE run_id = '{ids[0]}')"
        )
        changed = runs.rows(of_run)
        runs.ask("memory.undo", run_id=ids[0])
        assert runs.rows(of_run) < changed
        assert wrong(runs) == []
    finally:
        runs.stop()
