"""Operations on the history: what was done, by whom, and its undo."""

from functools import partial
from typing import Literal

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.errors import InputError
from app.history.acts.model import Act, ActPage, NextSteps, Step, UndoneAct
from app.sentence import Sentence

_step = partial(operation, access="write", owner_only=True, review="content", kind="note", undo="history")

_MOST = 500
WhoFilter = Literal["all", "me", "agents", "upkeep", "imports"]


@operation("history.list", owner_only=True)
async def list_acts(
    engine: Engine, caller: Caller, who: WhoFilter = "all", limit: Count = 50, cursor: str = ""
) -> ActPage:
    """Return what was done in the vault, newest first.

    There is one entry for each import, run, acceptance or single change.

    Args:
        who: Only what was done by ``me``, by ``agents`` or ``upkeep``, or came by ``imports``; ``all`` for everything.
        limit: How many at most.
        cursor: Where to go on, as the page before has it.
    """
    return await engine.undo.acts.page(None if who == "all" else who, limit, cursor)


@operation("history.find", owner_only=True, positional=("ids",))
async def find(engine: Engine, caller: Caller, ids: list[str]) -> list[Act]:
    """Return entries by their ids.

    Those that there are none of are left out, such as runs that changed nothing.

    Args:
        ids: Entries as history.list has them, or the ids of runs.
    """
    if len(ids) > _MOST:
        raise InputError(Sentence("At most {most} entries at once.", most=_MOST), field="ids", allowed=_MOST)
    return await engine.undo.acts.acts(ids)


@operation("history.next", owner_only=True)
async def next_steps(engine: Engine, caller: Caller) -> NextSteps:
    """Return what of your own actions is undone next, and what is done again."""
    return await engine.undo.acts.next_steps()


@_step("history.undo", positional=("id",))
async def undo(engine: Engine, caller: Caller, id: str, with_later: bool = False) -> Changed[UndoneAct]:
    """Undo an entry of the history of any kind.

    The undoing is an entry too, and can be undone in turn. Of an import or a run, what was changed again since stays as
    it is. What was accepted in the inbox waits there again.

    Args:
        id: The entry, as history.list has it.
        with_later: Undo later changes that are in its way first, each as an entry of its own.
    """
    return await engine.undo.acts.undo(id, caller.name, with_later=with_later)


@_step("history.step", positional=("step",))
async def step(engine: Engine, caller: Caller, step: Step = "undo") -> Changed[UndoneAct]:
    """Undo the last thing that you did, or do again what you undid last.

    Args:
        step: ``undo`` or ``redo``.
    """
    return await engine.undo.acts.step(step, caller.name)
