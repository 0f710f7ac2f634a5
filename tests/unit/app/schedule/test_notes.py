"""Notes about schedules wait for the person, and runs say truly whether they were shown."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.app.schedule.harness import Schedules

HOUR = timedelta(hours=1)


@pytest.fixture
def schedules(vault: Path) -> Iterator[Schedules]:
    schedules = Schedules(vault)
    yield schedules
    schedules.close()


@pytest.mark.parametrize(
    ("policy", "fails", "texts"),
    [
        ("always", False, ["‘Job’ is done."]),
        ("always", True, ["‘Job’ failed."]),
        ("on_failure", False, []),
        ("on_failure", True, ["‘Job’ failed."]),
        ("never", False, []),
        ("never", True, []),
    ],
)
def test_the_policy_decides(schedules: Schedules, policy: Any, fails: bool, texts: list[str]) -> None:
    made, job = schedules.built_in(policy=policy)
    job.fails = fails
    runner = schedules.runner({made.id: job})
    schedules.pass_time(awake=HOUR)
    schedules.tick(runner)
    assert schedules.texts() == texts


def test_a_run_counts_as_notified_once_its_note_was_shown(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    schedules.pass_time(awake=HOUR)
    schedules.tick(runner)
    assert not schedules.runs(made)[0].notified
    (note,) = schedules.do(schedules.notes.waiting())
    shown = schedules.do(schedules.notes.mark_shown([note.id, note.id, 999], actor="person"))
    assert (shown.value, shown.changes.ids) == (1, (made.id,))
    assert schedules.runs(made)[0].notified
    assert schedules.texts() == []
    assert schedules.do(schedules.notes.mark_shown([note.id], actor="person")).value == 0


def test_a_pause_after_failures_is_told_once(schedules: Schedules) -> None:
    made, job = schedules.built_in(policy="on_failure")
    job.fails = True
    runner = schedules.runner({made.id: job})
    for _ in range(8):
        schedules.pass_time(awake=24 * HOUR)
        schedules.tick(runner)
    assert len(job.runs) == 5
    assert schedules.texts() == ["‘Job’ failed."] * 5 + ["‘Job’ is paused after 5 failures in a row."]


def test_missed_runs_are_told_to_those_who_want_every_run(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    schedules.tick(runner)
    schedules.pass_time(asleep=5 * HOUR)
    schedules.pass_slowly(runner, timedelta(minutes=3))
    assert schedules.texts() == [
        "‘Job’ was left out 4 times. The machine slept or its clock was set.",
        "‘Job’ is done.",
    ]


def test_notes_do_not_pile_up_for_ever(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    for _ in range(520):
        schedules.pass_time(awake=HOUR)
        schedules.tick(runner)
    assert len(schedules.do(schedules.notes.waiting(10_000))) == 500
    schedules.do(schedules.service.delete(schedules.make().id, actor="person"))
