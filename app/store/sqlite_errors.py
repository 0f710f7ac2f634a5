"""Errors of SQLite and the operating system as failures with a remedy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from app.errors import (
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
from app.store.files.database_file import is_readable

DISK_ERROR = "The disk reported an error. Check its cable and its state; what is not confirmed was not saved."
_FULL = "The disk is full. Free some space; nothing already saved was lost."

_FAULTS: tuple[tuple[tuple[type[apsw.Error], ...], type[KeepsakeError], str], ...] = (
    ((apsw.FullError,), DiskFullError, _FULL),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError),
        VaultReadOnlyError,
        "The vault cannot be written. Check its permissions, or choose another with --vault.",
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


def from_sqlite(error: apsw.Error, database: Path | None = None) -> KeepsakeError | None:
    """Return the failure that ``error`` stands for, ``None`` when it is not the machine's fault.

    Args:
        error: SQLite's.
        database: The file, where it is known: one that the disk does not give is not called damaged.
    """
    if isinstance(error, apsw.CorruptError | apsw.NotADBError) and database is not None and not is_readable(database):
        return MachineError(DISK_ERROR, sqlite=type(error).__name__)
    if isinstance(error, apsw.CantOpenError | apsw.ExtensionLoadingError) and (lack := lack_of_files()):
        return lack
    # A disk without room for the shared memory file beside the database is reported as an I/O error.
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return DiskFullError(_FULL, sqlite=type(error).__name__)
    for kinds, fault, sentence in _FAULTS:
        if isinstance(error, kinds):
            return fault(sentence, sqlite=type(error).__name__)
    return None


def from_binding(error: UnicodeEncodeError | OverflowError) -> InputError:
    """Return the failure for a value that SQLite cannot store.

    That is half a surrogate pair, or a number beyond 64 bits.
    """
    if isinstance(error, OverflowError):
        return InputError("A number is too large: whole numbers have at most 64 bits.")
    return InputError("A text holds half a character (a lone surrogate). Send it as proper Unicode.")


@contextmanager
def translate_sqlite_errors() -> Iterator[None]:
    """Turn SQLite's machine errors inside the block into ours; others pass unchanged."""
    try:
        yield
    except apsw.Error as error:
        fault = from_sqlite(error)
        if fault is None:
            raise
        raise fault from error
