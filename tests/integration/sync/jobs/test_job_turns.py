"""Of several machines that share a memory one does what is to be done once."""

import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.api.caller import Caller
from app.schedule.model import Cadence
from app.sync.leases import job_lease
from tests.helpers.engine import engine_of
from tests.helpers.processes.warm_process import ModuleProcess, start_module
from tests.integration.sync.jobs.working_machines import (
    IN_FOLDER,
    TIMING,
    WEEK,
    Done,
    WorkingMachine,
    pass_time,
    reflections,
)
from tests.integration.sync.machines import settle
from tests.integration.sync.test_sync_loop import until

DAILY = Cadence(kind="cron", expression="0 8 * * *")
HOURLY = Cadence(kind="interval", seconds=3600)
HOUR_S = 3600.0

if TYPE_CHECKING:
    from app.sync.exchanges.exchange_point import ExchangePoint
    from app.sync.leases.job_lease import JobLease


def daily_goal(maker: WorkingMachine, *others: WorkingMachine) -> str:
    """Make a schedule on a machine, and let the others know of it."""
    schedule = str(maker.ask("schedule.create", goal="Sum up the day", name="Summary", cadence=DAILY).id)
    for machine in (maker, *others):
        machine.sync()
    return schedule


def test_a_goal_is_pursued_once_where_it_was_made(machines: Callable[[int], list[WorkingMachine]], done: Done) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(laptop, desktop)
    for day in range(1, 4):
        pass_time((desktop, laptop), hours=24)
        desktop.work()
        assert len(done) == day - 1
        assert desktop.waits(schedule).startswith("Waits: it is the turn of ")
        laptop.work()
        assert [machine for machine, _ in done] == ["laptop"] * day
        pass_time((desktop, laptop), seconds=TIMING.look)
        desktop.work()
        assert desktop.waits(schedule) == ""
        assert desktop.runs(schedule)[0] == (
            "skipped",
            f"Skipped at {done[-1][1]:%Y-%m-%dT%H:%M:%S.000Z}. It ran on laptop.",
        )
    assert len({due for _, due in done}) == 3


def test_another_machine_takes_the_place_of_one_that_is_gone_until_that_is_taken_over(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(laptop, desktop)
    pass_time((desktop, laptop), hours=24)
    laptop.work()
    pass_time((desktop, laptop), hours=24)
    desktop.work()  # it learns that the day before was done, and that today is due
    for _ in range(3):
        pass_time((desktop, laptop), seconds=TIMING.silence)
        desktop.work()
    pass_time((desktop, laptop), seconds=TIMING.long_silence)
    desktop.work()
    assert [machine for machine, _ in done] == ["laptop", "desktop"]
    laptop.work()
    assert laptop.runs(schedule)[0][1].endswith(". It ran on desktop.")
    pass_time((desktop, laptop), hours=24)
    laptop.work()
    assert "turn of " in laptop.waits(schedule)
    desktop.work()
    assert [machine for machine, _ in done] == ["laptop", "desktop", "desktop"]
    assert len({due for _, due in done}) == 3


def test_what_a_machine_died_of_is_not_done_again_by_another(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(laptop, desktop)
    pass_time((desktop, laptop), hours=24)
    laptop.goals.dies = True
    laptop.work()
    for _ in range(3):
        pass_time((desktop,), seconds=TIMING.silence)
        desktop.work()
    assert [machine for machine, _ in done] == ["laptop"]
    assert desktop.runs(schedule)[0][1].endswith(". It began on laptop, which was not heard of since.")
    laptop.goals.dies = False
    pass_time((laptop,), seconds=HOUR_S)
    laptop.work()
    assert [machine for machine, _ in done] == ["laptop", "laptop"]  # what it left halfway is its own to do again
    assert len({due for _, due in done}) == 1


@IN_FOLDER
def test_a_machine_that_works_for_long_keeps_its_turn(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    desktop.goals.gate.clear()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(desktop.work)
        until(lambda: len(done) == 1)
        for _ in range(5):
            seen = leases(laptop)
            until(lambda seen=seen: leases(laptop) != seen)  # type: ignore[misc]
            laptop.work()
            pass_time((laptop,), seconds=TIMING.silence)
        assert "turn of desktop" in laptop.waits(schedule)
        desktop.goals.gate.set()
        working.result()
    laptop.work()
    assert len(done) == 1
    assert laptop.runs(schedule)[0][1].endswith(". It ran on desktop.")


def leases(machine: WorkingMachine) -> list[str]:
    """Return the names of the leases at the place."""
    return list(machine.point().names("jobs"))


def test_of_three_machines_that_want_to_at_once_one_does(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    three = machines(3)
    schedule = daily_goal(three[0], *three[1:])
    pass_time(three, hours=24)
    three[0].goals.reason = "Waits: it has no model."
    for machine in three:
        machine.work()
    pass_time(three, seconds=TIMING.long_silence)
    with ThreadPoolExecutor(3) as pool:
        for _ in range(3):
            list(pool.map(WorkingMachine.work, three))
            pass_time(three, seconds=TIMING.look)
    assert len(done) == 1
    assert done[0][0] in ("laptop", "server")
    assert all(machine.waits(schedule) == "" for machine in three[1:])


@IN_FOLDER
def test_a_machine_that_cannot_pursue_a_goal_leaves_it_to_another(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    desktop.goals.reason = "Waits: it has no model."
    pass_time((desktop, laptop), hours=24)
    for _ in range(2):
        desktop.work()
        laptop.work()
        pass_time((desktop, laptop), seconds=TIMING.long_silence)
    assert [machine for machine, _ in done] == ["laptop"]
    desktop.goals.reason = ""
    desktop.work()
    assert desktop.runs(schedule)[0][1].endswith(". It ran on laptop.")


def test_clocks_that_are_wrong_by_days_run_each_time_once(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop, server = machines(3)
    daily_goal(desktop, laptop, server)
    desktop.time.now += timedelta(days=3)
    server.time.now -= timedelta(days=2)
    for _ in range(9):
        pass_time((desktop, laptop, server), hours=24)
        for machine in (laptop, server, desktop):
            machine.work()
        pass_time((desktop, laptop, server), seconds=TIMING.long_silence)
        for machine in (laptop, server, desktop):
            machine.work()
    assert len({due for _, due in done}) == len(done) >= 9


@IN_FOLDER
def test_a_vault_that_is_put_back_does_nothing_again(
    machines: Callable[[int], list[WorkingMachine]], done: Done, tmp_path: Path
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    desktop.stop()
    shutil.copytree(desktop.vault, tmp_path / "backup")
    desktop.start()
    pass_time((desktop, laptop), hours=24)
    desktop.work()
    desktop.stop()
    shutil.rmtree(desktop.vault)
    shutil.copytree(tmp_path / "backup", desktop.vault)
    desktop.start()
    desktop.work()
    desktop.sync()
    assert len(done) == 1
    assert desktop.runs(schedule)[0][0] == "skipped"


@IN_FOLDER
def test_a_goal_waits_where_the_others_cannot_be_asked(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    desktop.ask("device.pause")
    pass_time((desktop, laptop), hours=24)
    for _ in range(2):
        desktop.work()
        pass_time((desktop, laptop), seconds=TIMING.long_silence)
    assert not done
    assert desktop.waits(schedule) == "Waits until your other machines can be asked. The exchange is paused."
    desktop.ask("device.resume")
    desktop.work()
    assert [machine for machine, _ in done] == ["desktop"]


@IN_FOLDER
def test_a_person_lets_a_schedule_run_on_this_machine(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    desktop.work()
    laptop.work()
    assert laptop.ask("schedule.get", id=schedule).machine == "desktop"
    assert desktop.ask("schedule.get", id=schedule).machine == ""
    laptop.ask("schedule.run_here", id=schedule)
    assert laptop.ask("schedule.get", id=schedule).machine == ""
    pass_time((desktop, laptop), hours=24)
    desktop.work()
    laptop.work()
    assert [machine for machine, _ in done] == ["desktop", "laptop"]
    assert desktop.ask("schedule.get", id=schedule).machine == "laptop"
    for machine in (desktop, laptop):
        runs = {one.name: schedule in one.schedules for one in machine.ask("device.list")}
        assert runs == {"desktop": False, "laptop": True}


@IN_FOLDER
def test_what_another_machine_only_took_over_was_not_done_by_it(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = str(desktop.ask("schedule.create", goal="Sum up", name="Summary", cadence=HOURLY).id)
    for machine in (desktop, laptop):
        machine.sync()
    pass_time((desktop, laptop), hours=1.5)
    desktop.work()
    laptop.work()
    assert [machine for machine, _ in done] == ["desktop"]
    laptop.ask("schedule.run_here", id=schedule)
    pass_time((desktop, laptop), hours=1)
    desktop.work()
    assert desktop.waits(schedule) == "Waits: it is the turn of laptop."
    laptop.work()
    pass_time((desktop, laptop), seconds=TIMING.look)
    desktop.work()
    assert [machine for machine, _ in done] == ["desktop", "laptop"]
    assert desktop.runs(schedule)[0][1].endswith(". It ran on laptop.")


@IN_FOLDER
def test_a_turn_is_given_back_though_it_is_renewed_at_the_same_moment(
    machines: Callable[[int], list[WorkingMachine]], done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    put_next, renewed = job_lease.put_next, []

    def put_after_renewal(point: "ExchangePoint", *rest: Any) -> "JobLease | None":
        *_, lease = rest
        if not lease.is_begun and not renewed:
            renewed.append(put_next(point, *rest[:-1], replace(lease, is_begun=True)))
        return put_next(point, *rest)

    monkeypatch.setattr(job_lease, "put_next", put_after_renewal)
    desktop.work()
    assert len(renewed) == 1
    laptop.work()
    assert len(done) == 1
    assert laptop.runs(schedule)[0][1].endswith(". It ran on desktop.")


@IN_FOLDER
def test_a_turn_that_could_not_be_given_back_is_given_back_later(
    machines: Callable[[int], list[WorkingMachine]], done: Done, place: str
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    desktop.goals.gate.clear()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(desktop.work)
        until(lambda: len(done) == 1)
        Path(place).rename(f"{place} that is not there")
        desktop.goals.gate.set()
        working.result()
    Path(f"{place} that is not there").rename(place)
    before = leases(laptop)
    pass_time((desktop,), seconds=TIMING.look)
    until(lambda: leases(laptop) != before)
    laptop.work()
    assert len(done) == 1
    assert laptop.runs(schedule)[0][1].endswith(". It ran on desktop.")


def working(machine: WorkingMachine, job: str = "", moment: str = "") -> ModuleProcess:
    """Start a process that does what is due at a stopped machine."""
    module = "tests.integration.sync.jobs.working_process"
    return start_module(module, str(machine.vault), machine.time.now.isoformat(), job, moment)


@IN_FOLDER
def test_a_goal_that_a_killed_process_pursued_is_its_own_to_pursue_again(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    chain = job_lease.digest(laptop.sealer()[0], "job", schedule)
    desktop.stop()
    with working(desktop) as process:
        until(lambda: any(chain in name for name in leases(laptop)))
        process.kill()
    for _ in range(3):
        laptop.work()
        pass_time((laptop,), seconds=TIMING.silence)
    assert not done
    assert laptop.runs(schedule)[0][1].endswith(". It began on desktop, which was not heard of since.")
    desktop.start()
    pass_time((desktop,), seconds=3 * TIMING.silence)
    recover(desktop)
    desktop.work()
    assert [machine for machine, _ in done] == ["desktop"]


@IN_FOLDER
@pytest.mark.parametrize("moment", ["beginning", "end"])
def test_another_machine_does_the_work_that_a_killed_process_began(
    machines: Callable[[int], list[WorkingMachine]], moment: str
) -> None:
    pair = desktop, laptop = machines(2)
    for number, text in enumerate(WEEK):
        desktop.ask("fact.remember", content=text, category="plan", key=f"boat {number}")
    settle(*pair)
    desktop.ask("schedule.run_here", id="sch-reflection")
    pass_time(pair, hours=6 * 24 + 16)  # early on Sunday
    desktop.stop()
    with working(desktop, "sch-reflection", moment) as process:
        assert process.wait() == -signal.SIGKILL
    for _ in range(3):
        laptop.work()
        pass_time((laptop,), seconds=TIMING.silence)
    assert len(reflections(laptop)) == 1
    desktop.start()
    pass_time((desktop,), seconds=3 * TIMING.silence)
    recover(desktop)
    desktop.work()
    settle(*pair)
    assert reflections(desktop) == reflections(laptop)
    assert len(reflections(laptop)) == 1
    assert any(words.endswith(". It ran on laptop.") for _, words in desktop.runs("sch-reflection"))


def recover(machine: WorkingMachine) -> None:
    """Let a machine take up what its former process left."""
    machine.host.submit(engine_of(machine.host).schedules.service.recover(lambda _: True)).result()


@IN_FOLDER
def test_an_agent_gets_no_goal_that_another_machine_pursues(
    machines: Callable[[int], list[WorkingMachine]], done: Done
) -> None:
    desktop, laptop = machines(2)
    schedule = daily_goal(desktop, laptop)
    pass_time((desktop, laptop), hours=24)
    assert laptop.ask("schedule.claim", id=schedule) is None
    claim = desktop.ask("schedule.claim", id=schedule)
    assert claim is not None
    pass_time((desktop, laptop), seconds=TIMING.look)
    assert laptop.ask("schedule.claim", id=schedule) is None
    desktop.ask("schedule.report", run_id=claim.run_id, output="Done.")
    pass_time((desktop, laptop), seconds=TIMING.look)
    laptop.work()
    assert laptop.runs(schedule)[0][1].endswith(". It ran on desktop.")
    assert not done


@IN_FOLDER
def test_an_agent_learns_the_name_of_no_machine(machines: Callable[[int], list[WorkingMachine]]) -> None:
    desktop, laptop = machines(2)
    agent, trusted = Caller("cli", "inner"), Caller("boss", "full")

    def ask(caller: Caller, operation: str, **arguments: object) -> Any:
        return laptop.host.call(operation, arguments, caller).result().value

    def seen(caller: Caller) -> str:
        runs = ask(caller, "schedule.runs", id=schedule)
        each = [ask(caller, "schedule.run", run_id=run.run_id) for run in runs]
        lists = [ask(caller, operation) for operation in ("schedule.search", "schedule.due")]
        return repr((runs, each, lists, ask(caller, "schedule.get", id=schedule)))

    schedule = str(ask(agent, "schedule.create", goal="Sum up", cadence=DAILY).id)
    for machine in (laptop, desktop):
        machine.sync()
    pass_time((desktop, laptop), hours=24)
    desktop.ask("schedule.run_here", id=schedule)
    laptop.work()
    assert "turn of another of your machines" in seen(agent)
    assert "turn of desktop" in seen(trusted)
    desktop.work()
    pass_time((laptop,), seconds=TIMING.look)
    laptop.work()
    assert "Another of your machines ran it." in seen(agent)
    assert "It ran on desktop." in seen(trusted)
    assert "desktop" not in seen(agent)
    laptop.ask("device.pause")
    pass_time((laptop,), hours=24)
    laptop.work()
    assert "your other machines can be asked." in seen(agent)
    assert "paused" not in seen(agent)
