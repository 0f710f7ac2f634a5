"""Blocking stream of frames to a host: a socket, named pipe or port.

A hook holds up its agent while this loads, so it takes neither ``msgspec``, ``dataclasses`` nor ``pathlib``.
"""

import contextlib
import socket
import struct
import time
from typing import Any, Final

from app.rpc.peer import is_own

PIPE_PREFIX: Final = "\\\\.\\pipe\\"
_MAX_FRAME: Final = 64 << 20
_HEADER: Final = struct.Struct(">I")
_PART: Final = 1 << 20
_PAUSE_SECONDS: Final = 0.05


class Stream:
    """A connection to a host, for one thread that sends and one that receives.

    Args:
        path: Path of the host's socket or pipe, ``""`` without one.
        port: Its port on 127.0.0.1 then.
        seconds: How long connecting, and all that follows until ``wait_for_ever``, may take together.

    Raises:
        BlockingIOError: The host is too busy to take another program.
        OSError: Nobody listens there.
        ValueError: No address looks so.
    """

    def __init__(self, path: str, port: int, seconds: float) -> None:
        self._until: float | None = time.monotonic() + seconds
        if path.startswith(PIPE_PREFIX):
            from app.rpc.client.pipe import Pipe  # noqa: PLC0415  (of Windows alone)

            self._end: Any = Pipe(path, seconds)
            return
        if path and not hasattr(socket, "AF_UNIX"):
            raise OSError("this system has no Unix sockets")
        self._end = socket.socket(socket.AF_UNIX if path else socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._connect(path or ("127.0.0.1", port))
        except OverflowError as error:
            self._end.close()
            raise ValueError(str(error)) from error
        except BaseException:
            self._end.close()
            raise

    @property
    def is_own(self) -> bool:
        """Return False where a program of another user listens."""
        return is_own(self._end)

    def wait_for_ever(self) -> None:
        """Lift the time limit: answers may take as long as they need."""
        self._until = None
        self._end.settimeout(None)

    def send(self, payload: bytes) -> None:
        """Send a message.

        Raises:
            OSError: The host went away, or the time is up; half a message is never carried out.
        """
        self._limit_time()
        self._end.sendall(_HEADER.pack(len(payload)) + payload)

    def receive(self) -> bytes:
        """Return the next message.

        Raises:
            OSError: The host went away, or the time is up.
            ValueError: No message is so long.
        """
        (length,) = _HEADER.unpack(self._exactly(_HEADER.size))
        if not 0 < length <= _MAX_FRAME:
            raise ValueError(f"A message must have 1 to {_MAX_FRAME} bytes, not {length}.")
        return self._exactly(length)

    def shut_down(self) -> None:
        """End it from any thread; ``receive`` returns in its own, which then closes it."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it."""
        self._end.close()

    def _connect(self, address: Any) -> None:
        while True:
            self._limit_time()
            try:
                self._end.connect(address)
            except BlockingIOError:
                # The system refuses at once when the host's queue is full.
                if self._left() <= _PAUSE_SECONDS:
                    raise
                time.sleep(_PAUSE_SECONDS)
            else:
                return

    def _exactly(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            self._limit_time()
            part = self._end.recv(min(length - len(data), _PART))
            if not part:
                raise ConnectionResetError("the host went away")
            data += part
        return bytes(data)

    def _limit_time(self) -> None:
        if self._until is not None:
            if (seconds := self._left()) <= 0:
                raise TimeoutError("the host took too long")
            self._end.settimeout(seconds)

    def _left(self) -> float:
        return 0.0 if self._until is None else self._until - time.monotonic()
