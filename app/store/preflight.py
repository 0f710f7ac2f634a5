"""Check of a vault's files before they are opened for writing.

A file that cannot be opened is left as it is.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from app.core.files import from_os
from app.errors import VaultDamagedError, VaultNewerError, VaultUnusableError
from app.store.backup import FOLDER
from app.store.connection import APPLICATION_ID, BUSY_MS, connect, load_vectors, open_frozen_reader
from app.store.database_file import has_log, log_of
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.staged_restore import open_copy
from app.store.wal_frames import has_sound_header

DAMAGED_LOG = "-wal.damaged"
"""What follows the database's name in that of a log which was set aside because it cannot be read."""
FOREIGN_LOG = "-wal.foreign"
"""The same of a log that is not the database's: of another vault, or an older one of this."""
SET_ASIDE = "-wal.*"
SALVAGING = "salvage.partial"
"""The folder, in the one that is to be a vault, in which a salvage is at work."""
_LOG_HEADER = 32  # bytes
_QUICKLY_CHECKED = 512 * 1024 * 1024  # bytes; about a second
_ADVICE = (
    "Nothing was changed. 'keepsake backup list' shows what can be restored, and 'keepsake salvage' saves what is"
    " readable."
)


def check_files(database: Path, known: int, *, is_writable: bool = True) -> None:
    """Refuse what must not be opened.

    Args:
        database: The vault's database, which may be missing.
        known: The newest schema this program knows.
        is_writable: False to leave every file as it lies.

    Raises:
        VaultDamagedError: It is damaged, or gone although the vault was in use.
        VaultNewerError: It is from a newer Keepsake.
        VaultUnusableError: It is the database of another program.
    """
    try:
        if not database.exists() or not database.stat().st_size:
            _refuse_lost(database)
            return
        if is_writable:
            _set_log_aside(database)
    except OSError as error:
        raise from_os(error, database) from error
    if is_writable and has_log(database) and _is_spoilt_by_log(database):
        _set_aside(database, FOREIGN_LOG)
    try:
        with translate_sqlite_errors():
            _look_inside(database, known, open_copy if is_writable else open_frozen_reader)
    except VaultDamagedError as error:
        raise VaultDamagedError(f"The vault's database is damaged. {_ADVICE}", **error.data) from error


def _refuse_lost(database: Path) -> None:
    """Refuse a vault whose database is missing.

    SQLite would create a new one and delete the log.
    """
    if (database.parent / SALVAGING).exists():
        raise VaultDamagedError(
            f"{database.parent} is not finished: something was being salvaged into it. Run 'keepsake salvage' again"
            " with the same --into, or delete the folder.",
            path=str(database.parent),
            state="unfinished",
        )
    if database.with_name(f".{database.name}.icloud").exists():
        raise VaultUnusableError(
            f"iCloud has moved {database} off this computer. Download it in the file manager, then move the vault out"
            " of iCloud Drive.",
            path=str(database),
            state="elsewhere",
        )
    log = log_of(database)
    if (log.exists() and log.stat().st_size) or any((database.parent / FOLDER).glob("*.db")):
        state = "is empty" if database.exists() else "is not there"
        raise VaultDamagedError(
            f"{database} {state}, although this vault was in use. Nothing was changed. 'keepsake backup list' shows"
            " what can be restored. To begin anew, move the whole folder away.",
            path=str(database),
            state="missing",
        )


def _set_log_aside(database: Path) -> None:
    """Keep a log that SQLite would write over, or that is not of this database."""
    log = log_of(database)
    if log.exists() and log.stat().st_size:
        with log.open("rb") as file:
            header = file.read(_LOG_HEADER)
        if not has_sound_header(header):
            _set_aside(database, DAMAGED_LOG)
        elif not has_log(database):
            _set_aside(database, FOREIGN_LOG)


def _set_aside(database: Path, ending: str) -> None:
    count = len(list(database.parent.glob(database.name + ending + "*")))
    log_of(database).rename(database.with_name(f"{database.name}{ending}{count or ''}"))


def _is_spoilt_by_log(database: Path) -> bool:
    """Return whether a database is damaged with the log beside it, and whole without.

    It is looked at after a kill only: a vault that is closed has no log.
    """
    if database.stat().st_size > _QUICKLY_CHECKED:
        return False
    return not _is_sound(database, "mode=ro") and _is_sound(database, "mode=ro&immutable=1")


def _is_sound(database: Path, parameters: str) -> bool:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(connect(database, flags, f"{database.absolute().as_uri()}?{parameters}")) as connection:
            connection.set_busy_timeout(BUSY_MS)
            load_vectors(connection)
            return bool(connection.execute("PRAGMA quick_check(1)").get == "ok")
    except apsw.Error:
        return False


def _look_inside(database: Path, known: int, opened: Callable[[Path], apsw.Connection]) -> None:
    if database.with_name(database.name + "-journal").exists():
        return  # a transaction was cut off; only who may write can take it back
    try:
        with closing(opened(database)) as connection:
            connection.set_busy_timeout(BUSY_MS)
            have = int(str(connection.pragma("user_version")))
            owner = int(str(connection.pragma("application_id")))
            tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    except apsw.SQLError as error:
        # The schema itself does not read as one; so SQLite reports some damage of its first pages.
        raise VaultDamagedError("The schema cannot be read.", verdict=str(error)) from error
    if owner != APPLICATION_ID and (have or tables):
        raise VaultUnusableError(
            "memory.db is the database of another program; nothing was changed.", path=str(database), state="foreign"
        )
    if have > known:
        raise VaultNewerError(
            f"This vault was written by a newer Keepsake (schema {have}; this one knows {known}). "
            "Update Keepsake, or open another vault.",
            schema=have,
            known=known,
        )
