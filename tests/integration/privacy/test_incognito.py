"""Incognito through the real socket and MCP: no agent reads or records, whenever it was let in."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import AccessDeniedError, AgentPausedError, InputError, KeepsakeError
from app.host import Host
from app.rpc.client import Client
from app.rpc.credentials import Credentials
from tests.helpers.mcp_clients import mcp_client
from tests.helpers.processes.warm_start import keepsake_command

OVERRIDES = {"embedding.model": "hashed"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory.search", {"query": "heron"}),
    ("note.save", {"content": "Written by an agent"}),
    ("session.append", {"session": "talk", "messages": [{"role": "user", "content": "Recorded"}]}),
    ("memory.context", {"prompt": "heron"}),
    ("schedule.preview", {"cadence": {"kind": "interval", "seconds": 3600}}),
]


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides=OVERRIDES)
    running.start()
    yield running
    running.stop()


def connect(host: Host, token: str, name: str = "scout") -> Client:
    return Client.connect(host.vault, Credentials(token, name, "1.0"))


def add(host: Host, name: str = "scout", **options: Any) -> str:
    return str(host.ask("agent.add", name=name, trust="full", **options).token)


def assert_held_up(client: Client) -> None:
    for operation, arguments in CALLS:
        with pytest.raises(AgentPausedError, match="incognito"):
            client.call(operation, arguments)


def areas_of(event: object) -> list[str]:
    return list(event.get("areas", ())) if isinstance(event, dict) else []


@pytest.mark.parametrize(
    "arguments",
    [
        {"until": datetime(2001, 1, 1, tzinfo=UTC)},
        {"on": False, "until": datetime(2101, 1, 1, tzinfo=UTC)},
        {"until": "soon"},
        {"on": "perhaps"},
    ],
)
def test_what_cannot_be_is_refused(host: Host, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        host.ask("agent.incognito.set", **arguments)
    assert not host.ask("agent.incognito.get").is_on


def test_agents_cannot_see_or_turn_it(host: Host) -> None:
    with connect(host, add(host)) as client:
        for operation in ("agent.incognito.get", "agent.incognito.set"):
            with pytest.raises(AccessDeniedError):
                client.call(operation, {})
    assert not host.ask("agent.incognito.get").is_on


def test_no_agent_reads_or_records_and_the_person_goes_on(host: Host) -> None:
    note = host.ask("note.save", content="A heron by the pond")
    token = add(host)
    with connect(host, token) as before:
        assert before.call("memory.search", {"query": "heron"})["hits"]
        assert host.ask("agent.incognito.set").is_on
        assert_held_up(before)  # a connection that was open already
        with connect(host, token) as again:
            assert_held_up(again)
        assert host.ask("note.get", id=note.id).content == "A heron by the pond"
        assert host.ask("note.save", content="Written by the person").id
        assert len(host.ask("memory.search", query="heron").hits) == 1
        assert not host.ask("agent.incognito.set", on=False).is_on
        assert before.call("memory.search", {"query": "heron"})["hits"]
    assert host.ask("memory.stats").messages == 0


def test_an_agent_let_in_meanwhile_is_held_up_too(host: Host) -> None:
    host.ask("agent.incognito.set")
    with connect(host, "", "newcomer") as client:
        answer = client.call("agent.request_access", {"name": "newcomer", "trust": "full"})
    host.ask("agent.allow", request="newcomer")
    with connect(host, answer["token"], "newcomer") as client:
        assert client.call("agent.whoami")["name"] == "newcomer"
        assert_held_up(client)
    with connect(host, add(host, "added-later")) as client:
        assert_held_up(client)
    with connect(host, add(host, "isolated-later", isolated=True)) as client:
        assert_held_up(client)


def test_it_outlives_a_restart(host: Host) -> None:
    token = add(host)
    until = datetime.now(UTC) + timedelta(days=2)
    host.ask("agent.incognito.set", until=until)
    host.stop()
    again = Host(host.vault, overrides=OVERRIDES)
    again.start()
    try:
        state = again.ask("agent.incognito.get")
        assert (state.is_on, state.until) == (True, until)
        with connect(again, token) as client:
            assert_held_up(client)
    finally:
        again.stop()


def test_it_ends_by_itself(host: Host) -> None:
    token = add(host)
    host.ask("agent.incognito.set", until=datetime.now(UTC) + timedelta(seconds=1))
    with connect(host, token) as client:
        while host.ask("agent.incognito.get").is_on:
            asyncio.run(asyncio.sleep(0.05))
        assert client.call("memory.search", {"query": "heron"})["hits"] == []


def test_agents_learn_of_no_changes(host: Host) -> None:
    with connect(host, add(host)) as client:
        client.call("agent.whoami")
        events: list[object] = []
        client.subscribe(lambda method, event: events.append(event))
        host.ask("agent.incognito.set")
        host.ask("note.save", content="Nothing for agents")
        host.ask("vault.settle")
        client.call("agent.whoami")
        assert [event for event in events if "memories" in areas_of(event)] == []
        host.ask("agent.incognito.set", on=False)
        host.ask("note.save", content="For agents again")
        while not any("memories" in areas_of(event) for event in events):
            client.call("agent.whoami")


def test_tools_of_mcp_are_refused_with_a_plain_sentence(host: Host) -> None:
    host.ask("agent.incognito.set")
    key = add(host)  # added while it is on

    async def talk() -> None:
        async with mcp_client(host.vault, key) as client:
            for tool, arguments in (
                ("memory_search", {"query": "heron"}),
                ("memory_write", {"content": "Kenji arrives on the 14th."}),
            ):
                result = await client.call_tool(tool, arguments)
                assert result.is_error
                assert "incognito" in "".join(block.text for block in result.content)

    asyncio.run(talk())
    assert host.ask("memory.stats").memories == 0


def test_the_command_line_turns_it_on_and_goes_on(host: Host) -> None:
    def run(*words: str) -> str:
        command = [*keepsake_command(), "--vault", str(host.vault), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    run("agent", "incognito", "set")
    assert json.loads(run("agent", "incognito", "get", "--json"))["is_on"]
    assert host.ask("agent.incognito.get").is_on
    run("note", "save", "--content", "By the person's own command line")
    with connect(host, add(host)) as client, pytest.raises(KeepsakeError):
        client.call("memory.search", {"query": "person"})
    run("agent", "incognito", "set", "--no-on")
    assert not host.ask("agent.incognito.get").is_on
