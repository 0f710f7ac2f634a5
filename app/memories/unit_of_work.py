"""Runs work on memories in one transaction each and says what it touched."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import apsw

from app.changes import MAX_NAMED, Area, Changed, ChangeSet, Scope, joined_scopes
from app.core.access import Access
from app.core.clock import Clock
from app.core.item_batches import batched
from app.memories.store_access import answer_as_seen
from app.memories.writer import MemoryIndex, MemoryWriter
from app.store.store import Store

T = TypeVar("T")
Item = TypeVar("Item")


class MemoryUnitOfWork:
    """Opens transactions that write memories.

    Args:
        store: The vault's database.
        index: Who keeps the search index in step.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, index: MemoryIndex, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self._index = index

    async def run(self, access: Access, work: Callable[[MemoryWriter], T]) -> Changed[T]:
        """Run ``work`` in one transaction, committed before this returns.

        The answer is as the caller sees it.
        """
        done = await self.store.write(partial(self._transact, access, work))
        return Changed(answer_as_seen(done.value, access.stores), done.changes)

    async def run_batches(
        self,
        access: Access,
        items: Sequence[Item],
        size: int,
        work: Callable[[Sequence[Item], MemoryWriter], Sequence[T]],
    ) -> Changed[list[T]]:
        """Run ``work`` on batches of items, each in its own transaction.

        Others may write in between. The answer is all that ``work`` returned.
        """
        done = [await self.run(access, partial(work, batch)) for batch in batched(items, size)]
        answers = [answer for change in done for answer in change.value]
        return Changed(answers, join_changes([change.changes for change in done], access.actor, access.operation))

    def _transact(
        self,
        access: Access,
        work: Callable[[MemoryWriter], T],
        connection: apsw.Connection,
    ) -> Changed[T]:
        at_ms = self.clock.now_ms()
        writer = MemoryWriter(connection, self._index, actor=access.actor, at_ms=at_ms, run_id=access.run_id)
        value = work(writer)
        return Changed(value, writer.changes(access.operation))


def join_changes(changes: Sequence[ChangeSet], actor: str, operation: str) -> ChangeSet:
    """Return several changes as one."""
    scopes_by_id: dict[str, Scope] = {}
    for change in changes:
        scopes = change.scopes if change.ids and change.scopes is not None else ((),) * len(change.ids)
        for name, scope in zip(change.ids, scopes, strict=True):
            scopes_by_id[name] = tuple(dict.fromkeys((*scopes_by_id.get(name, ()), *scope)))
    is_named = len(scopes_by_id) <= MAX_NAMED and all(change.ids or not change.history_ids for change in changes)
    everything = joined_scopes(scope for change in changes for scope in change.scopes or ())
    return ChangeSet(
        areas=frozenset[Area]().union(*(change.areas for change in changes)),
        ids=tuple(scopes_by_id) if is_named else (),
        scopes=tuple(scopes_by_id.values()) if is_named else everything,
        actor=actor,
        operation=operation,
        history_ids=tuple(entry for change in changes for entry in change.history_ids),
    )
