"""Operations on many notes at once, each undone as one."""

from functools import partial

from app.api.agent_writes.default_store import default_store
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine
from app.memories.model import Memory

_change = partial(
    operation, access="write", trust="inner", review="content", kind="note", undo="history", sentence="Changed a note"
)


@_change("note.change_many")
async def change_many(
    engine: Engine,
    caller: Caller,
    ids: list[str],
    store: StoreName | None = None,
    pinned: bool | None = None,
    project: str | None = None,
) -> Changed[tuple[str, ...]]:
    """Change store, pin or project of several notes as one run; return changed ids.

    Args:
        ids: The notes' ids; those that are gone are passed over.
        store: Who may see them, a store that the caller sees.
        pinned: Whether they are pinned.
        project: Name of the project that they belong to, empty for none.
    """
    return await engine.memories.bulk.change(
        caller.access,
        ids,
        store=None if store is None else default_store(caller, store),
        pinned=pinned,
        project=project,
    )


@_change("note.merge", destructive=True)
async def merge(engine: Engine, caller: Caller, ids: list[str], title: str | None = None) -> Changed[Memory]:
    """Merge several notes into the first of them, as one run.

    The text of each follows under its title; links to the others lead to the merged note, and the others go to the
    trash. The merged note lies in the most private store of them all.

    Args:
        ids: The notes' ids, in the order of their texts.
        title: The title of the merged note; that of the first when left out.
    """
    return await engine.memories.bulk.merge(caller.access, ids, title)
