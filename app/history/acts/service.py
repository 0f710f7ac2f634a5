"""Acts of the history: listed, undone and done again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import apsw

from app.changes import Changed
from app.core.access import Access
from app.errors import InputError, NotFoundError, StaleError
from app.history import history_repo
from app.history.acts.model import Act, ActPage, NextSteps, Step, UndoneAct, Who
from app.history.acts.reader import ActReader
from app.history.acts.repo import ENTRY
from app.history.run_undo import RunUndo
from app.history.undo import UndoService
from app.store.store import Store

_LONG_S: Final = 30.0


class ActService:
    """Lists acts and undoes them.

    Args:
        store: The vault's database.
        reader: Reads acts.
        undo: Undoes single changes.
        runs: Undoes runs.
    """

    def __init__(self, store: Store, reader: ActReader, undo: UndoService, runs: RunUndo) -> None:
        self._store = store
        self._reader = reader
        self._undo = undo
        self._runs = runs

    async def page(self, who: Who | None, limit: int, cursor: str = "") -> ActPage:
        """Return a page of acts, newest first.

        Args:
            who: Only those that count as somebody's.
            limit: How many at most.
            cursor: Where to go on, as the page before has it.

        Raises:
            InputError: The cursor is none that an earlier page gave.
        """
        work = partial(self._reader.page, who=who, limit=limit, cursor=cursor)
        return await self._store.read(work, limit_s=_LONG_S)

    async def acts(self, ids: Sequence[str]) -> list[Act]:
        """Return acts by their ids; those there are none of are left out."""
        return await self._store.read(partial(self._reader.acts, ids=ids), limit_s=_LONG_S)

    async def next_steps(self) -> NextSteps:
        """Return what the person would undo next, and do again."""
        return await self._store.read(self._reader.next_steps, limit_s=_LONG_S)

    async def undo(self, identity: str, actor: str) -> Changed[UndoneAct]:
        """Undo an act.

        Undoing one that undid another brings back what that one did.

        Raises:
            NotFoundError: There is no such act.
            InputError: It is undone already.
            StaleError: What it changed was changed since; the sentence says what to undo first.
        """
        act = await self._store.read(partial(self._reader.act, identity=identity))
        if act.state == "undone":
            raise InputError("That is undone already.", id=identity, undone_by=act.undone_by)
        return await self._carry_out(act, actor)

    async def step(self, step: Step, actor: str) -> Changed[UndoneAct]:
        """Undo the last thing that the person did, or do again what they undid last.

        Raises:
            NotFoundError: There is nothing.
            StaleError: What it changed was changed since; the sentence says what to undo first.
        """
        steps = await self.next_steps()
        act = steps.undo if step == "undo" else steps.redo
        if act is None:
            raise NotFoundError("There is nothing to undo." if step == "undo" else "There is nothing to do again.")
        return await self._carry_out(act, actor)

    async def _carry_out(self, act: Act, actor: str) -> Changed[UndoneAct]:
        try:
            return await self._undo_whole(act, actor)
        except StaleError as error:
            work = partial(self._named_obstacle, act=act, error=error)
            raise StaleError(await self._store.read(work), **error.data) from error

    def _named_obstacle(self, connection: apsw.Connection, act: Act, error: StaleError) -> str:
        """Return why an act cannot be undone, with the act to undo first by name."""
        later = error.data.get("later")
        entry = None if later is None else history_repo.entry(connection, later)
        if entry is None:
            return self._reader.act(connection, act.id).refusal or error.message
        return f"{error.data['said']} {self._reader.undo_first(connection, entry)}"

    async def _undo_whole(self, act: Act, actor: str) -> Changed[UndoneAct]:
        if act.id.startswith(ENTRY):
            done = await self._undo.undo(Access.everything(actor, "memory.undo"), [int(act.id.removeprefix(ENTRY))])
            return Changed(UndoneAct(act, tuple(done.value)), done.changes)
        undone = await self._runs.carry_out(Access.everything(actor, "memory.undo"), act.id)
        skipped = list(undone.value.skipped.values())
        reason = ""
        if skipped:
            work = partial(self._reader.kept_because, run_id=act.id, target=skipped[0].target)
            reason = await self._store.read(work) or skipped[0].reason
        value = UndoneAct(act, tuple(undone.value.entries), len(skipped), reason)
        return Changed(value, replace(undone.changes, operation="memory.undo"))
