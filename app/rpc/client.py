"""Calls a running host from another process and waits for the answers."""

import contextlib
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.rpc.credentials import Credentials
from app.rpc.framing import Message
from app.rpc.messages import request, stray, value_and_changes
from app.rpc.wire import dial, receive, send

# Takes the kind of an event (``changed``, ``progressed``, ``dropped``) and the event as JSON values.
EventListener = Callable[[str, Any], None]


class Client:
    """A connection to a host, for one thread at a time; ``Client.connect`` makes it.

    Args:
        connected: A socket whose host has welcomed us.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._last_id = 0
        self._listener: EventListener | None = None

    @classmethod
    def connect(cls, vault: Path, credentials: Credentials | None = None) -> Self:
        """Connect to the host of ``vault``, as the owner where no credentials are given.

        Raises:
            HostUnreachableError: None answers.
        """
        return cls(dial(vault, credentials))

    def call(self, operation: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call an operation and return its answer as JSON values.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: It went away.
        """
        self._last_id += 1
        send(self._socket, request(self._last_id, operation, arguments or {}))
        while (message := receive(self._socket)).get("id") != self._last_id:
            self._hear(message)
        return value_and_changes(message)[0]

    def subscribe(self, listener: EventListener) -> None:
        """Hear of changes and progress from within later calls, while they wait for their answers."""
        self._listener = listener
        self.call("subscribe")

    def close(self) -> None:
        """Leave; a call that waits in another thread fails."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hear(self, message: Message) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            raise stray(message)
        if self._listener is not None:
            self._listener(method, message.get("params"))
