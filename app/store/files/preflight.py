"""Check of a vault's files before they are opened for writing.

A file that cannot be opened is left as it is.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from app.core.files import from_os, is_there
from app.errors import VaultDamagedError, VaultNewerError, VaultUnusableError
from app.sentence import Sentence
from app.store.backup import FOLDER
from app.store.connection import APPLICATION_ID, BUSY_MS, open_frozen_reader
from app.store.files.database_file import log_of, read_failure
from app.store.files.strange_logs import set_spoiling_log_aside, set_strange_log_aside
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.staged_restore import open_copy

SALVAGING = "salvage.partial"
"""The folder, in the one that is to be a vault, in which a salvage is at work."""
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
        if not is_there(database) or not database.stat().st_size:
            _refuse_lost(database)
            return
        if is_writable:
            set_strange_log_aside(database)
            set_spoiling_log_aside(database)
    except OSError as error:
        raise from_os(error, database) from error
    try:
        with translate_sqlite_errors(database):
            _look_inside(database, known, open_copy if is_writable else open_frozen_reader)
    except VaultDamagedError as error:
        if failure := read_failure(database):
            raise from_os(failure, database) from error
        raise VaultDamagedError(
            Sentence("The vault's database is damaged. {advice}", advice=Sentence(_ADVICE)), **error.data
        ) from error


def _refuse_lost(database: Path) -> None:
    """Refuse a vault whose database is missing.

    SQLite would create a new one and delete the log.
    """
    if (database.parent / SALVAGING).exists():
        raise VaultDamagedError(
            Sentence(
                "{folder} is not finished: something was being salvaged into it. Run 'keepsake salvage'"
                " again with the same --into, or delete the folder.",
                folder=database.parent,
            ),
            path=str(database.parent),
            state="unfinished",
        )
    if database.with_name(f".{database.name}.icloud").exists():
        raise VaultUnusableError(
            Sentence(
                "iCloud has moved {database} off this computer. Download it in the file manager, then move"
                " the vault out of iCloud Drive.",
                database=database,
            ),
            path=str(database),
            state="elsewhere",
        )
    log = log_of(database)
    if (log.exists() and log.stat().st_size) or any((database.parent / FOLDER).glob("*.db")):
        state = Sentence("{path} is not there", path=database)
        if database.exists():
            state = Sentence("{path} is empty", path=database)
        raise VaultDamagedError(
            Sentence(
                "{state}, although this vault was in use. Nothing was changed. 'keepsake backup"
                " list' shows what can be restored. To begin anew, move the whole folder away.",
                state=state,
            ),
            path=str(database),
            state="missing",
        )


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
            Sentence(
                "This vault was written by a newer Keepsake (schema {have}; this one knows {known}). Update"
                " Keepsake, or open another vault.",
                have=have,
                known=known,
            ),
            schema=have,
            known=known,
        )
