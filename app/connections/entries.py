"""Our entry for a client's configuration, and how Keepsake is started from it."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from app.connections.model import ClientConfig, ServerEntry
from app.connections.token_files import VARIABLE, token_file
from app.core.paths import default_vault
from app.core.process.program_command import program_command

_VAULT: Final = "KEEPSAKE_VAULT"


def server_entry(vault: Path, client: ClientConfig | None, token: str) -> ServerEntry:
    """Return the entry of a vault.

    Args:
        vault: The vault; it is named where it is not the usual one.
        client: The client, ``None`` for an unknown one.
        token: The token of the agent that it becomes.
    """
    command, *arguments = _program()
    named = {} if vault == default_vault().absolute() and _VAULT not in os.environ else {_VAULT: str(vault)}
    env = {"KEEPSAKE_TOKEN": token, **named}
    return ServerEntry(command, (*arguments, "mcp"), env, has_type=client is not None and client.has_type)


def hook_commands(vault: Path, client: ClientConfig) -> dict[str, str]:
    """Return our hook commands by event, which name the file with the token."""
    named = {name: value for name, value in server_entry(vault, client, "").env.items() if name == _VAULT}
    env = {VARIABLE: str(token_file(vault, client.name)), **named}
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    program = shlex.join(_program())
    return {event: f"{variables} {program} hook {ours}" for event, ours in client.hooks}


def _program() -> list[str]:
    """Return how this program is started, with an absolute path."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    started = Path(sys.argv[0])
    if started.stem == "keepsake" and started.is_file():
        return [str(started.absolute())]
    installed = shutil.which("keepsake", path=str(Path(sys.executable).parent))
    return [installed] if installed else program_command()
