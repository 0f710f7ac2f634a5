"""The HTTP server with clients that send half a request, or nothing, and with sessions that end."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from app.host import Host
from app.mcp.http_connections import MAX_WAITING, MAX_WAITING_OF_PEER, bounded_protocol
from app.mcp.http_server import BearerGate, application, is_address
from app.mcp.options import McpOptions

GREETING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
HALVES = {
    "nothing": b"",
    "half a head": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "half a body": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
    "half a chunk": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{",
}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


class Served:
    """A server on a thread of its own."""

    def __init__(self, vault: Path, seconds: float) -> None:
        app = application(McpOptions(vault), "127.0.0.1")
        gate = app.routes[0].endpoint  # type: ignore[attr-defined]
        assert isinstance(gate, BearerGate)
        self.gate = gate
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        settings = uvicorn.Config(app, http=bounded_protocol(seconds), log_config=None, access_log=False, lifespan="on")
        self.server = uvicorn.Server(settings)
        serve = self.server.serve(sockets=[self.listening])
        self.thread = threading.Thread(target=lambda: asyncio.run(serve), daemon=True)
        self.thread.start()

    def greet(self, token: str) -> httpx.Response:
        return httpx.post(self.url, json=GREETING, headers={**ACCEPT, "Authorization": f"Bearer {token}"}, timeout=60)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(30)
        self.listening.close()


@contextlib.contextmanager
def served(vault: Path, seconds: float = 60.0) -> Iterator[Served]:
    running = Served(vault, seconds)
    try:
        yield running
    finally:
        running.stop()


def is_closed(client: socket.socket) -> bool:
    """Wait for the server to close a connection."""
    try:
        while client.recv(4096):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("half", HALVES)
def test_a_request_that_does_not_come_whole_in_time_is_ended(host: Host, half: str) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    with (
        served(host.vault, seconds=0.5) as running,
        socket.create_connection(("127.0.0.1", running.port), 30) as client,
    ):
        client.sendall(HALVES[half].replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token}\r\n\r\n".encode()))
        assert is_closed(client)


def test_half_requests_without_number_keep_nobody_out(host: Host) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    assert MAX_WAITING_OF_PEER < MAX_WAITING
    with served(host.vault) as running, contextlib.ExitStack() as leaving:
        clients = []
        for _ in range(2 * MAX_WAITING):
            clients.append(leaving.enter_context(socket.create_connection(("127.0.0.1", running.port), 30)))
            clients[-1].sendall(HALVES["half a head"])
        assert running.greet(token).status_code == 200
        assert all(is_closed(client) for client in clients[:MAX_WAITING])
        assert len(running.server.server_state.connections) <= MAX_WAITING_OF_PEER


def test_sessions_that_ended_are_forgotten(host: Host) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    with served(host.vault) as running:
        for _ in range(5):
            session = running.greet(token).headers["mcp-session-id"]
            assert running.gate.sessions == 1
            shown = {"Authorization": f"Bearer {token}", "mcp-session-id": session}
            assert httpx.delete(running.url, headers=shown).status_code == 200
            for _ in range(500):  # it is forgotten right after its end was answered
                if not running.gate.sessions:
                    break
                time.sleep(0.02)
            assert running.gate.sessions == 0
            assert httpx.delete(running.url, headers=shown).status_code == 404


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:1@evil.example",
        "http://localhost.evil.example",
        "http://localhost:80.evil.example",
        "http://localhost:",
        "http://localhost/",
        "https://localhost",
        "localhost",
        "null",
        "",
        "http://[::1]evil",
    ],
)
def test_only_whole_origins_of_this_machine_are_let_in(origin: str) -> None:
    names = ["127.0.0.1", "localhost", "[::1]"]
    assert not is_address(origin, names, "http://")
    for own in ("http://localhost", "http://LOCALHOST:3000", "http://127.0.0.1:80", "http://[::1]:80", "http://[::1]"):
        assert is_address(own, names, "http://")
    assert is_address("127.0.0.1:8765", names)
    assert not is_address("127.0.0.1:8765@evil.example", names)
