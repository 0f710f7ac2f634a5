"""Calls that the person agreed to, while another host takes the place of the one they were meant for."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.mcp import host_link
from app.mcp.host_link import ClientIdentity, HostLink
from app.rpc.hostfile import HostFile


def started(vault: Path) -> Host:
    host = Host(vault, overrides={"embedding.model": "hashed"})
    host.start()
    return host


@pytest.fixture
def hosts(vault: Path) -> Iterator[list[Host]]:
    """Return the running host, to which the test may add."""
    running = [started(vault)]
    yield running
    for host in running:
        host.stop()


def delete(vault: Path, token: str, note: str) -> Any:
    async def talk() -> Any:
        link = HostLink(vault, ClientIdentity("scout", "1"), token)
        try:
            assert await link.is_let_in()
            return await link.call("note.delete", {"id": note}, repeatable=False, is_confirmed=True)
        finally:
            await link.close()

    return asyncio.run(talk())


def test_the_call_is_confirmed_for_the_host_that_carries_it_out(
    hosts: list[Host], vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = str(hosts[0].ask("agent.add", name="scout", trust="full").token)
    note = hosts[0].ask("note.save", content="The cat is called Miso.").id
    real = host_link.confirmation_of

    def replacing(*arguments: Any) -> str:
        word = real(*arguments)
        if len(hosts) == 1:
            hosts[0].stop()
            hosts.append(started(vault))
        return word

    monkeypatch.setattr(host_link, "confirmation_of", replacing)
    delete(vault, token, note)
    assert hosts[1].ask("note.get", id=note).deleted_at is not None
    assert hosts[1].ask("inbox.list") == []


def test_a_host_that_closes_while_it_answers_is_not_the_last(
    hosts: list[Host], vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = str(hosts[0].ask("agent.add", name="scout", trust="full").token)
    note = hosts[0].ask("note.save", content="The cat is called Miso.").id
    real = host_link.read_hostfile

    def closing(folder: Path) -> HostFile:
        if len(hosts) > 1:
            return real(folder)
        hosts[0].stop()
        try:
            return real(folder)
        finally:
            hosts.append(started(vault))

    monkeypatch.setattr(host_link, "read_hostfile", closing)
    delete(vault, token, note)
    assert hosts[1].ask("note.get", id=note).deleted_at is not None
    assert hosts[1].ask("inbox.list") == []
