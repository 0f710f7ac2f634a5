"""Undo of the confidences that runs of decay lowered."""

import asyncio
from functools import partial

import apsw

from app.changes import Area
from app.core.clock import Clock
from app.history.model import ChangedItem, RunChanges
from app.memories.decay import confidence_repo
from app.store.store import Store

_TOGETHER = 500


class ConfidenceUndo:
    """Undoer of confidences that runs of decay lowered.

    Facts that were used, changed or decayed since keep theirs.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def changes(self, run_id: str, after: int, limit: int) -> RunChanges:
        """Return whose confidence a run lowered, after a place."""

        def work(connection: apsw.Connection) -> RunChanges:
            rows = confidence_repo.of_run(connection, run_id, after, limit)
            count = confidence_repo.count_of_run(connection, run_id)
            return RunChanges(
                {"lower": count} if count else {},
                tuple(
                    ChangedItem("lower", memory_id, title, f"confidence {before:.2f} to {value:.2f}")
                    for _, memory_id, title, before, value in rows
                ),
                rows[-1][0] if len(rows) == limit else None,
            )

        return await self._store.read(work)

    async def undo(self, run_id: str) -> frozenset[Area]:
        """Give the confidences back that still stand, or lower them again; see ``RunUndoer``."""
        restored, now_ms = 0, self._clock.now_ms()
        place = 0 if await self._store.read(partial(_has_changes, run_id=run_id)) else None
        while place is not None:
            count, place = await self._store.write(
                partial(confidence_repo.give_back, run_id=run_id, after=place, limit=_TOGETHER, now_ms=now_ms)
            )
            restored += count
            await asyncio.sleep(0)
        return frozenset({"memories"}) if restored else frozenset()


def _has_changes(connection: apsw.Connection, run_id: str) -> bool:
    return confidence_repo.count_of_run(connection, confidence_repo.standing_name(run_id)) > 0
