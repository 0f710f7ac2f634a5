"""Clients of ``keepsake mcp``: the library's own over real processes, and one that writes raw lines."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.helpers.processes.warm_start import keepsake_command

ROOT = Path(__file__).resolve().parents[2]
MODERN = "2026-07-28"


def environment(vault: Path, token: str = "") -> dict[str, str]:
    """Return the environment of a server process: its vault, its token, a state folder of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KEEPSAKE_")}
    own = {
        "KEEPSAKE_VAULT": str(vault),
        "XDG_STATE_HOME": str(vault.parent / "state"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "PYTHONPATH": str(ROOT),
    }
    return {**kept, **own, **({"KEEPSAKE_TOKEN": token} if token else {})}


@asynccontextmanager
async def mcp_client(
    vault: Path, token: str = "", profile: str = "small", mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    """Connect the library's client to a server process of its own.

    Args:
        vault: The vault's folder.
        token: The agent's token.
        profile: The set of tools.
        mode: The protocol era: ``legacy``, or the version of a modern one.
        options: More of the client.
    """
    command, *start = keepsake_command()
    parameters = StdioServerParameters(
        command=command,
        args=[*start, "mcp", "--profile", profile],
        env=environment(vault, token),
        cwd=str(vault.parent),
    )
    async with Client(stdio_client(parameters), mode=mode, **options) as client:
        yield client


class RawClient:
    """A server process spoken to line by line.

    Args:
        vault: The vault's folder.
        token: The agent's token.
        arguments: Further arguments of the command.
        folder: Where the client starts it; beside the vault when left out.
    """

    def __init__(self, vault: Path, token: str = "", *arguments: str, folder: Path | None = None) -> None:
        self.process = subprocess.Popen(
            [*keepsake_command(), "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(vault, token),
            cwd=folder or vault.parent,
        )

    def send(self, message: object) -> None:
        """Send a message, or a line as it is."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, key: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its answer, passing over notifications."""
        self.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params or {}})
        while "method" in (message := self.receive()):
            pass
        return message

    def greet(self, name: str = "raw") -> dict[str, Any]:
        """Do the handshake and return the server's part."""
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        answer = self.ask(0, "initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def close(self) -> int:
        """Leave; return the exit status of the server."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(20)
        self.process.stdout.close()
        return status
