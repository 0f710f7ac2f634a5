"""Connection to a vault, through a running host or by opening it here."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from app.changes import Event, Progress
from app.cli import terminal
from app.cli.passphrase import unlock_at_terminal
from app.core.ids import new_id
from app.errors import HostUnreachableError, KeepsakeError, VaultLockedError
from app.rpc.client import Client
from app.rpc.credentials import environment_credentials
from app.sentence import plain_text

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.api.caller import Caller
    from app.host import Host

Watcher = Callable[[Progress], None]

# How long another command may hold the vault once it is open. Opening it may take minutes, as after an update.
_WAIT_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
PROGRAM = "keepsake"  # the name of this program for an agent that uses it


class VaultConnection(Protocol):
    """A connection that answers calls with JSON values."""

    is_remote: bool

    def call(self, operation: str, /, **arguments: Any) -> Any:
        """Call an operation and wait for its answer."""

    def work(self, operation: str, watcher: Watcher, /, **arguments: Any) -> Any:
        """Call an operation that takes a ``job``; Ctrl-C asks it to stop."""

    def close(self) -> None:
        """Close the connection."""


@contextmanager
def open_connection(vault: Path) -> Iterator[VaultConnection]:
    """Connect to ``vault`` as the owner, or as the agent whose token ``KEEPSAKE_TOKEN`` holds.

    Raises:
        VaultLockedError: Another process has it open and does not answer.
        KeepsakeError: It cannot be opened.
    """
    connection = _reached(vault)
    try:
        yield connection
    finally:
        connection.close()


def _reached(vault: Path) -> VaultConnection:
    """Return a connection, waiting for a process that opens the vault or has it open."""
    begin, is_reported = time.monotonic(), False
    until = begin + _WAIT_SECONDS
    while True:
        if (remote := _remote(vault)) is not None:
            return remote
        try:
            return _local(vault)
        except VaultLockedError as locked:
            now = time.monotonic()
            # A Keepsake writes its name as soon as it has the lock; who has none after a while is another program.
            if locked.data.get("is_opening") and locked.data.get("owner"):
                until = now + _WAIT_SECONDS
                if not is_reported and now >= begin + _WAIT_SECONDS:
                    is_reported = True
                    terminal.tell("Another Keepsake is opening these memories; this waits for it.")
            elif now >= until:
                raise
        time.sleep(_PAUSE_SECONDS)


class RemoteConnection:
    """A connection through a running host's socket."""

    is_remote = True

    def __init__(self, client: Client) -> None:
        self._client = client

    def call(self, operation: str, /, **arguments: Any) -> Any:
        """See ``VaultConnection``."""
        return self._client.call(operation, arguments)

    def work(self, operation: str, watcher: Watcher, /, **arguments: Any) -> Any:
        """See ``VaultConnection``."""
        job = new_id("run")

        def hear(kind: str, event: Any) -> None:
            if kind == "progressed" and event["job"] == job:
                watcher(msgspec.convert(event, Progress))

        self._client.subscribe(hear)
        return _finish(self._client.submit(operation, {**arguments, "job": job}), self._cancel, job)

    def close(self) -> None:
        """See ``VaultConnection``."""
        self._client.close()

    def _cancel(self, job: str) -> None:
        self._client.call("job.cancel", {"job": job})


class LocalConnection:
    """A connection through a host in this process, which ends with the command."""

    is_remote = False

    def __init__(self, host: "Host", caller: "Caller") -> None:
        self._host = host
        self._caller = caller

    def call(self, operation: str, /, **arguments: Any) -> Any:
        """See ``VaultConnection``."""
        return _json_values(self._host.call(operation, arguments, self._caller).result().value)

    def work(self, operation: str, watcher: Watcher, /, **arguments: Any) -> Any:
        """See ``VaultConnection``."""
        job = new_id("run")

        def hear(event: Event) -> None:
            if isinstance(event, Progress) and event.job == job:
                watcher(event)

        unsubscribe = self._host.subscribe(hear)
        try:
            future = self._host.call(operation, {**arguments, "job": job}, self._caller)
            return _json_values(_finish(future, self._cancel, job).value)
        finally:
            unsubscribe()

    def close(self) -> None:
        """See ``VaultConnection``."""
        self._host.stop()

    def _cancel(self, job: str) -> None:
        self._host.ask("job.cancel", job=job)


def _remote(vault: Path) -> RemoteConnection | None:
    try:
        return RemoteConnection(Client.connect(vault, environment_credentials(PROGRAM)))
    except HostUnreachableError:
        return None


def _local(vault: Path) -> LocalConnection:
    # Loading the engine takes longer than asking a running one.
    from app.api.caller import OWNER  # noqa: PLC0415
    from app.host import Host  # noqa: PLC0415

    unlock_at_terminal(vault)
    host = Host(vault, serve=False)
    host.start()
    credentials = environment_credentials(PROGRAM)
    if credentials is None:
        return LocalConnection(host, OWNER)
    return LocalConnection(host, host.authenticate(credentials.token, credentials.name, credentials.version))


def _json_values(value: Any) -> Any:
    """Return an answer as the socket gives it: a tuple is a list there."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=plain_text))


def _finish(future: "Future[Any]", cancel: Callable[[str], None], job: str) -> Any:
    try:
        return future.result()
    except KeyboardInterrupt:
        terminal.tell("Stopping; what is done so far stays. Press Ctrl-C again to leave at once.")
        try:
            cancel(job)
        except KeepsakeError as error:
            terminal.tell(f"keepsake: {error.message}")
        return future.result()
    finally:
        terminal.show_line("")
