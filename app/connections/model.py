"""Values of connections: clients, entries, plans and receipts."""

from dataclasses import dataclass, field
from typing import Any, Literal

ENTRY_NAME = "keepsake"
ConfigFormat = Literal["json", "toml"]


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """Configuration of a client.

    Args:
        name: What a person calls it on the command line.
        title: Its name.
        path: Its configuration file on this system.
        section: The keys under which servers are listed.
        format: The format of the file.
        has_type: Whether an entry says that it is spoken to over standard input.
        hooks_path: The file with its hooks, ``""`` where it has none.
        hooks: Its events, each with the event of ``keepsake hook``.
        hook_timeout: How long a hook may take, in the unit of the client.
        restart: What the person does for it to take effect.
    """

    name: str
    title: str
    path: str
    section: tuple[str, ...] = ("mcpServers",)
    format: ConfigFormat = "json"
    has_type: bool = False
    hooks_path: str = ""
    hooks: tuple[tuple[str, str], ...] = ()
    hook_timeout: int = 30
    restart: str = "Restart it for this to take effect."


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """An entry for a client's configuration.

    Args:
        command: The program, with an absolute path.
        args: Its arguments.
        env: Its variables.
        has_type: See ``ClientConfig``.
    """

    command: str
    args: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    has_type: bool = False

    def value(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        kind = {"type": "stdio"} if self.has_type else {}
        return {**kind, "command": self.command, "args": list(self.args), "env": dict(self.env)}


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A planned change of one file.

    Args:
        path: The file.
        before: Its text, ``None`` where there is no such file.
        after: Its text then, ``None`` where the file goes.
        made: Keys on the way to the change that were not there before.
    """

    path: str
    before: str | None
    after: str | None
    made: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """Receipt of a file that was changed.

    Args:
        path: The file.
        backup: Its copy from before, ``""`` where there was none.
        before: A digest of its text before.
        after: A digest of its text after.
        entry: A digest of our entry.
        hooks: Digests of our hooks, by event.
        made: See ``FilePlan``.
    """

    path: str
    backup: str = ""
    before: str = ""
    after: str = ""
    entry: str = ""
    hooks: dict[str, str] = field(default_factory=dict)
    made: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectionReceipt:
    """Receipt of a connection: client, agent and changed files."""

    client: str
    agent: str
    files: tuple[WrittenFile, ...]
