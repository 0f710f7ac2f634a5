"""A rotating file of lines for its owner only.

Lines that the disk refuses are dropped.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from app.core.regular_files import open_file


class RotatingFile:
    """Lines appended to ``path``; older ones lie in ``path.1``, ``path.2`` and so on.

    Args:
        path: The file.
        max_bytes: Size at which it is set aside.
        keep: How many older files are kept.
    """

    def __init__(self, path: Path, max_bytes: int, keep: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._handle: int | None = None
        self._size = 0

    def append(self, lines: Iterable[bytes]) -> None:
        """Write whole lines; lines that the disk refuses are lost."""
        try:
            self._append(lines)
        except OSError:
            self.close()

    def close(self) -> None:
        """Let the file go."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(OSError):
                os.close(handle)

    def _append(self, lines: Iterable[bytes]) -> None:
        handle, waiting = self._open(), bytearray()
        for line in lines:
            size = self._size + len(waiting)
            if size and size + len(line) > self._max_bytes:
                self._write(handle, waiting)
                waiting = bytearray()
                self.close()
                self._set_aside()
                handle = self._open()
            waiting += line
        self._write(handle, waiting)

    def _write(self, handle: int, data: bytearray) -> None:
        self._size += len(data)
        while data:
            data = data[os.write(handle, data) :]

    def _open(self) -> int:
        if self._handle is None:
            self._handle = open_file(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            self._size = os.fstat(self._handle).st_size
        return self._handle

    def _set_aside(self) -> None:
        for number in range(self._keep, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path
