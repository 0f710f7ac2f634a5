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


@dataclass(frozen=True, slots=True)
class ConnectionRequest:
    """A wish to connect a client.

    Args:
        client: The client, as in ``ClientConfig.name``.
        agent: The name of the agent that it becomes; the client's own where empty.
        trust: The agent's trust.
        review: Whether what it writes waits in the inbox.
        hooks: Whether its hooks are installed too.
    """

    client: str
    agent: str = ""
    trust: str = "inner"
    review: bool = False
    hooks: bool = False

    @property
    def agent_name(self) -> str:
        """Return the name of the agent."""
        return self.agent.strip() or self.client


@dataclass(frozen=True, slots=True)
class ClientState:
    """A client on this machine.

    Args:
        name: What it is called in operations.
        title: Its name.
        path: Its configuration file.
        is_installed: Whether traces of it were found.
        is_connected: Whether this vault was connected to it.
        agent: The agent that it is then.
        has_hooks: Whether it knows hooks.
        problem: Why it cannot be connected, in a sentence; empty where it can.
    """

    name: str
    title: str
    path: str
    is_installed: bool
    is_connected: bool
    agent: str = ""
    has_hooks: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A planned change of a file as a unified diff, without the token."""

    path: str
    diff: str


@dataclass(frozen=True, slots=True)
class ConnectionPreview:
    """A planned connection, or the end of one.

    Args:
        client: The client.
        title: Its name.
        agent: The agent that it becomes, or was.
        files: The changes of its files, none where nothing is left to change.
        digest: Identifies the files as they were read; shown again when the change is written.
        left: Sentences about parts that stay.
    """

    client: str
    title: str
    agent: str
    files: tuple[FileChange, ...]
    digest: str
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectionResult:
    """A connection that was made, or ended.

    Args:
        client: The client.
        title: Its name.
        agent: The agent.
        agent_id: Its id, ``""`` where it had no access any more.
        backups: Copies of its files from before.
        next_step: What the person does now, in a sentence.
    """

    client: str
    title: str
    agent: str
    agent_id: str
    backups: tuple[str, ...] = ()
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class GrantedAccess:
    """An agent with access, and its token."""

    id: str
    token: str
