"""Connection to a PostgreSQL server that is kept, and that another thread may end."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from app.errors import ExchangeError

if TYPE_CHECKING:
    import psycopg


class KeptConnection:
    """Connection that is made when it is needed, and kept.

    One thread at a time uses it. Any thread may close it, and waits neither for the server nor for the thread that
    uses it, which gets no answer.

    Args:
        connect: Makes it.
    """

    def __init__(self, connect: "Callable[[], psycopg.Connection[Any]]") -> None:
        self._connect = connect
        self._turn = threading.Lock()
        self._lock = threading.RLock()
        """Held while the connection is exchanged or cut, never while somebody waits for the server."""
        self._connection: psycopg.Connection[Any] | None = None
        self._is_used = False
        self._is_closed = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep the connection for this thread in a block.

        Raises:
            ExchangeError: It was closed.
        """
        with self._turn:
            with self._lock:
                self._require_open()
                self._is_used = True
            try:
                yield
            finally:
                with self._lock:
                    self._is_used = False
                    if self._is_closed:
                        self.drop()

    @property
    def current(self) -> "psycopg.Connection[Any] | None":
        """Return the connection, ``None`` where there is none."""
        return self._connection

    @property
    def is_lost(self) -> bool:
        """Return whether the connection broke by itself."""
        return self._connection is not None and self._connection.broken and not self._is_closed

    def get(self) -> "psycopg.Connection[Any]":
        """Return the connection; to be called in a turn.

        Raises:
            psycopg.Error: It cannot be made.
            ExchangeError: It was closed.
        """
        if self._connection is None:
            connection = self._connect()
            with self._lock:
                self._connection = connection  # closed at the end of the turn where it came too late
                self._require_open()
        return self._connection

    def drop(self) -> None:
        """Let go of the connection; the next who needs it makes another."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def close(self) -> None:
        """End the connection for good; safe to call twice."""
        with self._lock:
            self._is_closed = True
            if not self._is_used:
                self.drop()
            elif self._connection is not None:
                cut(self._connection)

    def _require_open(self) -> None:
        if self._is_closed:
            raise ExchangeError("The exchange with this database has ended.")


def cut(connection: "psycopg.Connection[Any]") -> None:
    """End a connection that another thread may wait for."""
    import psycopg  # noqa: PLC0415

    with suppress(psycopg.Error, OSError):  # it is closed already
        other = socket.socket(fileno=connection.fileno())
        try:
            other.shutdown(socket.SHUT_RDWR)
        finally:
            other.detach()
