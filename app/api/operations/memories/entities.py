"""Operations on entities: the people, places and other things that messages and memories mention."""

from datetime import datetime
from functools import partial

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.entities.duplicates.model import DuplicatePair
from app.entities.model import (
    Entity,
    EntityFilter,
    EntityInfo,
    EntityOrder,
    EntityRow,
    EntityType,
    GraphFilter,
    GraphView,
    Mention,
    MentionedEntity,
    OwnerKind,
)
from app.entities.queries.named_entities import MAX_OWNERS
from app.errors import InputError
from app.sentence import Sentence

_change = partial(
    operation,
    access="write",
    trust="full",
    review="content",
    kind="entity",
    undo="history",
    sentence="Changed people and things",
)

_ALL = EntityFilter()
_WHOLE = GraphFilter()


@operation("entity.list", sentence="Looked up people and things")
async def list_entities(
    engine: Engine,
    caller: Caller,
    filter: EntityFilter = _ALL,
    order: EntityOrder = "mentions",
    limit: Count = 50,
    offset: Count = 0,
    as_of: datetime | None = None,
) -> list[EntityRow]:
    """Return entities as a list shows them, by default the most mentioned first.

    Args:
        filter: Which ones.
        order: In what order.
        limit: How many at most.
        offset: How many to pass over.
        as_of: As they stood at this time, ISO 8601, by what had been said and decided until then; what stood in
            memories changed or deleted since does not count.
    """
    return await engine.entities.queries.listed(caller.access, filter, order, limit=limit, offset=offset, as_of=as_of)


@operation("entity.ids", sentence="Looked up people and things")
async def ids(
    engine: Engine, caller: Caller, filter: EntityFilter = _ALL, order: EntityOrder = "mentions"
) -> list[str]:
    """Return the ids of entities in order, for lists that load rows later.

    Args:
        filter: Which ones.
        order: In what order.
    """
    return await engine.entities.queries.ids(caller.access, filter, order)


@operation("entity.rows", sentence="Looked up people and things")
async def rows(engine: Engine, caller: Caller, ids: list[str]) -> list[EntityRow]:
    """Return entities by their ids as list rows, without those that are gone.

    Args:
        ids: Their ids.
    """
    return await engine.entities.queries.rows(caller.access, ids)


@operation("entity.info", sentence="Looked up people and things")
async def info(engine: Engine, caller: Caller, id: str, limit: Count = 20, as_of: datetime | None = None) -> EntityInfo:
    """Return everything about an entity: names, memories, conversations, relations, what is mentioned with it.

    Args:
        id: Its id; that of a merged one means the one it was merged into.
        limit: How many of each thing at most.
        as_of: As it stood at this time, ISO 8601; see ``entity.list``.
    """
    return await engine.entities.queries.info(caller.access, id, limit=limit, as_of=as_of)


@operation("entity.of", sentence="Looked up people and things")
async def of(engine: Engine, caller: Caller, owner: str) -> list[Mention]:
    """Return the entities that a message or memory mentions, in the order of its text.

    Args:
        owner: ``session#number`` of a message, or the id of a memory.
    """
    return await engine.entities.queries.of(caller.access, owner)


@operation("entity.named", sentence="Looked up people and things")
async def named(engine: Engine, caller: Caller, owners: list[str]) -> list[MentionedEntity]:
    """Return the entities of several messages and memories, with the words that name them there.

    They come text by text in reading order, each name of a text once.

    Args:
        owners: ``session#number`` of messages and ids of memories, at most 500.
    """
    if len(owners) > MAX_OWNERS:
        raise InputError(Sentence("At most {most} texts at once.", most=MAX_OWNERS), field="owners", allowed=MAX_OWNERS)
    return await engine.entities.queries.named(caller.access, owners)


@operation("entity.graph", positional=("id",), sentence="Looked up people and things")
async def graph(
    engine: Engine,
    caller: Caller,
    id: str | None = None,
    depth: int = 1,
    limit: Count = 100,
    filter: GraphFilter = _WHOLE,
) -> GraphView:
    """Return entities as nodes and what joins them as edges.

    Args:
        id: The entity in the middle; without one, the most mentioned entities.
        depth: Steps from the middle, 1 to 3.
        limit: Nodes at most.
        filter: Types and names of nodes, times and kinds of edges.
    """
    return await engine.entities.queries.graph(caller.access, id, depth, limit, filter)


@operation("entity.duplicates", trust="full", sentence="Looked up people and things")
async def duplicates(engine: Engine, caller: Caller, limit: Count = 50) -> list[DuplicatePair]:
    """Return pairs of entities that may be one, the surest first.

    None is merged by itself. Pairs whose merge you rejected or undid are left out.

    Args:
        limit: How many at most.
    """
    return await engine.entities.duplicates.pairs(limit)


@_change("entity.merge", destructive=True, proposed=True)
async def merge(engine: Engine, caller: Caller, ids: list[str], into: str) -> Changed[Entity]:
    """Make several entities one; can be undone.

    Args:
        ids: Those that are to be no entities of their own.
        into: The one that remains and takes their names and mentions.
    """
    return await engine.entities.service.merge(ids, into, actor=caller.name)


@_change("entity.split")
async def split(
    engine: Engine,
    caller: Caller,
    id: str,
    aliases: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    messages: list[str] = [],  # noqa: B006
    memories: list[str] = [],  # noqa: B006
    name: str = "",
    type: EntityType | None = None,
) -> Changed[Entity]:
    """Split an entity: some of its names or mentions become a second one.

    Can be undone.

    Args:
        id: The entity to split.
        aliases: Names that mean the second one from now on.
        messages: Messages, as ``session#number``, in which the second one is meant.
        memories: Ids of memories in which the second one is meant.
        name: The second one's name; the first of the aliases when empty.
        type: The second one's type; the same as the first's when left out.
    """
    owners: list[tuple[OwnerKind, str]] = [("message", message) for message in messages]
    owners += [("memory", memory) for memory in memories]
    return await engine.entities.service.split(
        id, aliases=aliases, owners=owners, name=name, kind=type, actor=caller.name
    )


@_change("entity.rename", positional=("id", "name"))
async def rename(
    engine: Engine,
    caller: Caller,
    id: str,
    name: str = "",
    type: EntityType | None = None,
    summary: str | None = None,
) -> Changed[Entity]:
    """Change an entity's name, type or summary; can be undone.

    The old name stays an alias.

    Args:
        id: Its id.
        name: Its new name; unchanged when empty.
        type: Its new type; unchanged when left out.
        summary: What to say about it; unchanged when left out.
    """
    return await engine.entities.service.rename(id, name, kind=type, summary=summary, actor=caller.name)


@_change("entity.relate")
async def relate(
    engine: Engine, caller: Caller, subject: str, predicate: str, target: str, weight: float = 1.0
) -> Changed[Entity]:
    """State how one entity is related to another; can be undone.

    Args:
        subject: Whose relation it is.
        predicate: What joins them, such as ``works at``.
        target: To whom or what.
        weight: How strongly, above 0.
    """
    return await engine.entities.service.relate(subject, predicate, target, weight=weight, actor=caller.name)


@_change("entity.unrelate", destructive=True)
async def unrelate(engine: Engine, caller: Caller, subject: str, predicate: str, target: str) -> Changed[Entity]:
    """Take back a relation that was stated; can be undone.

    Args:
        subject: Whose relation it is.
        predicate: What joins them.
        target: To whom or what.
    """
    return await engine.entities.service.unrelate(subject, predicate, target, actor=caller.name)


@_change("entity.protect")
async def protect(engine: Engine, caller: Caller, id: str, protected: bool = True) -> Changed[Entity]:
    """Protect an entity from being taken away by maintenance, or no longer.

    Args:
        id: Its id.
        protected: Whether it is protected.
    """
    return await engine.entities.service.protect(id, protected=protected, actor=caller.name)


@operation(
    "entity.place",
    access="write",
    trust="full",
    review="free",
    kind="entity",
    undo="history",
    for_models=False,
    sentence="Changed people and things",
)
async def place(
    engine: Engine,
    caller: Caller,
    positions: list[tuple[str, float, float]],
    centre: str | None = None,
    pinned: bool | None = None,
) -> Changed[int]:
    """Remember where entities stand in the graph and return their number.

    Args:
        positions: Id, x and y of each.
        centre: The entity that the graph is drawn around; without one, the graph of all names.
        pinned: True when a person put them there, false to let go of them; pinned ones stay when left out.
    """
    return await engine.entities.service.place(positions, centre=centre, pinned=pinned, actor=caller.name)
