"""Undo of a whole run: its history entries and its other changes, in short transactions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import apsw

from app.changes import MAX_NAMED, Changed, ChangeSet
from app.core.stores import STORES
from app.core.text import storable
from app.errors import NotFoundError, StaleError
from app.history import undo_chain
from app.history.bulk_undo import BulkUndo, BulkUndone
from app.history.undo import AREAS
from app.store.store import Store


@dataclass(frozen=True, slots=True)
class RunChange:
    """A change of a run that has no entry in the history.

    Args:
        action: A verb, such as ``lower``.
        id: What was changed.
        title: Its title, for a person.
        detail: What became of it, in a few words.
    """

    action: str
    id: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RunChanges:
    """Changes of a run that have no entry in the history and still count.

    Args:
        counts: How many of each action.
        changes: One page of them.
        next: Where the next page begins, ``None`` after the last.
    """

    counts: dict[str, int] = field(default_factory=dict)
    changes: tuple[RunChange, ...] = ()
    next: int | None = None


class RunUndoer(Protocol):
    """Undoer of what runs change without entries in the history."""

    async def changes(self, run_id: str, after: int, limit: int) -> RunChanges:
        """Return a page of what a run changed and still stands.

        It begins after the place ``after``; 0 is before the first.
        """

    async def undo(self, run_id: str) -> frozenset[str]:
        """Undo what still stands, in short transactions.

        Returns the areas that changed, none for nothing.

        Called again after an interruption, it goes on.
        """


class DerivedUndo:
    """Undoer of the derived data that a run made, in one transaction.

    Args:
        store: The vault's database.
        undo: Takes it back, inside a transaction; returns the areas that changed.
    """

    def __init__(self, store: Store, undo: Callable[[apsw.Connection, str], frozenset[str]]) -> None:
        self._store = store
        self._undo = undo

    async def changes(self, run_id: str, after: int, limit: int) -> RunChanges:
        """Return nothing: what is derived is not listed one by one."""
        return RunChanges()

    async def undo(self, run_id: str) -> frozenset[str]:
        """Take it back; see ``RunUndoer``."""
        return await self._store.write(partial(self._take_back, run_id))

    def _take_back(self, run_id: str, connection: apsw.Connection) -> frozenset[str]:
        return self._undo(connection, run_id)


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
        standing = await self._store.read(partial(_standing, run_id=run))
        others = frozenset[str]()
        done = BulkUndone()
        if standing:
            done = await self._entries.run(standing, f"undo:{run}", actor)
        if set(stores) >= set(STORES):
            for undoer in self._undoers:
                others |= await undoer.undo(run)
        if not done.entries and not others:
            if done.skipped:
                raise StaleError(next(iter(done.skipped.values())).reason, run=run_id)
            raise NotFoundError("Nothing is left to undo of that run.", run=run_id)
        areas = others.union(*(AREAS[kind] for kind in set(done.targets.values())))
        is_named = len(done.targets) <= MAX_NAMED and not others
        ids = tuple(done.targets) if is_named else ()
        return Changed(done.entries, ChangeSet(areas, ids, actor, operation, tuple(done.entries)))

    async def other_changes(self, run_id: str, after: int, limit: int) -> RunChanges:
        """Return the changes of a run that made no history entries.

        See ``RunUndoer.changes``.
        """
        counts: dict[str, int] = {}
        changes: tuple[RunChange, ...] = ()
        following: int | None = None
        for undoer in self._undoers:
            found = await undoer.changes(storable(run_id)[0], after, limit)
            counts |= found.counts
            changes += found.changes
            following = following if found.next is None else found.next
        return RunChanges(counts, changes, following)


def _standing(connection: apsw.Connection, run_id: str) -> list[int]:
    made = undo_chain.entries_of_run(connection, run_id)
    return [history_id for history_id in made if undo_chain.latest_entry(connection, history_id)[1]]
