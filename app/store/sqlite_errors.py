"""Errors of SQLite and the operating system as failures with a remedy."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from app.core.files import from_os
from app.errors import (
    DISK_ERROR,
    FULL,
    SCARCE,
    DiskFullError,
    InputError,
    KeepsakeError,
    MachineError,
    TimeLimitError,
    VaultDamagedError,
    VaultLockedError,
    VaultReadOnlyError,
    VaultUnusableError,
    lack_of_files,
)
from app.sentence import Sentence
from app.store.files.database_file import is_readable, read_failure

_FULL = "The disk is full. Free some space; nothing already saved was lost."
_UNWRITABLE = "The vault cannot be written. Check its permissions, or choose another with --vault."

_FAULTS: tuple[tuple[tuple[type[apsw.Error], ...], type[KeepsakeError], str], ...] = (
    ((apsw.FullError,), DiskFullError, _FULL),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError),
        VaultReadOnlyError,
        _UNWRITABLE,
    ),
    (
        (apsw.CorruptError, apsw.NotADBError),
        VaultDamagedError,
        "The vault's database is damaged. Run 'keepsake check', or restore a backup.",
    ),
    ((apsw.InterruptError,), TimeLimitError, "That took too long and was stopped. Ask for less at once."),
    (
        (apsw.BusyError, apsw.LockedError),
        VaultLockedError,
        "Another program holds the vault's database. Close it and try again.",
    ),
    (
        (apsw.CantOpenError,),
        VaultUnusableError,
        "The vault's database cannot be opened. Check that its folder exists and is yours.",
    ),
    ((apsw.NoMemError,), MachineError, "This computer has too little free memory for that. Close some programs."),
    ((apsw.IOError, apsw.ProtocolError), MachineError, DISK_ERROR),
)
_OTHER_FILES: tuple[tuple[tuple[type[apsw.Error], ...], str], ...] = (
    ((apsw.CorruptError, apsw.NotADBError), "It is damaged, or no database at all."),
    ((apsw.CantOpenError,), "It cannot be opened. Check that it is there and that it is yours."),
    ((apsw.BusyError, apsw.LockedError), "Another program is writing to it. Close that program and try again."),
    ((apsw.ReadOnlyError, apsw.PermissionsError), "It cannot be read where it lies. Copy it to a folder of your own."),
)
"""Sentences about SQLite's errors of another database than the vault's, such as one that is imported."""


def from_sqlite(error: apsw.Error, database: Path | None = None, system_errno: int = 0) -> KeepsakeError | None:
    """Return the failure that ``error`` stands for, ``None`` when it is not the machine's fault.

    Args:
        error: SQLite's.
        database: The file, where it is known: one that the disk does not give is not called damaged.
        system_errno: The number that the system gave SQLite, 0 where it is not known.
    """
    if isinstance(error, apsw.CorruptError | apsw.NotADBError) and database is not None and not is_readable(database):
        return MachineError(DISK_ERROR, sqlite=type(error).__name__)
    if isinstance(error, apsw.CantOpenError | apsw.ExtensionLoadingError) and (cause := _why_unopened(database)):
        return cause
    # A disk without room for the shared memory file beside the database is reported as an I/O error.
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return DiskFullError(_FULL, sqlite=type(error).__name__)
    if isinstance(error, apsw.IOError | apsw.CantOpenError) and (failure := _from_system(error, system_errno)):
        return failure
    for kinds, fault, sentence in _FAULTS:
        if isinstance(error, kinds):
            return fault(sentence, sqlite=type(error).__name__)
    return None


def _why_unopened(database: Path | None) -> KeepsakeError | None:
    """Return the failure that keeps this process from opening files, or this one."""
    lack = lack_of_files()
    refusal = None if lack or database is None else read_failure(database)
    return lack if refusal is None or database is None else from_os(refusal, database)


def _from_system(error: apsw.Error, number: int) -> KeepsakeError | None:
    """Return the failure that the system's own number says better than SQLite."""
    kind = type(error).__name__
    if number in FULL:
        return DiskFullError(_FULL, sqlite=kind)
    if number in (errno.EROFS, errno.EACCES, errno.EPERM):
        return VaultReadOnlyError(_UNWRITABLE, sqlite=kind)
    return MachineError(SCARCE[number], sqlite=kind) if number in SCARCE else None


def file_problem(error: apsw.Error, path: Path) -> Sentence:
    """Return what is wrong with a database other than the vault's, in a sentence."""
    is_damaged = isinstance(error, apsw.CorruptError | apsw.NotADBError)
    if not (is_damaged and not is_readable(path)):
        for kinds, sentence in _OTHER_FILES:
            if isinstance(error, kinds):
                return Sentence(sentence)
    failure = from_sqlite(error, path)
    if failure is None:
        return Sentence("It is no database that Keepsake can read ({kind}).", kind=type(error).__name__)
    return failure.sentence


def from_binding(error: UnicodeEncodeError | OverflowError) -> InputError:
    """Return the failure for a value that SQLite cannot store.

    That is half a surrogate pair, or a number beyond 64 bits.
    """
    if isinstance(error, OverflowError):
        return InputError("A number is too large: whole numbers have at most 64 bits.")
    return InputError("A text holds half a character (a lone surrogate). Send it as proper Unicode.")


@contextmanager
def translate_sqlite_errors(database: Path | None = None) -> Iterator[None]:
    """Turn SQLite's machine errors inside the block into ours; others pass unchanged.

    Args:
        database: The file, where it is known; see ``from_sqlite``.
    """
    try:
        yield
    except apsw.Error as error:
        fault = from_sqlite(error, database)
        if fault is None:
            raise
        raise fault from error
