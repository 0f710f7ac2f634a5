"""The archive: memories that are out of the way but not lost.

Nothing but ``clean`` takes anything out of the vault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import apsw

from app.changes import MAX_NAMED, Changed, ChangeSet, joined_scopes
from app.core.clock import DAY_MS, Clock, to_datetime
from app.core.ids import new_id
from app.core.item_batches import batched
from app.core.stores import STORES
from app.core.text import excerpt, storable
from app.errors import InputError
from app.history import history_repo
from app.memories import repo
from app.memories.archive import archive_repo
from app.memories.archive.archive_moves import _there, put_in, state, take_out
from app.memories.archive.model import Archived, ArchivedMemory, ArchiveFilter, DueState, MovedMemories
from app.memories.model import Memory
from app.memories.state_codec import to_state
from app.memories.writer import MemoryIndex, recorded_state
from app.store.store import Store

BATCH = 50  # memories that one transaction moves
_MOST_DAYS = 36_500
_AREAS = frozenset({"memories", "tags", "links", "index"})
_REASON = 200


class ArchiveService:
    """Moves memories into the archive and back.

    Every move is in the history and can be undone.

    Args:
        store: The vault's database.
        index: Who keeps the search index in step.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, index: MemoryIndex, clock: Clock) -> None:
        self._store = store
        self._index = index
        self._clock = clock

    async def put(
        self,
        ids: Sequence[str],
        reason: str,
        *,
        stores: Sequence[str] = STORES,
        actor: str = "person",
        run_id: str | None = None,
        operation: str = "archive.put",
    ) -> Changed[MovedMemories]:
        """Move memories into the archive, a batch at a time, as one run.

        Memories that the caller does not see are left out.
        """
        run = run_id or new_id("run")
        why = excerpt(storable(reason)[0], _REASON)
        wanted = list(dict.fromkeys(storable(memory_id)[0] for memory_id in ids))
        entries: dict[str, tuple[int, str]] = {}
        for batch in batched(wanted, BATCH):

            def work(connection: apsw.Connection, batch: list[str] = batch) -> dict[str, tuple[int, str]]:
                return self._put_all(connection, batch, why, stores, actor, run)

            entries |= await self._store.write(work)
        moved = MovedMemories(run, tuple(entries), len(wanted) - len(entries))
        return Changed(moved, _changes(entries, actor, operation))

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
        self, chosen: ArchiveFilter, *, limit: int = 50, offset: int = 0, stores: Sequence[str] = STORES
    ) -> list[ArchivedMemory]:
        """Return one page of the archive, what was put there last first."""
        clean = replace(chosen, text=storable(chosen.text[:1_000])[0])
        return await self._store.read(
            lambda connection: archive_repo.shown(connection, clean, limit=limit, offset=offset, stores=stores)
        )

    async def ids(self) -> list[str]:
        """Return the ids of everything in the archive, what was put there first first."""
        return await self._store.read(archive_repo.ids)

    async def get(self, memory_id: str, *, stores: Sequence[str] = STORES) -> Archived:
        """Return an archived memory as it was.

        Raises:
            NotFoundError: There is none of that id in ``stores``.
        """
        found = await self._store.read(lambda connection: _there(connection, memory_id, stores))
        return Archived(found[0], to_datetime(found[1]), found[2])

    async def restore(
        self,
        memory_id: str,
        *,
        stores: Sequence[str] = STORES,
        actor: str = "person",
        operation: str = "archive.restore",
    ) -> Changed[Memory]:
        """Restore a memory from the archive exactly as it was.

        It goes into the trash if it came from there.

        Raises:
            NotFoundError: The archive has none of that id in ``stores``.
            InputError: Its id was given away.
            StaleError: Another active fact has its category and key.
        """

        def work(connection: apsw.Connection) -> Changed[Memory]:
            _there(connection, memory_id, stores)
            before = state(connection, memory_id)
            if repo.get(connection, memory_id) is not None:
                raise InputError("There is an active memory with this id, which keeps it in the archive.", id=memory_id)
            restored = take_out(connection, self._index, memory_id)
            entry = self._record(connection, memory_id, "RESTORE", before, recorded_state(restored), actor, None)
            shown = repo.many(connection, (memory_id,), stores=stores)[0]
            return Changed(shown, _changes({memory_id: (entry, restored.store)}, actor, operation))

        return await self._store.write(work)

    async def clean(
        self, older_than_days: float, *, limit: int = 200, actor: str = "person", operation: str = "archive.clean"
    ) -> Changed[int]:
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
        return Changed(len(gone), ChangeSet(_AREAS if gone else frozenset(), named, actor, operation))

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

    async def clean_recorded(
        self, ids: Sequence[str], *, actor: str, run_id: str, operation: str = "archive.clean"
    ) -> Changed[int]:
        """Delete memories from the archive and record each whole in the history.

        By that the run can be undone.

        Notes, pinned ones and what is not in the archive are left out.
        """

        def work(connection: apsw.Connection) -> dict[str, tuple[int, str]]:
            entries: dict[str, tuple[int, str]] = {}
            for memory_id in ids:
                found = archive_repo.get(connection, memory_id)
                if found is None or found[0].kind == "note" or found[0].pinned:
                    continue
                memory, at_ms, reason = found
                before = {**to_state(memory), "archived_at": at_ms, "reason": reason}
                archive_repo.remove(connection, memory_id)
                entry = self._record(connection, memory_id, "CLEAN", before, None, actor, run_id)
                entries[memory_id] = (entry, memory.store)
            return entries

        entries = await self._store.write(work)
        return Changed(len(entries), _changes(entries, actor, operation))

    def _before(self, days: float) -> int:
        """Return the moment so many days ago."""
        if not 0 <= days <= _MOST_DAYS:
            raise InputError(f"An age is a number of days from 0 to {_MOST_DAYS:,}.", field="older_than_days")
        return self._clock.now_ms() - round(days * DAY_MS)

    def _put_all(
        self,
        connection: apsw.Connection,
        ids: Sequence[str],
        reason: str,
        stores: Sequence[str],
        actor: str,
        run_id: str,
    ) -> dict[str, tuple[int, str]]:
        """Move the memories of ``ids`` that exist, and return their history entries and stores.

        Those outside ``stores`` or in the archive already are left out.
        """
        entries: dict[str, tuple[int, str]] = {}
        for memory in repo.many(connection, ids):
            if memory.store in stores and not archive_repo.holds(connection, memory.id):
                put_in(connection, self._index, memory.id, reason, self._clock.now_ms())
                after = state(connection, memory.id)
                entry = self._record(connection, memory.id, "ARCHIVE", recorded_state(memory), after, actor, run_id)
                entries[memory.id] = (entry, memory.store)
        return entries

    def _record(
        self,
        connection: apsw.Connection,
        target: str,
        event: str,
        before: dict[str, Any] | None,
        after: dict[str, Any] | None,
        actor: str,
        run_id: str | None,
    ) -> int:
        return history_repo.record(
            connection,
            target_kind="memory",
            target=target,
            event=event,
            before=before,
            after=after,
            actor=actor,
            at_ms=self._clock.now_ms(),
            run_id=run_id,
        )


def _changes(entries: Mapping[str, tuple[int, str]], actor: str, operation: str) -> ChangeSet:
    """Return the change set of moved memories, by id with history entry and store."""
    scopes, is_named = [(store,) for _, store in entries.values()], len(entries) <= MAX_NAMED
    return ChangeSet(
        _AREAS if entries else frozenset(),
        tuple(entries) if is_named else (),
        actor,
        operation,
        tuple(entry for entry, _ in entries.values()),
        tuple(scopes) if is_named else joined_scopes(scopes),
    )
