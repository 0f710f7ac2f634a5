"""Staged restore: another database replaces the vault's while it is closed.

A restore is staged first: a whole, checked copy lies beside the database, and its name says that it is to take over.
The next opening of the vault carries it out by renaming files; killed between any two steps, the one after goes on.
What was there before becomes a backup; when it is damaged, its files are kept as they are.
"""

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import apsw

from app.core.files import from_os
from app.core.regular_files import UnsafeFileError, make_folder, require_file
from app.core.stop_signal import StopSignal
from app.errors import CancelledByPersonError, KeepsakeError, PassphraseRequiredError, VaultDamagedError
from app.sentence import Sentence, joined
from app.store.backup import backup_path, copy_database, keep_name
from app.store.connection import APPLICATION_ID, connect, load_vectors
from app.store.files.database_file import has_log
from app.store.files.strange_logs import set_strange_log_aside
from app.store.files.vault_files import require_readable_copy
from app.store.interruption import interruptible
from app.store.sqlite_errors import translate_sqlite_errors

DATABASE = "memory.db"
STAGED = "restore.db"
REFUSED = "restore.db.refused"
ASIDE = "replaced"
_LOGS = (DATABASE + "-wal", DATABASE + "-journal")


def open_copy(path: Path) -> apsw.Connection:
    """Open a database file for reading.

    Nothing is written beside it unless it has a log of its own.

    Raises:
        VaultDamagedError: It is damaged, or no database.
        VaultUnusableError: It is a link, or no file.
    """
    require_readable_copy(path)
    name = f"{path.absolute().as_uri()}?mode=ro" + ("" if has_log(path) else "&immutable=1")
    with translate_sqlite_errors():
        return connect(path, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, name)


def stage(vault: Path, source: Path, stop: StopSignal | None = None) -> None:
    """Stage a copy of ``source`` to replace the vault's database when it next opens.

    Raises:
        CancelledByPersonError: ``stop`` was set; nothing has changed.
        VaultDamagedError: ``source`` is damaged.
        DiskFullError: There is no room for the copy; nothing has changed.
    """
    with closing(open_copy(source)) as connection:
        copy_database(connection, vault / STAGED, stop)


def is_staged(vault: Path) -> bool:
    """Return whether a restore waits for the next opening."""
    return os.path.lexists(vault / STAGED)


def unstage(vault: Path) -> bool:
    """Call off a restore that waits; False when none does."""
    was_staged = is_staged(vault)
    try:
        (vault / STAGED).unlink(missing_ok=True)
    except OSError as error:
        raise from_os(error, vault / STAGED) from error
    return was_staged


def finish_restore(vault: Path, known: int, stop: StopSignal | None = None) -> Path | None:
    """Finish a staged restore, also a partly done one; needs the vault's lock.

    Args:
        vault: The vault's folder.
        known: The newest schema this program knows.
        stop: Stops it; the next opening goes on.

    Returns:
        Where what was there before is now, ``None`` when nothing was to be done.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        VaultDamagedError: What was staged cannot take over; it was called off and the vault is as before.
    """
    stop = stop or StopSignal()
    try:
        if is_staged(vault):
            if problem := _problem_of(vault / STAGED, known, stop):
                _call_off(vault, problem)
            set_strange_log_aside(vault / DATABASE)  # it is of neither database
            _swap(vault)
        return _keep(vault, stop) if (vault / ASIDE).is_dir() else None
    except OSError as error:
        raise from_os(error, vault) from error


_DAMAGED = Sentence("The restore was called off: the backup is damaged.")


def _problem_of(staged: Path, known: int, stop: StopSignal) -> Sentence | None:
    """Return why a staged database must not take the vault's place, ``None`` when it may."""
    try:
        require_file(staged)
        # A staged copy has no log; one that lies beside it is not of it and does not go with it.
        name = f"{staged.absolute().as_uri()}?mode=ro&immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        with translate_sqlite_errors(), closing(connect(staged, flags, name)) as connection:
            if connection.pragma("application_id") != APPLICATION_ID:
                return Sentence("The restore was called off: the backup is no database of Keepsake.")
            if not 0 < int(str(connection.pragma("user_version"))) <= known:
                return Sentence("The restore was called off: the backup is from a newer Keepsake.")
            load_vectors(connection)
            with interruptible(connection, stop):
                return None if connection.execute("PRAGMA integrity_check(1)").get == "ok" else _DAMAGED
    except (CancelledByPersonError, PassphraseRequiredError):
        raise
    except UnsafeFileError:
        return Sentence("The restore was called off: the backup is a link, or no file of its own.")
    except (KeepsakeError, apsw.Error):
        return _DAMAGED


def _call_off(vault: Path, problem: Sentence) -> NoReturn:
    """Put the staged database aside, leave or bring back the vault's own, and say so."""
    database, aside = vault / DATABASE, vault / ASIDE
    if not database.exists() and (aside / DATABASE).exists():  # killed between the steps of the swap
        for name in (*_LOGS, DATABASE):
            if (aside / name).exists():
                (aside / name).rename(vault / name)
    refused = _free_name(vault / REFUSED)
    (vault / STAGED).rename(refused)
    is_there = database.exists() and database.stat().st_size
    yours = Sentence("There is no {database}.", database=database)
    if is_there:
        yours = Sentence("Your memory in {database} is as it was before.", database=database)
    kept = Sentence(
        "The backup is now {name} in the same folder. Start Keepsake again; 'keepsake backup list' shows the other"
        " backups.",
        name=refused.name,
    )
    raise VaultDamagedError(
        joined((problem, yours, kept)),
        path=str(database),
        refused=str(refused),
    )


def _swap(vault: Path) -> None:
    database, aside = vault / DATABASE, vault / ASIDE
    if database.exists() and (aside / DATABASE).exists():
        aside.rename(_free_name(aside))  # left over from an earlier restore
    aside.mkdir(mode=0o700, exist_ok=True)
    # The logs last: beside another database they would be taken for that one's.
    for name in (DATABASE, *_LOGS):
        if (vault / name).exists():
            (vault / name).rename(aside / name)
    (vault / (DATABASE + "-shm")).unlink(missing_ok=True)
    keep_name(aside)
    (vault / STAGED).rename(database)
    keep_name(database)


def _keep(vault: Path, stop: StopSignal) -> Path | None:
    """Turn the replaced database into a backup; keep its files if it is damaged."""
    aside = vault / ASIDE
    if not any(aside.iterdir()):
        aside.rmdir()
        return None
    target = backup_path(vault, "before-restore")
    try:
        with closing(open_copy(aside / DATABASE)) as connection:
            if connection.pragma("application_id") != APPLICATION_ID:
                return _keep_files(aside, target.with_suffix(""))
            copy_database(connection, target, stop)
    except (CancelledByPersonError, PassphraseRequiredError):
        raise
    except (KeepsakeError, apsw.Error):
        return _keep_files(aside, target.with_suffix(""))
    shutil.rmtree(aside)
    return target


def _keep_files(aside: Path, target: Path) -> Path:
    (aside / (DATABASE + "-shm")).unlink(missing_ok=True)
    make_folder(target.parent)
    try:
        return aside.rename(_free_name(target))
    except OSError:  # backups lie on another disk, which a folder cannot be renamed to
        return aside.rename(_free_name(aside))


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}-{number}") for number in range(2, 1_000_000))
    return path if not os.path.lexists(path) else next(name for name in names if not os.path.lexists(name))
