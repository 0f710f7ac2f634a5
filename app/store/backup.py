"""Copies of a live database, made and verified without stopping it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw

from app.core.disk import from_os
from app.errors import VaultDamagedError
from app.store.connection import create_file
from app.store.faults import sqlite_faults

_PAGES_A_STEP = 2_000


def copy_database(source: apsw.Connection, target: Path) -> Path:
    """Copy the database behind ``source`` to ``target``, consistent even while others write.

    The copy is written beside its final name, checked, and renamed when whole.

    Raises:
        VaultDamagedError: The copy does not pass SQLite's quick check.
    """
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, target.parent) from error
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    create_file(partial)
    try:
        with sqlite_faults():
            _copy(source, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _copy(source: apsw.Connection, partial: Path) -> None:
    copy = apsw.Connection(str(partial))
    try:
        with _snapshot(source), copy.backup("main", source, "main") as task:
            while not task.done:
                task.step(_PAGES_A_STEP)
        # A copy in WAL mode could not be read from a read-only place.
        copy.pragma("journal_mode", "DELETE")
        verdict = copy.execute("PRAGMA quick_check(1)").get
        if verdict != "ok":
            raise VaultDamagedError("The database is damaged, so no sound copy of it can be made.", verdict=verdict)
    finally:
        copy.close()


@contextmanager
def _snapshot(source: apsw.Connection) -> Iterator[None]:
    """Hold one state of the database: a copy would begin anew after every write of somebody else."""
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        yield
    finally:
        source.execute("ROLLBACK")


def backup_name(reason: str, when: datetime | None = None) -> str:
    """Return the file name of a backup made now for ``reason``: ``20261121T031500Z-daily.db``."""
    stamp = (when or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{stamp}-{reason}.db"
