"""Backups of a live database: copying, verifying and naming."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import apsw

from app.config.layers import MAX_BYTES
from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading, open_replacing
from app.core.stop_signal import StopSignal
from app.errors import VaultDamagedError
from app.store import lanes
from app.store.connection import connect
from app.store.encryption.cipher import key_of, vacuum_into
from app.store.interruption import interruptible
from app.store.sqlite_errors import translate_sqlite_errors

FOLDER = "backups"
PARTIAL = ".partial"
_PAGES_A_STEP = 2_000
_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(\d{8}T\d{6}Z)-([a-z]+(?:-[a-z]+)*)(?:-(\d+))?(?:\.db)?\Z")


@dataclass(frozen=True, slots=True)
class BackupName:
    """Parts of a backup's name: time (UTC), reason, and number within the second."""

    when: datetime
    reason: str
    number: int = 1


def copy_database(
    source: apsw.Connection,
    target: Path,
    stop: StopSignal | None = None,
    report: Callable[[int, int], None] | None = None,
) -> Path:
    """Copy the database behind ``source`` to ``target``, consistent even while others write.

    The copy is written beside its final name, checked, and renamed when whole. No lane is written in it: a vault that
    is put back from it begins a new one.

    Args:
        source: The connection.
        target: Where to.
        stop: Stops the copying; then there is no copy.
        report: Hears how many pages of how many are copied.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        VaultDamagedError: The copy does not pass SQLite's quick check.
    """
    try:
        make_folder(target.parent)
        partial = target.with_name(target.name + PARTIAL)
        _discard(partial)
        os.close(open_replacing(partial))
    except OSError as error:
        raise from_os(error, target.parent) from error
    try:
        with translate_sqlite_errors():
            _copy(source, partial, stop or StopSignal(), report)
        partial.replace(target)
        keep_name(target)
    except OSError as error:
        raise from_os(error, target) from error
    finally:
        _discard(partial)
    return target


def keep_name(path: Path) -> None:
    """Sync the folder of ``path``, so that its name survives a loss of power."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _discard(partial: Path) -> None:
    for path in (partial, *(partial.with_name(partial.name + ending) for ending in ("-journal", "-wal", "-shm"))):
        path.unlink(missing_ok=True)


def _copy(source: apsw.Connection, partial: Path, stop: StopSignal, report: Callable[[int, int], None] | None) -> None:
    key = key_of(partial)
    is_plain = key_of(Path(source.db_filename("main"))) is None
    if is_plain != (key is None):
        # Encrypted pages are shorter, so a plain database is not copied page by page into an encrypted one.
        with interruptible(source, stop):
            vacuum_into(source, partial, key)
    copy = connect(partial, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        if is_plain == (key is None):
            _copy_pages(source, copy, stop, report)
        # A copy in WAL mode could not be read from a read-only place.
        copy.pragma("journal_mode", "DELETE")
        # A vault put back from the copy lacks the last changes of this lane; their numbers must not be given again.
        if lanes.are_known(copy):
            lanes.disown(copy)
        with interruptible(copy, stop):
            verdict = copy.execute("PRAGMA quick_check(1)").get
        if verdict != "ok":
            raise VaultDamagedError("The database is damaged, so no sound copy of it can be made.", verdict=verdict)
    finally:
        copy.close()


def _copy_pages(
    source: apsw.Connection, copy: apsw.Connection, stop: StopSignal, report: Callable[[int, int], None] | None
) -> None:
    with _snapshot(source), copy.backup("main", source, "main") as task:
        while not task.done:
            stop.check()
            task.step(_PAGES_A_STEP)
            if report is not None:
                report(task.page_count - task.remaining, task.page_count)


@contextmanager
def _snapshot(source: apsw.Connection) -> Iterator[None]:
    """Hold a snapshot of the database.

    Without it a copy would start again after every write of another connection.
    """
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        yield
    finally:
        source.execute("ROLLBACK")


def backup_name(reason: str, when: datetime | None = None) -> str:
    """Return the file name of a backup made now for ``reason``: ``20261121T031500Z-daily.db``."""
    return f"{(when or datetime.now(UTC)).astimezone(UTC).strftime(_STAMP)}-{reason}.db"


def backup_path(vault: Path, reason: str, when: datetime | None = None) -> Path:
    """Return a path for a new backup, with a number within the second."""
    first = vault / FOLDER / backup_name(reason, when)
    names = (first.with_name(f"{first.stem}-{number}.db") for number in range(2, 1_000_000))
    return first if not first.exists() else next(path for path in names if not path.exists())


def read_name(name: str) -> BackupName | None:
    """Return the parts of a backup's file or folder name, ``None`` for others."""
    match = _NAME.match(name)
    if match is None:
        return None
    try:
        when = datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
    return BackupName(when, match[2], int(match[3] or 1))


def copy_settings(source: Path, target: Path) -> None:
    """Copy a settings file to ``target``, whole or not at all, for its owner only."""
    try:
        with open_for_reading(source) as file:
            data = file.read(MAX_BYTES)
        replace_file(target, data)
        keep_name(target)
    except OSError as error:
        raise from_os(error, target) from error
