"""Housekeeping: keeps the database quick and sound and the latest backup verified; changes no content."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import apsw

from app.core.clock import Clock, to_datetime
from app.errors import MachineError
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, as_sentence, joined
from app.store import meta
from app.store.connection import empty_log
from app.store.planner_statistics import update_planner_statistics
from app.store.store import Store
from app.upkeep.backups.backup_service import BackupService
from app.upkeep.service import UpkeepService
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

CHECK_EVERY: Final = timedelta(days=7)
_CHECKED: Final = "checked_at"  # key of ``meta``
_ACTOR: Final = "housekeeping"

Retry = Callable[[], Awaitable[None]]


class Housekeeping:
    """The nightly care of the database and its latest backup.

    Args:
        store: The vault's database.
        backups: Its backups.
        service: Checks and repairs.
        clock: The source of the time.
        retry_vectors: Lets texts be embedded again for which that failed.
        read_names_again: Lets everything be read for names again, after a repair.
        is_enabled: Whether the settings let it run by itself.
        time: Returns the time of day, such as ``04:30``.
    """

    name = "housekeeping"
    title = "Housekeeping"
    goal = "Keep the database quick, small and sound, and verify the latest backup."
    unit = "steps"
    sharing: Sharing = "own"

    def __init__(
        self,
        store: Store,
        backups: BackupService,
        service: UpkeepService,
        clock: Clock,
        retry_vectors: Retry,
        read_names_again: Retry,
        is_enabled: Callable[[], bool],
        time: Callable[[], str],
    ) -> None:
        self._store = store
        self._backups = backups
        self._service = service
        self._clock = clock
        self._retry_vectors = retry_vectors
        self._read_names_again = read_names_again
        self._is_enabled = is_enabled
        self._time = time

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of day; see ``UpkeepJob``."""
        return (daily(self._time()),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._is_enabled()

    def is_harmless(self) -> bool:
        """Return True: each machine cares for its own database."""
        return True

    async def plan(self) -> UpkeepPlan:
        """Return its steps; see ``UpkeepJob``."""
        changes = [
            PlannedChange("optimize", "memory.db", "Database", Sentence("statistics for the query planner")),
            PlannedChange("shorten", "memory.db-wal", "Write-ahead log"),
            PlannedChange("retry", "vectors", "Search index", Sentence("texts for which making vectors failed")),
        ]
        if await self._is_check_due():
            detail = Sentence("integrity, repaired where it is derived")
            changes.append(PlannedChange("check", "memory.db", "Database", detail))
        latest = await self._latest()
        if latest is not None:
            changes.append(PlannedChange("verify", latest, latest))
        notes = () if latest is not None else (Sentence("There is no backup to verify yet."),)
        summary = Sentence("Care for the database; no content changes.")
        return UpkeepPlan(self.name, summary, len(changes), tuple(changes), notes)

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Do the steps; see ``UpkeepJob``.

        Raises:
            MachineError: The database or the latest backup is damaged.
        """
        counts: dict[str, int] = {}
        words: list[str] = []
        steps = (self._optimize, self._shorten, self._retry, self._check, self._verify)
        for number, step in enumerate(steps, 1):
            if run.job.is_cancelled():
                break
            words += await step(counts)
            run.job.advance(number, len(steps))
        return JobResult(joined(words), counts=counts)

    async def _optimize(self, counts: dict[str, int]) -> list[str]:
        await self._store.write_untransacted(update_planner_statistics)
        counts["optimized"] = 1
        return [Sentence("The database was optimized.")]

    async def _shorten(self, counts: dict[str, int]) -> list[str]:
        await self._store.write_untransacted(empty_log)
        counts["shortened"] = 1
        return []

    async def _retry(self, counts: dict[str, int]) -> list[str]:
        await self._retry_vectors()
        counts["retried"] = 1
        return []

    async def _check(self, counts: dict[str, int]) -> list[str]:
        """Check the database once a week, and mend what is derived.

        Raises:
            MachineError: What is wrong is not only in derived data.
        """
        if not await self._is_check_due():
            return []
        report = await self._service.check()
        mended: tuple[str, ...] = ()
        if any(finding.is_mended_by_repair for finding in report.findings):
            done = await self._service.repair(_ACTOR, self._read_names_again)
            mended = done.value.mended
            errors = [finding for finding in done.value.left if finding.severity == "error"]
        else:
            errors = [finding for finding in report.findings if finding.severity == "error"]
        if errors:
            raise MachineError(joined((errors[0].what, errors[0].remedy)))
        now_ms = self._clock.now_ms()
        await self._store.write(lambda connection: _note_checked(connection, now_ms))
        counts["checked"] = 1
        return [Sentence("It was checked and is sound."), *mended]

    async def _verify(self, counts: dict[str, int]) -> list[str]:
        latest = await self._latest()
        if latest is None:
            return [Sentence("There was no backup to verify.")]
        checked = await self._backups.verify(latest)
        if not checked.ok:
            raise MachineError(
                Sentence(
                    "The latest backup, {latest}, cannot be restored: {problem} Make another with 'keepsake backup'.",
                    latest=latest,
                    problem=as_sentence(checked.problem),
                )
            )
        counts["verified"] = 1
        return [Sentence("The backup {latest} was verified.", latest=latest)]

    async def _is_check_due(self) -> bool:
        checked, now = await self._store.read(_checked_at), to_datetime(self._clock.now_ms())
        # A check at a time still to come was made by a clock set back since, and says nothing of how long ago it was.
        return checked is None or checked > now or now - checked >= CHECK_EVERY

    async def _latest(self) -> str | None:
        backups = [item for item in await self._backups.all() if not item.is_damaged_original]
        return max(backups, key=lambda item: item.created_at).name if backups else None


def _checked_at(connection: apsw.Connection) -> datetime | None:
    checked = meta.read(connection, _CHECKED)
    return None if checked is None else to_datetime(int(checked))


def _note_checked(connection: apsw.Connection, now_ms: int) -> None:
    meta.write(connection, _CHECKED, str(now_ms))
