"""Recovery of a vault that does not open: its backups, check, restore and salvage."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.paths import migrations
from app.core.stop_signal import StopSignal
from app.errors import CancelledByPersonError, VaultReadOnlyError
from app.recovery.model import SalvageReport
from app.recovery.salvage import salvage
from app.store.files.vault_files import require_own_files
from app.store.lock import VaultLock
from app.store.migrate import migrations_in
from app.store.staged_restore import finish_restore, unstage
from app.store.store import DATABASE, prepare_folder
from app.upkeep.backups import backup_files
from app.upkeep.model import BackupCheck, BackupInfo, RestoredVault


class ClosedVault:
    """A vault that no engine has open.

    Every call may take long, and none needs the vault to be sound.

    Args:
        vault: Its folder.
        stop: Stops a check, restore or salvage under way, which then raises ``CancelledByPersonError``.
    """

    def __init__(self, vault: Path, stop: StopSignal | None = None) -> None:
        self._vault = vault
        self._stop = stop

    def backups(self) -> list[BackupInfo]:
        """Return the backups, newest first.

        Raises:
            KeepsakeError: Their folder cannot be read.
        """
        return backup_files.list_backups(self._vault)

    def check(self) -> BackupCheck:
        """Return what a reading of all of the database found; nothing is written."""
        return backup_files.verify(self._vault / DATABASE, DATABASE, self._stop)

    def restore(self, name: str) -> RestoredVault:
        """Replace the database with a backup, after verifying the backup.

        Args:
            name: Its name, or the path of a vault.

        Raises:
            VaultLockedError: Another process has the vault open.
            NotFoundError: There is no such backup.
            InputError: It is damaged, or not of this program; nothing was changed.
            DiskFullError: There is no room for the copy; nothing was changed.
        """
        prepare_folder(self._vault)
        require_own_files(self._vault, DATABASE)
        with self.locked():
            plan = backup_files.stage_restore(self._vault, name, self._stop)
            try:
                before = finish_restore(self._vault, len(migrations_in(migrations())), self._stop)
            except CancelledByPersonError:
                unstage(self._vault)
                raise
        return RestoredVault(plan.backup, "" if before is None else str(before))

    def salvage(self, into: Path | None = None) -> SalvageReport:
        """Copy what is readable into a new vault; this one is only read.

        Args:
            into: A new or empty folder; one beside the vault when ``None``.

        Raises:
            KeepsakeError: As ``salvage.salvage`` gives it, or another process has the vault open.
        """
        with self.locked():
            return salvage(self._vault, into or self.salvage_folder(), self._stop)

    def salvage_folder(self) -> Path:
        """Return a new path beside the vault."""
        first = self._vault.with_name(f"{self._vault.name}-salvaged")
        names = (self._vault.with_name(f"{first.name}-{number}") for number in range(2, 1_000_000))
        return first if not first.exists() else next(path for path in names if not path.exists())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the vault; a read-only one needs no lock, as no program can change it.

        Raises:
            VaultLockedError: Another process has it open.
        """
        lock = VaultLock(self._vault)
        with contextlib.suppress(VaultReadOnlyError):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()
