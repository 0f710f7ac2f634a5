"""Regular files opened without following links.

Nothing planted in a vault can then lead out of it or block.

A vault folder may come from somebody else: an archive, a stick, a shared disk. A link in it would let Keepsake write
to another file of the person, a pipe would keep it waiting for ever.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from pathlib import Path
from typing import BinaryIO, Final

from app.core.process import open_databases

_GUARDS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR
_JUNCTION: Final = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)
_PARTIAL: Final = ".partial"
_RANDOM_BYTES: Final = 6
_ABANDONED_S: Final = 3_600.0
_REPLACEMENT: Final = re.compile(rf"\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}{re.escape(_PARTIAL)}\Z")


class UnsafeFileError(OSError):
    """A link, pipe or device in place of a file of the vault."""

    def __init__(self, path: Path, what: str, remedy: str) -> None:
        super().__init__(errno.ELOOP, f"it is {what}", str(path))
        self.sentence = f"{path} is {what}. {remedy}"


def require_file(path: Path, *, is_written: bool = True) -> None:
    """Refuse anything at ``path`` but a regular file; a missing one is fine.

    Args:
        path: Where the file belongs.
        is_written: It will be written in place, so a second name elsewhere is refused too.

    Raises:
        UnsafeFileError: It is a link, folder, pipe, socket or device, or has a second name.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        _check_file(path, path.lstat(), is_written=is_written)


def require_folder(path: Path) -> None:
    """Refuse a link to a folder at ``path``; a missing one is fine.

    Raises:
        UnsafeFileError: It is a link or no folder.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        status = path.lstat()
        if _is_link(status):
            remedy = "Keepsake follows no links inside a vault: remove it, or move the folder itself there."
            raise UnsafeFileError(path, "a link", remedy)
        if not stat.S_ISDIR(status.st_mode):
            raise UnsafeFileError(path, f"{_kind(status.st_mode)}, not a folder", "Remove it and try again.")


def make_folder(path: Path) -> None:
    """Make a folder and its parents, private to the owner, unless it exists.

    See ``require_folder``.
    """
    require_folder(path)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def open_file(path: Path, flags: int) -> int:
    """Open a regular file and return its descriptor.

    A file that ``flags`` create is private to its owner.

    Raises:
        UnsafeFileError: See ``require_file``.
        OSError: The system refuses.
    """
    is_written = bool(flags & _WRITING)
    require_file(path, is_written=is_written)
    if open_databases.is_open(path):
        raise UnsafeFileError(path, "a database that is open here", "Close its vault first.")
    # Truncated only once it is known what it is.
    handle = os.open(path, (flags | _GUARDS) & ~os.O_TRUNC, 0o600)
    try:
        _check_file(path, os.fstat(handle), is_written=is_written)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_for_reading(path: Path) -> BinaryIO:
    """Open a regular file for reading; see ``open_file``."""
    return os.fdopen(open_file(path, os.O_RDONLY), "rb")


def open_replacing(path: Path) -> int:
    """Open a new file in place of an existing one, which is removed first."""
    path.unlink(missing_ok=True)
    return open_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)


def remove_abandoned(path: Path) -> bool:
    """Remove a file that a killed writer left; False for any other."""
    with contextlib.suppress(OSError):
        if _REPLACEMENT.search(path.name) and time.time() - path.lstat().st_mtime > _ABANDONED_S:
            path.unlink()
            return True
    return False


def replacement_path(path: Path) -> Path:
    """Return an unpredictable name for the file that will replace ``path``.

    Leftovers of killed writers are removed.
    """
    for old in path.parent.glob(f"{path.name}.*{_PARTIAL}"):
        with contextlib.suppress(OSError):
            if time.time() - old.lstat().st_mtime > _ABANDONED_S:
                old.unlink()
    return path.with_name(f"{path.name}.{secrets.token_hex(_RANDOM_BYTES)}{_PARTIAL}")


def _check_file(path: Path, status: os.stat_result, *, is_written: bool) -> None:
    if _is_link(status):
        remedy = "Keepsake follows no links inside a vault: remove it, or put the file itself there."
        raise UnsafeFileError(path, "a link", remedy)
    if not stat.S_ISREG(status.st_mode):
        raise UnsafeFileError(path, f"{_kind(status.st_mode)}, not a file", "Remove it and try again.")
    if is_written and status.st_nlink > 1:
        remedy = "What is written to it would change the other one too: put a copy in its place."
        raise UnsafeFileError(path, "one file with another elsewhere (a hard link)", remedy)


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISREG, "a file"),
    )
    return next((name for is_kind, name in kinds if is_kind(mode)), "a device")
