"""Operations on the knowledge graph: entities with observations, and relations, by name."""

from functools import partial

from app.api.agent_writes.default_store import default_store
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine
from app.knowledge_graph.model import GraphEntity, GraphRelation, KnowledgeGraph, Observations

_change = partial(
    operation, access="write", trust="inner", review="content", undo="history", sentence="Used your memories"
)


@operation("graph.read", sentence="Used your memories")
async def read(
    engine: Engine,
    caller: Caller,
    query: str = "",
    names: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
) -> KnowledgeGraph:
    """Return the knowledge graph, or a part of it with the relations that touch it.

    Below full trust, only relations that the caller stated.

    Args:
        query: Letters in a name, a type or an observation, in any case.
        names: Only these entities.
    """
    return await engine.knowledge_graph.read(caller.access, query, names)


@_change("graph.create_entities", kind="entity")
async def create_entities(
    engine: Engine, caller: Caller, entities: list[GraphEntity], store: StoreName | None = None
) -> Changed[tuple[GraphEntity, ...]]:
    """Make entities with observations and return the new ones.

    An entity whose name is there already is left as it is.

    Args:
        entities: Name, type in one's own words, and single statements.
        store: Who may see them; the most private store that the caller sees when left out.
    """
    return await engine.knowledge_graph.create_entities(caller.access, entities, default_store(caller, store))


@_change("graph.create_relations", kind="entity")
async def create_relations(
    engine: Engine, caller: Caller, relations: list[GraphRelation], store: StoreName | None = None
) -> Changed[tuple[GraphRelation, ...]]:
    """State relations between entities, by name, and return the new ones.

    New are those that the caller did not see before; what others state too is stated by the caller as well.

    Args:
        relations: From which entity to which, and what joins them, in active voice.
        store: Who may see an entity that only these name; see ``graph.create_entities``.
    """
    return await engine.knowledge_graph.create_relations(caller.access, relations, default_store(caller, store))


@_change("graph.add_observations", kind="observation")
async def add_observations(
    engine: Engine, caller: Caller, observations: list[Observations], store: StoreName | None = None
) -> Changed[tuple[Observations, ...]]:
    """Add observations to entities and return the new ones.

    Args:
        observations: Statements by the name of their entity, which must be there.
        store: Who may see them; the most private store that the caller sees when left out.
    """
    return await engine.knowledge_graph.add_observations(caller.access, observations, default_store(caller, store))


@_change("graph.delete_entities", destructive=True, kind="entity")
async def delete_entities(engine: Engine, caller: Caller, names: list[str]) -> Changed[int]:
    """Delete entities with their observations and relations and return how many; can be undone.

    Args:
        names: Their names; those that are not there are passed over.
    """
    return await engine.knowledge_graph.delete_entities(caller.access, names)


@_change("graph.delete_observations", destructive=True, kind="observation")
async def delete_observations(engine: Engine, caller: Caller, observations: list[Observations]) -> Changed[int]:
    """Delete observations by their text and return how many; can be undone.

    Args:
        observations: Texts by the name of their entity; those that are not there are passed over.
    """
    return await engine.knowledge_graph.delete_observations(caller.access, observations)


@_change("graph.delete_relations", destructive=True, kind="entity")
async def delete_relations(engine: Engine, caller: Caller, relations: list[GraphRelation]) -> Changed[int]:
    """Take relations back and return how many; can be undone.

    Below full trust, only what the caller stated; what others state stays.

    Args:
        relations: The relations; those that are not there are passed over.
    """
    return await engine.knowledge_graph.delete_relations(caller.access, relations)
