"""Puts another database in the vault's place, at a moment when nobody has it open.

A restore is staged first: a whole, checked copy lies beside the database, and its name says that it is to take over.
The next opening of the vault carries it out by renaming files; killed between any two steps, the one after goes on.
What was there before becomes a backup; when it is damaged, its files are kept as they are.
"""

import shutil
from contextlib import closing
from pathlib import Path

import apsw

from app.core.disk import from_os
from app.errors import KeepsakeError
from app.store.backup import backup_path, copy_database, keep_name
from app.store.connection import APPLICATION_ID
from app.store.faults import sqlite_faults

DATABASE = "memory.db"
STAGED = "restore.db"
ASIDE = "replaced"


def open_copy(path: Path) -> apsw.Connection:
    """Open a database to read it as it lies there; nothing is written beside it unless it has a log of its own.

    Raises:
        VaultDamagedError: It is damaged, or no database.
    """
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    name = f"{path.absolute().as_uri()}?mode=ro" + ("" if has_log else "&immutable=1")
    with sqlite_faults():
        return apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def stage(vault: Path, source: Path) -> None:
    """Lay a copy of ``source`` ready to take the place of the vault's database at its next opening.

    Raises:
        VaultDamagedError: ``source`` is damaged.
        DiskFullError: There is no room for the copy; nothing has changed.
    """
    with closing(open_copy(source)) as connection:
        copy_database(connection, vault / STAGED)


def is_staged(vault: Path) -> bool:
    """Return whether a restore waits for the next opening."""
    return (vault / STAGED).exists()


def unstage(vault: Path) -> bool:
    """Call off a restore that waits; False when none does."""
    was_staged = is_staged(vault)
    try:
        (vault / STAGED).unlink(missing_ok=True)
    except OSError as error:
        raise from_os(error, vault / STAGED) from error
    return was_staged


def finish(vault: Path) -> Path | None:
    """Carry out a staged restore, or what is left of one; only for who holds the vault's lock.

    Returns:
        Where what was there before is now, ``None`` when nothing was to be done.
    """
    try:
        if is_staged(vault):
            _swap(vault)
        return _keep(vault) if (vault / ASIDE).is_dir() else None
    except OSError as error:
        raise from_os(error, vault) from error


def _swap(vault: Path) -> None:
    database, aside = vault / DATABASE, vault / ASIDE
    if database.exists() and (aside / DATABASE).exists():
        aside.rename(_free_name(aside))  # left over from an earlier restore
    aside.mkdir(mode=0o700, exist_ok=True)
    # The log last: beside another database it would be taken for that one's.
    for name in (DATABASE, DATABASE + "-wal"):
        if (vault / name).exists():
            (vault / name).rename(aside / name)
    (vault / (DATABASE + "-shm")).unlink(missing_ok=True)
    keep_name(aside)
    (vault / STAGED).rename(database)
    keep_name(database)


def _keep(vault: Path) -> Path | None:
    """Make a backup of what was set aside, or keep its files where it is none."""
    aside = vault / ASIDE
    if not any(aside.iterdir()):
        aside.rmdir()
        return None
    target = backup_path(vault, "before-restore")
    try:
        with closing(open_copy(aside / DATABASE)) as connection:
            if connection.pragma("application_id") != APPLICATION_ID:
                return _keep_files(aside, target.with_suffix(""))
            copy_database(connection, target)
    except (KeepsakeError, apsw.Error):
        return _keep_files(aside, target.with_suffix(""))
    shutil.rmtree(aside)
    return target


def _keep_files(aside: Path, target: Path) -> Path:
    (aside / (DATABASE + "-shm")).unlink(missing_ok=True)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return aside.rename(_free_name(target))
    except OSError:  # backups lie on another disk, which a folder cannot be renamed to
        return aside.rename(_free_name(aside))


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}-{number}") for number in range(2, 1_000_000))
    return path if not path.exists() else next(name for name in names if not name.exists())
