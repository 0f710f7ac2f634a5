"""Schedules through the catalogue: previews, goals that agents claim, and what a caller may see."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.api.registry import to_builtins
from app.errors import AccessDeniedError, InputError, NotFoundError, StaleError
from app.host import Host

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOUT = Caller("scout", "inner")
OTHER = Caller("other", "inner")
HELPER = Caller("helper", "full")
HOURLY = {"kind": "cron", "expression": "0 * * * *"}


class SetClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.ms = round(START.timestamp() * 1000)

    def now_ms(self) -> int:
        return self.ms

    def pass_time(self, passed: timedelta) -> None:
        self.ms += round(passed.total_seconds() * 1000)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    running = Host(vault, serve=False, clock=clock, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def ask(host: Host, caller: Caller, operation: str, /, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value


def persons_schedules(host: Host) -> list[Any]:
    """Return the schedules of the person and of agents; those of Keepsake are installed at the start."""
    return [schedule for schedule in host.ask("schedule.search").schedules if not schedule.is_built_in]


@pytest.mark.parametrize(
    ("arguments", "words", "runs"),
    [
        (
            {"cadence": {"kind": "cron", "expression": "30 2 * * *"}, "zone": "Europe/Berlin", "count": 2},
            "At 02:30",
            ("2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"),
        ),
        (
            {"cadence": {"kind": "cron", "expression": "0 8 * * mon-fri", "zone": "America/New_York"}, "count": 1},
            "At 08:00, Monday through Friday",
            ("2026-03-30T08:00:00-04:00",),
        ),
        (
            {"cadence": {"kind": "interval", "seconds": 7200}, "count": 2},
            "Every 2 hours",
            ("2026-03-28T14:00:00+00:00", "2026-03-28T16:00:00+00:00"),
        ),
        (
            {"cadence": {"kind": "once", "at": "2026-04-01T10:00:00+02:00"}, "zone": "Europe/Berlin", "count": 5},
            "Once, on 2026-04-01 at 10:00",
            ("2026-04-01T10:00:00+02:00",),
        ),
    ],
)
def test_previews(host: Host, arguments: dict[str, Any], words: str, runs: tuple[str, ...]) -> None:
    found = host.ask("schedule.preview", after="2026-03-28T12:00:00Z", **arguments)
    assert (found.words, found.runs) == (words, runs)


@pytest.mark.parametrize(
    ("cadence", "field"),
    [
        ({"kind": "cron", "expression": "61 * * * *"}, "expression"),
        ({"kind": "cron", "expression": "0 8 * * *", "zone": "Nowhere/Else"}, "zone"),
        ({"kind": "interval", "seconds": 5}, "seconds"),
        ({"kind": "once", "at": "2020-01-01T00:00:00Z"}, "at"),
    ],
)
def test_an_error_of_a_cadence_names_its_field(host: Host, cadence: dict[str, Any], field: str) -> None:
    for operation, arguments in (("schedule.preview", {}), ("schedule.create", {"goal": "x"})):
        with pytest.raises(InputError) as caught:
            host.ask(operation, cadence=cadence, **arguments)
        assert caught.value.data["field"] == field
    assert persons_schedules(host) == []


def test_the_cadence_has_the_same_shape_everywhere(host: Host) -> None:
    schedule = host.ask("schedule.create", goal="Water the plants", cadence=HOURLY)

    assert to_builtins(schedule)["cadence"] == HOURLY
    assert host.ask("schedule.words", cadence=to_builtins(schedule)["cadence"]) == "Every hour"


def test_a_goal_waits_until_an_agent_claims_and_reports_it(host: Host, clock: SetClock) -> None:
    made = host.ask("schedule.create", goal="Water the plants", cadence=HOURLY)
    assert ask(host, HELPER, "schedule.claim") is None
    clock.pass_time(timedelta(hours=1))
    assert host.ask("schedule.status").waiting_goals == (made.id,)
    claim = ask(host, HELPER, "schedule.claim")
    assert claim.schedule_id == made.id
    assert ask(host, HELPER, "schedule.claim") is None
    assert ask(host, HELPER, "schedule.heartbeat", run_id=claim.run_id).expires_at > START
    with pytest.raises(StaleError):
        ask(host, SCOUT, "schedule.report", run_id=claim.run_id, output="mine")
    run = ask(host, HELPER, "schedule.report", run_id=claim.run_id, output="Watered.", cost=0.01)
    assert (run.status, run.output_summary) == ("succeeded", "Watered.")
    assert host.ask("schedule.run", run_id=run.run_id) == run
    assert [one.run_id for one in host.ask("schedule.runs", id=made.id)] == [run.run_id]
    with pytest.raises(InputError, match="language model"):
        host.ask("schedule.run_now", id=made.id)


def test_an_agent_sees_and_changes_its_own_schedules_alone(host: Host) -> None:
    own = ask(host, SCOUT, "schedule.create", goal="Look around", cadence=HOURLY)
    persons = host.ask("schedule.create", goal="Secret plan", cadence=HOURLY)
    assert [schedule.id for schedule in ask(host, SCOUT, "schedule.search").schedules] == [own.id]
    assert ask(host, SCOUT, "schedule.count") == 1
    assert ask(host, OTHER, "schedule.search").total == 0
    for operation, arguments in (
        ("schedule.get", {}),
        ("schedule.update", {"patch": {"status": "paused"}}),
        ("schedule.delete", {}),
        ("schedule.claim", {}),
        ("schedule.runs", {}),
    ):
        with pytest.raises(NotFoundError):
            ask(host, SCOUT, operation, id=persons.id, **arguments)
    with pytest.raises(InputError):
        ask(host, SCOUT, "schedule.runs")
    with pytest.raises(AccessDeniedError):
        ask(host, Caller("reader", "familiar"), "schedule.search")
    assert ask(host, SCOUT, "schedule.update", id=own.id, patch={"status": "paused"}).next_run_at is None
    assert len(persons_schedules(host)) == 2


def test_a_patch_with_an_unknown_field_is_refused(host: Host) -> None:
    made = host.ask("schedule.create", goal="x", cadence=HOURLY)
    with pytest.raises(InputError):
        host.ask("schedule.update", id=made.id, patch={"gaol": "y"})
    with pytest.raises(InputError):
        host.ask("schedule.update", id=made.id, patch={"cadence": {"kind": "cron", "expression": "nonsense"}})
    assert host.ask("schedule.get", id=made.id) == made


def test_the_calendar_has_past_and_coming_runs(host: Host, clock: SetClock) -> None:
    own = ask(host, SCOUT, "schedule.create", goal="sum up", cadence=HOURLY)
    hourly = ask(host, OTHER, "schedule.create", goal="other", cadence={"kind": "interval", "seconds": 7200})
    end = START + timedelta(hours=5)
    found = ask(host, HELPER, "schedule.calendar", after=START, before=end)
    planned = [(entry.schedule_id, entry.at.hour) for entry in found if entry.schedule_id in (own.id, hourly.id)]
    assert planned == [(own.id, 13), (own.id, 14), (hourly.id, 14), (own.id, 15), (own.id, 16), (hourly.id, 16)]
    seen = ask(host, SCOUT, "schedule.calendar", after=START, before=end)
    assert {entry.schedule_id for entry in seen} == {own.id}
    later = START + timedelta(days=20)
    far = ask(host, OTHER, "schedule.calendar", after=later, before=later + timedelta(hours=3))
    assert [entry.at for entry in far] == [later, later + timedelta(hours=2)]


def test_the_calendar_has_a_run_that_is_over_and_a_single_one(host: Host, clock: SetClock) -> None:
    once = {"kind": "once", "at": (START + timedelta(hours=1, microseconds=900)).isoformat()}
    made = ask(host, SCOUT, "schedule.create", goal="once", cadence=once)
    whole = {"after": START, "before": START + timedelta(days=1)}
    assert [entry.state for entry in ask(host, SCOUT, "schedule.calendar", **whole)] == ["planned"]
    clock.pass_time(timedelta(hours=2))
    claim = ask(host, SCOUT, "schedule.claim", id=made.id)
    ask(host, SCOUT, "schedule.report", run_id=claim.run_id, output="done")
    # Between the planned instant and its claim it was not missed, so that one entry is left.
    found = [one for one in ask(host, SCOUT, "schedule.calendar", **whole) if one.state != "planned"]
    assert [(entry.state, entry.run_id) for entry in found] == [("succeeded", claim.run_id)]


@pytest.mark.parametrize("days", [0, -1, 63])
def test_the_calendar_refuses_a_range_that_is_none(host: Host, days: int) -> None:
    with pytest.raises(InputError, match="before"):
        ask(host, SCOUT, "schedule.calendar", after=START, before=START + timedelta(days=days))


def test_a_pause_of_all_schedules_begins_and_ends_and_says_so(host: Host, clock: SetClock) -> None:
    until = START + timedelta(hours=3)
    assert host.ask("schedule.pause_all", until=until)
    assert not host.ask("schedule.pause_all", until=until)
    assert host.ask("schedule.status").paused_until == until
    with pytest.raises(InputError, match="in the future"):
        host.ask("schedule.pause_all", until=START)
    with pytest.raises(InputError):
        host.ask("schedule.pause_all", until="2020-01-01T00:00:00")
    assert host.ask("schedule.status").paused_until == until
    assert host.ask("schedule.pause_all")
    assert host.ask("schedule.status").paused_until is None
    assert not host.ask("schedule.pause_all")
