"""Clients across a restart of the host: reads are repeated, writes only where nothing can be done twice."""

import asyncio
import inspect
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.api.catalogue import declared
from app.core.declared_operations import declared_operations
from app.errors import HostUnreachableError
from app.rpc.client import AsyncClient, Client
from app.rpc.framing import HEADER_BYTES, PROTOCOL, decode, encode, length_of
from app.rpc.hostfile import HostFile, write_hostfile
from app.rpc.messages import welcome
from tests.unit.app.rpc.conftest import serving


class DyingHost:
    """A host that goes away when it has received a call, without an answer."""

    def __init__(self, vault: Path) -> None:
        self.received: list[Any] = []
        self.gone = threading.Event()
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
            self.received.append(self._receive(connected))
        self._listening.close()
        self.gone.set()

    def _receive(self, connected: socket.socket) -> dict[str, Any]:
        length = length_of(connected.recv(HEADER_BYTES, socket.MSG_WAITALL))
        return decode(connected.recv(length, socket.MSG_WAITALL))

    def close(self) -> None:
        self._thread.join(10)


@contextmanager
def restarted(folder: Path) -> Iterator[Callable[[], None]]:
    """Give a host that dies during the first call; the function waits for its death and starts a real one."""
    dying, serving_again = DyingHost(folder), None

    def restart() -> None:
        nonlocal serving_again
        assert dying.gone.wait(10)
        serving_again = serving(folder)
        serving_again.__enter__()

    try:
        yield restart
    finally:
        dying.close()
        if serving_again is not None:
            serving_again.__exit__(None, None, None)


def during_restart(folder: Path, operation: str, arguments: dict[str, Any]) -> Any:
    """Return the answer to a call during which the host is restarted."""
    with restarted(folder) as restart:
        restarting = threading.Thread(target=restart, name="keepsake-restarting")
        client = Client.connect(folder, reconnect_seconds=10)
        restarting.start()
        try:
            return client.call(operation, arguments)
        finally:
            restarting.join(10)
            client.close()


def during_restart_async(folder: Path, operation: str, arguments: dict[str, Any]) -> Any:
    async def scenario() -> Any:
        client = await AsyncClient.connect(folder, reconnect_seconds=10)
        restarting = asyncio.create_task(asyncio.to_thread(restart))
        try:
            return await client.call(operation, arguments)
        finally:
            await restarting
            await client.close()

    with restarted(folder) as restart:
        return asyncio.run(scenario())


BOTH = pytest.mark.parametrize("call", [during_restart, during_restart_async])


@BOTH
def test_a_read_is_repeated(folder: Path, call: Callable[..., Any]) -> None:
    assert call(folder, "echo.say", {"text": "hello"}) == "hello"


@BOTH
def test_a_write_is_not_repeated(folder: Path, call: Callable[..., Any]) -> None:
    with pytest.raises(HostUnreachableError, match="may or may not have been done") as caught:
        call(folder, "echo.change", {"name": "n"})
    assert caught.value.data["may_be_done"] is True


@BOTH
def test_a_write_with_a_key_is_repeated(folder: Path, call: Callable[..., Any]) -> None:
    from app.errors import UnknownOperationError

    # The small catalogue has no notes, so that the answer of the second host is its refusal.
    with pytest.raises(UnknownOperationError):
        call(folder, "note.save", {"content": "x", "key": "k"})
    with pytest.raises(HostUnreachableError, match="may or may not"):
        call(folder, "note.save", {"content": "x"})


def test_a_call_after_a_restart_just_works(folder: Path) -> None:
    events: list[str] = []
    with serving(folder):
        client = Client.connect(folder)
        client.subscribe(lambda kind, _: events.append(kind), areas=["memories"])
        client.call("echo.change", {"name": "one"})
    with serving(folder):
        assert client.call("echo.change", {"name": "two"}) == "two"
        assert events[-1] == "dropped"
        client.call("echo.change", {"name": "three"})
        client.call("echo.say", {"text": ""})
        client.close()
    assert events.count("changed") == 3 or events[-1] == "changed"


def test_async_events_go_on_after_a_restart(folder: Path) -> None:
    async def scenario() -> list[str]:
        events: list[str] = []
        first = serving(folder)
        first.__enter__()
        client = await AsyncClient.connect(folder, lambda kind, _: events.append(kind))
        await client.subscribe(areas=["memories"])
        await asyncio.to_thread(first.__exit__, None, None, None)
        second = serving(folder)
        second.__enter__()
        await client.call("echo.change", {"name": "two"})
        for _ in range(100):
            await client.call("ping")
        await client.close()
        await asyncio.to_thread(second.__exit__, None, None, None)
        return events

    assert asyncio.run(scenario()) == ["dropped", "changed"]


@dataclass(frozen=True)
class Described:
    """One operation as ``describe`` tells it."""

    name: str
    access: str


def test_answers_come_in_the_type_that_is_asked_for(folder: Path) -> None:
    async def scenario() -> list[Described]:
        client = await AsyncClient.connect(folder)
        found = await client.call_as(list[Described], "describe")
        await client.close()
        return found

    with serving(folder), Client.connect(folder) as client:
        assert Described("echo.change", "write") in client.call_as(list[Described], "describe")
        assert client.call_as(str, "echo.say", {"text": "x"}) == "x"
        assert Described("echo.say", "read") in asyncio.run(scenario())


def test_what_is_repeated_takes_a_key() -> None:
    operations = {item.name: item for item in declared()}
    for name, key in declared_operations().keys.items():
        assert key in inspect.signature(operations[name].handler).parameters
        assert operations[name].access == "write"


def test_the_client_is_importable_alone() -> None:
    code = "import sys, app.rpc.client; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    own = {name for name in loaded if name == "app" or name.startswith("app.")}
    allowed = ("app.rpc", "app.core", "app.errors")
    assert {name for name in own if name != "app" and not name.startswith(allowed)} == set()
    assert not {"numpy", "apsw", "PySide6", "sqlite3"} & set(loaded)
