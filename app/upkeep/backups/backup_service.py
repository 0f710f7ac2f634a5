"""Backups of an open vault: on request and daily, with retention and restore."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

import apsw

from app.changes import Area, Changed, ChangeSet
from app.core.clock import Clock, optional_datetime, to_datetime
from app.errors import KeepsakeError
from app.jobs import Jobs
from app.sentence import Sentence, joined
from app.store import staged_restore
from app.store.backup import FOLDER
from app.store.store import Store
from app.upkeep.backups import backup_files, backup_retention, restore_preview
from app.upkeep.model import BackupCheck, BackupInfo, BackupStatus, RestorePlan, RestorePreview

_log = logging.getLogger(__name__)

ACTOR = "backup"
_AREAS: Final[frozenset[Area]] = frozenset({"backups"})
_CHECK_S = 3600.0
# What a person or an agent stored leaves a trace in one of these; what is derived does not count.
_FINGERPRINT = (
    "SELECT max(id), count(*) FROM memory_history",
    "SELECT max(rowid), count(*) FROM messages",
    "SELECT count(*), max(updated_at), sum(message_count), count(forgotten_at) FROM sessions",
    "SELECT count(*), max(updated_at), sum(version) FROM memories",
    "SELECT count(*), max(updated_at), sum(summary_epoch) FROM session_state",
    "SELECT count(*), max(updated_at) FROM session_summaries",
    "SELECT count(*), max(updated_at) FROM entities WHERE touched = 1",
    "SELECT count(*), max(updated_at) FROM schedules",
    "SELECT count(*), max(created_at), max(revoked_at) FROM agents",
    "SELECT count(*), max(decided_at) FROM inbox",
)
_FIRST_WRITE = (
    "SELECT min(at) FROM (SELECT (SELECT at FROM memory_history ORDER BY id LIMIT 1) AS at"
    " UNION ALL SELECT min(first_seen) FROM sessions)"
)


class BackupOptions(Protocol):
    """Settings of backups; see ``Config``."""

    def flag(self, name: str) -> bool:
        """Return a switch."""

    def number(self, name: str) -> float:
        """Return a number."""


class BackupService:
    """Makes and keeps the backups of one vault.

    Args:
        store: Its database.
        clock: Where the time comes from; backups bear it in their names.
        wishes: The settings ``backup.*``, looked at each time.
        publish: Hears of daily backups.
        jobs: Lists a backup while it is made.
        check_s: Seconds between looks at whether a backup is due.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        wishes: BackupOptions,
        publish: Callable[[ChangeSet], None],
        jobs: Jobs,
        check_s: float = _CHECK_S,
    ) -> None:
        self._store = store
        self._publish = publish
        self._jobs = jobs
        self._clock = clock
        self._wishes = wishes
        self._check_s = check_s
        # Two of one second would choose the same name, and what is half written must not be thrown away.
        self._one_at_a_time = asyncio.Lock()
        self._opened_at = time.time()  # as the file system counts it
        self.failure = ""
        self.looked = asyncio.Event()
        """Set once it was seen after the start whether one is due."""

    async def now(self, reason: str) -> BackupInfo:
        """Make a backup for ``reason`` and return it."""
        async with self._one_at_a_time:
            return await self._make(reason)

    async def _make(self, reason: str) -> BackupInfo:
        with self._jobs.running("Making a backup", "copies") as job:
            backup = await self._copied(reason)
            job.outcome = "finished"  # it cannot be cancelled
            return backup

    async def _copied(self, reason: str) -> BackupInfo:
        path = await self._store.back_up(reason, self._now())
        try:
            await asyncio.to_thread(backup_files.keep_settings, self._store.vault, path)
            await asyncio.to_thread(backup_files.keep_attachments, self._store.vault)
        except KeepsakeError:
            path.unlink(missing_ok=True)
            raise
        return next(item for item in await self.all() if item.path == str(path))

    async def all(self) -> list[BackupInfo]:
        """Return the backups, newest first."""
        return await asyncio.to_thread(backup_files.list_backups, self._store.vault)

    async def verify(self, name: str) -> BackupCheck:
        """Read all of a backup and return what it is.

        Raises:
            NotFoundError: There is none of that name.
        """
        path = backup_files.find_backup(self._store.vault, name)
        return await asyncio.to_thread(backup_files.verify, path, stop=self._store.stop_signal)

    async def preview(self, name: str) -> RestorePreview:
        """Verify a backup and compare its content with the vault's.

        Raises:
            NotFoundError: There is none of that name.
            InputError: It cannot be restored.
        """
        path = backup_files.find_backup(self._store.vault, name)
        check = backup_files.require_sound(await self.verify(name))
        before = await asyncio.to_thread(restore_preview.read_backup, path, self._store.stop_signal)
        now = await self._store.read(restore_preview.read_content)
        return await asyncio.to_thread(restore_preview.compare, check, now, before)

    async def restore(self, name: str, actor: str) -> Changed[RestorePlan]:
        """Verify a backup and lay it ready for the next start; see ``copies.stage_restore``."""
        plan = await asyncio.to_thread(backup_files.stage_restore, self._store.vault, name, self._store.stop_signal)
        return Changed(plan, ChangeSet(_AREAS, (), actor))

    async def cancel_restore(self, actor: str) -> Changed[bool]:
        """Call off a restore that waits for the next start; False when none does."""
        was_staged = await asyncio.to_thread(staged_restore.unstage, self._store.vault)
        return Changed(was_staged, ChangeSet(_AREAS, (), actor))

    async def status(self) -> BackupStatus:
        """Return where the backups are, and what goes on with them."""
        waits = await asyncio.to_thread(staged_restore.is_staged, self._store.vault)
        return BackupStatus(str(self._store.vault / FOLDER), waits, self.failure)

    def notes(self) -> Sequence[str]:
        """Return sentences about what a person should know now."""
        waiting = (joined((Sentence("A backup waits to be restored."), backup_files.AT_NEXT_START)),)
        return (
            *((self.failure,) if self.failure else ()),
            *(waiting if staged_restore.is_staged(self._store.vault) else ()),
        )

    async def run(self) -> None:
        """Look now and every hour whether a backup is due, until cancelled."""
        async with self._one_at_a_time:
            await asyncio.to_thread(backup_files.discard_partial, self._store.vault, self._opened_at)
        while True:
            try:
                await self.daily()
                self.failure = ""
            except KeepsakeError as error:
                # The next look tries again; until then the status says that backups fail.
                self.failure = Sentence("The daily backup failed: {why}", why=error.sentence)
                _log.info("the daily backup failed: %s", error.code)
            self.looked.set()
            await asyncio.sleep(self._check_s)

    async def daily(self) -> BackupInfo | None:
        """Make the daily backup when it is due and something changed; apply retention.

        Returns the backup if one was made.
        """
        if not self._wishes.flag("backup.daily"):
            return None
        async with self._one_at_a_time:
            have = await self.all()
            since, fingerprint = await self._store.read(_state)
            if not backup_retention.is_due(have, since, self._now()) or await self._is_unchanged(have, fingerprint):
                return None
            backup = await self._make("daily")
            await self.thin()
        self._publish(ChangeSet(_AREAS, (backup.name,), ACTOR, ACTOR))
        return backup

    async def thin(self) -> list[BackupInfo]:
        """Delete the backups that need not stay, and return them."""
        keep = backup_retention.Keep(
            *(int(self._wishes.number(f"backup.keep_{name}")) for name in ("daily", "weekly", "monthly"))
        )
        gone = backup_retention.backups_to_remove(await self.all(), self._now(), keep)
        for backup in gone:
            await asyncio.to_thread(backup_files.remove, self._store.vault, backup)
        return gone

    async def _is_unchanged(self, have: Sequence[BackupInfo], fingerprint: object) -> bool:
        """Return whether the newest backup has all canonical data."""
        past = [item for item in have if not item.is_damaged_original and item.created_at <= self._now()]
        return bool(past) and await asyncio.to_thread(_fingerprint_of, Path(past[0].path)) == fingerprint

    def _now(self) -> datetime:
        return to_datetime(self._clock.now_ms())


def first_write(connection: apsw.Connection) -> datetime | None:
    """Return when something was first written to a vault, ``None`` when nothing was."""
    first = connection.execute(_FIRST_WRITE).get
    return optional_datetime(None if first is None else int(first))


def _state(connection: apsw.Connection) -> tuple[datetime | None, object]:
    return first_write(connection), _fingerprint(connection)


def _fingerprint(connection: apsw.Connection) -> object:
    return [connection.execute(sql).fetchone() for sql in _FINGERPRINT]


def _fingerprint_of(path: Path) -> object:
    try:
        with closing(staged_restore.open_copy(path)) as connection:
            return _fingerprint(connection)
    except (KeepsakeError, apsw.Error):
        return None  # older or damaged: whatever it holds, it is no copy of what there is
