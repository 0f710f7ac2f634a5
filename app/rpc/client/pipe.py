"""Client end of a named pipe of Windows, with the methods of a socket.

A pipe that is opened as a file lets nobody write while somebody reads, so reads and writes overlap here, as in
``multiprocessing.connection``, whose pipes know no time limit and send messages instead of bytes.
"""

import sys
from typing import Any

if sys.platform == "win32":
    import _winapi
    import time

    _PAUSE_SECONDS = 0.05

    class Pipe:
        """A pipe, opened once a place is free.

        Args:
            path: Its name.
            seconds: How long that may take.

        Raises:
            OSError: Nobody listens there.
        """

        def __init__(self, path: str, seconds: float) -> None:
            self._handle = _opened(path, seconds)
            self._seconds: float | None = seconds
            self._reading: Any = None
            self._is_shut = False

        def sendall(self, data: bytes) -> None:
            """Send everything."""
            rest = memoryview(data)
            while rest:
                writing, _ = _winapi.WriteFile(self._handle, rest, overlapped=True)
                rest = rest[self._waited(writing) :]

        def recv(self, size: int) -> bytes:
            """Return some bytes, none at the end."""
            if self._is_shut:
                return b""
            try:
                self._reading, _ = _winapi.ReadFile(self._handle, size, overlapped=True)
                count = self._waited(self._reading)
            except OSError as error:
                if error.winerror in {_winapi.ERROR_BROKEN_PIPE, _winapi.ERROR_OPERATION_ABORTED}:
                    return b""
                raise
            return bytes(self._reading.getbuffer() or b"")[:count]

        def settimeout(self, seconds: float | None) -> None:
            """Limit the time of each read and write."""
            self._seconds = seconds

        def shutdown(self, how: int) -> None:
            """End a read that waits."""
            self._is_shut = True
            if self._reading is not None:
                self._reading.cancel()

        def close(self) -> None:
            """Close the pipe."""
            handle, self._handle = self._handle, 0
            if handle:
                _winapi.CloseHandle(handle)

        def _waited(self, work: Any) -> int:
            """Return how many bytes a read or write moved, once it is done."""
            limit = _winapi.INFINITE if self._seconds is None else int(self._seconds * 1000)
            try:
                if _winapi.WaitForMultipleObjects([work.event], False, limit) == _winapi.WAIT_TIMEOUT:
                    work.cancel()
                    raise TimeoutError("the host took too long")
            finally:
                count, error = work.GetOverlappedResult(True)
            if error == _winapi.ERROR_OPERATION_ABORTED:
                raise ConnectionAbortedError("the pipe was closed")
            return int(count)

    def _opened(path: str, seconds: float) -> int:
        until = time.monotonic() + seconds
        access, overlapped = _winapi.GENERIC_READ | _winapi.GENERIC_WRITE, _winapi.FILE_FLAG_OVERLAPPED
        while True:
            try:
                return _winapi.CreateFile(
                    path, access, 0, _winapi.NULL, _winapi.OPEN_EXISTING, overlapped, _winapi.NULL
                )
            except OSError as error:
                if error.winerror != _winapi.ERROR_PIPE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(_PAUSE_SECONDS)

else:

    class Pipe:
        """Named pipes, which this system does not have."""

        def __init__(self, path: str, seconds: float) -> None:
            raise OSError("this system has no named pipes")
