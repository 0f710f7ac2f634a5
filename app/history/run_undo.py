"""Undo of a whole run: its history entries and its other changes, in short transactions."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import apsw

from app.changes import MAX_NAMED, Area, Changed, ChangeSet
from app.core.access import Access
from app.core.stores import sees_all
from app.core.text import storable
from app.errors import StaleError
from app.history import undo_chain
from app.history.bulk_undo import BulkUndo, BulkUndone
from app.history.model import UNDO
from app.history.undo import AREAS, UndoService, nothing_left
from app.store.store import Store

_ACCEPTANCE: Final = "inbox:"

RunUndoer = Callable[[str], Awaitable[frozenset[Area]]]
"""Undoes what a run changed besides the history and still stands, in short transactions.

It returns the areas that changed, none for nothing. Called again after an interruption, it goes on.
"""


class RunUndo:
    """Undoes runs; what was changed again since stays as it is.

    What was accepted in the inbox is undone as a whole or not at all, for then it waits there again.

    Args:
        store: The vault's database.
        undo: Undoes entries of the history in one transaction.
        entries: Undoes them in short transactions.
        undoers: Undo what else runs changed.
    """

    def __init__(self, store: Store, undo: UndoService, entries: BulkUndo, undoers: Sequence[RunUndoer] = ()) -> None:
        self._store = store
        self._undo = undo
        self._entries = entries
        self._undoers = tuple(undoers)

    async def undo(self, access: Access, run_id: str) -> Changed[list[int]]:
        """Undo a run, and return the new entries of the history; see ``carry_out``."""
        done = await self.carry_out(access, run_id)
        return Changed(done.value.entries, done.changes)

    async def carry_out(self, access: Access, run_id: str) -> Changed[BulkUndone]:
        """Undo what one run did and still stands, in short transactions.

        The answer says what was undone and what was not. Stopped halfway, it leaves the vault whole, and goes on when
        called again.

        Raises:
            NotFoundError: There is no such run, or all of it is undone.
            StaleError: Everything it changed was changed again since, or a part of what was accepted was.
        """
        run = storable(run_id)[0]
        standing, undoing = await self._store.read(partial(_standing, run_id=run))
        others = frozenset[Area]()
        done = BulkUndone()
        if standing and run.replace(UNDO, "").startswith(_ACCEPTANCE):
            changed = await self._undo.undo(access, standing)
            done.entries += changed.value
            others = changed.changes.areas
        elif standing:
            done = await self._entries.run(standing, undoing, access.actor)
        if sees_all(access.stores):
            for undoer in self._undoers:
                others |= await undoer(run)
        if not done.entries and not others:
            if done.skipped:
                first = next(iter(done.skipped.values()))
                raise StaleError(first.reason, run=run_id, target=first.target)
            raise nothing_left(run_id)
        areas = others.union(*(AREAS[kind] for kind in set(done.targets.values())))
        is_named = len(done.targets) <= MAX_NAMED and not others
        ids = tuple(done.targets) if is_named else ()
        return Changed(done, ChangeSet(areas, ids, access.actor, access.operation, tuple(done.entries)))


def _standing(connection: apsw.Connection, run_id: str) -> tuple[list[int], str]:
    """Return the standing entries of a run, and the run of their undoing."""
    return undo_chain.standing_of_run(connection, run_id), undo_chain.undoing_run(connection, run_id)
