"""Socket server with a small catalogue, on a loop in another thread."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.api.registry import Catalogue, Registry
from app.changes import Changed, ChangeSet, Feed
from app.errors import InputError, StaleError
from app.rpc.framing import HEADER_BYTES, decode, encode, length_of
from app.rpc.hostfile import read_hostfile
from app.rpc.messages import hello
from app.rpc.server.socket_server import SocketServer

REGISTRY = Registry()


@dataclass
class Gate:
    """State of the test operations; waiting ones wait until it is opened."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    finished: int = 0


@REGISTRY.operation("echo.say")
async def say(gate: Gate, caller: Caller, text: str, times: int = 1) -> str:
    """Say it back."""
    return text * times


@REGISTRY.operation("echo.change", access="write")
async def change(gate: Gate, caller: Caller, name: str) -> Changed[str]:
    """Change something."""
    return Changed(name, ChangeSet(frozenset({"memories"}), (name,), caller.name, history_ids=(7,)))


@REGISTRY.operation("echo.refuse")
async def refuse(gate: Gate, caller: Caller) -> None:
    """Fail as an operation may."""
    raise StaleError("It changed since it was read.", version=3)


@REGISTRY.operation("echo.break")
async def fail(gate: Gate, caller: Caller) -> None:
    """Fail as no operation should."""
    raise ZeroDivisionError("a bug")


@REGISTRY.operation("echo.wait")
async def wait(gate: Gate, caller: Caller) -> int:
    """Answer when the gate opens."""
    gate.waiting += 1
    await gate.opened.wait()
    gate.finished += 1
    return gate.finished


@REGISTRY.operation("echo.work", access="write")
async def long_work(gate: Gate, caller: Caller, job: str = "") -> str:
    """Do long work under a job."""
    gate.waiting += 1
    await gate.opened.wait()
    return job


@dataclass
class Served:
    """A running server and the way to its loop."""

    vault: Path
    server: SocketServer
    feed: Feed
    gate: Gate
    loop: asyncio.AbstractEventLoop

    def open_gate(self) -> None:
        self.loop.call_soon_threadsafe(self.gate.opened.set)

    def stop(self) -> "Future[None]":
        return asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop)


class Raw:
    """A client that may send anything."""

    def __init__(self, address: str) -> None:
        if address.startswith("127.0.0.1:"):
            self.socket = socket.create_connection(("127.0.0.1", int(address.partition(":")[2])), 10)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(10)
            self.socket.connect(address)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.send(encode(message))
        return self.receive()

    def receive(self) -> dict[str, Any]:
        return decode(self.receive_payload())

    def receive_payload(self) -> bytes:
        return self._exactly(length_of(self._exactly(HEADER_BYTES)))

    def is_at_end(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def greet(self, vault: Path) -> "Raw":
        assert self.ask(hello(read_hostfile(vault).token))["keepsake"] == 1
        return self

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            part = self.socket.recv(length - len(data))
            if not part:
                raise EOFError
            data += part
        return data


@contextmanager
def serving(vault: Path, **options: Any) -> Iterator[Served]:
    """Run a server on ``vault``."""
    ready: Future[Served] = Future()
    ended = threading.Event()

    async def run() -> None:
        gate, feed = Gate(), Feed()
        server = SocketServer(Catalogue(gate, REGISTRY.all(), feed), feed, vault, **options)
        await server.start()
        stop = asyncio.Event()
        ready.set_result(Served(vault, server, feed, gate, asyncio.get_running_loop()))
        ends.append(stop)
        await stop.wait()
        await server.stop()

    ends: list[asyncio.Event] = []

    def work() -> None:
        try:
            asyncio.run(run())
        except InputError as error:
            ready.set_exception(error)
        finally:
            ended.set()

    thread = threading.Thread(target=work, name="keepsake-serving", daemon=True)
    thread.start()
    served = ready.result(10)
    try:
        yield served
    finally:
        served.open_gate()
        served.loop.call_soon_threadsafe(ends[0].set)
        thread.join(10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder that stands for a vault."""
    made = tmp_path / "vault"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    """Return a running server."""
    with serving(folder) as running:
        yield running


@pytest.fixture
def raw(served: Served) -> Iterator[Callable[[], Raw]]:
    """Return what makes raw connections; they are closed at the end."""
    made: list[Raw] = []

    def connect() -> Raw:
        made.append(Raw(served.server.address))
        return made[-1]

    yield connect
    for connection in made:
        connection.socket.close()
