"""Deadline for whole requests, since httpx's time limits start anew with each byte received."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any


class RequestDeadline:
    """Deadline of one client's requests.

    It shuts their connections down when it expires or on demand.

    All connections are shut down at once, because httpx does not tell which request uses which; the other requests
    are sent again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def on_trace_event(self, event: str, info: dict[str, Any]) -> None:
        """Keep a new connection; passed to httpx as the ``trace`` extension."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        connection = info["return_value"].get_extra_info("socket")
        if isinstance(connection, socket.socket):
            with self._lock:
                self._sockets = [known for known in self._sockets if known.fileno() != -1]
                self._sockets.append(connection)

    @contextlib.contextmanager
    def after(self, seconds: float) -> Iterator[Callable[[], bool]]:
        """Shut connections down unless the block ends in time.

        Yield a function that returns whether that happened.
        """
        cut = threading.Event()

        def end() -> None:
            cut.set()
            self.cut()

        timer = threading.Timer(seconds, end)
        timer.name = "keepsake-deadline"
        timer.daemon = True
        timer.start()
        try:
            yield cut.is_set
        finally:
            timer.cancel()

    def cut(self) -> None:
        """Shut every connection down, which ends a pending read with an error."""
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # closed already
                    # Not ``SSLSocket.shutdown``, which would discard the state that a reading thread uses.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            self._sockets = []
