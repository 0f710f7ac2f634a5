"""Schedules are stored, claimed once, caught up once, and their runs recorded."""

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from app.core.clock import to_ms
from app.core.paths import migrations
from app.errors import InputError, MachineError, NotFoundError, StaleError
from app.schedule.model import BUILT_IN, Cadence, JobResult, Schedule, ScheduleFilter, SchedulePatch, Sharing
from app.schedule.options import ScheduleOptions
from app.schedule.runner import ScheduleRunner
from app.schedule.service import ScheduleService
from app.store.store import Store

if TYPE_CHECKING:
    from app.changes import ChangeSet

T = TypeVar("T")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOURLY = Cadence(kind="cron", expression="0 * * * *")


class Harness:
    """Schedules of a real vault, with a clock that is set by the test."""

    def __init__(self, vault: Path) -> None:
        self.store = Store.open(vault, migrations())
        self.now = START
        self.awake_s = 0.0
        self.options = ScheduleOptions()
        self.service = ScheduleService(self.store, self, lambda: self.options)
        self.loop = asyncio.Runner()
        self.changes: list[ChangeSet] = []

    def now_ms(self) -> int:
        return to_ms(self.now)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work)

    def make(self, cadence: Cadence = HOURLY, goal: str = "Sum up the week", **options: Any) -> Schedule:
        return self.do(self.service.create(goal, cadence, actor="person", **options)).value

    def get(self, schedule: Schedule) -> Schedule:
        return self.do(self.service.get(schedule.id))

    def runner(self, jobs: dict[str, Any], **options: Any) -> ScheduleRunner:
        return ScheduleRunner(
            self.service,
            self,
            jobs,
            lambda: self.options,
            self.changes.append,
            monotonic=lambda: self.awake_s,
            **options,
        )

    def pass_time(self, asleep: timedelta = timedelta(), awake: timedelta = timedelta()) -> None:
        self.now += asleep + awake
        self.awake_s += awake.total_seconds()


@pytest.fixture
def harness(vault: Path) -> Iterator[Harness]:
    harness = Harness(vault)
    yield harness
    harness.loop.close()
    harness.store.close()


def test_a_schedule_is_stored_found_changed_and_deleted(harness: Harness) -> None:
    made = harness.make(name="Week", channel_id="chat", channel_context_id="thread-1")
    assert made.next_run_at == START + timedelta(hours=1)
    assert harness.get(made) == made
    found = harness.do(harness.service.search(ScheduleFilter(text="week"), 10, 0))
    assert (found.schedules, found.total) == ((made,), 1)
    assert harness.do(harness.service.search(ScheduleFilter(text="100%"), 10, 0)).total == 0
    assert harness.do(harness.service.count(ScheduleFilter(status="active", user_id="person"))) == 1
    paused = harness.do(harness.service.update(made.id, SchedulePatch(status="paused", name="W"), actor="person")).value
    assert (paused.name, paused.status, paused.next_run_at, paused.goal) == ("W", "paused", None, made.goal)
    again = harness.do(harness.service.update(made.id, SchedulePatch(status="active"), actor="person")).value
    assert again.next_run_at == made.next_run_at
    assert harness.do(harness.service.delete(made.id, actor="person")).value
    with pytest.raises(NotFoundError):
        harness.get(made)


def test_pages_of_a_search(harness: Harness) -> None:
    made = [harness.make(Cadence(kind="interval", seconds=60 * (n + 1)), f"goal {n}") for n in range(7)]
    pages = [harness.do(harness.service.search(ScheduleFilter(), 3, offset)) for offset in (0, 3, 6, 9)]
    assert [page.total for page in pages] == [7] * 4
    assert [schedule.id for page in pages for schedule in page.schedules] == [one.id for one in made]


@pytest.mark.parametrize(
    ("goal", "cadence", "field"),
    [
        ("", HOURLY, "goal"),
        ("x" * 20_001, HOURLY, "goal"),
        ("x", Cadence(kind="interval", seconds=1), "seconds"),
        ("x", Cadence(kind="once", at=START), "at"),
    ],
)
def test_errors_name_their_field(harness: Harness, goal: str, cadence: Cadence, field: str) -> None:
    with pytest.raises(InputError) as caught:
        harness.make(cadence, goal)
    assert caught.value.data["field"] == field
    assert harness.do(harness.service.count(ScheduleFilter())) == 0


def test_an_occurrence_is_claimed_once(harness: Harness) -> None:
    made = harness.make()
    assert harness.do(harness.service.claim(made.id, "a", 60)) is None
    harness.now += timedelta(hours=1, minutes=1)
    assert harness.do(harness.service.due(10)) == [made]
    claim = harness.do(harness.service.claim(made.id, "a", 60))
    assert claim is not None
    assert claim.scheduled_for == made.next_run_at
    assert harness.do(harness.service.claim(made.id, "b", 60)) is None
    assert harness.do(harness.service.due(10)) == []
    with pytest.raises(StaleError):
        harness.do(harness.service.finish(claim.run_id, "b", "succeeded"))
    run = harness.do(harness.service.finish(claim.run_id, "a", "succeeded", "x" * 700, turn_count=3, cost=0.5)).value
    assert (run.status, len(run.output_summary), len(run.output), run.turn_count, run.cost) == (
        "succeeded",
        500,
        700,
        3,
        0.5,
    )
    assert harness.do(harness.service.run(run.run_id)) == run
    after = harness.get(made)
    assert (after.last_run_status, after.next_run_at) == ("succeeded", START + timedelta(hours=2))
    with pytest.raises(StaleError):
        harness.do(harness.service.finish(claim.run_id, "a", "succeeded"))


def test_what_was_missed_runs_once_and_the_rest_is_recorded(harness: Harness) -> None:
    made = harness.make()
    harness.now += timedelta(hours=10, minutes=30)
    claim = harness.do(harness.service.claim(made.id, "a", 60, reason="the machine slept"))
    assert claim is not None
    assert claim.scheduled_for == START + timedelta(hours=10)
    (skipped,) = harness.do(harness.service.runs(made.id, 10))
    assert (skipped.status, skipped.turn_count) == ("skipped", 9)
    assert "the machine slept" in skipped.output_summary
    assert harness.get(made).next_run_at == START + timedelta(hours=11)


def test_a_run_whose_process_ended_is_due_again(harness: Harness) -> None:
    made = harness.make()
    harness.now += timedelta(hours=1)
    claim = harness.do(harness.service.claim(made.id, "host:1", 3600))
    assert claim is not None
    (run,) = harness.do(harness.service.recover(lambda one: one.holder == "host:1"))
    assert (run.run_id, run.status) == (claim.run_id, "interrupted")
    assert harness.do(harness.service.due(10)) == []  # it waits a little, as after a failure
    harness.now += timedelta(minutes=2)
    (due,) = harness.do(harness.service.due(10))
    assert due.next_run_at == START + timedelta(hours=1)


def test_failures_back_off_and_pause(harness: Harness) -> None:
    made = harness.make(Cadence(kind="interval", seconds=60))
    waits = []
    for _ in range(5):
        begun = harness.now
        while not harness.do(harness.service.due(1)):
            harness.now += timedelta(seconds=30)
        waits.append(harness.now - begun)
        claim = harness.do(harness.service.claim(made.id, "a", 60))
        assert claim is not None
        harness.do(harness.service.finish(claim.run_id, "a", "failed", "no"))
    assert waits == sorted(waits)
    assert waits[-1] >= timedelta(minutes=8)
    after = harness.get(made)
    assert (after.status, after.consecutive_failures, after.next_run_at) == ("paused", 5, None)
    again = harness.do(harness.service.update(made.id, SchedulePatch(status="active"), actor="person")).value
    assert again.consecutive_failures == 0


def test_once_is_completed_and_runs_are_pruned(harness: Harness) -> None:
    harness.options = replace(harness.options, keep_runs=3)
    once = harness.make(Cadence(kind="once", at=START + timedelta(hours=1)))
    hourly = harness.make()
    for _ in range(6):
        harness.now += timedelta(hours=1)
        for schedule in harness.do(harness.service.due(10)):
            claim = harness.do(harness.service.claim(schedule.id, "a", 60))
            assert claim is not None
            harness.do(harness.service.finish(claim.run_id, "a", "succeeded"))
    assert harness.get(once).status == "completed"
    assert len(harness.do(harness.service.runs(hourly.id, 100))) == 3
    assert harness.do(harness.service.prune(hourly.id, 1, actor="person")).value == 2


def test_a_built_in_schedule_can_be_moved_and_switched_off_but_not_deleted(harness: Harness) -> None:
    built_in = Schedule("sch-decay", BUILT_IN, "Decay", "", HOURLY, "never", "active", START, START)
    harness.do(harness.service.install([built_in]))
    moved = Cadence(kind="cron", expression="0 5 * * *", zone="Europe/Berlin")
    harness.do(harness.service.update("sch-decay", SchedulePatch(cadence=moved), actor="person"))
    harness.do(harness.service.install([built_in]))
    assert harness.do(harness.service.get("sch-decay")).cadence == moved
    for wrong in (
        harness.service.delete("sch-decay", actor="person"),
        harness.service.update("sch-decay", SchedulePatch(goal="x"), actor="person"),
    ):
        with pytest.raises(InputError):
            harness.do(wrong)


class CountingJob:
    """Work that counts, fails when told to, and can be made to wait."""

    is_heavy = True
    sharing: Sharing = "own"

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.fails = False
        self.gate: asyncio.Event | None = None
        self.enabled = True

    def is_enabled(self) -> bool:
        return self.enabled

    def is_harmless(self) -> bool:
        return True

    async def run(self, run_id: str, *, decides: bool) -> JobResult:
        self.runs.append(run_id)
        if self.gate is not None:
            await self.gate.wait()
        if self.fails:
            raise MachineError("The disk is full.")
        return JobResult("Merged 3.")


def built_in(harness: Harness, cadence: Cadence = HOURLY) -> tuple[Schedule, CountingJob, ScheduleRunner]:
    schedule = Schedule("sch-job", BUILT_IN, "Job", "", cadence, "always", "active", harness.now, harness.now)
    harness.do(harness.service.install([schedule]))
    job = CountingJob()
    return schedule, job, harness.runner({"sch-job": job})


async def tick(runner: ScheduleRunner) -> None:
    await runner.tick()
    await runner.settled()


def test_the_runner_runs_what_is_due_and_records_it(harness: Harness) -> None:
    made, job, runner = built_in(harness)
    harness.do(tick(runner))
    assert job.runs == []
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    (run,) = harness.do(harness.service.runs(made.id, 10))
    assert (job.runs, run.status, run.output, run.notified) == ([run.run_id], "succeeded", "Merged 3.", False)
    assert harness.changes[-1].ids == (made.id,)
    job.fails = True
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    assert harness.do(harness.service.runs(made.id, 1))[0].output == "The disk is full."


def test_what_the_settings_switch_off_is_skipped_and_recorded(harness: Harness) -> None:
    made, job, runner = built_in(harness)
    job.enabled = False
    harness.pass_time(awake=timedelta(hours=3, minutes=5))
    harness.do(tick(runner))
    (run,) = harness.do(harness.service.runs(made.id, 10))
    assert (job.runs, run.status, run.turn_count) == ([], "skipped", 3)
    assert "switched off" in run.output_summary
    job.enabled = True
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    assert len(job.runs) == 1


def test_after_a_sleep_it_waits_and_catches_up_once(harness: Harness) -> None:
    made, job, runner = built_in(harness)
    harness.do(tick(runner))
    harness.pass_time(asleep=timedelta(hours=8))
    harness.do(tick(runner))
    assert job.runs == []  # disks and networks come back first
    harness.pass_time(awake=timedelta(minutes=2))
    harness.do(tick(runner))
    assert len(job.runs) == 1
    texts = [run.output_summary for run in harness.do(harness.service.runs(made.id, 10)) if run.status == "skipped"]
    assert len(texts) == 1
    assert "7 times" in texts[0]
    assert "slept" in texts[0]


def test_a_clock_set_back_leaves_no_schedule_far_ahead(harness: Harness) -> None:
    made, _job, runner = built_in(harness)
    harness.do(tick(runner))
    harness.now += timedelta(days=400)
    harness.do(tick(runner))
    harness.pass_time(awake=timedelta(minutes=2))
    harness.do(tick(runner))
    harness.now -= timedelta(days=400)
    harness.do(tick(runner))
    following = harness.get(made).next_run_at
    assert following is not None
    assert following - harness.now <= timedelta(hours=1)


def test_pausing_all_holds_everything_until_then(harness: Harness) -> None:
    _, job, runner = built_in(harness)
    harness.do(harness.service.pause_all(START + timedelta(hours=3)))
    for _ in range(2):
        harness.pass_time(awake=timedelta(hours=1))
        harness.do(tick(runner))
    assert job.runs == []
    assert harness.do(harness.service.paused_until()) == START + timedelta(hours=3)
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    assert len(job.runs) == 1


def test_heavy_work_waits_while_the_person_types_but_not_for_ever(harness: Harness) -> None:
    harness.do(
        harness.service.install([Schedule("sch-job", BUILT_IN, "Job", "", HOURLY, "never", "active", START, START)])
    )
    job = CountingJob()
    runner = harness.runner({"sch-job": job}, is_quiet=lambda: True)
    harness.pass_time(awake=timedelta(hours=1, minutes=5))
    harness.do(tick(runner))
    assert job.runs == []
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    assert len(job.runs) == 1


def test_a_goal_waits_for_a_model_or_an_agent(harness: Harness) -> None:
    made = harness.make()
    runner = harness.runner({})
    harness.pass_time(awake=timedelta(hours=1))
    harness.do(tick(runner))
    assert harness.do(harness.service.runs(made.id, 10)) == []
    claim = harness.do(harness.service.claim(made.id, "scout", 300))
    assert claim is not None
    harness.pass_time(awake=timedelta(seconds=200))
    held = harness.do(harness.service.heartbeat(claim.run_id, "scout", 300))
    assert held.expires_at > claim.expires_at
    with pytest.raises(StaleError):
        harness.do(harness.service.heartbeat(claim.run_id, "other", 300))
    harness.pass_time(awake=timedelta(seconds=400))
    harness.do(tick(runner))
    (run,) = harness.do(harness.service.runs(made.id, 10))
    assert run.status == "interrupted"


def test_quitting_in_the_middle_leaves_the_work_due(harness: Harness) -> None:
    made, job, runner = built_in(harness)
    harness.pass_time(awake=timedelta(hours=1))

    async def quit_in_the_middle() -> None:
        job.gate = asyncio.Event()
        running = asyncio.create_task(runner.run())
        while not job.runs:
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    harness.do(quit_in_the_middle())
    after = harness.get(made)
    assert (after.last_run_status, after.consecutive_failures) == ("interrupted", 0)
    assert after.next_run_at == START + timedelta(hours=1)


def test_run_now_leaves_the_next_run_where_it_is(harness: Harness) -> None:
    made, job, runner = built_in(harness)
    before = harness.get(made).next_run_at

    async def twice() -> None:
        job.gate = asyncio.Event()
        await runner.run_now(made)
        with pytest.raises(StaleError):
            await runner.run_now(made)
        job.gate.set()
        await runner.settled()

    harness.do(twice())
    assert harness.get(made).next_run_at == before
    assert len(job.runs) == 1
