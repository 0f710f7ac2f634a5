"""Backup files of a vault: listing, finding, verifying; needs no open vault."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw

from app.attachments.model import FOLDER as ATTACHMENTS
from app.attachments.service import copy_missing
from app.config.config import FILE
from app.core.clock import optional_datetime
from app.core.files import from_os
from app.core.paths import migrations, user_path
from app.core.regular_files import require_folder
from app.core.stop_signal import StopSignal
from app.errors import (
    CancelledByPersonError,
    InputError,
    KeepsakeError,
    NotFoundError,
    PassphraseRequiredError,
    VaultDamagedError,
    VaultUnusableError,
)
from app.recovery.sqlite_pages import HEADER_BYTES, MAGIC
from app.sentence import Sentence, as_sentence
from app.store import meta
from app.store.backup import FOLDER, PARTIAL, copy_settings, read_name
from app.store.connection import APPLICATION_ID, load_vectors
from app.store.encryption.cipher import key_of
from app.store.files.database_file import open_database_file
from app.store.files.page_cipher import LARGEST_PAGE, decrypt_page, page_size_of
from app.store.interruption import interruptible
from app.store.migrate import migrations_in
from app.store.sqlite_errors import file_problem
from app.store.staged_restore import open_copy, stage
from app.store.store import DATABASE
from app.upkeep.model import BackupCheck, BackupInfo, RestorePlan

_MAX_LINES = 3
AT_NEXT_START = Sentence("It takes the vault's place when Keepsake is started again; until then nothing changes.")


def list_backups(vault: Path) -> list[BackupInfo]:
    """Return the backups of ``vault``, newest first."""
    try:
        require_folder(vault / FOLDER)
        backups = [_info(path) for path in (vault / FOLDER).iterdir() if _is_backup(path)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, vault / FOLDER) from error
    return sorted(backups, key=lambda item: (item.created_at, item.name), reverse=True)


def find_backup(vault: Path, name: str) -> Path:
    """Return the database of a backup's name, or of a path to a vault.

    Raises:
        NotFoundError: There is none.
        InputError: It is a damaged original, which cannot be restored.
    """
    for item in list_backups(vault):
        if name in {item.name, item.name.removesuffix(".db")}:
            if item.is_damaged_original:
                raise InputError(
                    Sentence(
                        "{name} holds the files of a damaged database. Save what is readable of it with 'keepsake "
                        "--vault {path} salvage'.",
                        name=item.name,
                        path=item.path,
                    ),
                    name=name,
                )
            return Path(item.path)
    path = user_path(name)
    if path.is_dir():
        path = path / DATABASE
    if ("/" in name or "\\" in name) and path.is_file():
        return path.resolve()  # a link that the person names is theirs to follow
    raise NotFoundError("There is no backup of that name. 'keepsake backup list' shows them.", name=name)


def verify(path: Path, name: str = "", stop: StopSignal | None = None) -> BackupCheck:
    """Verify the database at ``path`` by reading all of it; nothing is written.

    Args:
        path: The file.
        name: Its name in the answer; that of the file when left out.
        stop: Stops the reading.

    Raises:
        CancelledByPersonError: ``stop`` was set.
    """
    try:
        with closing(open_copy(path)) as connection, interruptible(connection, stop or StopSignal()):
            load_vectors(connection)
            return _verified(connection, name or path.name)
    except CancelledByPersonError:
        raise
    except (KeepsakeError, apsw.Error) as error:
        return _unusable(path, name, _problem_of(error, path))


def _problem_of(error: KeepsakeError | apsw.Error, path: Path) -> str:
    """Return why a backup cannot be used, as a sentence about it."""
    cause = error.__cause__ if isinstance(error, KeepsakeError) else error
    if isinstance(cause, apsw.Error):
        return file_problem(cause, path)
    if isinstance(error, VaultDamagedError):
        return Sentence("It is damaged, or no database at all.")
    return error.sentence if isinstance(error, KeepsakeError) else str(error)


def require_sound(check: BackupCheck) -> BackupCheck:
    """Return ``check`` when what it is about can be restored.

    Raises:
        InputError: It cannot; the sentence says why.
    """
    if not check.ok:
        raise InputError(
            Sentence(
                "{name} cannot be restored: {problem} Nothing was changed.",
                name=check.name,
                problem=as_sentence(check.problem),
            ),
            backup=check.name,
        )
    return check


def stage_restore(vault: Path, name: str, stop: StopSignal | None = None) -> RestorePlan:
    """Verify a backup and stage a copy of it to replace the vault's database.

    Args:
        vault: The vault's folder.
        name: The backup's name, or the path of a vault.
        stop: Stops it; nothing has changed then.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        NotFoundError: There is no such backup.
        InputError: It is damaged, or not of this program.
        DiskFullError: There is no room for the copy; nothing has changed.
    """
    path = find_backup(vault, name)
    check = require_sound(verify(path, stop=stop))
    stage(vault, path, stop)
    if path.parent.resolve() != vault.resolve():
        copy_missing(path.parent / ATTACHMENTS, vault / ATTACHMENTS)
    return RestorePlan(check, AT_NEXT_START)


def remove(vault: Path, backup: BackupInfo) -> None:
    """Delete a backup and the settings kept beside it."""
    path = vault / FOLDER / backup.name
    try:
        path.unlink(missing_ok=True)
        path.with_suffix(".toml").unlink(missing_ok=True)
    except OSError as error:
        raise from_os(error, path) from error


def keep_attachments(vault: Path) -> None:
    """Copy new attachments beside the backups.

    All backups share them, for a file never changes.
    """
    copy_missing(vault / ATTACHMENTS, vault / FOLDER / ATTACHMENTS)


def keep_settings(vault: Path, backup: Path) -> None:
    """Lay a copy of the vault's settings beside ``backup``, where there are any."""
    if not (vault / FILE).is_file():
        return
    copy_settings(vault / FILE, backup.with_suffix(".toml"))


def discard_partial(vault: Path, opened_at: float) -> None:
    """Delete what a copying left that was killed; only for who holds the vault's lock.

    Args:
        vault: The vault's folder.
        opened_at: When the vault was opened, in seconds since 1970; what is younger is being written.
    """
    for path in (vault / FOLDER).glob(f"*.db{PARTIAL}*"):
        with contextlib.suppress(OSError):
            if path.lstat().st_mtime < opened_at:
                path.unlink()


def _is_backup(path: Path) -> bool:
    if path.is_symlink():  # nothing of ours: it leads out of the vault
        return False
    if path.is_dir() and path.name == ATTACHMENTS:
        return False
    if path.is_dir():
        return (path / DATABASE).exists() or read_name(path.name) is not None
    return path.suffix == ".db" and path.is_file()


def _info(path: Path) -> BackupInfo:
    name = read_name(path.name)
    database = path / DATABASE if path.is_dir() else path
    files = [item for item in path.iterdir() if item.is_file()] if path.is_dir() else [path]
    when = name.when if name else datetime.fromtimestamp(path.stat().st_mtime, UTC)
    size = sum(item.stat().st_size for item in files)
    schema, is_locked = 0, False
    try:
        schema = _schema_of(database)
    except PassphraseRequiredError:  # its name and size need no key
        is_locked = True
    reason = name.reason if name else "unknown"
    return BackupInfo(path.name, str(path), when, reason, size, schema, path.is_dir(), is_locked)


def _schema_of(path: Path) -> int:
    try:
        key = key_of(path)
        with open_database_file(path) as file:
            header = file.read(HEADER_BYTES if key is None else LARGEST_PAGE)
    except (OSError, VaultUnusableError):  # also a plain one in an encrypted vault, which is not read
        return 0
    if key is not None:
        header = decrypt_page(key.database, 1, header[: page_size_of(header)])
    return int.from_bytes(header[60:64]) if header.startswith(MAGIC) else 0


_FOREIGN = Sentence("It is no database of Keepsake.")


def _verified(connection: apsw.Connection, name: str) -> BackupCheck:
    schema = int(str(connection.pragma("user_version")))
    known = len(migrations_in(migrations()))
    problem = ""
    if connection.pragma("application_id") != APPLICATION_ID:
        return BackupCheck(name, False, _FOREIGN, "", 0, 0, 0, 0, None)
    if schema > known:
        problem = Sentence(
            "It is from a newer Keepsake (schema {schema}; this one knows {known}).", schema=schema, known=known
        )
    problem = problem or next(_faults(connection), "")
    return _counted(connection, name, problem, schema)


def _faults(connection: apsw.Connection) -> Iterator[str]:
    lines = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})")]
    if lines != ["ok"]:
        yield Sentence("It is damaged: {lines}.", lines="; ".join(lines))
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield Sentence("A row of its {table} points to nothing in {parent}.", table=table, parent=parent)


def _counted(connection: apsw.Connection, name: str, problem: str, schema: int) -> BackupCheck:
    def number(sql: str) -> int | None:
        number_row = connection.execute(sql).get
        return None if number_row is None else int(number_row)

    newest = max(
        number("SELECT max(created_at) FROM messages") or 0, number("SELECT max(updated_at) FROM memories") or 0
    )
    return BackupCheck(
        name=name,
        ok=not problem,
        problem=problem,
        vault_id=meta.read(connection, "vault_id") or "",
        schema=schema,
        sessions=number("SELECT count(*) FROM sessions WHERE forgotten_at IS NULL") or 0,
        messages=number("SELECT sum(message_count) FROM sessions WHERE forgotten_at IS NULL") or 0,
        memories=number("SELECT count(*) FROM memories WHERE valid_until IS NULL") or 0,
        newest_at=optional_datetime(newest or None),
    )


def _unusable(path: Path, name: str, problem: str) -> BackupCheck:
    return BackupCheck(name or path.name, False, problem, "", _schema_of(path), 0, 0, 0, None)
