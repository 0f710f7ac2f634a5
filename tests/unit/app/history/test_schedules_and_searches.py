"""Schedules and saved searches are on the history, each change with its undo, also after a restart."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller, caller_of
from app.core.clock import DAY_MS, to_datetime, to_ms
from app.errors import AccessDeniedError, NotFoundError, StaleError
from app.history.acts.model import Act
from app.host import Host

DAILY = {"kind": "interval", "seconds": 86_400}
HOURLY = {"kind": "interval", "seconds": 3_600}


def acts(host: Host) -> list[Act]:
    return list(host.ask("history.list", limit=50).acts)


def texts(host: Host) -> list[str]:
    return [act.text for act in acts(host)]


def step(host: Host, what: str = "undo") -> str:
    return str(host.ask("history.step", step=what).act.text)


def schedule(host: Host, **options: Any) -> Any:
    return host.ask("schedule.create", **({"goal": "Water the roses", "cadence": DAILY, "name": "Roses"} | options))


def patch(host: Host, identity: str, **fields: Any) -> Any:
    return host.ask("schedule.update", id=identity, patch=fields)


def own(host: Host) -> list[Any]:
    return [one for one in host.ask("schedule.search", limit=100).schedules if not one.is_built_in]


def searches(host: Host) -> list[tuple[str, str]]:
    return [(one.name, one.query) for one in host.ask("saved_search.list")]


def agent(host: Host, **options: Any) -> Caller:
    if not host.ask("agent.list"):
        host.ask("agent.add", name="robin", **({"trust": "full"} | options))
    return caller_of(host.ask("agent.list")[0])


def test_what_becomes_of_a_schedule_is_told(host: Host) -> None:
    made = schedule(host)
    patch(host, made.id, name="Red roses")
    patch(host, made.id, status="paused")
    patch(host, made.id, status="active")
    patch(host, made.id, goal="Water all roses", cadence=HOURLY)
    host.ask("schedule.delete", id=made.id)
    assert texts(host) == [
        "Deleted the schedule ‘Red roses’",
        "Changed the schedule ‘Red roses’",
        "Switched on the schedule ‘Red roses’",
        "Switched off the schedule ‘Red roses’",
        "Renamed the schedule ‘Red roses’",
        "Created the schedule ‘Roses’",
    ]
    assert {act.who for act in acts(host)} == {"me"}


def test_each_step_with_a_schedule_is_undone_and_done_again(host: Host) -> None:
    made = schedule(host)
    states = [own(host)]
    for change in ({"name": "Red roses"}, {"status": "paused"}, {"goal": "Water all roses", "cadence": HOURLY}):
        patch(host, made.id, **change)
        states.append(own(host))
    host.ask("schedule.delete", id=made.id)
    assert own(host) == []
    for before in reversed(states):
        step(host)
        assert [_decided(one) for one in own(host)] == [_decided(one) for one in before]
    step(host)
    assert own(host) == []
    for after in [*states, []]:
        step(host, "redo")
        assert [_decided(one) for one in own(host)] == [_decided(one) for one in after]


def _decided(one: Any) -> tuple[Any, ...]:
    return (one.id, one.user_id, one.name, one.goal, one.cadence, one.status, one.trust, one.next_run_at is None)


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


@contextmanager
def running(vault: Path, clock: SetClock) -> Iterator[Host]:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"}, clock=clock)
    host.start()
    try:
        yield host
    finally:
        host.stop()


def test_a_deleted_schedule_comes_back_with_its_runs_after_a_restart(vault: Path) -> None:
    clock = SetClock()
    with running(vault, clock) as host:
        made, robin = schedule(host), agent(host)
        clock.ms += 2 * DAY_MS
        claim = host.call("schedule.claim", {"id": made.id}, robin).result(30).value
        host.call("schedule.report", {"run_id": claim.run_id, "output": "Watered."}, robin).result(30)
        runs = host.ask("schedule.runs", id=made.id)
        assert "Watered." in [one.output for one in runs]
        host.ask("schedule.delete", id=made.id)
        clock.ms += 2 * DAY_MS
        with pytest.raises(NotFoundError):
            host.ask("schedule.get", id=made.id)
        assert made.id not in {one.schedule_id for one in host.ask("schedule.runs")}
        assert (host.ask("schedule.count", text="roses"), host.ask("schedule.notes")) == (0, [])
        assert made.id not in {one.id for one in host.ask("schedule.due")}
    with running(vault, clock) as host:
        assert step(host) == "Deleted the schedule ‘Roses’"
        assert host.ask("schedule.runs", id=made.id) == runs
        assert to_ms(host.ask("schedule.get", id=made.id).next_run_at) == clock.ms + DAY_MS, "nothing is made up for"
        assert {one.schedule_id for one in host.ask("schedule.notes")} == {made.id}
        assert host.ask("vault.check").ok


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("reported", ["before the undo", "after the undo"])
def test_a_run_goes_on_though_its_schedule_was_deleted_and_came_back(vault: Path, once: bool, reported: str) -> None:
    clock = SetClock()
    with running(vault, clock) as host:
        robin = agent(host)

        def call(operation: str, **arguments: Any) -> Any:
            return host.call(operation, arguments, robin).result(30).value

        made = schedule(host, cadence={"kind": "once", "at": to_datetime(clock.ms + DAY_MS)} if once else DAILY)
        clock.ms += DAY_MS
        claim = call("schedule.claim", id=made.id)
        host.ask("schedule.delete", id=made.id)
        with pytest.raises(StaleError, match="was deleted"):
            call("schedule.heartbeat", run_id=claim.run_id)
        if reported == "before the undo":
            call("schedule.report", run_id=claim.run_id, output="Watered.")
        step(host)
        if reported == "after the undo":
            back = host.ask("schedule.get", id=made.id)
            assert (back.status, back.next_run_at is None) == ("active", once)
            assert claim.run_id in [one.run_id for one in host.ask("schedule.status").running]
            assert call("schedule.claim", id=made.id) is None, "it runs already"
            call("schedule.report", run_id=claim.run_id, output="Watered.")
        done = host.ask("schedule.get", id=made.id)
        assert (done.status, done.last_run_status) == ("completed" if once else "active", "succeeded")
        assert done.next_run_at == (None if once else to_datetime(clock.ms + DAY_MS))
        assert [one.output for one in host.ask("schedule.runs", id=made.id)] == ["Watered."]
        assert host.ask("vault.check").ok


def test_what_runs_do_keeps_nothing_from_being_undone(vault: Path) -> None:
    clock = SetClock()
    with running(vault, clock) as host:
        once = schedule(host, cadence={"kind": "once", "at": to_datetime(clock.ms + DAY_MS)})
        patch(host, once.id, name="New year")
        patch(host, once.id, cadence={"kind": "once", "at": to_datetime(clock.ms + 2 * DAY_MS)})
        clock.ms += 3 * DAY_MS
        step(host)
        done = host.ask("schedule.get", id=once.id)
        assert (done.status, done.next_run_at) == ("completed", None), "its time has passed"
        assert step(host) == "Renamed the schedule ‘New year’"
        step(host)
        assert own(host) == []


def test_an_earlier_change_of_a_schedule_waits_for_the_later_one(host: Host) -> None:
    made = schedule(host)
    patch(host, made.id, goal="Water all roses")
    patch(host, made.id, goal="Water no roses")
    patch(host, made.id, name="Red roses")
    renaming, later, earlier, _ = acts(host)
    assert earlier.refusal.endswith("(goal). Undo this first: Changed the schedule ‘Red roses’.")
    assert (renaming.refusal, later.refusal) == ("", ""), "a name and a goal are two things"
    with pytest.raises(StaleError):
        host.ask("history.undo", id=earlier.id)


def test_built_in_work_that_was_switched_off_is_switched_on_again(host: Host) -> None:
    decay = next(one for one in host.ask("schedule.search", limit=100).schedules if one.id == "sch-decay")
    patch(host, decay.id, status="paused")
    step(host)
    assert host.ask("schedule.get", id=decay.id).status == "active"


def test_what_changes_nothing_is_no_entry(host: Host) -> None:
    made = schedule(host)
    patch(host, made.id, name="Roses")
    host.ask("saved_search.save", query="kites", name="Birds")
    host.ask("saved_search.save", query="kites")
    assert texts(host) == ["Created the saved search ‘Birds’", "Created the schedule ‘Roses’"]


def test_each_step_with_a_saved_search_is_undone_and_done_again(host: Host) -> None:
    first = host.ask("saved_search.save", query="kites", name="Birds")
    host.ask("saved_search.save", query="lakes")
    states = [searches(host)]
    host.ask("saved_search.rename", id=first.id, name="Red kites")
    states.append(searches(host))
    host.ask("saved_search.delete", id=first.id)
    assert texts(host)[:2] == ["Deleted the saved search ‘Red kites’", "Renamed the saved search ‘Red kites’"]
    assert searches(host) == [("lakes", "lakes")]
    for before in reversed(states):
        step(host)
        assert searches(host) == before, "at its place"
    step(host)
    step(host)
    assert searches(host) == []
    for _ in range(4):
        step(host, "redo")
    assert searches(host) == [("lakes", "lakes")]


def test_a_search_saved_again_is_another_entry(host: Host) -> None:
    first = host.ask("saved_search.save", query="kites", name="Birds")
    host.ask("saved_search.delete", id=first.id)
    host.ask("saved_search.save", query="kites")
    assert searches(host) == [("kites", "kites")]
    deletion = acts(host)[1]
    assert "was brought back since" in deletion.refusal
    assert step(host) == "Created the saved search ‘kites’"
    host.ask("history.undo", id=deletion.id)
    assert searches(host) == [("Birds", "kites")]


def test_an_accepted_schedule_of_an_agent_is_undone_and_waits_again(host: Host) -> None:
    robin = agent(host, review=True)
    proposed = host.call("schedule.create", {"goal": "Water the roses", "cadence": DAILY}, robin).result(30)
    assert proposed.outcome == "proposed"
    (waiting,) = host.ask("inbox.list")
    assert [(one.kind, one.after["goal"]) for one in waiting.preview.changes] == [("schedule", "Water the roses")]
    host.ask("inbox.accept", id=waiting.id)
    assert [one.user_id for one in own(host)] == ["robin"]
    step(host)
    assert own(host) == []
    assert [one.state for one in host.ask("inbox.list")] == ["waiting"]


def test_an_agent_undoes_no_schedule_or_search_of_the_person_unasked(host: Host) -> None:
    robin = agent(host)
    made = schedule(host)
    search = host.ask("saved_search.save", query="kites")
    for target in (made.id, search.id):
        entry = host.ask("memory.history", target=target)[0].id
        assert host.call("memory.undo", {"history_ids": [entry]}, robin).result(30).outcome == "proposed"
    theirs = host.call("schedule.create", {"goal": "Count crows", "cadence": DAILY}, robin).result(30).value
    entry = host.ask("memory.history", target=theirs.id)[0].id
    assert host.call("memory.undo", {"history_ids": [entry]}, robin).result(30).outcome == "done"
    assert [one.id for one in own(host)] == [made.id]


def test_an_agent_switches_no_work_of_keepsakes_own_on_again_by_an_undo(host: Host) -> None:
    robin = replace(agent(host), has_confirmed=True)
    patch(host, "sch-decay", status="paused")
    entry = host.ask("memory.history", target="sch-decay")[0].id

    def undo() -> str:
        return host.call("memory.undo", {"history_ids": [entry]}, robin).result(30).outcome

    host.ask("inbox.rule.set", kind="schedule", action="accept")
    assert undo() == "proposed", "as schedule.update does, with the person's consent or not"
    assert host.ask("schedule.get", id="sch-decay").status == "paused"
    (waiting,) = host.ask("inbox.list")
    assert (waiting.kind, waiting.preview.why) == ("upkeep", "upkeep")
    host.ask("inbox.accept", id=waiting.id)
    assert host.ask("schedule.get", id="sch-decay").status == "active"
    patch(host, "sch-decay", status="paused")
    entry = host.ask("memory.history", target="sch-decay")[0].id
    host.ask("inbox.rule.set", kind="upkeep", action="reject")
    with pytest.raises(AccessDeniedError):
        undo()
    host.ask("inbox.rule.set", kind="upkeep", action="accept")
    assert undo() == "done"


def test_an_agent_takes_no_decision_of_the_person_back_by_its_run(host: Host) -> None:
    robin = replace(agent(host), has_confirmed=True)
    wren = host.ask("agent.add", name="wren", trust="full", review=True)
    caller = next(caller_of(one) for one in host.ask("agent.list") if one.name == "wren")
    host.call("note.save", {"content": "Crows like walnuts"}, caller).result(30)
    (waiting,) = host.ask("inbox.list")
    host.ask("inbox.accept", id=waiting.id)
    run = host.ask("history.list").acts[0].id
    with pytest.raises(NotFoundError):
        host.call("memory.undo", {"run_id": run}, robin).result(30)
    assert [one.state for one in host.ask("inbox.list", state="accepted")] == ["accepted"], wren
