"""Connections of the HTTP server: few wait for a request, and not for long."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MAX_WAITING: Final = 128
MAX_WAITING_OF_PEER: Final = 64
REQUEST_SECONDS: Final = 20.0


class WaitingConnections:
    """Connections on which no whole request is being answered, the oldest first."""

    def __init__(self) -> None:
        self._peers: dict[BoundedProtocol, str] = {}

    def add(self, connection: "BoundedProtocol", peer: str) -> None:
        """Take note of a connection.

        Where there are too many, the oldest gives way, of its peer or of all.
        """
        if connection in self._peers:
            return
        self._peers[connection] = peer
        own = [connection for connection, other in self._peers.items() if other == peer]
        for waiting, most in ((own, MAX_WAITING_OF_PEER), (list(self._peers), MAX_WAITING)):
            if len(waiting) > most:
                waiting[0].give_up()

    def remove(self, connection: "BoundedProtocol") -> None:
        """Forget a connection that is answered or gone."""
        self._peers.pop(connection, None)


class BoundedProtocol(H11Protocol):
    """HTTP connection that is closed where its request does not come whole in time."""

    waiting: WaitingConnections
    seconds = REQUEST_SECONDS

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._settle()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close a connection whose request is not whole."""
        self._settle()
        self.transport.abort()

    def _look(self) -> None:
        """Begin or end the time that a request may take."""
        cycle: RequestResponseCycle | None = self.cycle
        is_answered = cycle is not None and not cycle.response_complete and not cycle.more_body
        if is_answered or self.transport.is_closing():
            self._settle()
        elif self._late is None:
            self._late = self.loop.call_later(self.seconds, self.give_up)
            self.waiting.add(self, self.client[0] if self.client else "")

    def _settle(self) -> None:
        self.waiting.remove(self)
        if self._late is not None:
            self._late.cancel()
            self._late = None


def bounded_protocol(seconds: float = REQUEST_SECONDS) -> type[H11Protocol]:
    """Return the protocol of one server's connections.

    Args:
        seconds: How long a request may take until it is whole.
    """
    return type("ServedProtocol", (BoundedProtocol,), {"waiting": WaitingConnections(), "seconds": seconds})
