"""Undo of the night: all that jobs did in the past day, as one act that can be undone."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.memories.model import NewMemory
from tests.helpers.access import EVERYTHING
from tests.helpers.upkeep_runs import UpkeepRuns


@pytest.fixture
def runs(vault: Path) -> Iterator[UpkeepRuns]:
    runs = UpkeepRuns(vault)
    yield runs
    runs.stop()


def observe(runs: UpkeepRuns, title: str, content: str, age: float) -> str:
    created = runs.clock.now - timedelta(days=age)
    draft = NewMemory(content, title, kind="observation", created_at=created)
    return str(runs.host.submit(runs.engine.memories.service.save(EVERYTHING, draft)).result().value.id)


def content(runs: UpkeepRuns) -> list[tuple[Any, ...]]:
    return runs.rows(
        "SELECT id, content, confidence, superseded_by, decayed_at, kind FROM memories WHERE valid_until IS NULL"
        " ORDER BY id"
    )


def fill(runs: UpkeepRuns) -> None:
    for number in range(4):
        observe(runs, "Stand-up", f"Rosa works on part {number}. The build is green.", 20 - number / 10)
    for number in range(3):
        observe(runs, f"Single {number}", f"Something of day {number}", 100)
    runs.ask("vault.settle")


@pytest.mark.parametrize("hours", [0, -1, 169, "many"])
def test_only_a_time_of_up_to_a_week_is_taken(runs: UpkeepRuns, hours: object) -> None:
    with pytest.raises(InputError):
        runs.ask("upkeep.undo_night", hours=hours)


def test_where_nothing_ran_nothing_is_undone(runs: UpkeepRuns) -> None:
    assert runs.ask("upkeep.undo_night").runs == ()


def test_all_that_jobs_did_is_undone_at_once_and_the_undo_too(runs: UpkeepRuns) -> None:
    fill(runs)
    before = content(runs)
    ran = [runs.ask("upkeep.run", job=job) for job in ("retention", "decay", "retention")]
    after = content(runs)
    assert after != before
    reply = runs.host.call("upkeep.undo_night", {}).result()
    assert content(runs) == before
    assert set(reply.value.runs) <= {run.run_id for run in ran}
    assert reply.value.entries == len(reply.changes.history_ids) > 0
    assert runs.ask("upkeep.undo_night").runs == ()
    runs.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert content(runs) == after


def test_what_is_older_or_was_changed_since_stays(runs: UpkeepRuns) -> None:
    fill(runs)
    runs.ask("upkeep.run", job="retention")
    after = content(runs)
    runs.clock.pass_days(2)
    assert runs.ask("upkeep.undo_night").runs == ()
    assert content(runs) == after
    assert runs.ask("upkeep.undo_night", hours=72).runs != ()


def test_notes_of_the_person_stay(runs: UpkeepRuns) -> None:
    fill(runs)
    runs.ask("upkeep.run", job="retention")
    note = runs.ask("note.save", content="Written this morning")
    runs.ask("upkeep.undo_night")
    assert runs.ask("note.get", id=note.id).content == "Written this morning"
