"""File names of a vault, and a check that none leads out of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.core.files import from_os
from app.core.regular_files import require_file, require_folder
from app.store.backup import FOLDER

_ENDINGS: Final = ("", "-wal", "-shm", "-journal")
_FOLDERS: Final = (FOLDER, "replaced", "agents", "attachments")


def database_files(database: Path) -> Iterator[Path]:
    """Yield a database and the files that SQLite keeps beside it, there or not."""
    yield from (database.with_name(database.name + ending) for ending in _ENDINGS)


def require_own_files(vault: Path, database: str) -> None:
    """Refuse a vault with a link, pipe or device in place of a file.

    Raises:
        VaultUnusableError: The sentence names it and says what to do.
    """
    try:
        for path in database_files(vault / database):
            require_file(path)
        for name in _FOLDERS:
            require_folder(vault / name)
    except OSError as error:
        raise from_os(error, vault) from error


def require_readable_copy(database: Path) -> None:
    """Refuse a database copy that is a link or a pipe.

    SQLite would follow it out of its folder, or wait for it.

    Raises:
        VaultUnusableError: The sentence names it and says what to do.
    """
    try:
        for path in database_files(database):
            require_file(path, is_written=False)
    except OSError as error:
        raise from_os(error, database) from error
