"""``keepsake mcp --http``: bearer tokens, origins, loopback only, both protocol eras, several clients."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from app.errors import InputError
from app.host import Host
from app.mcp.http_server import address
from tests.helpers.mcp_clients import MODERN, ROOT, environment

GREETING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@contextmanager
def served(vault: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "mcp", "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        env=environment(vault),
        cwd=ROOT,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.stdout.close()


def greet(url: str, token: str = "", **headers: str) -> httpx.Response:
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.post(url, json=GREETING, headers={**ACCEPT, **shown, **headers})


def test_only_known_tokens_own_origins_and_own_sessions_are_let_in(host: Host) -> None:
    token = str(host.ask("agent.add", name="scout", trust="inner").token)
    other = str(host.ask("agent.add", name="rival", trust="inner").token)
    with served(host.vault) as url:
        assert greet(url).status_code == 401
        assert greet(url, "kst_wrong").status_code == 401
        assert "keepsake agent add" in greet(url, "kst_wrong").text
        welcomed = greet(url, token)
        assert welcomed.status_code == 200
        session = welcomed.headers["mcp-session-id"]
        assert greet(url, token, Origin="http://localhost:3000").status_code == 200
        for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
            assert greet(url, token, Origin=origin).status_code == 403, origin
        assert greet(url, token, Host="evil.example").status_code == 421
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for shown, status in ((token, 200), (other, 401)):
            headers = {**ACCEPT, "Authorization": f"Bearer {shown}", "mcp-session-id": session}
            assert httpx.post(url, json=listing, headers=headers).status_code == status
        host.ask("agent.revoke", name="scout")
        while greet(url, token).status_code == 200:  # until the host has hung up, which the server hears a little later
            pass
        assert greet(url, token).status_code == 401


@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_clients_of_both_eras_read_and_write(host: Host, era: str) -> None:
    tokens = [str(host.ask("agent.add", name=f"scout{number}", trust="inner").token) for number in range(3)]

    async def talk(url: str, number: int) -> str:
        shown = {"Authorization": f"Bearer {tokens[number]}"}
        async with (
            httpx2.AsyncClient(headers=shown, timeout=30) as web,
            Client(streamable_http_client(url, http_client=web), mode=era) as client,
        ):
            assert len((await client.list_tools()).tools) == 12
            written: Any = await client.call_tool("memory_write", {"content": f"Scout {number} saw a heron."})
            assert written.structured_content["outcome"] == "added"
            found: Any = await client.call_tool("memory_search", {"query": "heron"})
            assert found.structured_content["ids"]
            return str(written.structured_content["id"])

    async def all_of_them(url: str) -> list[str]:
        return list(await asyncio.gather(*(talk(url, number) for number in range(3))))

    with served(host.vault) as url:
        ids = asyncio.run(all_of_them(url))
    sources = {host.ask("note.get", id=identity).source for identity in ids}
    assert sources == {"scout0", "scout1", "scout2"}


@pytest.mark.parametrize(
    "text", ["", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", "0.0.0.0:80", "example.org:80", ":::1"]
)
def test_addresses_that_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        address(text, is_remote_allowed=False)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("127.0.0.1:8765", ("127.0.0.1", 8765)),
        ("localhost:0", ("localhost", 0)),
        (":8765", ("127.0.0.1", 8765)),
        ("[::1]:8765", ("::1", 8765)),
    ],
)
def test_addresses(text: str, wanted: tuple[str, int]) -> None:
    assert address(text, is_remote_allowed=False) == wanted


def test_other_machines_only_when_told() -> None:
    assert address("0.0.0.0:80", is_remote_allowed=True) == ("0.0.0.0", 80)
