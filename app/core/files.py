"""Files: errors a person can act on, and atomic replacement."""

import contextlib
import errno
import os
from pathlib import Path

from app.core.regular_files import UnsafeFileError, open_replacing, replacement_path
from app.errors import FULL, SCARCE, DiskFullError, KeepsakeError, MachineError, VaultReadOnlyError, VaultUnusableError
from app.sentence import Sentence

_REFUSED = {errno.EACCES, errno.EPERM}


def from_os(error: OSError, path: Path) -> KeepsakeError:
    """Return the failure that ``error`` on ``path`` stands for."""
    if isinstance(error, UnsafeFileError):
        return VaultUnusableError(error.sentence, path=error.filename, state="unsafe")
    if error.errno in FULL:
        return DiskFullError(
            Sentence("The disk that holds {path} is full. Free some space and try again.", path=path), path=str(path)
        )
    if error.errno == errno.EROFS:
        return VaultReadOnlyError(
            Sentence("{path} cannot be written: {strerror}.", path=path, strerror=error.strerror), path=str(path)
        )
    if error.errno in _REFUSED:
        return VaultReadOnlyError(
            Sentence(
                "The system refuses access to {path}: {strerror}. Check its permissions and those of its folder.",
                path=path,
                strerror=error.strerror,
            ),
            path=str(path),
        )
    if error.errno in SCARCE:
        return MachineError(SCARCE[error.errno], path=str(path))
    return VaultUnusableError(
        Sentence("{path} cannot be used: {strerror}.", path=path, strerror=error.strerror or error),
        path=str(path),
        state="unusable",
    )


def is_there(path: Path) -> bool:
    """Return whether a file or folder is at a path.

    Unlike ``Path.exists``, which in some versions of Python takes a failing disk for a missing file.

    Raises:
        OSError: The system cannot tell.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def replace_file(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically, readable by its owner only.

    After a crash the file is either the old one or the new one.

    Raises:
        KeepsakeError: As ``from_os`` gives it.
    """
    partial = replacement_path(path)
    try:
        with os.fdopen(open_replacing(partial), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing can be removed either
            partial.unlink(missing_ok=True)
        raise from_os(error, path) from error
