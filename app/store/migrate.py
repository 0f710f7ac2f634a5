"""Numbered SQL files, one transaction each; a newer vault is refused and an older one backed up first."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from app.errors import InternalError, VaultNewerError, VaultUnusableError
from app.store.connection import APPLICATION_ID
from app.store.faults import sqlite_faults
from app.trace.journal import Trace

_NAME = re.compile(r"(\d{4})_\w+\.sql\Z")


@dataclass(frozen=True, slots=True, order=True)
class Migration:
    """One step of the schema."""

    number: int
    path: Path


def migrations_in(folder: Path) -> list[Migration]:
    """Return the migrations of ``folder`` in order; numbers must run from 1 without a gap."""
    found = (
        sorted(Migration(int(match[1]), path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name)))
        if folder.is_dir()
        else []
    )
    if [step.number for step in found] != list(range(1, len(found) + 1)) or not found:
        raise InternalError(f"The migrations in {folder} are not numbered 1, 2, 3…")
    return found


def migrate(
    connection: apsw.Connection, folder: Path, back_up: Callable[[], object], trace: Trace | None = None
) -> int:
    """Bring the vault up to the newest schema.

    Args:
        connection: The writer, outside a transaction.
        folder: Where the SQL files are.
        back_up: Called before the first step when the vault is not empty.
        trace: Told of each step.

    Returns:
        The schema's number.

    Raises:
        VaultNewerError: The vault is from a newer Keepsake.
        VaultUnusableError: The file is a database of another program.
    """
    steps = migrations_in(folder)
    with sqlite_faults():
        have = int(str(connection.pragma("user_version")))
        _check_owner(connection, have)
        if have > len(steps):
            raise VaultNewerError(
                f"This vault was written by a newer Keepsake (schema {have}; this one knows {len(steps)}). "
                "Update Keepsake, or open another vault.",
                schema=have,
                known=len(steps),
            )
        if 0 < have < len(steps):
            back_up()
        for step in steps[have:]:
            with (trace or Trace()).span("store.migration", before=step.number - 1, after=step.number):
                _apply(connection, step)
    return len(steps)


def _check_owner(connection: apsw.Connection, have: int) -> None:
    owner = int(str(connection.pragma("application_id")))
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if owner != APPLICATION_ID and (have or tables):
        raise VaultUnusableError("memory.db is the database of another program; nothing was changed.")


def _apply(connection: apsw.Connection, step: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(step.path.read_text(encoding="utf-8"))
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", step.number)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
