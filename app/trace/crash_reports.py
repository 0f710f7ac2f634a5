"""Crash reports: stacks of a process that died, for its owner only."""

import contextlib
import faulthandler
import logging
import os
import stat
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Final

from app.trace.model import CrashReport

_log = logging.getLogger(__name__)
_PREFIX: Final = "crash-"
_SUFFIX: Final = ".txt"
_OLD: Final = ".old"
_MAX_BYTES: Final = 256 * 1024
# On Windows there is neither of them; there only administrators make links.
_SAFELY: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class CrashRecorder:
    """Writes the stacks of all threads to ``<vault>/trace/`` if this process dies.

    Args:
        vault: The vault's folder; nothing is written while there is none.
        program: Names the file, such as ``window``.
    """

    def __init__(self, vault: Path, program: str) -> None:
        self._path = vault / "trace" / f"{_PREFIX}{program}{_SUFFIX}"
        self._file: FileIO | None = None

    def start(self) -> None:
        """Start recording where that is safe; may be called again."""
        # Where it is on already, as with PYTHONFAULTHANDLER, somebody reads the standard error stream.
        if self._file is not None or faulthandler.is_enabled():
            return
        try:
            if not self._path.parent.parent.is_dir():
                return
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._file = _open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            if os.fstat(self._file.fileno()).st_size > _MAX_BYTES:
                self._file.truncate(0)
        except OSError as error:
            _log.info("crashes are not recorded: %s", error.strerror)
            return
        faulthandler.enable(self._file, all_threads=True)

    def stop(self) -> None:
        """Stop recording; a file with nothing in it goes away."""
        file, self._file = self._file, None
        if file is None:
            return
        faulthandler.disable()
        with contextlib.suppress(OSError), file:
            if not os.fstat(file.fileno()).st_size:
                self._path.unlink()


def take_crash_reports(vault: Path) -> list[CrashReport]:
    """Return the new reports, latest first, and set their files aside."""
    reports = []
    for path in _found_in(vault / "trace"):
        try:
            report = _read(path)
            if report is not None:
                path.replace(path.with_name(path.name + _OLD))
                reports.append(report)
        except OSError as error:
            _log.info("a crash report cannot be read: %s", error.strerror)
    return sorted(reports, key=lambda report: report.at, reverse=True)


def _found_in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob(f"{_PREFIX}*{_SUFFIX}"))
    except OSError as error:
        _log.info("crash reports cannot be looked for: %s", error.strerror)
        return []


def _read(path: Path) -> CrashReport | None:
    """Return the report in a file, ``None`` when it is empty."""
    with _open_private(path, os.O_RDONLY) as file:
        known = os.fstat(file.fileno())
        data = file.read(_MAX_BYTES)
    text = (data or b"").decode("utf-8", "replace").strip()
    if not text:
        return None
    program = path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return CrashReport(program, datetime.fromtimestamp(known.st_mtime, UTC), text)


def _open_private(path: Path, flags: int) -> FileIO:
    """Open a plain file of our own that no link leads to.

    Raises:
        OSError: It is anything else.
    """
    if path.parent.is_symlink() or path.is_symlink():
        raise OSError(0, "a link stands in its place")
    handle = os.open(path, flags | _SAFELY, 0o600)
    try:
        _claim(handle)
        return FileIO(handle, "r+" if flags & os.O_RDWR else "r")
    except BaseException:
        os.close(handle)
        raise


def _claim(handle: int) -> None:
    """Require a regular file of our own, and make it private.

    Raises:
        OSError: It is anything else.
    """
    known = os.fstat(handle)
    if not stat.S_ISREG(known.st_mode) or known.st_nlink != 1:
        raise OSError(0, "something else stands in its place")
    if os.name == "posix":
        if known.st_uid != os.getuid():
            raise OSError(0, "it belongs to somebody else")
        os.fchmod(handle, 0o600)
