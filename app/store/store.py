"""The vault's database as the rest of the engine sees it: write, read, close."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from app.core.disk import from_os
from app.errors import VaultUnusableError
from app.store.backup import backup_name, copy_database
from app.store.connection import create_file, open_reader, open_writer
from app.store.lock import VaultLock
from app.store.migrate import migrate
from app.store.worker import Pool, Work

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

T = TypeVar("T")

DATABASE = "memory.db"
READERS = 4
READ_LIMIT_S = 10.0


class Store:
    """One writer, few readers, on the database of a locked vault.

    Made by ``Store.open``. Canonical data is written in short transactions through ``write``; ``read`` sees one
    snapshot for the whole of its work.
    """

    def __init__(self, vault: Path, lock: VaultLock, schema: int, read_limit_s: float = READ_LIMIT_S) -> None:
        self.vault = vault
        self._read_limit_s = read_limit_s
        self.path = vault / DATABASE
        self.schema = schema
        self._lock = lock
        self._writer = Pool("writer", 1, partial(open_writer, self.path), writes=True)
        self._readers = Pool("reader", READERS, partial(open_reader, self.path), writes=False)

    @classmethod
    def open(cls, vault: Path, migrations: Path, read_limit_s: float = READ_LIMIT_S) -> "Store":
        """Open the vault at ``vault``, making it when there is none.

        Args:
            vault: The vault's folder.
            migrations: Where the SQL files of the schema are.
            read_limit_s: Seconds that a read may take where it names no limit of its own.

        Raises:
            VaultUnusableError: The path is a file or cannot be made.
            VaultReadOnlyError: It cannot be written.
            VaultLockedError: Another process has it.
            VaultNewerError: It is from a newer Keepsake.
            VaultDamagedError: The database is damaged.
            DiskFullError: No space is left.
        """
        prepare_folder(vault)
        lock = VaultLock(vault).acquire()
        try:
            create_file(vault / DATABASE)
            connection = open_writer(vault / DATABASE)
            try:
                back_up = partial(copy_database, connection, vault / "backups" / backup_name("before-migration"))
                schema = migrate(connection, migrations, back_up)
            finally:
                connection.close()
        except BaseException:
            lock.release()
            raise
        return cls(vault, lock, schema, read_limit_s)

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` on the writer in one transaction, committed (and durable) before this returns."""
        return cast("T", await asyncio.wrap_future(self._writer.submit(work)))

    async def read(self, work: Work[T], *, limit_s: float | None = None) -> T:
        """Run ``work`` on a reader.

        Raises:
            TimeLimitError: It took longer than ``limit_s`` seconds, or than any read may when that is ``None``.
        """
        limit = self._read_limit_s if limit_s is None else limit_s
        return cast("T", await asyncio.wrap_future(self._readers.submit(work, limit)))

    async def back_up(self, reason: str) -> Path:
        """Copy the database into the vault's ``backups`` and return the copy's path."""
        target = self.vault / "backups" / backup_name(reason)
        copy: Callable[[apsw.Connection], Path] = partial(copy_database, target=target)
        return cast("Path", await asyncio.wrap_future(self._readers.submit(copy, None)))

    def close(self) -> None:
        """Finish queued writes, close every connection and free the vault. Blocks; safe to call twice."""
        # The last connection to close takes the log into the database, and only the writer can.
        self._readers.close()
        self._writer.close()
        self._lock.release()


def prepare_folder(vault: Path) -> None:
    """Make the vault's folder, private to its owner.

    Raises:
        VaultUnusableError: The path is a file, or no path at all.
        VaultReadOnlyError: It cannot be made there.
    """
    try:
        if vault.exists() and not vault.is_dir():
            raise VaultUnusableError(f"{vault} is a file, not a folder. Name a folder with --vault.", path=str(vault))
        vault.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and vault.stat().st_mode & 0o077:
            vault.chmod(0o700)
    except OSError as error:
        raise from_os(error, vault) from error
    except ValueError as error:
        raise VaultUnusableError("The vault's path holds a NUL character. Name a folder with --vault.") from error
