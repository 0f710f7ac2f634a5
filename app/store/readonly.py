"""Read-only opening of a vault whose disk is full or cannot be written."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from app.errors import DiskFullError, KeepsakeError, VaultReadOnlyError
from app.sentence import Sentence
from app.store.connection import open_frozen_reader
from app.store.files import preflight
from app.store.migrate import Migration, check_applied


def unwritable(database: Path) -> VaultReadOnlyError | None:
    """Return the reason why an existing database cannot be written, ``None`` otherwise."""
    vault = database.parent
    if not database.is_file() or (os.access(vault, os.W_OK) and os.access(database, os.W_OK)):
        return None
    return VaultReadOnlyError(Sentence("{vault} cannot be written.", vault=vault), path=str(vault))


def read_only_error(cause: KeepsakeError, vault: Path) -> KeepsakeError:
    """Return the error that every write to a vault opened read-only answers."""
    if isinstance(cause, DiskFullError):
        return DiskFullError(
            "The disk is full, so this vault is open for reading only. Free some space and restart Keepsake; nothing"
            " already saved was lost.",
            path=str(vault),
        )
    return VaultReadOnlyError(
        Sentence(
            "{vault} cannot be written, so this vault is open for reading only. Make its folder"
            " writable, or copy the folder to a place that is, and restart Keepsake.",
            vault=vault,
        ),
        path=str(vault),
    )


def check_schema(database: Path, steps: Sequence[Migration]) -> int:
    """Return the number of the schema of a vault that is to be read only.

    Raises:
        VaultReadOnlyError: It is from an older Keepsake, or a change to it was cut off; both need a writable folder.
    """
    if database.with_name(database.name + "-journal").exists():
        raise VaultReadOnlyError(
            "A change to this vault was cut off, and undoing it needs a folder that can be written. Free some space,"
            " make the folder writable, or copy it to a place that is.",
            path=str(database),
            state="unfinished",
        )
    known = len(steps)
    preflight.check_files(database, known, is_writable=False)
    with closing(open_frozen_reader(database)) as connection:
        have = int(str(connection.pragma("user_version")))
        if have == known:
            check_applied(connection, steps)
    if have < known:
        raise VaultReadOnlyError(
            Sentence(
                "This vault is from an older Keepsake (schema {have}; this one needs {known}) and must be"
                " brought up to date before it is read, which needs free space and a folder that can be"
                " written.",
                have=have,
                known=known,
            ),
            path=str(database),
            state="older",
        )
    return have
