"""Operations on saved searches: queries that the person keeps under a name."""

from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.engine import Engine
from app.retrieval.saved.model import SavedSearch

_change = partial(
    operation,
    access="write",
    trust="full",
    review="content",
    kind="settings",
    undo="history",
    sentence="Changed saved searches",
)


@operation("saved_search.list", trust="full", sentence="Looked at saved searches")
async def list_saved(engine: Engine, caller: Caller) -> list[SavedSearch]:
    """Return the saved searches in the person's order."""
    return await engine.search.saved.all()


@_change("saved_search.save")
async def save(engine: Engine, caller: Caller, query: str, name: str = "") -> Changed[SavedSearch]:
    """Save a search; one that is saved already gets the name.

    Args:
        query: The search, as for memory.search.
        name: What it is called; the query itself by default.
    """
    return await engine.search.saved.save(query, name, caller.name)


@_change("saved_search.rename")
async def rename(engine: Engine, caller: Caller, id: str, name: str) -> Changed[SavedSearch]:
    """Give a saved search another name.

    Args:
        id: Its id.
        name: The new name; an empty one makes the query its name.
    """
    return await engine.search.saved.rename(id, name, caller.name)


@_change("saved_search.delete")
async def delete(engine: Engine, caller: Caller, id: str) -> Changed[SavedSearch]:
    """Delete a saved search, and return it as it was; can be undone.

    Args:
        id: Its id.
    """
    return await engine.search.saved.delete(id, caller.name)


@operation(
    "saved_search.order",
    access="write",
    trust="full",
    review="unrehearsed",
    kind="settings",
    guard="unconfirmed",
    undo="operation",
    sentence="Changed saved searches",
)
async def order(engine: Engine, caller: Caller, ids: list[str]) -> Changed[list[SavedSearch]]:
    """Put the saved searches into an order.

    Args:
        ids: Their ids, first to last; those not named come last.
    """
    return await engine.search.saved.order(ids, caller.name)
