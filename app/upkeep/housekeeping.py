"""Housekeeping: keeps the database quick and the latest backup verified; changes no content."""

from collections.abc import Callable

import apsw

from app.errors import MachineError
from app.schedule.model import Cadence
from app.store.store import Store
from app.store.wal_truncation import empty_log
from app.upkeep.backup_service import BackupService
from app.upkeep.upkeep_job import PlannedChange, UpkeepOutcome, UpkeepPlan, UpkeepRun

_STEPS = 3


class Housekeeping:
    """The nightly care of the database and its latest backup.

    Args:
        store: The vault's database.
        backups: Its backups.
        is_enabled: Whether the settings let it run by itself.
        time: Returns the time of day, such as ``04:30``.
    """

    name = "housekeeping"
    title = "Housekeeping"
    goal = "Keep the database quick and small, and verify the latest backup."
    unit = "steps"

    def __init__(
        self, store: Store, backups: BackupService, is_enabled: Callable[[], bool], time: Callable[[], str]
    ) -> None:
        self._store = store
        self._backups = backups
        self._is_enabled = is_enabled
        self._time = time

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of day; see ``UpkeepJob``."""
        hour, _, minute = self._time().partition(":")
        return (Cadence(kind="cron", expression=f"{int(minute)} {int(hour)} * * *"),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._is_enabled()

    async def plan(self) -> UpkeepPlan:
        """Return its steps; see ``UpkeepJob``."""
        changes = [
            PlannedChange("optimize", "memory.db", "Database", "statistics for the query planner"),
            PlannedChange("shorten", "memory.db-wal", "Write-ahead log"),
        ]
        latest = await self._latest()
        if latest is not None:
            changes.append(PlannedChange("verify", latest, latest))
        notes = () if latest is not None else ("There is no backup to verify yet.",)
        return UpkeepPlan(self.name, "Care for the database; no content changes.", len(changes), tuple(changes), notes)

    async def apply(self, run: UpkeepRun) -> UpkeepOutcome:
        """Do the steps; see ``UpkeepJob``.

        Raises:
            MachineError: The latest backup is damaged.
        """
        counts: dict[str, int] = {}
        await self._store.write_untransacted(_optimize)
        counts["optimized"] = 1
        run.job.advance(1, _STEPS)
        if run.job.is_cancelled():
            return UpkeepOutcome("The database was optimized.", counts)
        await self._store.write_untransacted(empty_log)
        run.job.advance(2, _STEPS)
        latest = None if run.job.is_cancelled() else await self._latest()
        if latest is None:
            return UpkeepOutcome("The database was optimized. There was no backup to verify.", counts)
        checked = await self._backups.verify(latest)
        run.job.advance(_STEPS, _STEPS)
        if not checked.ok:
            raise MachineError(
                f"The latest backup, {latest}, cannot be restored: {checked.problem}"
                " Make another with 'keepsake backup'."
            )
        counts["verified"] = 1
        return UpkeepOutcome(f"The database was optimized, and the backup {latest} verified.", counts)

    async def _latest(self) -> str | None:
        found = [item for item in await self._backups.all() if not item.is_damaged_original]
        return max(found, key=lambda item: item.created_at).name if found else None


def _optimize(connection: apsw.Connection) -> None:
    connection.pragma("optimize")
