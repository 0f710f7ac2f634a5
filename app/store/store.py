"""The vault's database as the rest of the engine sees it: write, read, close."""

import asyncio
import filecmp
import os
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import apsw

from app.core.files import from_os
from app.core.stop_signal import StopSignal
from app.core.vault_opening import VaultOpening
from app.errors import DiskFullError, KeepsakeError, VaultReadOnlyError, VaultUnusableError
from app.sentence import Sentence
from app.store import lanes, readonly, staged_restore
from app.store.backup import backup_path, copy_database
from app.store.connection import create_file, open_frozen_reader, open_reader, open_writer
from app.store.connection_threads import ThreadPool, Work
from app.store.encryption.vault_conversion import finish_conversion
from app.store.files import preflight
from app.store.files.vault_files import require_own_files
from app.store.lane_identity import LaneWriter
from app.store.lock import VaultLock
from app.store.migrate import migrate, migrations_in
from app.store.options import READ_LIMIT_S, StoreOptions, trace_read, trace_write
from app.store.planner_statistics import drop_small_table_statistics
from app.store.transaction_wrapper import wrapped

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from datetime import datetime

T = TypeVar("T")

DATABASE = staged_restore.DATABASE
_READ_LATELY_S = 0.05


class Store:
    """One writer, few readers, on the database of a locked vault.

    Made by ``Store.open``. Canonical data is written in short transactions through ``write``; ``read`` sees one
    snapshot for the whole of its work.
    """

    def __init__(
        self, vault: Path, lock: VaultLock, schema: int, options: StoreOptions, read_only: KeepsakeError | None = None
    ) -> None:
        self.vault = vault
        self.read_only = read_only
        self._read_limit_s = options.read_limit_s
        self._is_wal = options.is_wal
        self._trace = options.trace
        self.path = vault / DATABASE
        self.stop_signal = StopSignal()
        """Set when the vault is about to close: stops long work that only reads, or that can begin anew."""
        self.schema = schema
        self._lock = lock
        self._lane = LaneWriter(self.path, options.trace)
        self._open_holds = 0
        opened = partial(open_writer, self.path, options.busy_ms, is_wal=options.is_wal)
        watching = options.trace.is_kept
        self._writer = ThreadPool(
            "writer",
            1,
            opened,
            writes=True,
            stop=self.stop_signal,
            busy_ms=options.busy_ms,
            watch=partial(trace_write, options.trace) if watching else None,
            at_end=self._lane.close,
        )
        self._readers = ThreadPool(
            "reader",
            options.readers,
            partial(open_reader if read_only is None else open_frozen_reader, self.path, options.busy_ms),
            writes=False,
            stop=self.stop_signal,
            watch=partial(trace_read, options.trace) if watching else None,
        )

    @classmethod
    def open(
        cls, vault: Path, migrations: Path, read_limit_s: float = READ_LIMIT_S, options: StoreOptions | None = None
    ) -> "Store":
        """Open the vault at ``vault``, making it when there is none.

        One whose disk is full or cannot be written is opened for reading only; ``read_only`` then says why.

        Args:
            vault: The vault's folder.
            migrations: Where the SQL files of the schema are.
            read_limit_s: Seconds that a read may take where it names no limit of its own.
            options: Options; they replace ``read_limit_s``.

        Raises:
            VaultUnusableError: The path is a file or cannot be made.
            VaultReadOnlyError: It cannot be written, and cannot be read as it is either.
            VaultLockedError: Another process has it.
            PassphraseRequiredError: It is encrypted, and this process does not have its key.
            VaultNewerError: It is from a newer Keepsake.
            VaultDamagedError: The database is damaged.
            DiskFullError: No space is left.
            CancelledByPersonError: The opening was stopped.
        """
        options = options or StoreOptions(read_limit_s=read_limit_s)
        prepare_folder(vault)
        require_own_files(vault, DATABASE)
        lock = VaultLock(vault)
        is_new = not has_database(vault)
        try:
            cause: KeepsakeError | None = readonly.unwritable(vault / DATABASE)
            if cause is None:
                try:
                    lock.acquire()
                    return cls(vault, lock, _prepare(vault, migrations, options), options)
                except (DiskFullError, VaultReadOnlyError) as error:
                    if is_new or not has_database(vault):
                        raise  # what there is of it is nothing to read
                    cause = error
            return cls._open_read_only(vault, migrations, options, lock, cause)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _open_read_only(
        cls, vault: Path, migrations: Path, options: StoreOptions, lock: VaultLock, cause: KeepsakeError
    ) -> "Store":
        if not lock.is_held:
            with suppress(DiskFullError, VaultReadOnlyError):  # there is no lock file, and none can be made
                lock.acquire()
        schema = readonly.check_schema(vault / DATABASE, migrations_in(migrations))
        return cls(vault, lock, schema, options, readonly.read_only_error(cause, vault))

    async def write(
        self, work: Work[T], *, is_derived: bool = False, is_stoppable: bool = False, is_bookkeeping: bool = False
    ) -> T:
        """Run ``work`` on the writer in one transaction, committed (and durable) before this returns.

        Args:
            work: What to do.
            is_derived: It writes only what can be made again, so that nobody waits for the disk: a power cut may take
                the last of it, the end of the process never does.
            is_stoppable: It takes long and can begin anew, so that it is undone and stopped when the vault closes.
            is_bookkeeping: It is no part of what a call asked for, such as a receipt, a cost, or the model that the
                first search opens. It stays whatever becomes of the call: transaction wrappers do not see it.

        Raises:
            CancelledByPersonError: It was stopped.
        """
        # Without a write-ahead log the order on the disk is what keeps the file sound.
        self.require_writable()
        is_relaxed = is_derived and self._is_wal
        seen = work if is_derived or is_bookkeeping else self._lane.in_lane(wrapped(work))
        return cast(
            "T", await asyncio.wrap_future(self._writer.submit(seen, is_derived=is_relaxed, is_stoppable=is_stoppable))
        )

    async def write_untransacted(self, work: Work[T]) -> T:
        """Run ``work`` on the writer outside a transaction: checkpoints, rewriting the file.

        Raises:
            CancelledByPersonError: The vault is closing; nothing was changed.
        """
        self.require_writable()
        return cast("T", await asyncio.wrap_future(self._writer.submit(work, is_bare=True, is_stoppable=True)))

    def settle(self) -> None:
        """Tell other processes that the vault is open; see ``VaultLock.settle``."""
        self._lock.settle()

    def require_writable(self) -> None:
        """Refuse a write to a vault that is open for reading only.

        Raises:
            DiskFullError: Its disk was full when it was opened.
            VaultReadOnlyError: Its folder cannot be written.
            VaultLockedError: Its lock file was taken away, and another Keepsake has opened it.
        """
        if self.read_only is not None:
            raise type(self.read_only)(self.read_only.sentence, **self.read_only.data)
        self._lock.keep()

    async def read(
        self,
        work: Work[T],
        *,
        limit_s: float | None = None,
        is_background: bool = False,
        stop: StopSignal | None = None,
    ) -> T:
        """Run ``work`` on a reader; a caller who is cancelled stops it.

        Args:
            work: What to do.
            limit_s: Seconds it may take; as long as any read when ``None``.
            is_background: Nobody waits for it; see ``has_waiting_reader``.
            stop: Is set when the caller is cancelled; ends a running statement. ``work`` looks at it itself.

        Raises:
            TimeLimitError: It took longer than ``limit_s`` seconds, or than any read may when that is ``None``.
            CancelledByPersonError: The vault is closing, and it took long.
        """
        limit, stop = self._read_limit_s if limit_s is None else limit_s, stop or StopSignal()
        answer = self._readers.submit(work, limit, is_background=is_background, stop=stop)
        try:
            return cast("T", await asyncio.wrap_future(answer))
        except asyncio.CancelledError:
            stop.set()
            raise

    def has_waiting_reader(self) -> bool:
        """Return whether a caller waits for a read."""
        return self._readers.has_waiting_work()

    async def yield_to_readers(
        self, seconds: float, rest: "Callable[[float], Awaitable[object]]" = asyncio.sleep
    ) -> None:
        """Rest for callers that wait for a read, or waited just now.

        The system runs the writer before readers, which suits a message that is appended; work that can wait rests as
        long as it took, or as its readers did where that is less.

        Args:
            seconds: How long the work took, and the longest rest.
            rest: Waits so many seconds.
        """
        due = seconds if self.has_waiting_reader() else self._readers.awaited_s(max(seconds, _READ_LATELY_S))
        if due > 0:
            await rest(min(seconds, due))

    async def back_up(self, reason: str, when: "datetime | None" = None) -> Path:
        """Copy the database into the vault's ``backups`` and return the copy's path.

        Args:
            reason: Why, as a word for its name.
            when: The time its name says; now when left out.
        """
        self.require_writable()
        target = backup_path(self.vault, reason, when)
        copy: Callable[[apsw.Connection], Path] = partial(copy_database, target=target, stop=self.stop_signal)
        with self._trace.span("store.backup") as facts:
            path = cast("Path", await asyncio.wrap_future(self._readers.submit(copy, None)))
            facts["bytes"] = path.stat().st_size
        return path

    async def seal(self) -> int:
        """Seal all changes that were written here, and return the number of the last.

        See ``app.store.lanes.seal``.
        """
        return await self.write(lanes.seal)

    async def begin_lane(self) -> bool:
        """Begin a new lane unless entries must stay open, and return whether it began."""

        def work(connection: apsw.Connection) -> bool:
            if self.may_seal:
                self._lane.begin(connection)
                return True
            return False

        return await self.write(work)

    @property
    def may_seal(self) -> bool:
        """False while entries of the history must stay open."""
        return self._open_holds == 0

    @contextmanager
    def held_open(self) -> "Iterator[None]":
        """Keep entries of the history from being sealed, such as those of an import."""
        self._open_holds += 1
        try:
            yield
        finally:
            self._open_holds -= 1

    def interrupt(self) -> None:
        """Stop long reads, and writes that can begin anew; others go on until ``close``."""
        self.stop_signal.set()

    def close(self) -> None:
        """Finish queued writes, close every connection and free the vault. Blocks; safe to call twice."""
        # The last connection to close takes the log into the database, and only the writer can.
        self._readers.close()
        self._writer.close()
        self._lock.release()


def has_database(vault: Path) -> bool:
    """Return whether there is a database to be read."""
    database = vault / DATABASE
    return database.is_file() and database.stat().st_size > 0


def _prepare(vault: Path, migrations: Path, options: StoreOptions) -> int:
    """Make the database ready to be written and return its schema's number."""
    opening = options.opening
    if staged_restore.is_staged(vault):
        opening.begin("restore")
    staged_restore.finish_restore(vault, len(migrations_in(migrations)), opening.stop)
    finish_conversion(vault, opening)
    preflight.check_files(vault / DATABASE, len(migrations_in(migrations)))
    create_file(vault / DATABASE)
    connection = open_writer(vault / DATABASE, options.busy_ms, is_wal=options.is_wal, may_be_held=True)
    try:
        # Should this fail, the log stays as it was found.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        back_up = partial(_before_migration, connection, vault, opening)
        schema = migrate(connection, migrations, back_up, options.trace, opening)
        with suppress(apsw.FullError):  # they only cost time
            drop_small_table_statistics(connection)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    finally:
        connection.close()
    return schema


def _before_migration(connection: apsw.Connection, vault: Path, opening: VaultOpening) -> Path:
    """Back the vault up, once however often its migration is tried and fails."""

    def report(done: int, pages: int) -> None:
        opening.begin("backup", 100 * done // max(1, pages), 100)

    backup = copy_database(connection, backup_path(vault, "before-migration"), opening.stop, report)
    for earlier in sorted(backup.parent.glob("*-before-migration*.db")):
        if earlier != backup and filecmp.cmp(backup, earlier, shallow=False):
            backup.unlink()
            return earlier
    return backup


def prepare_folder(vault: Path) -> None:
    """Make the vault's folder, private to its owner.

    Raises:
        VaultUnusableError: The path is a file, or no path at all.
        VaultReadOnlyError: It cannot be made there.
    """
    try:
        str(vault).encode()  # SQLite and the socket know names in UTF-8 only
    except UnicodeEncodeError as error:
        raise VaultUnusableError(
            Sentence(
                "The vault's path {vault} is not UTF-8. Name another folder with --vault, or set LC_ALL=C.UTF-8.",
                vault=vault,
            )
        ) from error
    try:
        if vault.exists() and not vault.is_dir():
            raise VaultUnusableError(
                Sentence("{vault} is a file, not a folder. Name a folder with --vault.", vault=vault),
                path=str(vault),
                state="file",
            )
        vault.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and vault.stat().st_mode & 0o077 and readonly.unwritable(vault / DATABASE) is None:
            vault.chmod(0o700)
    except OSError as error:
        raise from_os(error, vault) from error
    except ValueError as error:
        raise VaultUnusableError("The vault's path holds a NUL character. Name a folder with --vault.") from error
