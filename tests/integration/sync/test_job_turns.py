"""Of several machines that share a memory one does what is to be done once."""

import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.api.caller import Caller
from app.core.access import Access
from app.memories.model import NewMemory
from app.schedule.model import Cadence
from app.sync.leases import job_lease
from tests.helpers.engine import engine_of
from tests.helpers.warm_process import ModuleProcess, start_module
from tests.integration.sync.machines import settle
from tests.integration.sync.test_sync_loop import until
from tests.integration.sync.working_machines import TIMING, WorkingMachine, pass_time

DAILY = Cadence(kind="cron", expression="0 8 * * *")
HOURLY = Cadence(kind="interval", seconds=3600)
HOUR_S = 3600.0
WEEK = [f"Anna will bring the boat number {number} to Bremen in May." for number in range(5)]

if TYPE_CHECKING:
    from app.sync.exchanges.exchange_point import ExchangePoint
    from app.sync.leases.job_lease import JobLease
    from tests.helpers.postgresql import PostgresqlServer

IN_FOLDER = pytest.mark.parametrize("place", ["folder"], indirect=True)
Done = list[tuple[str, datetime]]


@pytest.fixture
def done() -> Done:
    """Return which machine pursued a goal, and for when it was due."""
    return []


@pytest.fixture(params=["folder", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty place."""
    if request.param == "folder":
        folder = tmp_path / "exchange"
        folder.mkdir()
        return str(folder)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.new_place()


@pytest.fixture
def settings() -> dict[str, object]:
    """Return settings of the machines beside the usual ones."""
    return {}


@pytest.fixture
def machines(
    tmp_path: Path, place: str, done: Done, settings: dict[str, object]
) -> Iterator[Callable[[int], list[WorkingMachine]]]:
    """Return a function that makes some machines which share a place."""
    made: list[WorkingMachine] = []

    def make(count: int) -> list[WorkingMachine]:
        names = ("desktop", "laptop", "server")[:count]
        made.extend(WorkingMachine(tmp_path / name, tmp_path / "unused", done, **settings) for name in names)
        made[0].share(place)
        for other in made[1:]:
            other.join(made[0], place)
        (first,) = [one for one in made[0].ask("device.list") if one.is_this]
        made[0].ask("device.rename", device=first.id, name=names[0])
        for machine in made:
            machine.ask("device.resume")
            machine.sync()
        return made

    yield make
    for machine in made:
        machine.stop()


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
    module = "tests.integration.sync.working_process"
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


def test_machines_that_hear_of_each_other_write_one_reflection(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[number % 2].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
    settle(*pair)
    pass_time(pair, hours=6 * 24 + 16)  # early on Sunday
    for machine in (*pair, *pair):
        machine.work()
        pass_time(pair, seconds=TIMING.silence)
    settle(*pair)
    assert reflections(pair[0]) == reflections(pair[1])
    assert len(reflections(pair[0])) == 1


def test_machines_that_do_not_hear_of_each_other_come_to_the_same(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[0].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
        observe(pair[0], f"{text} It was seen.")
    settle(*pair)
    for machine in pair:
        machine.ask("device.pause")
    pass_time(pair, hours=6 * 24 + 16)  # early on Sunday
    for machine in (*pair, *pair, *pair):
        machine.work()
        pass_time(pair, seconds=TIMING.silence)
    assert all(len(reflections(machine)) == 1 for machine in pair)
    for machine in pair:
        machine.ask("device.resume")
    settle(*pair)
    for kind in ("reflection", "digest"):
        found = pair[0].rows("SELECT count(*), count(valid_until) FROM memories WHERE kind = ?", kind)
        assert found == [(1, 0)], kind


def observe(machine: WorkingMachine, content: str) -> None:
    """Store an observation that is old enough to be compressed."""
    draft = NewMemory(content, "Boats", kind="observation", created_at=machine.time.now - timedelta(days=40))
    saving = engine_of(machine.host).memories.service.save(Access.everything("person", "memory.save"), draft)
    machine.host.submit(saving).result()


def reflections(machine: WorkingMachine) -> list[str]:
    """Return the ids of the reflections that are there."""
    rows = machine.rows("SELECT id FROM memories WHERE kind = 'reflection' AND valid_until IS NULL")
    return [row[0] for row in rows]


def drawn(machine: WorkingMachine) -> list[tuple[str, int]]:
    """Return the facts that were drawn from conversations, with how often each was said."""
    rows = machine.rows("SELECT content, mention_count FROM memories WHERE kind = 'fact' AND source = 'rules'")
    return sorted((str(content), int(count)) for content, count in rows)


def say(machine: WorkingMachine, text: str) -> None:
    """Say something in a conversation that is over an hour later."""
    machine.ask("session.append", session="talk", messages=[{"role": "user", "content": text}])


@IN_FOLDER
def test_each_machine_draws_facts_from_what_was_said_on_it(machines: Callable[[int], list[WorkingMachine]]) -> None:
    desktop, laptop = machines(2)
    say(desktop, "My sister Rosa lives in Bremen.")
    settle(desktop, laptop)
    say(laptop, "My brother Emil lives in Kassel.")
    pass_time((desktop, laptop), hours=2)
    assert "1 message" in laptop.ask("upkeep.run", job="consolidation").output
    settle(desktop, laptop)
    pass_time((desktop, laptop), hours=2)
    assert "1 message" in desktop.ask("upkeep.run", job="consolidation").output
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert machine.ask("upkeep.run", job="consolidation").output == "There was nothing to read."
    settle(desktop, laptop)
    assert len(drawn(desktop)) == 2
    assert drawn(desktop) == drawn(laptop)
    assert {count for _, count in drawn(desktop)} == {1}


@IN_FOLDER
def test_a_fact_that_a_vault_draws_again_after_it_was_put_back_is_the_same(
    machines: Callable[[int], list[WorkingMachine]], tmp_path: Path
) -> None:
    desktop, laptop = machines(2)
    say(desktop, "My sister Rosa lives in Bremen.")
    settle(desktop, laptop)
    desktop.stop()
    shutil.copytree(desktop.vault, tmp_path / "backup")
    desktop.start()
    pass_time((desktop, laptop), hours=2)
    desktop.ask("upkeep.run", job="consolidation")
    settle(desktop, laptop)
    (fact,) = laptop.rows("SELECT id FROM memories WHERE source = 'rules'")
    laptop.ask("note.delete", id=fact[0])
    laptop.sync()
    desktop.stop()
    shutil.rmtree(desktop.vault)
    shutil.copytree(tmp_path / "backup", desktop.vault)
    desktop.start()
    desktop.ask("upkeep.run", job="consolidation")
    settle(desktop, laptop)
    assert desktop.rows("SELECT id, valid_until IS NULL FROM memories WHERE source = 'rules'") == [(fact[0], 0)]


@IN_FOLDER
def test_a_fact_that_is_used_on_one_machine_fades_on_none(
    machines: Callable[[int], list[WorkingMachine]], settings: dict[str, object]
) -> None:
    settings |= {"decay.enabled": True, "decay.max_share": 1, "decay.max_share_month": 1}
    desktop, laptop = machines(2)
    used, _ = (
        desktop.ask("fact.remember", content=content, decay_rate=2).memory.id
        for content in ("Rosa rents a flat in Bremen", "Mona sails on the lake")
    )
    settle(desktop, laptop)
    desktop.ask("schedule.run_here", id="sch-decay")
    pass_time((desktop, laptop), hours=3 * 24)
    access = engine_of(laptop.host).memories.access
    access.count([used])
    laptop.host.submit(access.flush()).result()
    desktop.work()
    settle(desktop, laptop)
    assert laptop.rows("SELECT id FROM memories WHERE valid_until IS NULL") == []
    laptop.work()
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert machine.rows("SELECT id FROM memories WHERE valid_until IS NULL") == [(used,)]


@IN_FOLDER
def test_each_machine_lowers_a_confidence_by_itself_until_somebody_changes_the_fact(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    desktop, laptop = machines(2)
    fact = desktop.ask("fact.remember", content="Rosa rents a flat in Bremen", decay_rate=0.1).memory.id
    settle(desktop, laptop)
    pass_time((desktop, laptop), hours=3 * 24)
    desktop.ask("upkeep.run", job="decay")
    settle(desktop, laptop)
    (lowered,) = confidence_of(desktop, fact)
    assert lowered < 0.75
    assert confidence_of(laptop, fact) == [1.0]
    desktop.ask("note.tag_many", ids=[fact], add=["home"])
    settle(desktop, laptop)
    assert confidence_of(desktop, fact) == confidence_of(laptop, fact) == [lowered]


def confidence_of(machine: WorkingMachine, fact: str) -> list[float]:
    return [confidence for (confidence,) in machine.rows("SELECT confidence FROM memories WHERE id = ?", fact)]


@IN_FOLDER
def test_a_machine_whose_clock_is_behind_writes_no_second_reflection(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[0].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
    settle(*pair)
    pass_time(pair, hours=6 * 24 + 16)
    pair[0].time.now += timedelta(hours=2)
    pair[0].ask("upkeep.run", job="reflection")
    settle(*pair)
    assert pair[1].ask("upkeep.run", job="reflection").output == "Another reflection was written meanwhile."
    assert len(reflections(pair[1])) == 1
