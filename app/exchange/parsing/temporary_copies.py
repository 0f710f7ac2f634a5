"""Folders for temporary copies of what is imported; those that a kill left are removed.

A lock beside each folder says whether the process that made it still lives.
"""

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "keepsake-import-"
_LOCK: Final = ".lock"


@contextmanager
def temporary_copies() -> Iterator[Path]:
    """Make a private folder for the length of a block.

    Raises:
        OSError: The system's folder for temporary files cannot be written.
    """
    remove_abandoned()
    folder = Path(tempfile.gettempdir(), _PREFIX + secrets.token_hex(8))
    with _locked(folder):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove our folders of processes that were killed; those of living ones stay."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # a lock that is held is one, too
            state = folder.lstat()
            is_ours = os.name != "posix" or state.st_uid == os.geteuid()
            if stat.S_ISDIR(state.st_mode) and is_ours:
                with _locked(folder):
                    shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from filelock import FileLock  # noqa: PLC0415  (few imports copy anything)

    path = folder.with_name(folder.name + _LOCK)
    with FileLock(path, timeout=0):
        yield
        path.unlink(missing_ok=True)
