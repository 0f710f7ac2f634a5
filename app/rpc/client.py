"""Clients of a running host, blocking and asynchronous.

Importing this loads neither the engine nor the database.
"""

import contextlib
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from app.errors import HostUnreachableError, IdleError
from app.rpc.credentials import Credentials
from app.rpc.framing import Message
from app.rpc.messages import DROPPED, EventListener, request, stray, value_and_changes
from app.rpc.repeats import DROPPED_REASON, PAUSE_SECONDS, RECONNECT_SECONDS, Attempt
from app.rpc.wire import Stream, call_limit, dial, gone, receive, send

if TYPE_CHECKING:
    from app.rpc.async_client import AsyncClient

__all__ = ["AsyncClient", "Client", "Credentials", "EventListener"]

T = TypeVar("T")


class Client:
    """A client of a host, for one thread at a time; ``Client.connect`` makes it.

    When the host is restarted, the next call connects again. A call that was under way is repeated if it only reads or
    has a key against repetition; other writes fail with a sentence that says so.

    Args:
        vault: The vault's folder.
        credentials: Those of an agent; the owner's without.
        reconnect_seconds: How long the host may be away during a call.
    """

    def __init__(
        self, vault: Path, credentials: Credentials | None = None, reconnect_seconds: float = RECONNECT_SECONDS
    ) -> None:
        self._vault = vault
        self._credentials = credentials
        self._seconds = reconnect_seconds
        self._socket: Stream | None = None
        self._is_closed = False
        self._last_id = 0
        self._listener: EventListener | None = None
        self._wanted: Mapping[str, Any] = {}
        self._accesses: dict[str, str] = {}

    @classmethod
    def connect(
        cls, vault: Path, credentials: Credentials | None = None, reconnect_seconds: float = RECONNECT_SECONDS
    ) -> Self:
        """Connect to the host of ``vault``, as the owner where no credentials are given.

        Raises:
            HostUnreachableError: None answers.
        """
        made = cls(vault, credentials, reconnect_seconds)
        made._connected()
        return made

    def call(self, operation: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call an operation and return its answer as JSON values.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: It went away and did not come back in time, or during a write without a key.
        """
        given = arguments or {}
        attempt = Attempt(operation, given, self._seconds)
        while True:
            try:
                connected = self._connected()
                if attempt.needs_access:
                    attempt.check_access(self._operations(connected))
                return self._ask(connected, operation, given)
            except HostUnreachableError as error:
                self._disconnect()
                if self._is_closed or error.data.get("may_be_done"):
                    raise
                attempt.failed(error)
                time.sleep(PAUSE_SECONDS)

    def call_as(self, kind: type[T], operation: str, arguments: Mapping[str, Any] | None = None) -> T:
        """Return the answer of ``call`` as a ``kind``, such as a dataclass."""
        return msgspec.convert(self.call(operation, arguments), kind)

    def subscribe(self, listener: EventListener, **wanted: Any) -> None:
        """Hear of events from within later calls, while they wait for their answers.

        Args:
            listener: Hears of them.
            wanted: ``areas``, ``stores`` and ``progress``, as the method ``subscribe`` takes them.
        """
        self._listener, self._wanted = listener, wanted
        self.call("subscribe", wanted)

    def close(self) -> None:
        """Leave; a call that waits in another thread fails."""
        self._is_closed = True
        connected = self._socket
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
            connected.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connected(self) -> Stream:
        if self._is_closed:
            raise gone(was_sent=False)
        if self._socket is None:
            is_again = self._last_id > 0
            self._socket = dial(self._vault, self._credentials)
            if is_again and self._listener is not None:
                self._ask(self._socket, "subscribe", self._wanted)
                self._listener(DROPPED, {"reason": DROPPED_REASON})
        return self._socket

    def _disconnect(self) -> None:
        connected, self._socket = self._socket, None
        if connected is not None:
            connected.close()

    def _ask(self, connected: Stream, operation: str, arguments: Mapping[str, Any]) -> Any:
        self._last_id += 1
        send(connected, request(self._last_id, operation, arguments), call_limit(self._credentials))
        while (message := receive(connected)).get("id") != self._last_id:
            self._hear(message)
        return value_and_changes(message)[0]

    def _operations(self, connected: Stream) -> Mapping[str, str]:
        """Return the access of every operation by its name."""
        if not self._accesses:
            self._accesses = {item["name"]: item["access"] for item in self._ask(connected, "describe", {})}
        return self._accesses

    def _hear(self, message: Message) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            error = stray(message)
            # Whatever crossed with the end of a silent connection was not read.
            raise gone(was_sent=False) if isinstance(error, IdleError) else gone(reason=error.message)
        if self._listener is not None:
            self._listener(method, message.get("params"))


def __getattr__(name: str) -> Any:
    """Return ``AsyncClient``, which is loaded only where it is used."""
    if name == "AsyncClient":
        from app.rpc.async_client import AsyncClient  # noqa: PLC0415

        return AsyncClient
    raise AttributeError(name)
