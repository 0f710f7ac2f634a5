"""Operations over all that is remembered: search, tags, history, undo."""

from app.api.caller import Caller
from app.api.counts import Count
from app.api.declare import operation
from app.changes import Changed
from app.engine import Engine
from app.memories.model import Facet, HistoryEntry
from app.retrieval.model import Found, Leg, OperatorHelp, Query
from app.upkeep.model import VaultStats


@operation("memory.search")
async def search(
    engine: Engine,
    caller: Caller,
    query: str,
    limit: Count = 20,
    offset: Count = 0,
    recipe: str | None = None,
    legs: list[Leg] | None = None,
    per_session: int | None = None,
) -> Found:
    """Find turns and durable items, each with the reasons for its place.

    Args:
        query: Words, ``"phrase"``, ``-word``, ``prefix*`` and operators such as ``tag:garden after:"last week"``;
            ``memory.operators`` lists them.
        limit: Hits at most.
        offset: Hits to pass over.
        recipe: How words and meaning are weighed; the setting ``search.recipe`` when left out.
        legs: Only these legs, such as ``["words"]`` for the quickest answer.
        per_session: Hits at most from one conversation.
    """
    chosen = recipe or engine.config.text("search.recipe")
    return await engine.search.search(
        query, limit=limit, offset=offset, recipe=chosen, legs=legs, per_session=per_session, stores=caller.stores
    )


@operation("memory.parse")
async def parse(engine: Engine, caller: Caller, query: str) -> Query:
    """Return how a search is understood.

    Args:
        query: What a person typed.
    """
    return engine.search.parse(query)


@operation("memory.operators", trust="public")
async def operators(engine: Engine, caller: Caller) -> list[OperatorHelp]:
    """Return the operators of the query language with an explanation and example values."""
    return engine.search.operators()


@operation("memory.tags")
async def tags(engine: Engine, caller: Caller, prefix: str = "", limit: Count = 200) -> list[Facet]:
    """Return tags with how many items each covers.

    Args:
        prefix: Only tags that begin with it.
        limit: How many at most.
    """
    return await engine.memory_reads.tags(prefix, limit=limit, stores=caller.stores)


@operation("memory.stats", trust="full")
async def stats(engine: Engine, caller: Caller) -> VaultStats:
    """Return what the vault holds."""
    return await engine.care.stats()


@operation("memory.history", trust="full")
async def history(engine: Engine, caller: Caller, target: str | None = None, limit: Count = 50) -> list[HistoryEntry]:
    """Return recorded changes with the state before and after, newest first.

    Args:
        target: The memory or conversation; all when left out.
        limit: How many at most.
    """
    return await engine.undo.history(target, limit)


@operation("memory.undo", access="write", trust="full")
async def undo(engine: Engine, caller: Caller, history_ids: list[int]) -> Changed[list[int]]:
    """Undo recorded changes and return the entries of history that undo this.

    Args:
        history_ids: Entries of history, in the order they were written.
    """
    return await engine.undo.undo(history_ids, actor=caller.name)
