"""Sets memories aside when the time has come until which they were to be kept."""

import asyncio
from collections.abc import Callable
from functools import partial

import apsw

from app.changes import ChangeSet
from app.core.access import Access
from app.core.stores import STORES
from app.errors import KeepsakeError
from app.memories import repo
from app.memories.unit_of_work import MemoryUnitOfWork, join_changes
from app.memories.writer import MemoryWriter
from app.sentence import Sentence

ACTOR = "expiry"
_TOGETHER = 50  # memories in one transaction
_LONGEST_S = 3600.0
_PAUSE_S = 0.1  # after a change, so that a burst of changes is looked through once

# One that somebody brought back after its time stays.
_DUE = (
    "SELECT m.id FROM memories m WHERE m.expires_at IS NOT NULL AND m.valid_until IS NULL AND m.expires_at <= ?"
    f" AND {repo.not_restored_since('m.expires_at')} ORDER BY m.expires_at, m.id LIMIT ?"
)
_NEXT = (
    "SELECT min(m.expires_at) FROM memories m"
    " WHERE m.expires_at IS NOT NULL AND m.valid_until IS NULL AND m.expires_at > ?"
)


class ExpiryService:
    """Deletes expired memories softly, as one run that can be undone.

    Args:
        transactions: Opens transactions.
        publish: Told of what a sweep changed.
    """

    def __init__(self, transactions: MemoryUnitOfWork, publish: Callable[[ChangeSet], None]) -> None:
        self._transactions = transactions
        self._publish = publish
        self._woken = asyncio.Event()
        self.failure = ""

    async def expire(self, run_id: str | None = None) -> tuple[str, ...]:
        """Set expired memories aside, a few at a time, and return their ids."""
        ids: list[str] = []
        changes: list[ChangeSet] = []
        # Looking first leaves the writer to those who write: nearly always nothing is due.
        while await self._wait_s() <= 0:
            done = await self._transactions.run(Access.everything(ACTOR, "memory.expire", run_id), _sweep)
            ids += done.value
            changes.append(done.changes)
        if changes:
            self._publish(join_changes(changes, ACTOR, "memory.expire"))
        return tuple(ids)

    async def run(self) -> None:
        """Sweep now and each time a memory expires, until cancelled."""
        while True:
            self._woken.clear()
            try:
                waits = await self._wait_s()
                if waits <= 0:
                    await self.expire()
                self.failure = ""
            except KeepsakeError as error:
                self.failure, waits = (
                    Sentence("What has expired could not be set aside: {why}", why=error.sentence),
                    _LONGEST_S,
                )
            try:
                await asyncio.wait_for(self._woken.wait(), max(waits, 0))
            except TimeoutError:
                continue
            await asyncio.sleep(_PAUSE_S)

    async def _wait_s(self) -> float:
        """Return the seconds until a memory expires, 0 when one has."""
        return await self._transactions.store.read(partial(_wait_s, now_ms=self._transactions.clock.now_ms()))

    def wake(self) -> None:
        """Look again: memories were changed."""
        self._woken.set()


def _due(connection: apsw.Connection, now_ms: int) -> list[str]:
    return [str(row[0]) for row in connection.execute(_DUE, (now_ms, _TOGETHER))]


def _sweep(writer: MemoryWriter) -> list[str]:
    memories = repo.many(writer.connection, _due(writer.connection, writer.at_ms), stores=STORES)
    return [writer.delete(memory).id for memory in memories]


def _wait_s(connection: apsw.Connection, now_ms: int) -> float:
    if _due(connection, now_ms):
        return 0.0
    soonest = connection.execute(_NEXT, (now_ms,)).get
    return _LONGEST_S if soonest is None else min(max((int(str(soonest)) - now_ms) / 1000, 0.01), _LONGEST_S)
