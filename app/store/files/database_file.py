"""Bytes of a database file, read without giving back SQLite's locks on it.

When a process closes any descriptor of a file, POSIX takes back all its locks on that file, also those of descriptors
that stay open. Another program then takes itself for the only user of the database and deletes the log that we go on
writing to. SQLite keeps a descriptor open for as long as a connection of the process has a lock
(https://sqlite.org/howtocorrupt.html, section 2.2), so the bytes are read through its file layer, never with ``open``.
"""

import errno
import io
import os
import weakref
from pathlib import Path
from typing import Final

import apsw

from app.core.process import open_databases
from app.core.regular_files import require_file

SYSTEM_VFS: Final = "win32" if os.name == "nt" else "unix"
"""SQLite's file layer of this system, without ciphers."""
LOCKLESS_VFS: Final = f"{SYSTEM_VFS}-none"
"""The same without locks, for files that nobody can write."""
_VERSION_OFFSET: Final = 18  # of the header; plain in an encrypted database too
_WITHOUT_LOG: Final = b"\x01"
_BLOCK: Final = 64 * 1024  # bytes
_PLACES: Final = 64
_FLAGS: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_NOFOLLOW


def is_readable(database: Path) -> bool:
    """Return whether a database and its log can be read; see ``read_failure``."""
    return read_failure(database) is None


def read_failure(database: Path) -> OSError | None:
    """Return why a database or its log cannot be read, ``None`` where they can.

    They are looked at in some places. SQLite reports what the disk does not give as damage.
    """
    return _read_failure(database) or _read_failure(log_of(database))


def _read_failure(path: Path) -> OSError | None:
    try:
        with open_database_file(path) as file:
            size = file.seek(0, os.SEEK_END)
            for offset in range(0, size, max(_BLOCK, size // _PLACES)):
                file.seek(offset)
                file.read(_BLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


class DatabaseConnection(apsw.Connection):
    """A connection that is known to have its file open.

    Args:
        path: The file.
        flags: SQLite's.
        vfs: The file layer.
        uri: The file's name with parameters, where it needs some.
    """

    def __init__(self, path: Path, flags: int, vfs: str, uri: str = "") -> None:
        super().__init__(uri or str(path), flags=flags, vfs=vfs)
        self.path = path
        open_databases.add(path)
        self._forget = weakref.finalize(self, open_databases.remove, path)

    def close(self, force: bool = False) -> None:
        """Close it, and let others open its file."""
        super().close(force)
        self._forget()


def has_log(database: Path) -> bool:
    """Return whether a write-ahead log lies beside a database and belongs to it.

    A vault that is closed takes its log in and says so in the database's header, where a log that lies there later
    came from elsewhere: an older one that a program put back, or one of another vault.
    """
    log = log_of(database)
    if not log.exists() or not log.stat().st_size:
        return False
    try:
        with open_database_file(database) as file:
            file.seek(_VERSION_OFFSET)
            return file.read(1) != _WITHOUT_LOG
    except OSError:
        return True  # SQLite says why it cannot be opened


def log_of(database: Path) -> Path:
    """Return where the write-ahead log of a database lies, when there is one."""
    return database.with_name(database.name + "-wal")


def open_database_file(path: Path) -> io.BufferedReader:
    """Open a database file for reading its bytes.

    Raises:
        UnsafeFileError: It is a link, folder, pipe, socket or device.
        OSError: It is missing, or cannot be read.
    """
    return io.BufferedReader(_DatabaseFile(path))


class _DatabaseFile(io.RawIOBase):
    """A file that SQLite has opened.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._size = path.stat().st_size  # SQLite calls a file of one byte empty
        require_file(path, is_written=False)
        self._path = path
        self._position = 0
        try:
            self._file = apsw.VFSFile(SYSTEM_VFS, str(path.absolute()), [_FLAGS, 0])
        except apsw.Error as error:
            code = errno.EIO if os.access(path, os.R_OK) else errno.EACCES
            raise OSError(code, os.strerror(code), str(path)) from error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # any writable buffer
        length = max(0, min(len(buffer), self._size - self._position))  # SQLite fills up with zeros beyond the end
        try:
            data = self._file.xRead(length, self._position) if length else b""
        except apsw.Error as error:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self._path)) from error
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.xClose()
        super().close()
