"""Write-ahead logs that are not the database's own, or damaged.

They are kept under another name. SQLite would take an older log, or one of another vault, into the database, and write
over one that is damaged.
"""

from contextlib import closing
from pathlib import Path

import apsw

from app.encryption.sealed_files import SUFFIX
from app.store.connection import BUSY_MS, connect, load_vectors
from app.store.files.database_file import has_log, log_of
from app.store.files.wal_frames import has_sound_header

DAMAGED_LOG = "-wal.damaged"
"""Ending of a log that cannot be read and was set aside; it follows the database's name."""
FOREIGN_LOG = "-wal.foreign"
"""The same of a log that is not the database's: of another vault, or an older one of this."""
SET_ASIDE = "-wal.*"
_LOG_HEADER = 32  # bytes
_QUICKLY_CHECKED = 512 * 1024 * 1024  # bytes; about a second


def set_strange_log_aside(database: Path) -> None:
    """Keep a log that SQLite would write over, or that is not of this database.

    It needs the vault's lock, and no key.

    Raises:
        OSError: The log cannot be read or renamed.
    """
    log = log_of(database)
    if log.exists() and log.stat().st_size:
        with log.open("rb") as file:
            header = file.read(_LOG_HEADER)
        if not has_sound_header(header):
            _set_aside(database, DAMAGED_LOG)
        elif not has_log(database):
            _set_aside(database, FOREIGN_LOG)


def set_spoiling_log_aside(database: Path) -> None:
    """Keep a log with which the database is damaged, when it is whole without.

    It is looked at after a kill only: a vault that is closed has no log. It needs the vault's lock and its key.

    Raises:
        OSError: The log cannot be renamed.
    """
    if not has_log(database) or database.stat().st_size > _QUICKLY_CHECKED:
        return
    if not _is_sound(database, "mode=ro") and _is_sound(database, "mode=ro&immutable=1"):
        _set_aside(database, FOREIGN_LOG)


def _set_aside(database: Path, ending: str) -> None:
    first = database.with_name(database.name + ending)
    names = (first.with_name(f"{first.name}{number or ''}") for number in range(1_000_000))
    log_of(database).rename(next(path for path in names if not _is_taken(path)))


def _is_taken(path: Path) -> bool:
    return path.exists() or path.with_name(path.name + SUFFIX).exists()


def _is_sound(database: Path, parameters: str) -> bool:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(connect(database, flags, f"{database.absolute().as_uri()}?{parameters}")) as connection:
            connection.set_busy_timeout(BUSY_MS)
            load_vectors(connection)
            return bool(connection.execute("PRAGMA quick_check(1)").get == "ok")
    except apsw.Error:
        return False
