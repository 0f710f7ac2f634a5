"""Agents at the socket: let in by token, held to their trust, cut off when their access ends."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import (
    AccessDeniedError,
    AccessRequiredError,
    AgentPausedError,
    InputError,
    KeepsakeError,
    NotFoundError,
    TooManyCallsError,
)
from app.host import Host
from app.rpc.client import Client
from app.rpc.credentials import Credentials
from tests.helpers.processes.warm_start import keepsake_command


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def connect(host: Host, token: str, name: str = "scout") -> Client:
    return Client.connect(host.vault, Credentials(token, name, "1.0"))


def add(host: Host, name: str = "scout", **options: Any) -> str:
    return str(host.ask("agent.add", name=name, **options).token)


def test_an_agent_is_who_its_token_says(host: Host) -> None:
    token = add(host, trust="inner", stores=["social"], review=False)
    with connect(host, token, "another name") as client:
        assert client.call("agent.whoami") == {
            "name": "scout",
            "trust": "inner",
            "stores": ["social"],
            "is_owner": False,
            "review": False,
            "state": "active",
        }
        assert client.call("note.save", {"content": "Written by an agent", "store": "social"})["store"] == "social"
        with pytest.raises(AccessDeniedError):
            client.call("note.save", {"content": "Not for it", "store": "shared"})
    seen = host.ask("agent.list")[0]
    assert seen.client == "another name 1.0"
    assert seen.last_seen_at is not None


def test_the_token_is_not_stored(host: Host) -> None:
    token = add(host)
    host.stop()
    for path in host.vault.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


def test_a_full_agent_is_not_the_owner(host: Host) -> None:
    with connect(host, add(host, trust="full")) as client:
        for operation, arguments in (("agent.add", {"name": "accomplice", "trust": "full"}), ("agent.list", {})):
            with pytest.raises(AccessDeniedError, match="own programs"):
                client.call(operation, arguments)
        names = {item["name"] for item in client.call("describe")}
    assert "agent.add" not in names
    assert "memory.search" in names


@pytest.mark.parametrize("token", ["", "kst_wrong", "x" * 3000, "\u2603"])
def test_an_unknown_program_may_only_ask_to_be_let_in(host: Host, token: str) -> None:
    with connect(host, token, "newcomer") as client:
        for operation in ("memory.search", "note.list", "agent.list", "session.append", "memory.operators"):
            with pytest.raises(AccessRequiredError, match="request_access"):
                client.call(operation, {})
        assert {item["name"] for item in client.call("describe")} == {"agent.request_access", "agent.whoami"}


def test_a_request_is_allowed_by_the_person(host: Host) -> None:
    with connect(host, "", "newcomer") as client:
        answer = client.call("agent.request_access", {"name": "newcomer", "trust": "full", "reason": "to help"})
    assert answer["state"] == "waiting"
    assert "keepsake agent allow" in answer["message"]
    (waiting,) = host.ask("agent.requests")
    assert (waiting.name, waiting.trust, waiting.reason, waiting.client) == (
        "newcomer",
        "full",
        "to help",
        "newcomer 1.0",
    )
    with connect(host, answer["token"]) as client, pytest.raises(AccessRequiredError):
        client.call("memory.search", {"query": "x"})
    open_already = connect(host, answer["token"])
    assert host.ask("agent.allow", request="newcomer", trust="familiar").trust == "familiar"
    with open_already as client:
        _until(client, "state", "active")
    with connect(host, answer["token"]) as client:
        assert client.call("agent.whoami")["name"] == "newcomer"
        assert client.call("memory.search", {"query": "x"})["hits"] == []
    assert host.ask("agent.requests") == []


def test_a_refused_request_gives_nothing(host: Host) -> None:
    with connect(host, "", "newcomer") as client:
        answer = client.call("agent.request_access", {"name": "newcomer"})
    host.ask("agent.refuse", request=answer["id"])
    with connect(host, answer["token"]) as client, pytest.raises(AccessRequiredError):
        client.call("memory.search", {"query": "x"})
    with pytest.raises(NotFoundError):
        host.ask("agent.allow", request=answer["id"])


def test_the_end_of_access_cuts_open_connections(host: Host) -> None:
    token = add(host)
    with connect(host, token) as client, connect(host, add(host, "other"), "other") as other:
        client.call("memory.search", {"query": "x"})
        host.ask("agent.revoke", name="scout")
        with pytest.raises(KeepsakeError):  # noqa: PT012  (the connection ends shortly after)
            for _ in range(1000):
                client.call("memory.search", {"query": "x"})
        other.call("memory.search", {"query": "x"})
    with connect(host, token) as client, pytest.raises(AccessRequiredError):
        client.call("memory.search", {"query": "x"})


def test_trust_and_pause_hold_at_once(host: Host) -> None:
    with connect(host, add(host, trust="inner")) as client:
        client.call("note.save", {"content": "one", "store": "shared"})
        for _ in range(20):
            host.ask("agent.trust", name="scout", trust="familiar")
            with pytest.raises(AccessDeniedError):
                client.call("note.save", {"content": "two", "store": "social"})
            host.ask("agent.trust", name="scout", paused=True)
            with pytest.raises(AgentPausedError):
                client.call("memory.search", {"query": "x"})
            host.ask("agent.trust", name="scout", trust="inner", paused=False)
            client.call("memory.search", {"query": "x"})
        host.ask("agent.revoke", name="scout")
        with pytest.raises(KeepsakeError, match=r"The access of scout has ended\."):
            client.call("memory.search", {"query": "x"})


def _until(client: Client, field: str, value: str) -> None:
    for _ in range(1000):
        if client.call("agent.whoami")[field] == value:
            return
    raise AssertionError(f"{field} did not become {value}")


def test_a_new_token_ends_the_old_one(host: Host) -> None:
    old = add(host)
    new = host.ask("agent.rotate", name="scout").token
    with connect(host, old) as client:
        assert client.call("agent.whoami")["state"] == "unknown"
    with connect(host, new) as client:
        assert client.call("agent.whoami")["state"] == "active"


def test_a_new_token_cuts_the_connections_of_the_old_one(host: Host) -> None:
    old = add(host)
    with connect(host, old) as client, connect(host, add(host, "other"), "other") as other:
        client.call("memory.search", {"query": "x"})
        new = host.ask("agent.rotate", name="scout").token
        # On the old connection, or on a new one if the host has cut the old one by now: each says so in its way.
        with pytest.raises(KeepsakeError, match=r"token (of scout )?was replaced by a newer one"):
            client.call("memory.search", {"query": "x"})
        other.call("memory.search", {"query": "x"})
        wait_for(host, [("other", 1)])
        with connect(host, new) as renewed:
            renewed.call("memory.search", {"query": "x"})
            host.ask("agent.trust", name="scout", trust="full")
            renewed.call("memory.search", {"query": "x"})


def test_a_token_given_anew_after_access_ended_does_not_revive_old_connections(host: Host) -> None:
    with connect(host, add(host)) as client:
        client.call("memory.search", {"query": "x"})
        host.ask("agent.revoke", name="scout")
        add(host)
        with pytest.raises(KeepsakeError, match=r"replaced by a newer one|access of scout has ended"):
            client.call("memory.search", {"query": "x"})


@pytest.mark.parametrize("name", ["", " ", "Person", "import", "a\nb", "x" * 101, "\x1b[31m"])
def test_names_that_cannot_be_used_are_refused(host: Host, name: str) -> None:
    with pytest.raises(InputError):
        host.ask("agent.add", name=name)
    with connect(host, "", name or "x") as client, pytest.raises(InputError):
        client.call("agent.request_access", {"name": name})
    assert host.ask("agent.list") == []


def test_a_name_is_given_once_and_again_after_access_ended(host: Host) -> None:
    add(host)
    with pytest.raises(InputError, match="rotate"):
        add(host, " scout ")
    before = host.ask("agent.revoke", name="scout").id
    add(host, trust="inner")
    (agent,) = host.ask("agent.list")
    assert (agent.id, agent.trust, agent.revoked_at) == (before, "inner", None)


def test_the_command_line_adds_an_agent_and_is_one_by_its_token(vault: Path) -> None:
    def keepsake(*arguments: str, token: str = "") -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "KEEPSAKE_TOKEN": token}
        command = [*keepsake_command(), "--vault", str(vault), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    made = json.loads(keepsake("agent", "add", "scout", "--trust", "familiar", "--json").stdout)
    assert (made["name"], made["trust"]) == ("scout", "familiar")
    assert json.loads(keepsake("call", "agent.whoami", token=made["token"]).stdout)["name"] == "scout"
    refused = keepsake("call", "agent.list", token=made["token"])
    assert (refused.returncode, refused.stdout) == (77, "")
    assert "own programs" in refused.stderr
    unknown = keepsake("call", "note.list", token="kst_wrong")
    assert unknown.returncode == 77
    assert "agent.request_access" in unknown.stderr


def test_isolation_holds_from_the_next_call(host: Host) -> None:
    token = add(host, trust="full")
    with connect(host, token) as client:
        shared = client.call("note.save", {"content": "In the person's vault"})["id"]
        host.ask("agent.trust", name="scout", isolated=True)
        assert client.call("note.list") == []
        client.call("note.save", {"content": "In a vault of its own"})
        assert [note.id for note in host.ask("note.list")] == [shared]
        host.ask("agent.trust", name="scout", isolated=False)
        assert [note["id"] for note in client.call("note.list")] == [shared]


def test_an_agent_hears_of_what_it_may_read(host: Host) -> None:
    received: list[tuple[str, Any]] = []
    with connect(host, add(host, trust="familiar")) as client:
        client.subscribe(lambda kind, event: received.append((kind, event)))
        host.ask("note.save", content="of nobody else", store="private")
        host.ask("settings.set", name="agents.rate", value=300)
        note = host.ask("note.save", content="for everyone", store="social")
        for _ in range(1000):
            client.call("ping")
            if any(kind == "changed" for kind, _ in received):
                break
    changed = [event for kind, event in received if kind == "changed"]
    assert [event["ids"] for event in changed] == [[note.id]]
    assert "memories" in changed[0]["areas"]
    assert set(changed[0]) == {"areas", "ids", "actor", "operation", "history_ids"}


def call_often(client: Client) -> None:
    """Call until a rate takes hold; the host tells open connections of it a moment after it was set."""
    for _ in range(5000):
        client.call("agent.whoami")


def connected(host: Host) -> list[tuple[str, int]]:
    return [(one.name, one.connections) for one in host.ask("agent.connected")]


def wait_for(host: Host, wanted: list[tuple[str, int]]) -> None:
    """Return once these agents are connected; a connection ends on the host's side a moment after the client's."""
    until = time.monotonic() + 10
    while connected(host) != wanted:
        assert time.monotonic() < until, connected(host)
        time.sleep(0.01)


def test_who_is_connected_is_known_while_it_is(host: Host) -> None:
    token = add(host)
    assert connected(host) == []
    with connect(host, token) as first:
        first.call("agent.whoami")
        with connect(host, token) as second:
            second.call("memory.search", {"query": "tea"})
            assert connected(host) == [("scout", 2)]
            assert host.ask("agent.connected")[0].last_operation == "memory.search"
            assert host.ask("vault.status").agents == ("scout",)
        wait_for(host, [("scout", 1)])
    wait_for(host, [])


def test_a_program_that_is_let_in_while_it_waits_is_connected_from_then_on(host: Host) -> None:
    with connect(host, "", "newcomer") as client:
        answer = client.call("agent.request_access", {"name": "newcomer"})
        with connect(host, answer["token"], "newcomer") as again:
            assert again.call("agent.whoami")["state"] == "unknown"
            assert connected(host) == []
            host.ask("agent.allow", request=answer["id"])
            wait_for(host, [("newcomer", 1)])
    wait_for(host, [])


def test_an_agent_keeps_to_its_own_rate_from_the_moment_it_is_set(host: Host) -> None:
    token = add(host)
    with connect(host, token) as client:
        for _ in range(5):
            client.call("agent.whoami")
        host.ask("agent.trust", name="scout", rate=1)
        with pytest.raises(TooManyCallsError):
            call_often(client)
        host.ask("agent.trust", name="scout", rate=0)
        assert host.ask("agent.list")[0].rate is None
    with pytest.raises(InputError):
        host.ask("agent.trust", name="scout", rate=-1)
