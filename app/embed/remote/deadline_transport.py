"""Ends requests from outside: a connection's own time limits start anew with each byte that comes."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any


class RequestDeadline:
    """Knows the connections of one client, and shuts them down when an answer takes too long or nobody wants it.

    All of them at once, for which request runs over which is not told; the others are sent again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def heard(self, event: str, info: dict[str, Any]) -> None:
        """Note a new connection; given to the client as ``trace``."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        connection = info["return_value"].get_extra_info("socket")
        if isinstance(connection, socket.socket):
            with self._lock:
                self._sockets = [known for known in self._sockets if known.fileno() != -1]
                self._sockets.append(connection)

    @contextlib.contextmanager
    def after(self, seconds: float) -> Iterator[Callable[[], bool]]:
        """Cut unless the block ends in time; gives what says whether it was cut."""
        cut = threading.Event()

        def end() -> None:
            cut.set()
            self.cut()

        timer = threading.Timer(seconds, end)
        timer.name = "keepsake-patience"
        timer.daemon = True
        timer.start()
        try:
            yield cut.is_set
        finally:
            timer.cancel()

    def cut(self) -> None:
        """Shut every connection down; whoever reads from one hears that it ended."""
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # closed already
                    # Not the method of an encrypted one, which would take its state from under the reader.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            self._sockets = []
