"""The ledger at the socket: what programs do there, let in or not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import AccessRequiredError, InputError
from app.host import Host
from app.rpc.client import Client
from app.rpc.credentials import Credentials


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def test_the_person_sees_what_programs_did(host: Host) -> None:
    note = host.ask("note.save", content="Marta lives in Graz", store="social").id
    token = host.ask("agent.add", name="scout").token
    with Client.connect(host.vault, Credentials(token, "scout app", "2.0")) as client:
        assert client.call("memory.search", {"query": "Graz"})["hits"][0]["id"] == note
        context = client.call("memory.context", {"prompt": "Where does Marta live?"})["text"]
        client.call("memory.get", {"ids": [note]})
    with Client.connect(host.vault, Credentials("", "scout", "6.6.6")) as client, pytest.raises(AccessRequiredError):
        client.call("memory.search", {"query": "Graz"})
    calls = host.ask("agent.ledger").calls
    assert [(call.agent, call.client, call.operation, call.outcome, call.read) for call in calls] == [
        ("unknown", "scout 6.6.6", "memory.search", "access_required", ()),
        ("scout", "scout app 2.0", "memory.get", "done", (note,)),
        ("scout", "scout app 2.0", "memory.context", "done", (note,)),
        ("scout", "scout app 2.0", "memory.search", "done", (note,)),
    ]
    assert [(reader.agent, reader.count) for reader in host.ask("agent.readers", id=note)] == [("scout", 3)]
    host.ask("agent.trust", name="scout", trust="inner")
    with Client.connect(host.vault, Credentials(token, "scout app", "2.0")) as client:
        with pytest.raises(InputError, match="stored already"):
            client.call("fact.remember", {"content": context, "store": "social"})
        client.call("fact.remember", {"content": "Marta has a boat", "store": "social"})
    assert host.ask("agent.activity", agent="scout").echo_rate == 0.5
    assert [(agent.echoes, agent.writes, agent.echo_rate) for agent in host.ask("agent.list")] == [(1, 2, 0.5)]
