"""The archive: memories that are out of the way but not lost.

Nothing but ``clean`` takes anything out of the vault.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import apsw

from app.changes import MAX_NAMED, Area, Changed, ChangeSet
from app.core.access import Access
from app.core.clock import DAY_MS, to_datetime
from app.core.ids import new_id
from app.core.stores import STORES
from app.core.text import excerpt, storable
from app.errors import InputError
from app.memories import repo
from app.memories.archive import archive_repo
from app.memories.archive.archive_moves import put_in, require_archived, state, take_out
from app.memories.archive.model import Archived, ArchivedMemory, ArchiveFilter, DueState, MovedMemories
from app.memories.model import Memory
from app.memories.state_codec import to_state
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter, recorded_state
from app.sentence import Sentence

BATCH = 50  # memories that one transaction moves
_MOST_DAYS = 36_500
_AREAS: Final[frozenset[Area]] = frozenset({"memories", "tags", "links", "index"})
_REASON = 200


class ArchiveService:
    """Moves memories into the archive and back.

    Every move is in the history and can be undone.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions
        self._store = transactions.store

    async def put(self, access: Access, ids: Sequence[str], reason: str) -> Changed[MovedMemories]:
        """Move memories into the archive, a batch at a time, as one run.

        Memories that the caller does not see are left out.
        """
        run = access.run_id or new_id("run")
        why = excerpt(storable(reason)[0], _REASON)
        wanted = list(dict.fromkeys(storable(memory_id)[0] for memory_id in ids))

        def work(batch: Sequence[str], writer: MemoryWriter) -> list[str]:
            return _put_all(batch, why, access.stores, writer)

        done = await self._transactions.run_batches(access.in_run(run), wanted, BATCH, work)
        return Changed(MovedMemories(run, tuple(done.value), len(wanted) - len(done.value)), done.changes)

    async def due(
        self, older_than_days: float, states: Sequence[DueState] = ("deleted", "expired"), *, limit: int = 200
    ) -> list[str]:
        """Return ids of memories deleted, expired or untouched for many days, oldest first.

        They have been so for longer than ``older_than_days``.
        Pinned ones, notes and reflections are never merely old.

        Raises:
            InputError: The number of days is negative or absurd.
        """
        before = self._before(older_than_days)
        if not states:
            return []
        return await self._store.read(lambda connection: archive_repo.due(connection, before, states, limit))

    async def listed(
        self, access: Access, chosen: ArchiveFilter, *, limit: int = 50, offset: int = 0
    ) -> list[ArchivedMemory]:
        """Return one page of the archive, what was put there last first."""
        clean = replace(chosen, text=storable(chosen.text[:1_000])[0])
        return await self._store.read(
            lambda connection: archive_repo.shown(connection, clean, limit=limit, offset=offset, stores=access.stores)
        )

    async def ids(self) -> list[str]:
        """Return the ids of everything in the archive, what was put there first first."""
        return await self._store.read(archive_repo.ids)

    async def get(self, access: Access, memory_id: str) -> Archived:
        """Return an archived memory as it was.

        Raises:
            NotFoundError: There is none of that id that the caller may see.
        """
        result = await self._store.read(lambda connection: require_archived(connection, memory_id, access.stores))
        return Archived(result[0], to_datetime(result[1]), result[2])

    async def restore(self, access: Access, memory_id: str) -> Changed[Memory]:
        """Restore a memory from the archive exactly as it was.

        It goes into the trash if it came from there.

        Raises:
            NotFoundError: The archive has none of that id that the caller may see.
            InputError: Its id was given away.
            StaleError: Another active fact has its category and key.
        """

        def work(writer: MemoryWriter) -> Memory:
            connection = writer.connection
            require_archived(connection, memory_id, access.stores)
            before = state(connection, memory_id)
            if repo.get(connection, memory_id, stores=STORES) is not None:
                raise InputError("There is an active memory with this id, which keeps it in the archive.", id=memory_id)
            restored = take_out(connection, writer.index, memory_id)
            writer.enter(memory_id, "RESTORE", before, recorded_state(restored), _AREAS)
            return repo.many(connection, (memory_id,), stores=access.stores)[0]

        return await self._transactions.run(access, work)

    async def clean(self, access: Access, older_than_days: float, *, limit: int = 200) -> Changed[int]:
        """Delete old memories from the archive, except notes, and return how many.

        They have been in the archive for longer than ``older_than_days``.
        This cannot be undone. Their history stays.

        Raises:
            InputError: The number of days is negative or absurd.
        """
        before = self._before(older_than_days)
        gone: list[str] = []
        while len(gone) < limit:
            size = min(BATCH, limit - len(gone))

            def work(connection: apsw.Connection, size: int = size) -> list[str]:
                return archive_repo.drop(connection, before, size)

            dropped = await self._store.write(work)
            gone += dropped
            if len(dropped) < size:
                break
        named = tuple(gone) if len(gone) <= MAX_NAMED else ()
        return Changed(len(gone), ChangeSet(_AREAS if gone else frozenset(), named, access.actor, access.operation))

    async def old_observations(self, older_than_days: float, limit: int) -> list[str]:
        """Return ids of observations to archive, the longest idle first.

        They are neither changed nor read, or are deleted or expired, for longer than ``older_than_days``. Pinned ones
        and those that were brought back since are left out.

        Raises:
            InputError: The number of days is negative or absurd.
        """
        before = self._before(older_than_days)
        return await self._store.read(partial(archive_repo.old_observations, before_ms=before, limit=limit))

    async def to_clean(self, older_than_days: float, limit: int) -> list[str]:
        """Return ids of what has been in the archive for longer than some days.

        Notes and pinned ones are left out.

        Raises:
            InputError: The number of days is negative or absurd.
        """
        before = self._before(older_than_days)
        return await self._store.read(partial(archive_repo.old, before_ms=before, limit=limit))

    async def clean_recorded(self, access: Access, ids: Sequence[str]) -> Changed[int]:
        """Delete memories from the archive and record each whole in the history.

        By that the run can be undone.

        Notes, pinned ones and what is not in the archive are left out.
        """

        def work(writer: MemoryWriter) -> int:
            count = 0
            for memory_id in ids:
                row = archive_repo.get(writer.connection, memory_id, STORES)
                if row is None or row[0].kind == "note" or row[0].pinned:
                    continue
                memory, at_ms, reason = row
                archive_repo.remove(writer.connection, memory_id)
                before = {**to_state(memory), "archived_at": at_ms, "reason": reason}
                writer.enter(memory_id, "CLEAN", before, None, _AREAS)
                count += 1
            return count

        return await self._transactions.run(access, work)

    def _before(self, days: float) -> int:
        """Return the moment so many days ago."""
        if not 0 <= days <= _MOST_DAYS:
            raise InputError(
                Sentence("An age is a number of days from 0 to {most_days}.", most_days=_MOST_DAYS),
                field="older_than_days",
            )
        return self._transactions.clock.now_ms() - round(days * DAY_MS)


def _put_all(ids: Sequence[str], reason: str, stores: Sequence[str], writer: MemoryWriter) -> list[str]:
    """Move the memories of ``ids`` that exist, and return their ids.

    Those outside ``stores`` or in the archive already are left out.
    """
    moved = []
    for memory in repo.many(writer.connection, ids, stores=STORES):
        if memory.store in stores and not archive_repo.holds(writer.connection, memory.id):
            put_in(writer.connection, writer.index, memory.id, reason, writer.at_ms)
            after = state(writer.connection, memory.id)
            writer.enter(memory.id, "ARCHIVE", recorded_state(memory), after, _AREAS)
            moved.append(memory.id)
    return moved
