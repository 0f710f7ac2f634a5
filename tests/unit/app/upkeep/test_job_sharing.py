"""Of each job it is said which machines do it, and how what it makes becomes one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.ids import is_derived_id
from app.schedule.model import Sharing
from tests.helpers.upkeep_runs import UpkeepRuns

ROOT = Path(__file__).resolve().parents[4]
SHARING: dict[str, Sharing] = {
    "consolidation": "own",
    "decay": "part",
    "enrichment": "part",
    "housekeeping": "own",
    "reflection": "one",
    "retention": "one",
}
WRITES = {
    # Facts of what was said on this machine; of the same messages they have the same ids.
    "consolidation": {"app/upkeep/consolidation/fact_writer.py"},
    # A fact that two machines set aside is set aside once.
    "decay": {"app/upkeep/fact_decay.py"},
    # A name that two machines join is joined once; questions are asked by the machine that decides.
    "enrichment": {"app/entities/duplicates/joins.py", "app/upkeep/merge_proposals.py"},
    "housekeeping": set(),
    # The reflection of a week has one id.
    "reflection": {"app/upkeep/reflection/weekly_reflection.py"},
    # The digest of some observations has one id; what two machines archive or delete is so once.
    "retention": {"app/memories/digests/compression.py", "app/memories/archive/service.py"},
}
"""The files in which each job changes what all machines share."""


@pytest.fixture
def runs(vault: Path) -> Iterator[UpkeepRuns]:
    runs = UpkeepRuns(vault)
    yield runs
    runs.stop()


def test_each_job_says_which_machines_do_it(runs: UpkeepRuns) -> None:
    assert {job.name: job.sharing for job in runs.engine.upkeep_jobs.all()} == SHARING
    assert {name: job.sharing for name, job in runs.engine.upkeep_jobs.scheduled.items() if "-2" not in name} == {
        f"sch-{name}": sharing for name, sharing in SHARING.items()
    }
    assert set(WRITES) == set(SHARING)
    assert all((ROOT / name).is_file() for names in WRITES.values() for name in names)


def test_no_job_makes_a_memory_under_an_id_of_one_machine(runs: UpkeepRuns) -> None:
    """What a job adds follows from something, and so does its id; a job that makes other memories is to be listed."""
    talk = [{"role": "user", "content": f"I live in Bremen and my sister Rosa moves to number {n}."} for n in range(9)]
    runs.ask("session.append", session="talk", messages=talk)
    runs.clock.pass_days(1)
    for number in range(5):
        runs.ask("fact.remember", content=f"Anna brings the boat number {number} to Bremen.")
    for job in SHARING:
        runs.run(job)
    actors = runs.rows(
        "SELECT DISTINCT actor, target FROM memory_history WHERE event = 'ADD' AND target_kind = 'memory'"
    )
    made = {target: actor for actor, target in actors if actor != "person"}
    assert {"consolidation", "reflection"} <= set(made.values())
    assert all(is_derived_id(target) for target in made)
