"""Schedules and saved searches of an agent are undone, hidden and brought back with the rest."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.api.caller import Caller
from app.api.catalogue import declared
from app.host import Host
from app.quarantine.repo import run_prefix

SCOUT = Caller("scout", "full", agent_id="agt-1")
DAILY = {"kind": "interval", "seconds": 86_400}


def test_every_write_of_an_agent_is_taken_back_waits_or_passes() -> None:
    theirs = [item for item in declared() if item.access == "write" and not item.owner_only]
    waits = {item.name for item in theirs if item.guard in ("unconfirmed", "others")}
    assert {item.name for item in theirs if not item.undo} - waits == set(), "declare how what it writes is taken back"
    assert [item.name for item in theirs if item.kind == "other"] == []


def do(host: Host, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, SCOUT).result(30).value


@pytest.fixture
def made(host: Host) -> dict[str, Any]:
    host.ask("agent.add", name="scout", trust="full")
    mine = host.ask("schedule.create", goal="the person's", cadence=DAILY)
    host.ask("saved_search.save", query="the person's")
    do(host, "note.save", content="An agent's note")
    schedule = do(host, "schedule.create", goal="An agent's goal", cadence=DAILY, name="theirs")
    search = do(host, "saved_search.save", query="an agent's query", name="Theirs")
    return {"mine": mine, "schedule": schedule, "search": search}


def state(host: Host) -> tuple[Any, Any]:
    schedules = host.ask("schedule.search", limit=100).schedules
    return {schedule.id: schedule for schedule in schedules if not schedule.is_built_in}, {
        one.query: one for one in host.ask("saved_search.list")
    }


def test_an_undo_takes_them_away_and_brings_them_back(host: Host, made: dict[str, Any]) -> None:
    before = state(host)
    preview = host.ask("agent.undo", name="scout", since="2000-01-01", dry_run=True)
    assert (preview.schedules, preview.searches, preview.memories) == (1, 1, 1)
    assert state(host) == before
    run = host.ask("agent.undo", name="scout", since="2000-01-01")
    assert (run.schedules, run.searches, run.memories, run.left) == (1, 1, 1, 0)
    schedules, searches = state(host)
    assert list(schedules) == [made["mine"].id]
    assert list(searches) == ["the person's"]
    host.ask("memory.undo", run_id=run.run_id)
    assert state(host) == before
    assert host.ask("vault.check").ok


def test_an_undo_of_schedules_alone_has_a_run(host: Host) -> None:
    host.ask("agent.add", name="scout", trust="full")
    schedule = do(host, "schedule.create", goal="An agent's goal", cadence=DAILY)
    run = host.ask("agent.undo", name="scout", since="2000-01-01")
    assert (run.run_id != "", run.changes) == (True, 1)
    host.ask("memory.undo", run_id=run.run_id)
    assert host.ask("schedule.get", id=schedule.id) == schedule


def test_quarantine_hides_them_until_release(host: Host, made: dict[str, Any]) -> None:
    before = state(host)
    host.ask("agent.quarantine", agent="scout")  # the word of other operations on agents
    schedules, searches = state(host)
    assert made["schedule"].id not in schedules
    assert "an agent's query" not in searches
    host.ask("agent.release", name="scout")
    assert state(host) == before


def test_an_undo_until_a_time_leaves_what_was_made_later(host: Host, made: dict[str, Any]) -> None:
    run = host.ask("agent.undo", name="scout", since="2000-01-01", until="2000-01-02")
    assert (run.changes, run.schedules) == (0, 0)
    assert made["schedule"].id in state(host)[0]


def test_an_agent_changes_searches_and_schedules_of_others_only_when_the_person_agrees(
    host: Host, made: dict[str, Any]
) -> None:
    searches = {one.query: one.id for one in host.ask("saved_search.list")}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("saved_search.delete", {"id": searches["the person's"]}),
        ("saved_search.rename", {"id": searches["the person's"], "name": "x"}),
        ("schedule.update", {"id": made["mine"].id, "patch": {"goal": "x"}}),
        ("schedule.delete", {"id": made["mine"].id}),
    ]
    before = state(host)
    for operation, arguments in calls:
        assert host.call(operation, arguments, SCOUT).result(30).outcome == "proposed"
    assert state(host) == before
    assert host.call("schedule.delete", {"id": made["schedule"].id}, SCOUT).result(30).outcome == "done"
    confirmed = replace(SCOUT, has_confirmed=True)
    assert host.call("schedule.delete", {"id": made["mine"].id}, confirmed).result(30).outcome == "done"


def test_what_an_older_version_took_away_comes_back(vault: Path) -> None:
    kept = {"id": "srch-1", "name": "Theirs", "query": "an agent's query", "position": 1, "created_at": 5}
    prefix = run_prefix("scout")
    with running(vault) as host:
        host.ask("agent.add", name="scout", trust="full")
    with contextlib.closing(apsw.Connection(str(vault / "memory.db"))) as connection:
        value = json.dumps([{"kind": "search", "id": "srch-1", "rows": [["saved_searches", [kept]]]}])
        connection.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (f"withdrawn:{prefix}run-1", value))
    with running(vault) as host:
        assert host.ask("saved_search.list") == []
        assert host.ask("agent.release", name="scout").searches == 1
        assert [one.query for one in host.ask("saved_search.list")] == ["an agent's query"]


@contextlib.contextmanager
def running(vault: Path) -> Iterator[Host]:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        yield host
    finally:
        host.stop()
