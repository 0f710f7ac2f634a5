"""Housekeeping runs at its time or on request, verifies the latest backup, and says when that is damaged."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from app.engine import Engine
from app.host import Host
from tests.helpers.engine import engine_of

if TYPE_CHECKING:
    from app.schedule.model import ScheduleRun


class SetClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now_ms(self) -> int:
        return round(self.now.timestamp() * 1000)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    overrides = {"embedding.model": "hashed", "backup.daily": False, "schedule.poll": 1}
    running = Host(vault, serve=False, clock=clock, overrides=overrides)
    running.start()
    running.ask("vault.settle")
    yield running
    running.stop()


def test_a_run_on_request_verifies_the_latest_backup(host: Host) -> None:
    (job,) = [one for one in host.ask("upkeep.status") if one.name == "housekeeping"]
    assert job.enabled
    assert [schedule.id for schedule in job.schedules] == ["sch-housekeeping"]
    assert "no backup" in host.ask("upkeep.plan", job="housekeeping").notes[0]
    assert "no backup" in host.ask("upkeep.run", job="housekeeping").output
    name = host.ask("backup.now").name
    assert host.ask("upkeep.plan", job="housekeeping").total == 4
    run = host.ask("upkeep.run", job="housekeeping")
    assert run.status == "succeeded"
    assert name in run.output
    assert [one.run_id for one in host.ask("schedule.runs", id="sch-housekeeping", limit=1)] == [run.run_id]


def test_a_damaged_backup_is_a_failure_that_says_what_to_do(host: Host) -> None:
    backup = host.ask("backup.now")
    path = Path(backup.path)
    path.chmod(0o600)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) - len(data) // 2))
    run = host.ask("upkeep.run", job="housekeeping")
    assert run.status == "failed"
    assert "keepsake backup" in run.output


def test_it_runs_by_itself_when_its_time_has_come(host: Host, clock: SetClock) -> None:
    schedule = host.ask("schedule.get", id="sch-housekeeping")
    assert schedule.is_built_in
    clock.now = schedule.next_run_at + timedelta(minutes=1)
    for _ in range(200):
        host.ask("vault.settle")
        clock.now += timedelta(seconds=1)
        runs = host.ask("schedule.runs", id="sch-housekeeping")
        if runs:
            break

        time.sleep(0.05)
    assert [run.status for run in runs] == ["succeeded"]
    assert host.ask("schedule.get", id="sch-housekeeping").next_run_at > clock.now


def test_switched_off_it_is_skipped_and_runs_on_request(host: Host, clock: SetClock) -> None:
    host.ask("settings.set", name="housekeeping.enabled", value=False)
    clock.now = host.ask("schedule.get", id="sch-housekeeping").next_run_at + timedelta(minutes=2)
    runs: list[ScheduleRun] = []
    while not runs:
        clock.now += timedelta(seconds=1)
        time.sleep(0.05)
        runs = host.ask("schedule.runs", id="sch-housekeeping")
    assert [run.status for run in runs] == ["skipped"]
    assert host.ask("upkeep.run", job="housekeeping").status == "succeeded"


def test_the_database_is_checked_once_a_week_and_mended(host: Host, clock: SetClock) -> None:
    host.ask("note.save", title="Rose", content="A climbing rose")
    host.ask("vault.settle")
    assert "sound" in host.ask("upkeep.run", job="housekeeping").output
    assert "sound" not in host.ask("upkeep.run", job="housekeeping").output
    clock.now += timedelta(days=7)
    engine = engine_of(host)
    assert isinstance(engine, Engine)

    def spoil(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM chunks WHERE rowid IN (SELECT min(rowid) FROM chunks)")

    host.submit(engine.store.write(spoil)).result()
    assert any(finding.is_mended_by_repair for finding in host.ask("vault.check").findings)
    run = host.ask("upkeep.run", job="housekeeping")
    assert run.status == "succeeded"
    assert "anew" in run.output
    assert host.ask("memory.search", query="climbing").hits
    assert not any(finding.is_mended_by_repair for finding in host.ask("vault.check").findings)


def test_a_clock_that_was_ahead_does_not_put_the_check_off(host: Host, clock: SetClock) -> None:
    true = clock.now
    clock.now = true + timedelta(days=3650)
    assert "sound" in host.ask("upkeep.run", job="housekeeping").output
    clock.now = true + timedelta(days=1)
    assert "sound" in host.ask("upkeep.run", job="housekeeping").output
    assert "sound" not in host.ask("upkeep.run", job="housekeeping").output
