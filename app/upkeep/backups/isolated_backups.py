"""Daily backups of isolated agents' vaults that are not open."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from app.core.clock import DAY_MS, Clock, to_ms
from app.core.files import from_os
from app.errors import KeepsakeError
from app.part import BackgroundTask, Part
from app.store.staged_restore import DATABASE
from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_service import BackupOptions

_log = logging.getLogger(__name__)

_CHECK_S = 3600.0


class IsolatedBackups(Part):
    """Opens a vault that changed since its last backup, so that it makes its own.

    Args:
        paths: Gives the folders of the vaults that are there.
        reopen: Opens one of them; whose backup is due then makes it by itself.
        clock: Where the time comes from.
        wishes: The settings ``backup.*``.
    """

    def __init__(
        self,
        paths: Callable[[], Sequence[Path]],
        reopen: Callable[[Path], Awaitable[object]],
        clock: Clock,
        wishes: BackupOptions,
    ) -> None:
        self._paths = paths
        self._reopen = reopen
        self._clock = clock
        self._wishes = wishes

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the hourly look."""
        return (BackgroundTask("isolated-backups", self.run),)

    async def run(self) -> None:
        """Look now and every hour, until cancelled."""
        while True:
            if self._wishes.flag("backup.daily"):
                await self.look()
            await asyncio.sleep(_CHECK_S)

    async def look(self) -> None:
        """Open every vault whose backup is older than a day and than its content."""
        for folder in self._paths():
            try:
                if await asyncio.to_thread(self._is_due, folder):
                    await self._reopen(folder)
            except KeepsakeError as error:
                # A check of the vault names what cannot be opened.
                _log.info("the backup of an isolated vault has to wait: %s", error.code)

    def _is_due(self, folder: Path) -> bool:
        have = [to_ms(item.created_at) for item in backup_files.list_backups(folder) if not item.is_damaged_original]
        try:
            written = [_written_ms(path) for path in folder.glob(f"{DATABASE}*")]
            since = max(have) if have else min(map(_written_ms, folder.glob("*.*")))  # its name is as old as it is
        except OSError as error:
            raise from_os(error, folder) from error
        return since < self._clock.now_ms() - DAY_MS and since < max(written, default=0)


def _written_ms(path: Path) -> int:
    return path.stat().st_mtime_ns // 1_000_000
