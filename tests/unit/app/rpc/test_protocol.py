"""JSON-RPC over either framing: batches, notifications, cancelling, and the limits of agents."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.changes import ChangeSet, Progress
from app.rpc.framing import MAX_SHORT_FRAME, encode, with_length
from app.rpc.hostfile import read_hostfile
from app.rpc.messages import hello
from app.rpc.server.call_queue import MAX_IN_FLIGHT, MAX_PENDING
from app.rpc.server.client_connection import ClientTimeouts
from app.rpc.server.rate_limit import Rate
from app.rpc.server.socket_server import MAX_OF_AGENT, MAX_UNKNOWN
from tests.unit.app.rpc.conftest import Raw, Served, serving

Connect = Callable[[], Raw]
SAY = {"jsonrpc": "2.0", "id": 1, "method": "echo.say", "params": {"text": "hello"}}
PROGRESS = {
    "title": "Importing",
    "total": None,
    "unit": "items",
    "rate": None,
    "state": "running",
    "detail": "",
    "can_pause": False,
}
PING = {"jsonrpc": "2.0", "id": "p", "method": "ping"}


class Tokens:
    """Authentication that takes a token for the name of an agent, and one with a question mark for no token."""

    async def caller(self, token: str, name: str, version: str) -> Caller:
        if token.startswith("?"):
            return Caller(name, "public", (), state="unknown")
        return Caller(token, "full", agent_id=f"agt-{token}")

    def current(self, caller: Caller) -> Caller:
        return caller

    async def renewed(self, caller: Caller) -> Caller | None:
        return caller


@contextmanager
def agents(folder: Path, **options: Any) -> Iterator[tuple[Served, Callable[[str], Raw]]]:
    """Serve agents; the function returns a connection of the agent of that name."""
    made: list[Raw] = []
    with serving(folder, authentication=Tokens(), **options) as served:

        def connect(token: str) -> Raw:
            made.append(Raw(served.server.address))
            made[-1].send(encode(hello(token, "tester", "1")))
            return made[-1]

        try:
            yield served, connect
        finally:
            for one in made:
                one.socket.close()


class Lines:
    """A client that speaks one message a line, as ``nc -U`` does."""

    def __init__(self, served: Served) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(served.server.address)
        self.file = self.socket.makefile("rwb")

    def ask(self, line: bytes) -> Any:
        self.file.write(line)
        self.file.flush()
        return json.loads(self.file.readline())

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@pytest.fixture
def lines(served: Served) -> Iterator[Lines]:
    lines = Lines(served)
    token = read_hostfile(served.vault).token
    assert lines.ask(b'{"keepsake":1,"token":"%s"}\r\n' % token.encode())["keepsake"] == 1
    yield lines
    lines.close()


def batch(*messages: Any) -> bytes:
    return with_length(json.dumps(messages).encode())


def test_lines_are_answered_with_lines(lines: Lines) -> None:
    assert lines.ask(json.dumps(SAY).encode() + b"\n")["result"]["value"] == "hello"
    assert lines.ask(b"\n\r\n\n" + json.dumps(SAY).encode() + b"\r\n")["id"] == 1
    for wrong in (b"hello\n", b'{"a":\n', b"\xff\n", b"[]\n"):
        assert lines.ask(wrong)["error"]["code"] in {-32700, -32600}
    text = "x" * (MAX_SHORT_FRAME + 100)
    long = lines.ask(json.dumps(SAY | {"params": {"text": text}}).encode() + b"\n")
    assert long["result"]["value"] == text


def test_a_line_that_is_no_hello_is_turned_away(served: Served) -> None:
    for wrong in (b"{}\n", b'{"keepsake":1}\n', b'{"keepsake":1,"token":"guess"}\n', b"{" + b" " * 5000 + b"}\n"):
        client = Lines(served)
        assert client.ask(wrong)["error"]["data"]["kind"] == "input"
        assert client.file.read() == b""
        client.close()


def test_a_batch_is_answered_with_one_list(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    guest.send(
        batch(
            SAY | {"id": "a"},
            {"jsonrpc": "2.0", "method": "echo.say", "params": {"text": "not answered"}},
            {"jsonrpc": "2.0", "method": "no.such"},
            7,
            SAY | {"id": "b", "method": "no.such"},
            PING,
        )
    )
    answers = json.loads(guest.receive_payload())
    assert {item["id"]: item.get("error", {}).get("code") for item in answers} == {
        "a": None,
        None: -32600,
        "b": -32601,
        "p": None,
    }
    assert guest.ask(PING)["result"]["value"] is True


def test_notifications_are_carried_out_and_never_answered(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    silent = {"jsonrpc": "2.0", "method": "echo.wait"}
    guest.send(encode(silent))
    guest.send(batch(silent, silent))
    for wrong in ({"method": "no.such"}, {"method": "echo.say", "params": {}}, {"method": "echo.say", "params": [1]}):
        guest.send(encode({"jsonrpc": "2.0", **wrong}))
    while served.gate.waiting < 3:
        assert guest.ask(PING)["id"] == "p"
    served.open_gate()
    while served.gate.finished < 3:
        assert guest.ask(PING)["id"] == "p"


def test_a_call_is_cancelled_by_its_id(served: Served, raw: Connect) -> None:
    guest, other = raw().greet(served.vault), raw().greet(served.vault)
    for number in range(MAX_IN_FLIGHT + 1):
        guest.send(encode({"jsonrpc": "2.0", "id": number, "method": "echo.wait"}))
    while served.gate.waiting < MAX_IN_FLIGHT:
        other.ask(PING)
    cancel = {"jsonrpc": "2.0", "id": "c", "method": "cancel"}
    assert other.ask(cancel | {"params": {"id": 3}})["result"]["value"] is False
    for number in (MAX_IN_FLIGHT, 3):
        guest.send(encode(cancel | {"params": {"id": number}}))
        received = {item["id"]: item for item in (guest.receive(), guest.receive())}
        assert received["c"]["result"]["value"] is True
        assert received[number]["error"]["code"] == -32004
    assert guest.ask(cancel | {"params": {"id": 3}})["result"]["value"] is False
    assert guest.ask(cancel | {"params": {}})["error"]["code"] == -32602
    served.open_gate()
    assert {guest.receive()["id"] for _ in range(MAX_IN_FLIGHT - 1)} == set(range(MAX_IN_FLIGHT)) - {3}


def test_subscribers_hear_what_they_asked_for(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    subscribe = {"jsonrpc": "2.0", "id": 1, "method": "subscribe"}
    assert guest.ask(subscribe | {"params": {"areas": "memories"}})["error"]["code"] == -32602
    guest.ask(subscribe | {"params": {"areas": ["memories"], "progress": False}})
    served.feed.publish(ChangeSet(frozenset({"settings"}), ("a",)))
    served.feed.publish(ChangeSet(frozenset({"memories"}), ("b",)))
    assert guest.receive()["params"]["ids"] == ["b"]
    guest.ask(subscribe)
    served.feed.publish(ChangeSet(frozenset({"settings"}), ("c",)))
    assert guest.receive()["params"]["ids"] == ["c"]


def test_an_unknown_program_hears_of_nothing(folder: Path) -> None:
    with agents(folder) as (served, connect):
        guest = connect("?")
        guest.receive()
        assert guest.ask({"jsonrpc": "2.0", "id": 1, "method": "subscribe"})["error"]["code"] == -32005
        served.feed.publish(ChangeSet(frozenset({"memories"}), ("a",)))
        assert guest.ask(PING)["id"] == "p"


def test_an_agent_that_calls_too_often_is_told_and_nobody_else(folder: Path) -> None:
    with agents(folder, rate=lambda: Rate(1, 3)) as (served, connect):
        busy, twin, other = connect("busy"), connect("busy"), connect("other")
        owner = Raw(served.server.address).greet(folder)
        for one in (busy, twin, other):
            one.receive()
        for _ in range(3):
            assert "result" in busy.ask(SAY)
        for one in (busy, twin):
            error = one.ask(SAY)["error"]
            assert error["code"] == -32007
            assert 0 < error["data"]["data"]["retry_after"] <= 1.1
        assert "result" in other.ask(SAY)
        for _ in range(20):
            assert "result" in owner.ask(SAY)
        owner.socket.close()


def test_an_agent_may_have_so_many_calls_waiting(folder: Path) -> None:
    with agents(folder, rate=lambda: Rate(1e6, 10_000)) as (served, connect):
        guest, other = connect("busy"), connect("other")
        guest.receive()
        other.receive()
        for number in range(MAX_PENDING + 2):
            guest.send(encode({"jsonrpc": "2.0", "id": number, "method": "echo.wait"}))
        for number in range(MAX_PENDING, MAX_PENDING + 2):
            refused = guest.receive()
            assert (refused["id"], refused["error"]["code"]) == (number, -32007)
        assert "result" in other.ask(SAY)
        served.open_gate()
        assert {guest.receive()["id"] for _ in range(MAX_PENDING)} == set(range(MAX_PENDING))


@pytest.mark.parametrize(("token", "allowed"), [("scout", MAX_OF_AGENT), ("?", MAX_UNKNOWN)])
def test_one_agent_does_not_take_every_place(folder: Path, token: str, allowed: int) -> None:
    with agents(folder) as (_, connect):
        for _ in range(allowed):
            assert connect(token).receive()["keepsake"] == 1
        late = connect(token)
        assert late.receive()["error"]["code"] == -32008
        assert late.is_at_end()
        assert connect("another").receive()["keepsake"] == 1


def test_an_agents_frames_are_shorter_than_the_owners(folder: Path) -> None:
    with agents(folder) as (_, connect):
        guest = connect("scout")
        guest.receive()
        guest.send((MAX_SHORT_FRAME + 1).to_bytes(4, "big"))
        assert guest.receive()["error"]["code"] == -32600
        assert guest.is_at_end()


def test_a_silent_agent_is_disconnected_and_the_owner_is_not(folder: Path) -> None:
    with agents(folder, timeouts=ClientTimeouts(idle=0.1)) as (served, connect):
        owner, guest, busy = Raw(served.server.address).greet(folder), connect("scout"), connect("busy")
        guest.receive()
        busy.receive()
        busy.send(encode({"jsonrpc": "2.0", "id": 5, "method": "echo.wait"}))
        assert guest.receive()["error"]["code"] == -32009
        assert guest.is_at_end()
        served.open_gate()
        assert busy.receive()["id"] == 5  # it waited for an answer
        assert "result" in owner.ask(SAY)
        owner.socket.close()


def test_who_does_not_read_is_cut_off(folder: Path) -> None:
    with serving(folder, timeouts=ClientTimeouts(answer=0.1)) as served:
        guest, other = Raw(served.server.address).greet(folder), Raw(served.server.address).greet(folder)
        guest.send(encode(SAY | {"params": {"text": "x", "times": 1 << 24}}))
        while served.server.clients > 1:
            assert "result" in other.ask(SAY)
        with pytest.raises(EOFError):
            guest.receive()
        guest.socket.close()
        other.socket.close()


def test_an_agent_hears_of_the_work_that_it_began(folder: Path) -> None:
    cancelled: list[str] = []

    def cancel_job(job: str) -> bool:
        cancelled.append(job)
        return job == "mine"

    with agents(folder, cancel_job=cancel_job) as (served, connect):
        guest, other = connect("scout"), connect("other")
        for one in (guest, other):
            one.receive()
            one.ask({"jsonrpc": "2.0", "id": 1, "method": "subscribe"})
        guest.send(encode({"jsonrpc": "2.0", "id": 2, "method": "echo.work", "params": {"job": "mine"}}))
        other.send(encode({"jsonrpc": "2.0", "id": 2, "method": "echo.work"}))
        while served.gate.waiting < 2:
            assert guest.ask(PING)["id"] == "p"
        served.feed.publish(Progress("somebody's", "Importing", 1))
        served.feed.publish(Progress("mine", "Importing", 2))
        assert guest.receive()["params"].items() >= ({"job": "mine", "done": 2} | PROGRESS).items()
        cancel = {"jsonrpc": "2.0", "id": 3, "method": "cancel", "params": {"id": 2}}
        assert guest.ask(cancel)["result"]["value"] is True
        assert other.ask(cancel)["result"]["value"] is False
        assert cancelled[0] == "mine"
        assert cancelled[1].startswith("run-")  # a job that was given no id gets one
        served.open_gate()
        assert guest.receive()["result"]["value"] == "mine"
        assert other.receive()["result"]["value"] == cancelled[1]
        served.feed.publish(Progress("mine", "Importing", 3))
        assert guest.ask(PING)["id"] == "p"
