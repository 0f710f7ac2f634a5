"""Conversion of a closed vault: every file of it is encrypted, or decrypted.

The key file says which. It is written first and carried out when the vault next opens, also after a kill: each file
says by its beginning whether it is done. A file is replaced by its copy only when that is whole and was checked.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import apsw

from app.attachments.model import FOLDER as ATTACHMENTS
from app.attachments.stored_files import convert_attachments, plain_names
from app.core.files import from_os
from app.core.regular_files import open_for_reading, open_replacing
from app.core.stop_signal import StopSignal
from app.core.vault_opening import OpeningWork, VaultOpening
from app.encryption.data_key import DataKey
from app.encryption.file_sealing import overwrite, overwrite_handle, seal_file, unseal_file
from app.encryption.key_file import KeyFile, read_key_file, remove_key_file, write_key_file
from app.encryption.model import KEY_FILE, EncryptionState
from app.encryption.requests import is_noted, remove_request
from app.encryption.sealed_files import MAGIC, SUFFIX, is_sealed
from app.encryption.vault_keys import drop_key, is_plain_expected, is_unlocked, keep_key, require_key
from app.errors import DiskFullError, PassphraseRequiredError, VaultDamagedError
from app.sentence import Sentence
from app.store.backup import keep_name
from app.store.connection import connect
from app.store.encryption.cipher import PLAIN_HEADER, beginning_of, require_available, vacuum_into
from app.store.files.strange_logs import set_spoiling_log_aside, set_strange_log_aside
from app.store.interruption import interruptible
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.staged_restore import DATABASE

_PARTIAL: Final = ".converting"
_OTHERS: Final = frozenset({ATTACHMENTS, "trace"})
_DERIVED: Final = frozenset({"vectors.cache", "vectors.new", "window.ini"})
_LOGS: Final = ("-wal", "-shm", "-journal")
_SPARE: Final = 1 << 20
_INSTRUCTIONS: Final = 200_000  # of SQLite's machine, between two looks at the size of the copy
_PAGE: Final = 512  # every database is a multiple of the smallest page


def finish_conversion(vault: Path, opening: VaultOpening) -> None:
    """Encrypt or decrypt a vault as its key file asks for.

    It needs the vault's lock and its key.

    Raises:
        CancelledByPersonError: It was stopped; the next opening goes on.
        PassphraseRequiredError: The vault is locked, or the person has to confirm the decryption.
        EncryptionUnavailableError: This SQLite has no ciphers.
        VaultDamagedError: A file is damaged, it is left as it is; or the key file was changed or is of another vault.
        DiskFullError: There is no room for the copy of a file.
    """
    file = _verified_key_file(vault)
    if file is None or file.state is EncryptionState.ENCRYPTED:
        return
    is_encrypting = file.state is EncryptionState.ENCRYPTING
    if is_encrypting and not file.has_begun and not is_unlocked(vault) and not holds_encrypted_files(vault):
        raise PassphraseRequiredError(
            "These memories will be encrypted now. Open Keepsake and type the passphrase, or run 'keepsake serve'."
            " 'keepsake encryption cancel' calls it off.",
            path=str(vault),
            can_cancel=True,
        )
    key = require_key(vault)
    require_available()
    if not is_encrypting:
        _require_requested(vault, file)
    _set_logs_aside(vault, is_encrypting=is_encrypting)
    _require_fitting(vault)
    if not file.has_begun:  # before the first file
        file = replace(file, has_begun=True)
        write_key_file(vault, file, key)
    keep_key(vault, key, file)
    report = _Report(opening, "encryption" if is_encrypting else "decryption")
    try:
        report(0, 1)
        for folder in _folders(vault):
            for name in _DERIVED:
                _overwrite_and_remove(folder / name)
            convert_attachments(folder / ATTACHMENTS, key if is_encrypting else None, key, opening.stop)
        _convert_databases(vault, key, opening, report, is_encrypting=is_encrypting)
        if is_encrypting:
            _seal_remains(vault, key)
    except OSError as error:
        raise from_os(error, vault) from error
    if is_encrypting:
        file = replace(file, state=EncryptionState.ENCRYPTED)
        write_key_file(vault, file, key)
        keep_key(vault, key, file)
    else:
        remove_key_file(vault)
        drop_key(vault)
        remove_request(file.request)


def _verified_key_file(vault: Path) -> KeyFile | None:
    """Return the key file, verified where this process has the key."""
    file = read_key_file(vault)
    if not is_unlocked(vault):
        return file
    if file is None and not holds_encrypted_files(vault):  # another process has decrypted it meanwhile
        drop_key(vault)
        return None
    if file is None:
        raise VaultDamagedError(
            Sentence(
                "{file} of these encrypted memories is gone, and its copy too. It holds their key: bring it"
                " back from a copy of the folder.",
                file=KEY_FILE,
            ),
            path=str(vault / KEY_FILE),
            state="key",
        )
    file.require_unchanged(require_key(vault))
    return file


def _require_requested(vault: Path, file: KeyFile) -> None:
    if not is_noted(file.request):
        raise PassphraseRequiredError(
            "A decryption of these memories was requested, and not from this account of this computer. Nothing was"
            " decrypted. 'keepsake encryption decrypt' has them decrypted, 'keepsake encryption encrypt' keeps them"
            " encrypted; both ask for the passphrase.",
            path=str(vault),
            must_confirm=True,
        )


def _set_logs_aside(vault: Path, *, is_encrypting: bool) -> None:
    """Keep logs out of the conversion that are not their database's own."""
    try:
        for path in _files(vault):
            is_plain = beginning_of(path) == PLAIN_HEADER
            if path.suffix == ".db" and is_plain is is_encrypting:  # it is to be converted
                set_strange_log_aside(path)
                set_spoiling_log_aside(path)
    except OSError as error:
        raise from_os(error, vault) from error


def _require_fitting(vault: Path) -> None:
    """Refuse a key file that is not that of the vault's database.

    With another vault's, nothing would be converted, and the key of this one would be lost.
    """
    database = vault / DATABASE
    if beginning_of(database) not in {b"", PLAIN_HEADER} and not _is_database(database):
        raise VaultDamagedError(
            Sentence(
                "{file} does not hold the key of {database}, or the beginning of that file is damaged."
                " Nothing was changed. Bring both back from one copy of the folder.",
                file=KEY_FILE,
                database=database,
            ),
            path=str(vault / KEY_FILE),
            state="key",
        )


def holds_encrypted_files(vault: Path, *, backups: bool = True) -> bool:
    """Return whether the database or an attachment of the vault is encrypted already.

    Args:
        vault: The vault's folder.
        backups: Look at every other database of the folder too.
    """
    databases = [path for path in _files(vault) if path.suffix == ".db"] if backups else [vault / DATABASE]
    sealed = any(path for folder in _folders(vault) for path in (folder / ATTACHMENTS).glob(f"*{SUFFIX}"))
    return sealed or any(beginning_of(path) not in {b"", PLAIN_HEADER} for path in databases)


def plain_files(vault: Path) -> list[Path]:
    """Return the plain databases, attachments and caches of an encrypted vault, none of another.

    Raises:
        OSError: A folder or file cannot be read.
    """
    if is_plain_expected(vault / DATABASE):
        return []
    folders = [folder / ATTACHMENTS for folder in _folders(vault)]
    return [
        *(path for path in _files(vault) if beginning_of(path) == PLAIN_HEADER),
        *(folder / name for folder in folders for name in plain_names(folder)),
        *(path for path in sorted(vault.rglob("vectors.*")) if path.is_file() and not _is_sealed(path)),
    ]


def _is_sealed(path: Path) -> bool:
    with open_for_reading(path) as file:
        return is_sealed(file.read(len(MAGIC)))


def require_room(vault: Path) -> None:
    """Refuse to begin a conversion for which the disk has no room.

    Raises:
        DiskFullError: The largest file would not fit beside itself.
    """
    largest = max((path.stat().st_size for path in _files(vault)), default=0)
    free = shutil.disk_usage(vault).free
    if free < largest * 1.1 + _SPARE:
        raise DiskFullError(
            Sentence(
                "Encrypting needs {needed} MB of free space for a while, and the disk has {free} MB. Nothing"
                " was changed.",
                needed=largest // (1 << 20) + 2,
                free=free // (1 << 20),
            ),
            path=str(vault),
        )


def begin(vault: Path, file: KeyFile, key: DataKey) -> None:
    """Write the key file of a conversion, which the next opening carries out.

    Args:
        vault: The vault's folder.
        file: What to write.
        key: The data key.

    Raises:
        EncryptionUnavailableError: This SQLite has no ciphers.
        DiskFullError: There is no room for it.
    """
    require_available()
    require_room(vault)
    write_key_file(vault, file, key)


class _Report:
    """Reports the percentage that is done, once each."""

    def __init__(self, opening: VaultOpening, work: OpeningWork) -> None:
        self._opening = opening
        self._work: OpeningWork = work
        self._percent = -1

    def __call__(self, done: int, count: int) -> None:
        percent = min(100, 100 * done // max(1, count))
        if percent != self._percent:
            self._percent = percent
            self._opening.begin(self._work, percent, 100)


def _convert_databases(
    vault: Path, key: DataKey, opening: VaultOpening, report: Callable[[int, int], None], *, is_encrypting: bool
) -> None:
    if not is_encrypting:
        for path in _files(vault):
            if path.name.endswith(SUFFIX):
                unseal_file(path, key)
    waiting = [path for path in _files(vault) if _is_waiting(path, is_encrypting=is_encrypting)]
    sizes = [path.stat().st_size for path in waiting]
    total, done = sum(sizes), 0
    for path, size in zip(waiting, sizes, strict=True):

        def report_part(part: int, before: int = done) -> None:
            report(before + part, total)

        try:
            _convert(path, key if is_encrypting else None, opening, report_part)
        except VaultDamagedError:
            if not is_encrypting or path.parent == vault:
                raise
            # A damaged copy is kept byte for byte, and must not hold up the vault.
            seal_file(path, path.with_name(path.name + SUFFIX), key)
        done += size
        report(done, total)


def _seal_remains(vault: Path, key: DataKey) -> None:
    """Seal logs of damaged databases, and databases with a broken beginning."""
    own_log = vault / (DATABASE + "-wal")
    for path in _all_files(vault):
        if path.name.endswith(SUFFIX) or path == own_log or not path.stat().st_size:
            continue
        is_log = "-wal" in path.name or path.name.endswith("-journal")
        is_broken = ".db" in path.name and not is_log and not path.name.endswith("-shm") and not _is_database(path)
        if is_log or is_broken:
            seal_file(path, path.with_name(path.name + SUFFIX), key)


def _overwrite_and_remove(path: Path) -> None:
    if path.is_file() and not path.is_symlink():
        overwrite(path)
    path.unlink(missing_ok=True)


def _folders(vault: Path) -> Iterator[Path]:
    """Yield the vault, the vaults of isolated agents and their folders of backups."""
    agents = vault / "agents"
    own = [vault, *(path for path in sorted(agents.glob("*")) if path.is_dir() and not path.is_symlink())]
    for folder in own:
        yield folder
        yield folder / "backups"


def _files(vault: Path) -> Iterator[Path]:
    """Yield the files of a vault that may be databases, the vault's own last."""
    files = [path for path in _all_files(vault) if not path.name.endswith(_LOGS) and path.name != KEY_FILE]
    # What was cut off before tells by the vault's own database, the first to be looked for.
    yield from sorted(files, key=lambda path: path.parent == vault)


def _all_files(vault: Path) -> list[Path]:
    """Return the files of a vault that are no attachments and no traces."""
    files: list[Path] = []
    for place, folders, names in os.walk(vault, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in _OTHERS)
        paths = (Path(place, name) for name in sorted(names))
        files += [path for path in paths if path.is_file() and not path.is_symlink()]
    return files


def _is_waiting(path: Path, *, is_encrypting: bool) -> bool:
    if path.name.endswith(_PARTIAL):
        path.unlink()
        return False
    beginning = beginning_of(path)
    if is_encrypting:
        return beginning == PLAIN_HEADER
    return beginning != PLAIN_HEADER and path.stat().st_size % _PAGE == 0 and _is_database(path)


def _is_database(path: Path) -> bool:
    """Return whether a file that is not plain opens with the vault's key."""
    if not path.stat().st_size:
        return False
    try:
        with closing(connect(path, apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.NotADBError:
        return False
    return True


def _convert(path: Path, key: DataKey | None, opening: VaultOpening, report: Callable[[int], None]) -> None:
    """Replace a database by its copy under ``key``, plain when ``None``."""
    partial = path.with_name(path.name + _PARTIAL)
    partial.unlink(missing_ok=True)
    os.close(open_replacing(partial))  # SQLite would make it readable for others
    with translate_sqlite_errors(), _overwriting_log(path, is_wanted=key is not None):
        try:
            with closing(connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)) as source:
                source.pragma("temp_store", "MEMORY")  # a file of it would be plain
                with _reporting(source, opening.stop, partial, report):
                    vacuum_into(source, partial, key)
                expected = source.execute("SELECT count(*) FROM sqlite_schema").get
                _check(partial, opening, expected)
            # Closing has taken the log into the file; one that stayed would be read into the copy.
            log = path.with_name(path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise VaultDamagedError("The log of the database could not be taken into it.", path=str(path))
            _replace(path, partial)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def _overwriting_log(path: Path, *, is_wanted: bool) -> Iterator[None]:
    """Overwrite the log of a database, which SQLite deletes when it is closed.

    The log's locks are those of another file, so that opening it here takes none away.
    """
    log = path.with_name(path.name + "-wal")
    if not is_wanted or os.name != "posix" or not log.is_file() or log.is_symlink():
        yield
        return
    with log.open("rb+") as file:
        yield
        if not log.exists():
            overwrite_handle(file.fileno())


@contextmanager
def _reporting(
    source: apsw.Connection, stop: StopSignal, partial: Path, report: Callable[[int], None]
) -> Iterator[None]:
    """Report the size of a copy while it grows; stop on request."""

    def look() -> bool:
        if not stop.is_set:
            report(partial.stat().st_size if partial.exists() else 0)
        return stop.is_set

    source.set_progress_handler(look, _INSTRUCTIONS)
    try:
        yield
    except apsw.InterruptError:
        stop.check()
        raise
    finally:
        source.set_progress_handler(None)


def _check(partial: Path, opening: VaultOpening, expected: object) -> None:
    """Refuse a copy that is not whole."""
    with closing(connect(partial, apsw.SQLITE_OPEN_READWRITE)) as copy, interruptible(copy, opening.stop):
        tables = copy.execute("SELECT count(*) FROM sqlite_schema").get
        verdict = copy.execute("PRAGMA quick_check(1)").get
    if verdict != "ok" or tables != expected:
        raise VaultDamagedError("The database is damaged, so no sound copy of it can be made.", verdict=str(verdict))


def _replace(path: Path, partial: Path) -> None:
    """Replace the original by its copy.

    The bytes of the original are overwritten where the system permits it.
    """
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    original = path.open("rb+") if os.name == "posix" else None
    try:
        partial.replace(path)
        keep_name(path)
        if original is not None:
            overwrite_handle(original.fileno())
    finally:
        if original is not None:
            original.close()
    for ending in _LOGS:
        path.with_name(path.name + ending).unlink(missing_ok=True)
