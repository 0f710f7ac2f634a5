"""Undo of a whole run: its history entries and its other changes, in short transactions."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from app.changes import MAX_NAMED, Changed, ChangeSet
from app.core.stores import STORES, sees_all
from app.core.text import storable
from app.errors import NotFoundError, StaleError
from app.history import undo_chain
from app.history.bulk_undo import BulkUndo, BulkUndone
from app.history.undo import AREAS
from app.store.store import Store

RunUndoer = Callable[[str], Awaitable[frozenset[str]]]
"""Undoes what a run changed besides the history and still stands, in short transactions.

It returns the areas that changed, none for nothing. Called again after an interruption, it goes on.
"""


class RunUndo:
    """Undoes runs; what was changed again since stays as it is.

    Args:
        store: The vault's database.
        entries: Undoes entries of the history in short transactions.
        undoers: Undo what else runs changed.
    """

    def __init__(self, store: Store, entries: BulkUndo, undoers: Sequence[RunUndoer] = ()) -> None:
        self._store = store
        self._entries = entries
        self._undoers = tuple(undoers)

    async def undo(
        self, run_id: str, *, stores: Sequence[str] = STORES, actor: str = "person", operation: str = "upkeep.undo"
    ) -> Changed[list[int]]:
        """Undo what one run did and still stands, in short transactions.

        Stopped halfway, it leaves the vault whole, and goes on when called again.

        Returns:
            The ids of the new entries of the history.

        Raises:
            NotFoundError: There is no such run, or all of it is undone.
            StaleError: Everything it changed was changed again since.
        """
        run = storable(run_id)[0]
        standing = await self._store.read(partial(undo_chain.standing_of_run, run_id=run))
        others = frozenset[str]()
        done = BulkUndone()
        if standing:
            done = await self._entries.run(standing, f"undo:{run}", actor)
        if sees_all(stores):
            for undoer in self._undoers:
                others |= await undoer(run)
        if not done.entries and not others:
            if done.skipped:
                raise StaleError(next(iter(done.skipped.values())).reason, run=run_id)
            raise NotFoundError("Nothing is left to undo of that run.", run=run_id)
        areas = others.union(*(AREAS[kind] for kind in set(done.targets.values())))
        is_named = len(done.targets) <= MAX_NAMED and not others
        ids = tuple(done.targets) if is_named else ()
        return Changed(done.entries, ChangeSet(areas, ids, actor, operation, tuple(done.entries)))
