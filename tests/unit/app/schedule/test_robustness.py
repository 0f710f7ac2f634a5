"""Schedules hold through clocks that jump, zones that change, and a database that cannot be written."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from app.core.access import Access
from app.core.paths import migrations
from app.errors import StaleError
from app.history.undo import UndoService
from app.schedule import repo
from app.schedule.model import Cadence, JobResult, RunStatus, Schedule, ScheduleClaim, SchedulePatch
from app.schedule.options import ScheduleOptions
from app.schedule.power import PowerState
from app.schedule.realignment import aligned_next_run
from app.schedule.runner import NO_MODEL
from app.schedule.schedule_applier import ScheduleApplier
from app.store.store import Store
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.schedule.harness import DAILY, HOURLY, START, Schedules

HOUR = timedelta(hours=1)


@pytest.fixture
def schedules(vault: Path) -> Iterator[Schedules]:
    schedules = Schedules(vault)
    yield schedules
    schedules.close()


@pytest.mark.parametrize("back", [HOUR, 5 * HOUR, timedelta(days=1)])
def test_a_clock_set_back_runs_nothing_twice(schedules: Schedules, back: timedelta) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    schedules.tick(runner)
    schedules.pass_slowly(runner, timedelta(hours=3, minutes=5), timedelta(minutes=5))
    assert len(job.runs) == 3
    last = schedules.get(made).last_run_at
    schedules.now -= back
    schedules.pass_slowly(runner, back, timedelta(minutes=5))
    assert len(job.runs) == 3
    schedules.pass_slowly(runner, timedelta(hours=1), timedelta(minutes=5))
    assert len(job.runs) == 4
    assert last is not None


def test_a_clock_set_ahead_a_day_runs_once_and_returns(schedules: Schedules) -> None:
    made, job = schedules.built_in(DAILY)
    runner = schedules.runner({made.id: job})
    schedules.tick(runner)
    schedules.now += timedelta(days=1)
    schedules.pass_slowly(runner, timedelta(minutes=10))
    assert len(job.runs) == 1
    schedules.now -= timedelta(days=1)
    schedules.pass_slowly(runner, timedelta(hours=23), timedelta(minutes=10))
    assert len(job.runs) == 1  # the run of tomorrow morning is done already
    schedules.pass_slowly(runner, timedelta(hours=24), timedelta(minutes=10))
    assert len(job.runs) == 2


def test_a_jump_ends_no_run_that_goes_on(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    claimed = schedules.make(HOURLY)

    async def sleep_in_the_middle() -> ScheduleClaim | None:
        job.gate = asyncio.Event()
        schedules.pass_time(awake=HOUR)
        await runner.tick()
        claim = await schedules.service.claim(claimed.id, "scout", 300)
        while not job.runs:
            await asyncio.sleep(0)
        schedules.pass_time(asleep=timedelta(days=1), awake=timedelta(seconds=30))
        await runner.tick()
        schedules.pass_time(awake=timedelta(minutes=2))
        await runner.tick()
        job.gate.set()
        await runner.settled()
        return claim

    claim = schedules.do(sleep_in_the_middle())
    assert len(job.runs) == 1
    assert [run.status for run in schedules.runs(made)] == ["succeeded"]
    assert claim is not None  # an agent's lease does not run out while the machine sleeps
    assert schedules.do(schedules.service.finish(claim.run_id, "scout", "succeeded", "Done.")).value.output == "Done."


def test_many_due_at_once_run_one_after_the_other(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})
    goals = [schedules.make(Cadence(kind="interval", seconds=3600), f"goal {n}") for n in range(60)]
    schedules.tick(runner)
    schedules.pass_time(asleep=timedelta(days=3))
    schedules.pass_slowly(runner, timedelta(minutes=3))
    assert len(job.runs) == 1  # sixty goals that wait for a model hide nothing
    assert all(schedules.get(goal).next_run_at == START + HOUR for goal in goals[:3])


@pytest.mark.parametrize(
    ("cadence", "stored", "expected"),
    [
        # Computed when Berlin was thought to be an hour further east.
        (Cadence(kind="cron", expression="0 8 * * *", zone="Europe/Berlin"), (3, 2, 6), (3, 2, 7)),
        (Cadence(kind="cron", expression="0 8 * * *", zone="Europe/Berlin"), (3, 1, 11), (3, 1, 11)),
        (Cadence(kind="interval", seconds=3600), (9, 1, 0), (3, 1, 13)),
        (Cadence(kind="once", at=datetime(2026, 5, 1, tzinfo=UTC)), (5, 1, 0), (5, 1, 0)),
    ],
)
def test_next_runs_of_older_rules_are_realigned(
    schedules: Schedules, cadence: Cadence, stored: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    made = schedules.make(cadence)
    old, new = (datetime(2026, *when, tzinfo=UTC) for when in (stored, expected))
    schedules.do(schedules.store.write(lambda connection: repo.set_next_run(connection, made.id, old)))
    assert aligned_next_run(schedules.get(made), START) == new
    schedules.do(schedules.service.realign())
    assert schedules.get(made).next_run_at == new


@pytest.mark.parametrize("due", [True, False])
def test_a_zone_that_is_not_known_pauses_its_schedule_with_a_note(schedules: Schedules, due: bool) -> None:
    made, other = schedules.make(Cadence(kind="cron", expression="0 8 * * *", zone="Europe/Berlin")), schedules.make()
    broken = '{"kind":"cron","expression":"0 8 * * *","zone":"Mars/Olympus"}'
    schedules.do(
        schedules.store.write(
            lambda connection: connection.execute(
                "UPDATE schedules SET cadence_json = ? WHERE schedule_id = ?", (broken, made.id)
            )
        )
    )
    if due:
        schedules.pass_time(awake=timedelta(days=2))
    schedules.do(schedules.service.realign())
    assert (schedules.get(made).status, schedules.get(other).status) == ("paused", "active")
    (text,) = schedules.texts()
    assert "time zone" in text
    mended = SchedulePatch(cadence=HOURLY, status="active")
    assert schedules.do(schedules.service.update(made.id, mended, actor="person")).value.status == "active"


def test_a_zone_that_is_lost_while_it_runs_stops_nothing_else(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job, "sch-lost": job})
    schedules.tick(runner)
    schedules.do(
        schedules.store.write(
            lambda connection: connection.execute(
                "INSERT INTO schedules (schedule_id, user_id, goal, cadence_json, created_at, updated_at, next_run_at)"
                ' VALUES (\'sch-lost\', \'keepsake\', \'\', \'{"kind":"cron","expression":"0 * * * *","zone":"No"}\','
                " '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T12:30:00.000Z')"
            )
        )
    )
    schedules.pass_slowly(runner, timedelta(minutes=65), timedelta(minutes=5))
    assert len(job.runs) == 1
    assert schedules.do(schedules.service.get("sch-lost")).status == "paused"


def test_leap_days_and_late_centuries(schedules: Schedules) -> None:
    made, job = schedules.built_in(Cadence(kind="cron", expression="0 3 29 2 *"))
    runner = schedules.runner({made.id: job})
    assert schedules.get(made).next_run_at == datetime(2028, 2, 29, 3, tzinfo=UTC)
    schedules.tick(runner)
    schedules.now = datetime(2099, 12, 31, 23, tzinfo=UTC)
    schedules.pass_slowly(runner, timedelta(minutes=3))
    (run, left_out) = schedules.runs(made)
    assert (run.status, left_out.turn_count) == ("succeeded", 17)
    # 2100 is no leap year.
    assert schedules.get(made).next_run_at == datetime(2104, 2, 29, 3, tzinfo=UTC)


def test_a_locked_database_is_tried_again(schedules: Schedules, allow_logs: AllowLogs) -> None:
    allow_logs("schedules cannot be looked at")
    made, job = schedules.built_in()
    schedules.pass_time(awake=HOUR)
    blocker = apsw.Connection(str(schedules.store.path))
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            blocker.execute("ROLLBACK")
        elif len(pauses) > 2:
            await runner.settled()
        if len(pauses) > 4:
            raise asyncio.CancelledError

    runner = schedules.runner({made.id: job}, sleep=sleep)
    problems: list[str] = []

    async def through_the_lock() -> None:
        blocker.execute("BEGIN IMMEDIATE")
        going = asyncio.create_task(runner.run())
        while not pauses:
            await asyncio.sleep(0.01)
        problems.append(runner.problem)
        await asyncio.gather(going, return_exceptions=True)

    schedules.do(through_the_lock())
    assert problems[0]
    assert runner.problem == ""
    assert [run.status for run in schedules.runs(made)] == ["succeeded"]
    blocker.close()


def test_a_request_while_it_runs_is_refused_and_its_occurrence_stays(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    runner = schedules.runner({made.id: job})

    async def both() -> None:
        job.gate = asyncio.Event()
        await runner.run_now(made)
        schedules.pass_time(awake=HOUR)
        await runner.tick()  # its time comes while it runs on request
        with pytest.raises(StaleError):
            await runner.run_now(made)
        job.gate.set()
        await runner.settled()
        assert len(job.runs) == 1
        await runner.tick()
        await runner.settled()

    schedules.do(both())
    assert len(job.runs) == 2
    assert schedules.get(made).next_run_at == START + 2 * HOUR


def test_a_pause_of_all_outlives_a_restart(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    schedules.do(schedules.service.pause_all(START + 2 * HOUR))
    schedules.store.close()
    schedules.store = Store.open(schedules.vault, migrations())
    schedules.service._store = schedules.store
    runner = schedules.runner({made.id: job})
    schedules.tick(runner)
    schedules.pass_slowly(runner, 1.5 * HOUR, timedelta(minutes=10))
    assert job.runs == []
    assert "paused until" in schedules.do(runner.reason_to_wait(schedules.get(made)))
    schedules.pass_slowly(runner, HOUR, timedelta(minutes=10))
    assert len(job.runs) == 1


def test_heavy_work_on_battery_waits_and_says_so(schedules: Schedules) -> None:
    made, job = schedules.built_in()
    power = [PowerState(is_on_battery=True, percent=50)]
    runner = schedules.runner({made.id: job}, power=lambda: power[0])
    schedules.tick(runner)
    schedules.pass_slowly(runner, timedelta(minutes=90), timedelta(minutes=10))
    assert job.runs == []
    assert schedules.do(runner.reason_to_wait(schedules.get(made))) == "Waits: on battery."
    power[0] = PowerState(percent=50)
    schedules.pass_slowly(runner, timedelta(minutes=10), timedelta(minutes=10))
    (run,) = schedules.runs(made)
    assert run.output == "Merged 3.\n\nWaited 40 minutes: on battery."


def test_waiting_goals_let_the_runner_sleep(schedules: Schedules) -> None:
    schedules.make()
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        schedules.pass_time(awake=timedelta(seconds=seconds))
        if len(pauses) > 10:
            raise asyncio.CancelledError
        await asyncio.sleep(0)

    runner = schedules.runner({}, sleep=sleep)
    schedules.pass_time(awake=2 * HOUR)

    async def run() -> None:
        await asyncio.gather(runner.run(), return_exceptions=True)

    schedules.do(run())
    assert set(pauses) == {30}


class PatientGoals:
    """A runner of goals that is always ready."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    async def obstacle(self, schedule: Schedule) -> str:
        return ""

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        self.runs.append(run_id)
        return JobResult("Done.", 2, 0.1)


@pytest.mark.parametrize("waits", [True, False])
def test_goals_wait_for_a_connection_that_is_not_metered(schedules: Schedules, waits: bool) -> None:
    schedules.options = ScheduleOptions(waits_on_metered=waits)
    made, goals = schedules.make(Cadence(kind="once", at=START + HOUR)), PatientGoals()
    runner = schedules.runner({}, is_metered=lambda: True)
    runner.goals = goals
    schedules.tick(runner)
    schedules.pass_slowly(runner, 2 * HOUR, timedelta(minutes=10))
    assert len(goals.runs) == (0 if waits else 1)
    if waits:
        assert schedules.do(runner.reason_to_wait(schedules.get(made))) == "Waits: the connection is metered."
    schedules.pass_slowly(runner, timedelta(days=1), timedelta(hours=1))
    (run,) = schedules.runs(made)
    assert (run.status, run.turn_count, run.cost) == ("succeeded", 2, 0.1)
    assert ("Waited" in run.output) == waits
    assert schedules.get(made).status == "completed"


class WaitingGoals:
    """A runner of goals that waits, fails or is ready as a test says."""

    def __init__(self) -> None:
        self.wait = ""
        self.status: RunStatus = "succeeded"

    async def obstacle(self, schedule: Schedule) -> str:
        return self.wait

    async def run_goal(self, schedule: Schedule, run_id: str) -> JobResult:
        return JobResult("Done.", status=self.status)


@pytest.mark.parametrize(
    ("wait", "reason"),
    [
        (NO_MODEL, "It waited for a language model or an agent."),
        ("Waits because incognito is on.", "It waited because incognito was on."),
    ],
)
def test_left_out_occurrences_say_what_was_waited_for(schedules: Schedules, wait: str, reason: str) -> None:
    made, goals = schedules.make(notification_policy="always"), WaitingGoals()
    runner = schedules.runner({})
    runner.goals, goals.wait = goals, wait
    schedules.pass_slowly(runner, timedelta(hours=4), timedelta(minutes=1))
    goals.wait = ""
    schedules.tick(runner)
    assert [run.output for run in schedules.runs(made) if run.status == "skipped" and reason in run.output]
    assert any(text.endswith(reason) for text in schedules.texts())
    assert not any("missed" in run.output for run in schedules.runs(made))


def test_occurrences_left_out_after_a_failure_were_not_missed(schedules: Schedules) -> None:
    made, goals = schedules.make(Cadence(kind="interval", seconds=60)), WaitingGoals()
    runner = schedules.runner({})
    runner.goals, goals.status = goals, "failed"
    schedules.pass_slowly(runner, timedelta(minutes=20), timedelta(seconds=30))
    skipped = [run.output for run in schedules.runs(made) if run.status == "skipped"]
    assert skipped
    assert all("It waited after a failure." in text for text in skipped)


def test_a_run_whose_agent_was_lost_is_due_again_when_its_schedule_comes_back(schedules: Schedules) -> None:
    made = schedules.make(Cadence(kind="once", at=START + HOUR))
    schedules.pass_time(awake=HOUR)
    schedules.do(schedules.service.claim(made.id, "robin", 60.0))
    deleted = schedules.do(schedules.service.delete(made.id, actor="person")).changes.history_ids
    undo = UndoService(schedules.store, {"schedule": ScheduleApplier()}, schedules)
    schedules.do(undo.undo(Access.everything("person", "memory.undo"), deleted))
    runner = schedules.runner({})
    schedules.pass_slowly(runner, HOUR, timedelta(minutes=10))
    assert [run.status for run in schedules.runs(made)] == ["interrupted"]
    assert [one.id for one in schedules.do(schedules.service.due(10))] == [made.id]
