"""Blocking client end of a named pipe of Windows."""

import time
from typing import Any

PIPE_PREFIX = "\\\\.\\pipe\\"
_ERROR_PIPE_BUSY = 231
_PAUSE_SECONDS = 0.05


class PipeConnection:
    """Blocking client end of a pipe, with the methods of a socket."""

    def __init__(self, path: str, seconds: float) -> None:
        self._file = _opened(path, seconds)

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]

    def recv(self, size: int) -> bytes:
        """Return some bytes, none at the end."""
        try:
            found: bytes = self._file.read(size)
        except BrokenPipeError:
            return b""
        return found

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: a blocking pipe has no time limit."""

    def shutdown(self, how: int) -> None:
        """Do nothing: closing is enough."""

    def close(self) -> None:
        """Close the pipe."""
        self._file.close()


def _opened(path: str, seconds: float) -> Any:
    """Return a pipe, opened as a file once a place is free."""
    until = time.monotonic() + seconds
    while True:
        try:
            return open(path, "r+b", buffering=0)  # noqa: PTH123
        except OSError as error:
            if getattr(error, "winerror", 0) != _ERROR_PIPE_BUSY or time.monotonic() >= until:
                raise
        time.sleep(_PAUSE_SECONDS)
