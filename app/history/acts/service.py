"""Acts of the history: listed, undone and done again."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Final

import apsw

from app.changes import MAX_NAMED, Changed, ChangeSet
from app.core.access import Access
from app.errors import InputError, NotFoundError, StaleError
from app.history.acts.model import (
    ENTRY,
    NOTHING_TO_REDO,
    NOTHING_TO_UNDO,
    UNDONE_ALREADY,
    Act,
    ActObstacle,
    ActPage,
    NextSteps,
    Step,
    UndoneAct,
    Who,
    undone_before,
)
from app.history.acts.reader import ActReader
from app.history.run_undo import RunUndo
from app.history.undo import UndoService
from app.sentence import joined
from app.store.store import Store

_LONG_S: Final = 30.0


class ActService:
    """Lists acts and undoes them.

    Args:
        store: The vault's database.
        reader: Reads acts.
        undo: Undoes single changes.
        runs: Undoes runs.
        publish: Hears of what was undone before the rest failed.
    """

    def __init__(
        self,
        store: Store,
        reader: ActReader,
        undo: UndoService,
        runs: RunUndo,
        publish: Callable[[ChangeSet], None],
    ) -> None:
        self._store = store
        self._reader = reader
        self._undo = undo
        self._runs = runs
        self._publish = publish

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

    async def undo(self, identity: str, actor: str, *, with_later: bool = False) -> Changed[UndoneAct]:
        """Undo an act.

        Undoing one that undid another brings back what that one did.

        Args:
            identity: The act.
            actor: Who undoes it.
            with_later: Undo what is in its way first, the latest first, each as an act of its own. Each change is
                undone or done again once at most. What was undone stays so where the rest fails; the error tells of it.

        Raises:
            NotFoundError: There is no such act.
            InputError: It is undone already.
            StaleError: What it changed was changed since; the sentence says what to undo first.
        """
        done: list[Changed[UndoneAct]] = []
        try:
            await self._undo_with(identity, actor, done, set() if with_later else None)
        except BaseException as error:
            if not done:
                raise
            self._publish(replace(_joined(done), operation="history.undo"))
            if not isinstance(error, InputError):
                raise
            undone = [one.value.act.id for one in done]
            data = error.data | {"undone": undone, "cause": error.message}
            raise type(error)(joined((error.sentence, undone_before(undone))), **data) from error
        return Changed(done[-1].value, _joined(done))

    async def _undo_with(self, identity: str, actor: str, done: list[Changed[UndoneAct]], met: set[str] | None) -> None:
        """Undo an act, and first what is in its way.

        Args:
            identity: The act.
            actor: Who undoes it.
            done: Collects what was undone.
            met: Collects the first acts of what was undone or done again, each of which is so once at most; ``None`` to
                undo nothing but ``identity``.
        """
        while True:
            act = await self._store.read(partial(self._reader.act, identity=identity))
            if act.state == "undone":
                raise InputError(UNDONE_ALREADY, id=identity, undone_by=act.undone_by)
            try:
                done.append(await self._carry_out(act, actor))
            except StaleError as error:
                first = str((error.data["obstacle"] or {}).get("first", ""))
                if met is None or not first:
                    raise
                base = await self._store.read(partial(self._reader.base_of, identity=first))
                if base in met:  # there and back again would have no end
                    raise
                met.add(base)
                await self._undo_with(first, actor, done, met)
            else:
                return

    async def step(self, step: Step, actor: str) -> Changed[UndoneAct]:
        """Undo the last thing that the person did, or do again what they undid last.

        Raises:
            NotFoundError: There is nothing.
            StaleError: What it changed was changed since; the sentence says what to undo first.
        """
        steps = await self.next_steps()
        act = steps.undo if step == "undo" else steps.redo
        if act is None:
            raise NotFoundError(NOTHING_TO_UNDO if step == "undo" else NOTHING_TO_REDO)
        return await self._carry_out(act, actor)

    async def _carry_out(self, act: Act, actor: str) -> Changed[UndoneAct]:
        try:
            return await self._undo_whole(act, actor)
        except StaleError as error:
            work = partial(self._obstacle_of, act=act, target=str(error.data.get("target") or ""))
            obstacle, refusal = await self._store.read(partial(work, with_id=True))
            data = error.data | {"act": act.id, "obstacle": None if obstacle is None else asdict(obstacle)}
            raise StaleError(refusal or error.sentence, **data) from error

    def _obstacle_of(
        self, connection: apsw.Connection, act: Act, target: str, *, with_id: bool = False
    ) -> tuple[ActObstacle | None, str]:
        """Return what prevents the undo of an act, and the sentence about it."""
        obstacle = self._reader.act(connection, act.id).obstacle
        if obstacle is None and target:
            obstacle = self._reader.obstacle_of(connection, act.id, target)
        return obstacle, "" if obstacle is None else self._reader.refusal(connection, obstacle, with_id=with_id)

    async def _undo_whole(self, act: Act, actor: str) -> Changed[UndoneAct]:
        if act.id.startswith(ENTRY):
            done = await self._undo.undo(Access.everything(actor, "memory.undo"), [int(act.id.removeprefix(ENTRY))])
            return Changed(UndoneAct(act, tuple(done.value)), done.changes)
        undone = await self._runs.carry_out(Access.everything(actor, "memory.undo"), act.id)
        skipped = list(undone.value.skipped.values())
        reason = ""
        if skipped:
            work = partial(self._obstacle_of, act=act, target=skipped[0].target)
            reason = (await self._store.read(work))[1] or skipped[0].reason
        value = UndoneAct(act, tuple(undone.value.entries), len(skipped), reason)
        return Changed(value, replace(undone.changes, operation="memory.undo"))


def _joined(done: Sequence[Changed[UndoneAct]]) -> ChangeSet:
    """Return the record of several undoings, of which the last is what was asked for."""
    changes = [one.changes for one in done]
    ids = tuple(dict.fromkeys(one for record in changes for one in record.ids))
    is_named = len(ids) <= MAX_NAMED and all(record.ids for record in changes)
    return replace(
        changes[-1],
        areas=frozenset().union(*(record.areas for record in changes)),
        ids=ids if is_named else (),
        history_ids=tuple(one for record in changes for one in record.history_ids),
    )
