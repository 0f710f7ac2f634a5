"""Backend of a window: another process's host, or its own afterwards."""

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from app.api.catalogue import declared
from app.api.registry import Reply, from_builtins, to_builtins
from app.changes import Feed, Listener
from app.errors import KeepsakeError, UnknownOperationError
from app.rpc.client.dial import ConnectionLostError, dial
from app.rpc.client.host_client import Client
from app.rpc.client.stream import Stream
from app.rpc.event_codec import changes_from_wire, event_from_wire
from app.sentence import Sentence

if TYPE_CHECKING:
    from concurrent.futures import Future

State = Literal["lost", "taken_over", "rejoined", "failed"]
Watcher = Callable[[State, KeepsakeError | None], None]
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 3.0
FAILED_AFTER = 5
_log = logging.getLogger(__name__)


class OwnHost(Protocol):
    """A host in this process."""

    def stop(self) -> None:
        """Close the vault; blocks until everything is written."""


class HostBackend:
    """Calls the host that owns ``vault``, from any thread, with model objects in and out.

    Calls made while no host answers wait for the next, and listeners hear then that everything may have changed. A
    write that was under way when the host ended fails, because nobody knows whether it was carried out; a read is
    repeated.

    Args:
        vault: The vault's folder.
        open_vault: Opens the vault in this process when its host has gone; ``None`` where another was faster.
    """

    def __init__(self, vault: Path, open_vault: Callable[[], OwnHost | None]) -> None:
        self.vault = vault.expanduser().absolute()
        self._open = open_vault
        self._feed = Feed()
        self._operations = {item.name: item for item in declared()}
        self._client = Client(self._reached)
        self._own: OwnHost | None = None
        self._watchers: list[Watcher] = []
        self._is_joined = False
        self._stopped = threading.Event()

    def start(self) -> None:
        """Connect.

        Raises:
            HostUnreachableError: No host answers for the vault.
        """
        try:
            self._client.open()
            self._is_joined = True
            self._client.subscribe(self._on_event)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Leave the host, or close the vault that is open here; safe to call twice."""
        self._stopped.set()
        self._client.close()
        own, self._own = self._own, None
        if own is not None:
            own.stop()

    def watch(self, watcher: Watcher) -> None:
        """Hear of the search for a host and its failures, on any thread."""
        self._watchers.append(watcher)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear of changes and progress, on any thread; returns what stops it."""
        return self._feed.subscribe(listener)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Call an operation; cancelling the future stops a read.

        Raises:
            UnknownOperationError: There is no such operation.
        """
        declaration = self._operations.get(operation)
        if declaration is None:
            raise UnknownOperationError(
                Sentence("There is no operation '{operation}'.", operation=operation), operation=operation
            )
        is_read = declaration.access == "read"
        return self._client.submit(
            operation,
            to_builtins(dict(arguments)),
            is_repeatable=is_read,
            can_cancel=is_read,  # a write on its way cannot be taken back
            convert=partial(_reply, declaration.returns),
        )

    def _on_event(self, kind: str, members: Any) -> None:
        if (event := event_from_wire(kind, members)) is not None:
            self._feed.publish(event)

    def _reached(self) -> Stream:
        """Return a connection to the host, or to one that is opened here."""
        try:
            return dial(self.vault)  # after a loss: the host may only have hung up on an idle window
        except KeepsakeError:
            if not self._is_joined:
                raise
        self._tell("lost")
        pause, failures = FIRST_PAUSE_S, 0
        while not self._stopped.is_set():
            try:
                is_own = self._has_own()
                stream = dial(self.vault)
            except KeepsakeError as error:
                failures += 1
                # A killed process may hang up a moment before the system takes its lock away: the first failures are
                # expected.
                _log.info("the vault could not be taken over yet: %s", error.code)
                if failures == FAILED_AFTER:
                    _log.warning("the vault could not be taken over: %s", error.code)
                    self._tell("failed", error)
                self._stopped.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
                continue
            self._tell("taken_over" if is_own else "rejoined")
            return stream
        raise ConnectionLostError(was_sent=False)

    def _has_own(self) -> bool:
        """Return whether the vault is open here, after trying to open it."""
        if self._own is None:
            self._own = self._open()
        return self._own is not None

    def _tell(self, state: State, error: KeepsakeError | None = None) -> None:
        for watcher in self._watchers:
            watcher(state, error)


def _reply(kind: Any, value: Any, changes: Any) -> Reply:
    return Reply(from_builtins(value, kind), None if changes is None else changes_from_wire(changes))
