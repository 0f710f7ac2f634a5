"""The inbox over the socket, and with a process that is killed while it accepts proposals."""

from pathlib import Path

import pytest

from app.api.caller import caller_of
from app.errors import AccessDeniedError
from app.host import Host
from app.rpc.client import Client
from app.rpc.credentials import Credentials
from tests.helpers.processes.warm_process import start_module

MANY = 120


def start(vault: Path) -> Host:
    host = Host(vault, overrides={"embedding.model": "hashed"})
    host.start()
    return host


def test_a_client_is_told_that_its_write_waits(vault: Path) -> None:
    host = start(vault)
    try:
        token = host.ask("agent.add", name="scout", trust="inner", review=True).token
        with Client.connect(vault, Credentials(token, "scout", "1.0")) as client:
            answer = client.call("note.save", {"content": "heron"})
            assert answer["state"] == "waiting"
            assert "nothing is stored yet" in answer["message"]
            assert client.call("note.list") == []
            with pytest.raises(AccessDeniedError):
                client.call("inbox.accept", {"id": answer["proposed"]})
            with Client.connect(vault) as person:
                (proposal,) = person.call("inbox.list")
                assert proposal["preview"]["changes"][0]["after"]["content"] == "heron"
                (decision,) = person.call("inbox.accept", {"id": proposal["id"]})
                assert decision["state"] == "accepted"
            assert [row["id"] for row in client.call("note.list")] == decision["ids"]
            assert client.call("inbox.mine")[0]["state"] == "accepted"
    finally:
        host.stop()


@pytest.mark.parametrize("lines", [1, 23, 70])
def test_a_kill_while_accepting_doubles_and_loses_nothing(vault: Path, lines: int) -> None:
    host = start(vault)
    host.ask("agent.add", name="scout", trust="full", review=True)
    scout = caller_of(host.ask("agent.list")[0])
    for number in range(MANY):
        host.call("note.save", {"content": f"heron {number}"}, scout).result()
    host.stop()
    with start_module("tests.integration.processes.deciding", str(vault)) as process:
        assert process.stdout is not None
        lines_read = [process.stdout.readline().strip() for _ in range(lines)]
        process.kill()
        lines_read += process.stdout.read().split()
    host = start(vault)
    try:
        accepted = host.ask("inbox.list", state="accepted", limit=500)
        written = {row.id for row in host.ask("memory.list", limit=500)}
        assert {name for one in accepted for name in one.ids} == written
        assert written >= {name for name in lines_read if name}
        assert len(written) + host.ask("inbox.count") == MANY
        everything = [one.id for one in host.ask("inbox.list", state="all", limit=500)]
        assert {one.state for one in host.ask("inbox.accept", ids=everything)} == {"accepted"}
        contents = sorted(row.preview for row in host.ask("memory.list", limit=500))
        assert contents == sorted(f"heron {number}" for number in range(MANY))
        assert len(host.ask("memory.history", limit=1000)) == MANY
        assert host.ask("vault.check").ok
    finally:
        host.stop()
