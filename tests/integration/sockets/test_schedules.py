"""Schedules over real processes and sockets: races of agents, leases, MCP, and kills in the middle of a job."""

import asyncio
import os
import random
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import KeepsakeError, NotFoundError, StaleError
from app.host import Host
from app.rpc.client import Client, Credentials
from tests.helpers.mcp_clients import mcp_client
from tests.helpers.processes.warm_process import start_module
from tests.integration.processes.scheduled import SCHEDULE

START = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
HOURLY = {"kind": "cron", "expression": "0 * * * *"}
ROUNDS = int(os.environ.get("SCHEDULE_CRASH_ROUNDS", "3"))


class SetClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = START

    def now_ms(self) -> int:
        return round(self.now.timestamp() * 1000)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    overrides = {"embedding.model": "hashed", "schedule.poll": 1, "backup.daily": False}
    running = Host(vault, clock=clock, overrides=overrides)
    running.start()
    yield running
    running.stop()


def agent(host: Host, name: str, trust: str) -> Client:
    token = str(host.ask("agent.add", name=name, trust=trust).token)
    return Client.connect(host.vault, Credentials(token, name, "1"))


def test_of_agents_that_race_for_a_goal_one_wins(host: Host, clock: SetClock) -> None:
    schedule = host.ask("schedule.create", goal="Water the plants", cadence=HOURLY)
    agents = [agent(host, f"racer-{number}", "full") for number in range(6)]
    try:
        for _ in range(5):
            clock.now += timedelta(hours=1)
            start, won = threading.Barrier(len(agents)), []

            def race(client: Client, start: threading.Barrier = start, won: list[Any] = won) -> None:
                start.wait()
                claim = client.call("schedule.claim")
                if claim is not None:
                    won.append((client, claim))

            threads = [threading.Thread(target=race, args=(client,)) for client in agents]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            ((winner, claim),) = won
            loser = next(client for client in agents if client is not winner)
            with pytest.raises(StaleError):
                loser.call("schedule.report", {"run_id": claim["run_id"], "output": "mine"})
            winner.call("schedule.report", {"run_id": claim["run_id"], "output": "Watered."})
        runs = host.ask("schedule.runs", id=schedule.id)
        assert [(run.status, run.output) for run in runs] == [("succeeded", "Watered.")] * 5
    finally:
        for client in agents:
            client.close()


def test_a_lease_that_runs_out_gives_the_goal_back(host: Host, clock: SetClock) -> None:
    made = host.ask("schedule.create", goal="Water the plants", cadence={"kind": "interval", "seconds": 60})
    first, second = agent(host, "first", "full"), agent(host, "second", "full")
    clock.now += timedelta(seconds=61)
    claim = first.call("schedule.claim", {"lease_seconds": 30})
    clock.now += timedelta(seconds=20)
    assert first.call("schedule.heartbeat", {"run_id": claim["run_id"], "lease_seconds": 30}) is not None
    clock.now += timedelta(seconds=20)
    assert second.call("schedule.claim") is None
    for _ in range(300):
        clock.now += timedelta(seconds=1)
        time.sleep(0.02)
        if (taken := second.call("schedule.claim")) is not None:
            break
    assert taken is not None
    with pytest.raises(StaleError):
        first.call("schedule.report", {"run_id": claim["run_id"], "output": "late"})
    second.call("schedule.report", {"run_id": taken["run_id"], "output": "Watered by the second."})
    runs = host.ask("schedule.runs", id=made.id)
    assert [run.status for run in runs if run.status != "skipped"] == ["succeeded", "interrupted"]
    first.close()
    second.close()


def test_an_agent_below_the_trust_of_a_goal_neither_sees_nor_claims_it(host: Host, clock: SetClock) -> None:
    made = host.ask("schedule.create", goal="Look through my diary", cadence=HOURLY, trust="full")
    scout = agent(host, "scout", "inner")
    clock.now += timedelta(hours=1)
    assert scout.call("schedule.claim") is None
    assert scout.call("schedule.due") == []
    for operation in ("schedule.get", "schedule.claim", "schedule.runs"):
        with pytest.raises(NotFoundError):
            scout.call(operation, {"id": made.id})
    with pytest.raises(KeepsakeError):
        scout.call("schedule.notes")
    scout.close()


def test_subscribers_hear_of_claims_runs_and_notes(host: Host, clock: SetClock) -> None:
    made = host.ask("schedule.create", goal="Water the plants", cadence=HOURLY)
    helper, window = agent(host, "helper", "full"), Client.connect(host.vault)
    events: list[str] = []
    window.subscribe(lambda _, event: events.append(event["operation"]), areas=["schedules"], progress=False)
    clock.now += timedelta(hours=1)
    claim = helper.call("schedule.claim")
    helper.call("schedule.report", {"run_id": claim["run_id"], "output": "Watered."})
    (note,) = window.call("schedule.notes")
    assert (note["schedule_id"], note["text"]) == (made.id, "‘Water the plants’ is done.")
    window.call("schedule.notes_shown", {"ids": [note["id"]]})
    for _ in range(100):
        window.call("schedule.status")
        if "schedule.notes_shown" in events:
            break
        time.sleep(0.02)
    assert [event for event in events if event] == ["schedule.claim", "schedule.report", "schedule.notes_shown"]
    assert host.ask("schedule.run", run_id=claim["run_id"]).notified
    helper.close()
    window.close()


def test_an_mcp_client_pursues_a_goal(host: Host, clock: SetClock) -> None:
    made = host.ask("schedule.create", goal="Water the plants", cadence=HOURLY)
    token = str(host.ask("agent.add", name="gardener", trust="full").token)
    clock.now += timedelta(hours=1)

    async def pursue() -> None:
        async with mcp_client(host.vault, token, profile="full") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            operations = {name for name in host.catalogue.operations if name.startswith("schedule.")}
            hidden = {name for name, one in host.catalogue.operations.items() if one.owner_only}
            assert {name.replace(".", "_") for name in operations - hidden} <= names
            assert not {name.replace(".", "_") for name in operations & hidden} & names
            claimed = await client.call_tool("schedule_claim", {})
            run_id = claimed.structured_content["value"]["run_id"]
            await client.call_tool("schedule_heartbeat", {"run_id": run_id})
            reported = await client.call_tool("schedule_report", {"run_id": run_id, "output": "Watered by MCP."})
            assert not reported.is_error

    asyncio.run(pursue())
    (run,) = host.ask("schedule.runs", id=made.id)
    assert (run.status, run.output) == ("succeeded", "Watered by MCP.")


class Process:
    """A host in a process of its own; see ``tests.integration.processes.scheduled``."""

    def __init__(self, vault: Path, start: datetime, seconds: float) -> None:
        arguments = [str(vault), start.isoformat(), str(seconds)]
        self.process = start_module("tests.integration.processes.scheduled", *arguments, has_input=True)

    def line(self, beginning: str) -> str:
        """Return the next line of output that begins so."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(beginning):
                return line.strip()
        raise AssertionError(f"it ended before it said {beginning}")

    def end(self, *, killed: bool) -> list[str]:
        """Kill it, or let it stop in order; return the rest of its output."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if killed:
            self.process.kill()
        else:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        rest = self.process.stdout.read().splitlines()
        self.process.wait(60)
        self.process.stdin.close()
        self.process.stdout.close()
        return rest


def test_a_kill_in_the_middle_of_a_job_runs_it_exactly_once_more(vault: Path) -> None:
    dice = random.Random(11)
    for number in range(ROUNDS):
        now = START + timedelta(hours=number)
        if number == 0:
            first = Process(vault, now - timedelta(hours=1), 0.2)  # installs the schedule
            first.line("ready")
            first.end(killed=False)
        struck = Process(vault, now, 5)
        struck.line("begun")
        time.sleep(dice.uniform(0, 0.5))
        rest = struck.end(killed=True)
        assert not any(line.startswith(("begun", "ended")) for line in rest)
        healed = Process(vault, now + timedelta(seconds=5), 0.1)
        healed.line("begun")
        healed.line("ended")
        time.sleep(0.3)
        assert not any(line.startswith("begun") for line in healed.end(killed=False))
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        runs = [run for run in host.ask("schedule.runs", id=SCHEDULE) if run.started_at >= START]
        assert [run.status for run in reversed(runs)] == ["interrupted", "succeeded"] * ROUNDS
        # Keepsake's own work may catch up meanwhile.
        assert SCHEDULE not in {claim.schedule_id for claim in host.ask("schedule.status").running}
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()
