"""Sealing of files in place: a file becomes a sealed one, and back."""

import os
from pathlib import Path
from typing import Final

from app.core.files import replace_file
from app.core.regular_files import open_for_reading
from app.encryption.data_key import DataKey
from app.encryption.sealed_files import open_name, open_parts, sealed_parts

_ZEROS: Final = bytes(1 << 20)


def seal_file(path: Path, place: Path, key: DataKey) -> None:
    """Replace a file by a sealed one at ``place``, and overwrite what was there.

    Raises:
        MachineError: It cannot be written; the file is as it was.
        OSError: It cannot be read.
    """
    with open_for_reading(path) as file:
        data = b"".join(sealed_parts(key, [file.read()], path.name))
    replace_file(place, data)
    overwrite(path)
    path.unlink()


def unseal_file(path: Path, key: DataKey) -> None:
    """Replace a sealed file by the one that was sealed, under its own name.

    Raises:
        VaultDamagedError: It was changed; it stays as it is.
        MachineError: It cannot be written.
        OSError: It cannot be read.
    """
    with open_for_reading(path) as file:
        name = Path(open_name(key, file)).name
        file.seek(0)
        data = b"".join(open_parts(key, file))
    replace_file(path.with_name(name), data)
    path.unlink()


def overwrite(path: Path) -> None:
    """Write zeros over a file, as far as the system writes in place.

    Raises:
        OSError: It cannot be written.
    """
    with path.open("rb+") as file:
        overwrite_handle(file.fileno())


def overwrite_handle(handle: int) -> None:
    """Write zeros over an open file; see ``overwrite``."""
    remaining = os.fstat(handle).st_size
    os.lseek(handle, 0, os.SEEK_SET)
    while remaining > 0:
        remaining -= os.write(handle, _ZEROS[: min(remaining, len(_ZEROS))])
    os.fsync(handle)
