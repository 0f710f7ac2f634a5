"""Clients across a restart of the host, each face of them: reads are repeated, writes only where that does no harm."""

import asyncio
import inspect
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from app.api.catalogue import declared
from app.core.declared_operations import declared_operations
from app.errors import HostUnreachableError
from app.host import Host
from app.mcp.host_link import ClientIdentity, HostLink
from app.rpc.client import Client
from app.rpc.client.host_client import is_keyed
from app.rpc.framing import HEADER_BYTES, PROTOCOL, decode, encode, length_of
from app.rpc.host_backend import HostBackend
from app.rpc.hostfile import HostFile, write_hostfile
from app.rpc.messages import answer, welcome
from tests.unit.app.rpc.conftest import serving

WAIT_S = 30.0


class DyingHost:
    """A host that goes away when it has received a call, without an answer."""

    def __init__(self, vault: Path) -> None:
        self.received = threading.Event()
        self.may_die = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        write_hostfile(vault, HostFile("", self._listening.getsockname()[1], "token", 1, "0", PROTOCOL))
        self._vault = vault
        self._thread = threading.Thread(target=self._serve, name="keepsake-dying")
        self._thread.start()

    def _serve(self) -> None:
        connected, _ = self._listening.accept()
        with connected:
            self._receive(connected)
            connected.sendall(encode(welcome("0", str(self._vault), 1)))
            while (message := self._receive(connected))["method"] == "subscribe":
                connected.sendall(encode(answer(message["id"], None)))
            self.received.set()
            assert self.may_die.wait(WAIT_S)
        self._listening.close()

    def _receive(self, connected: socket.socket) -> dict[str, Any]:
        length = length_of(connected.recv(HEADER_BYTES, socket.MSG_WAITALL))
        return decode(connected.recv(length, socket.MSG_WAITALL))

    def close(self) -> None:
        self.may_die.set()
        self._thread.join(WAIT_S)


class Face(Protocol):
    """A way to use the client."""

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        """Call and wait; return the answer, or what stands for it here."""

    def follow(self, listener: Callable[[], None]) -> None:
        """Hear that everything may have changed."""

    def close(self) -> None:
        """Leave."""


class CommandFace:
    """The blocking one, of commands."""

    def __init__(self, vault: Path, token: str) -> None:
        self._client = Client.connect(vault)

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        return self._client.call(operation, arguments)

    def follow(self, listener: Callable[[], None]) -> None:
        self._client.subscribe(lambda _, event: listener() if event["operation"] == "vault.reopen" else None)

    def close(self) -> None:
        self._client.close()


class WindowFace:
    """The one of a window, with model objects."""

    def __init__(self, vault: Path, token: str) -> None:
        self._backend = HostBackend(vault, lambda: None)
        self._backend.start()

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        return self._backend.call(operation, arguments).result(WAIT_S).value

    def follow(self, listener: Callable[[], None]) -> None:
        self._backend.subscribe(lambda event: listener() if getattr(event, "operation", "") == "vault.reopen" else None)

    def close(self) -> None:
        self._backend.stop()


class ToolFace:
    """The one of an MCP server, on an event loop."""

    def __init__(self, vault: Path, token: str) -> None:
        self._runner = asyncio.Runner()
        self._link = HostLink(vault, ClientIdentity("scout", "1"), token)

    def call(self, operation: str, arguments: dict[str, Any]) -> Any:
        is_read = {item.name: item.access for item in declared()}[operation] == "read"
        return self._runner.run(self._link.call(operation, arguments, repeatable=is_read))

    def follow(self, listener: Callable[[], None]) -> None:
        self._runner.run(
            self._link.subscribe(lambda _, event: listener() if event["operation"] == "vault.reopen" else None)
        )

    def close(self) -> None:
        self._runner.run(self._link.close())
        self._runner.close()


@pytest.fixture(params=[CommandFace, WindowFace, ToolFace])
def face(request: pytest.FixtureRequest) -> Callable[[Path, str], Face]:
    """Return what connects a face."""
    return request.param  # type: ignore[no-any-return]


class Restarted:
    """A host that dies during the first call of a face, with another one at its place."""

    def __init__(self, vault: Path, face: Callable[[Path, str], Face]) -> None:
        self._vault = vault
        with_agent = Host(vault, serve=False)
        with_agent.start()
        token = str(with_agent.ask("agent.add", name="scout", trust="full").token)
        with_agent.stop()
        self._dying = DyingHost(vault)
        self.face = face(vault, token)
        self.host = Host(vault)
        self._restarting = threading.Thread(target=self._restart, name="keepsake-restarting")
        self._restarting.start()

    def _restart(self) -> None:
        assert self._dying.received.wait(WAIT_S)
        self.host.start()
        self._dying.may_die.set()

    def close(self) -> None:
        self._restarting.join(WAIT_S)
        self.face.close()
        self._dying.close()
        self.host.stop()


@pytest.fixture
def restarted(vault: Path, face: Callable[[Path, str], Face]) -> Iterator[Restarted]:
    """Return a face whose first call loses its host."""
    restarted = Restarted(vault, face)
    yield restarted
    restarted.close()


def test_a_read_is_repeated(restarted: Restarted) -> None:
    assert len(restarted.face.call("note.list", {})) == 0


def test_a_write_is_not_repeated(restarted: Restarted) -> None:
    with pytest.raises(HostUnreachableError, match="may or may not have been done") as caught:
        restarted.face.call("note.save", {"content": "heron"})
    assert caught.value.data["may_be_done"] is True
    assert restarted.face.call("note.list", {}) == []


def test_a_write_with_a_key_is_repeated(restarted: Restarted) -> None:
    restarted.face.call("note.save", {"content": "heron", "key": "k"})
    assert len(restarted.host.ask("note.list")) == 1


def test_a_subscriber_hears_once_that_everything_may_have_changed(restarted: Restarted) -> None:
    calls: list[None] = []
    restarted.face.follow(lambda: calls.append(None))
    restarted.face.call("note.list", {})
    restarted.face.call("note.list", {})
    assert len(calls) == 1


def test_a_call_after_a_restart_just_works(folder: Path) -> None:
    events: list[Any] = []
    with serving(folder):
        client = Client.connect(folder)
        client.subscribe(lambda _, event: events.append(event["operation"]), areas=["memories"])
        client.call("echo.change", {"name": "one"})
    with serving(folder):
        assert client.call("echo.change", {"name": "two"}) == "two"
        client.call("echo.say", {"text": ""})
        client.close()
    assert events == ["echo.change", "vault.reopen", "echo.change"]


def test_a_write_that_was_never_sent_waits_for_the_next_host(folder: Path) -> None:
    with serving(folder):
        client = Client.connect(folder)
    begun = threading.Event()

    def write() -> None:
        begun.set()
        client.call("echo.change", {"name": "late"})

    writing = threading.Thread(target=write, name="keepsake-writing")
    writing.start()
    assert begun.wait(WAIT_S)
    with serving(folder):
        writing.join(WAIT_S)
        assert not writing.is_alive()
        client.close()


@dataclass(frozen=True)
class Described:
    """One operation as ``describe`` tells it."""

    name: str
    access: str


def test_answers_come_in_the_type_that_is_asked_for(folder: Path) -> None:
    with serving(folder), Client.connect(folder) as client:
        assert Described("echo.change", "write") in msgspec.convert(client.call("describe"), list[Described])
        assert client.call("echo.say", {"text": "x"}) == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
def test_a_host_that_was_replaced_unnoticed_costs_no_call(folder: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        write_hostfile(folder, HostFile(str(tmp_path / "s"), 0, "token", 1, "0", PROTOCOL))

        def greet() -> socket.socket:
            connected, _ = listening.accept()
            connected.recv(length_of(connected.recv(HEADER_BYTES, socket.MSG_WAITALL)), socket.MSG_WAITALL)
            connected.sendall(encode(welcome("0", str(folder), 1)))
            connected.shutdown(socket.SHUT_RD)  # nothing can be sent to it, and its end is not to be read
            return connected

        with ThreadPoolExecutor() as pool:
            greeted = pool.submit(greet)
            client = Client.connect(folder, reconnect_seconds=0)
            with greeted.result(WAIT_S), client, serving(folder):
                assert client.call("echo.say", {"text": "x"}) == "x"


def test_what_is_repeated_takes_a_key() -> None:
    operations = {item.name: item for item in declared()}
    for name, key in declared_operations().keys.items():
        assert key in inspect.signature(operations[name].handler).parameters
        assert operations[name].access == "write"
        assert is_keyed(name, {"key": "k"})
        assert not is_keyed(name, {})


def test_the_client_is_importable_alone() -> None:
    code = "import sys; from app.rpc.client import Client; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    own = {name for name in loaded if name == "app" or name.startswith("app.")}
    allowed = ("app.rpc", "app.core", "app.errors", "app.sentence", "app.changes")
    assert {name for name in own if name != "app" and not name.startswith(allowed)} == set()
    assert not {"asyncio", "numpy", "apsw", "PySide6", "sqlite3"} & set(loaded)
