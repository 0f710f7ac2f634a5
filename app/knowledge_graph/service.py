"""Knowledge graph service: makes, finds and removes entities, observations and relations."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

import apsw

from app.changes import Changed, ChangeSet, Scope, joined_scopes
from app.core.access import Access
from app.core.clock import Clock
from app.core.ids import new_id
from app.core.stores import StoreName, sees_all
from app.core.text import collapse, storable
from app.entities import entity_state
from app.entities import repo as entities
from app.entities.entity_edits import EntityEdits
from app.entities.linking import MAX_NAME
from app.entities.model import name_key, registry_type
from app.errors import InputError, NotFoundError
from app.history import history_repo
from app.knowledge_graph import repo
from app.knowledge_graph.model import GraphEntity, GraphRelation, KnowledgeGraph, Observations
from app.knowledge_graph.repo import MARK, OF_ENTITY, MarkedEntity
from app.memories.model import Memory, NewMemory
from app.store.store import Store

T = TypeVar("T")

MAX_ITEMS: Final = 1_000


class ObservationWriter(Protocol):
    """The part of the memories that stores and deletes observations."""

    async def save(self, access: Access, draft: NewMemory) -> Changed[Memory]:
        """Store a new memory."""

    async def delete_many(self, access: Access, ids: Sequence[str]) -> Changed[tuple[str, ...]]:
        """Delete memories softly in one run."""


class KnowledgeGraphService:
    """Reads and changes the graph; a caller reaches what its stores hold.

    Args:
        store: The vault's database.
        memories: Stores observations.
        clock: The source of the time.
    """

    def __init__(self, store: Store, memories: ObservationWriter, clock: Clock) -> None:
        self._store = store
        self._memories = memories
        self._clock = clock

    async def read(self, access: Access, query: str, names: Sequence[str]) -> KnowledgeGraph:
        """Return the graph, or the entities that a query or names choose, with their relations.

        Args:
            query: Letters in a name, a type or an observation, in any case; ``""`` for all.
            names: Only these entities; none of them for all.
            access: What the caller may see; below full trust it sees the relations that it stated itself.
        """

        def work(connection: apsw.Connection) -> KnowledgeGraph:
            nodes = repo.nodes(connection, access.stores)
            held = repo.observations(connection, (node.id for node in nodes), access.stores)
            texts = {node.id: [text for _, text in held.get(node.id, ())] for node in nodes}
            chosen = [node for node in nodes if node.is_listed and _is_chosen(node, texts[node.id], query, names)]
            ids = {node.id for node in chosen}
            is_part = bool(query or names)
            relations = [
                relation
                for source, target, relation in _relations(connection, nodes, access.stores, access.actor)
                if not is_part or source in ids or target in ids
            ]
            made = tuple(GraphEntity(node.name, node.type, texts[node.id]) for node in chosen)
            return KnowledgeGraph(made, tuple(relations))

        return await self._store.read(work)

    async def create_entities(
        self, access: Access, wanted: Sequence[GraphEntity], store: StoreName
    ) -> Changed[tuple[GraphEntity, ...]]:
        """Make entities with their observations and return those made.

        An entity whose name is there already is left as it is.

        Raises:
            InputError: A name or type cannot be stored, or there are too many.
        """
        _check_count(wanted)

        def work(edits: EntityEdits) -> list[tuple[str, GraphEntity]]:
            known = {node.name: node for node in repo.nodes(edits.connection, access.stores)}
            made: dict[str, tuple[str, GraphEntity]] = {}
            for entity in wanted:
                name = _name(entity.name)
                there = known.get(name)
                if name not in made and (there is None or not there.is_listed):
                    key = _mark(edits, name, entity.type, store, None if there is None else there.id, access.stores)
                    made[name] = (key, GraphEntity(name, entity.type, list(dict.fromkeys(entity.observations))))
            return list(made.values())

        made, changes = await self._decide(work, "graph.create_entities", access.actor)
        for key, entity in made:
            await self._observe(key, entity.name, entity.observations, store, access.actor)
        return Changed(tuple(entity for _, entity in made), _with_memories(_scoped(changes, (store,))))

    async def create_relations(
        self, access: Access, wanted: Sequence[GraphRelation], store: StoreName
    ) -> Changed[tuple[GraphRelation, ...]]:
        """State relations and return the new ones.

        An end that is no entity yet is kept without being listed.

        Raises:
            InputError: A name or type cannot be stored, or there are too many.
        """
        _check_count(wanted)

        def work(edits: EntityEdits) -> list[GraphRelation]:
            known = {node.name: node.id for node in repo.nodes(edits.connection, access.stores)}
            stated: list[GraphRelation] = []
            for one in wanted:
                relation = GraphRelation(_name(one.source), _name(one.target), _name(one.type))
                for name in (relation.source, relation.target):
                    if name not in known:
                        known[name] = _mark(edits, name, "", store, None, access.stores, is_listed=False)
                source, target = known[relation.source], known[relation.target]
                before = edits.state(source)
                if all((edge[0], edge[1]) != (relation.type, target) for edge in before["relations"]):
                    edge = [relation.type, target, 1.0, access.actor, self._clock.now_ms()]
                    edits.write(source, {**before, "relations": sorted([*before["relations"], edge])}, "UPDATE")
                    stated.append(relation)
            return stated

        stated, changes = await self._decide(work, "graph.create_relations", access.actor)
        return Changed(tuple(stated), _scoped(changes, _of_relation(access.actor)))

    async def add_observations(
        self, access: Access, wanted: Sequence[Observations], store: StoreName
    ) -> Changed[tuple[Observations, ...]]:
        """Add observations and return the new ones.

        Raises:
            NotFoundError: An entity is not there; nothing is added then.
        """
        _check_count(wanted)
        nodes, held = await self._state(access.stores)
        by_name = {node.name: node for node in nodes if node.is_listed}
        for number, one in enumerate(wanted):
            if one.entity not in by_name:
                raise NotFoundError("One of these entities is not there. Create it first.", number=number)
        added = []
        for one in wanted:
            node = by_name[one.entity]
            known = {text for _, text in held.get(node.id, ())}
            fresh = [text for text in dict.fromkeys(one.contents) if text not in known]
            await self._observe(node.id, node.name, fresh, store, access.actor)
            added.append(Observations(one.entity, fresh))
        scopes = ((store,),) if any(one.contents for one in added) else ()
        return Changed(tuple(added), self._memory_changes(access.actor, "graph.add_observations", scopes))

    async def delete_entities(self, access: Access, names: Sequence[str]) -> Changed[int]:
        """Delete entities with their observations and relations, and return how many; can be undone."""
        nodes, held = await self._state(access.stores)
        gone = {node.id: node for node in nodes if node.name in set(names)}
        memories = [memory for key in gone for memory, _ in held.get(key, ())]

        def work(edits: EntityEdits) -> int:
            for node in nodes:
                before = edits.state(node.id)
                if node.id in gone:
                    _unmark(edits, node.id, before, None if sees_all(access.stores) else access.actor)
                    continue
                left = [
                    edge
                    for edge in before["relations"]
                    if edge[1] not in gone or not _is_seen(edge, access.stores, access.actor)
                ]
                if left != before["relations"]:
                    edits.write(node.id, {**before, "relations": left}, "UPDATE")
            return len(gone)

        if memories:
            await self._memories.delete_many(access, memories)
        count, changes = await self._decide(work, "graph.delete_entities", access.actor)
        own = _of_relation(access.actor)
        scopes = tuple((gone[key].store,) if key in gone else own for key in changes.ids)
        return Changed(count, _with_memories(replace(changes, scopes=scopes)))

    async def delete_observations(self, access: Access, unwanted: Sequence[Observations]) -> Changed[int]:
        """Delete observations by their text and return how many; can be undone."""
        nodes, held = await self._state(access.stores)
        by_name = {node.name: node.id for node in nodes}
        memories = [
            memory
            for one in unwanted
            for memory, text in held.get(by_name.get(one.entity, ""), ())
            if text in set(one.contents)
        ]
        scopes: tuple[Scope, ...] = ()
        if memories:
            done = await self._memories.delete_many(access, memories)
            scopes = joined_scopes(done.changes.scopes or ())
        return Changed(len(memories), self._memory_changes(access.actor, "graph.delete_observations", scopes))

    async def delete_relations(self, access: Access, unwanted: Sequence[GraphRelation]) -> Changed[int]:
        """Take relations back and return how many; can be undone."""

        def work(edits: EntityEdits) -> int:
            nodes = repo.nodes(edits.connection, access.stores)
            seen = {
                (source, target, one.type)
                for source, target, one in _relations(edits.connection, nodes, access.stores, access.actor)
            }
            by_name = {node.name: node.id for node in nodes}
            count = 0
            for one in unwanted:
                source, target = by_name.get(one.source, ""), by_name.get(one.target, "")
                if (source, target, one.type) in seen:
                    before = edits.state(source)
                    left = [edge for edge in before["relations"] if (edge[0], edge[1]) != (one.type, target)]
                    count += len(before["relations"]) - len(left)
                    edits.write(source, {**before, "relations": left}, "UPDATE")
            return count

        count, changes = await self._decide(work, "graph.delete_relations", access.actor)
        return Changed(count, _scoped(changes, _of_relation(access.actor)))

    async def _state(self, stores: Sequence[str]) -> tuple[list[MarkedEntity], dict[str, list[tuple[str, str]]]]:
        def work(connection: apsw.Connection) -> tuple[list[MarkedEntity], dict[str, list[tuple[str, str]]]]:
            nodes = repo.nodes(connection, stores)
            return nodes, repo.observations(connection, (node.id for node in nodes), stores)

        return await self._store.read(work)

    async def _observe(self, key: str, name: str, texts: Sequence[str], store: StoreName, actor: str) -> None:
        for text in texts:
            draft = NewMemory(
                text, title=name, kind="observation", store=store, source=actor, attributes={OF_ENTITY: key}
            )
            await self._memories.save(Access.everything(actor, "graph.add_observations"), draft)

    async def _decide(self, work: Callable[[EntityEdits], T], operation: str, actor: str) -> tuple[T, ChangeSet]:
        def transact(connection: apsw.Connection) -> tuple[T, ChangeSet]:
            edits = EntityEdits(connection, actor=actor, now_ms=self._clock.now_ms())
            value = work(edits)
            return value, edits.changes(operation)

        return await self._store.write(transact)

    @staticmethod
    def _memory_changes(actor: str, operation: str, scopes: tuple[Scope, ...]) -> ChangeSet:
        return ChangeSet(frozenset({"memories"}), (), actor, operation, scopes=scopes)


def _mark(
    edits: EntityEdits,
    name: str,
    kind: str,
    store: StoreName,
    entity_id: str | None,
    stores: Sequence[str],
    *,
    is_listed: bool = True,
) -> str:
    """Mark an entity of the registry, or a new one, as one of the graph.

    One that the person decided about is left alone by callers who do not see what was decided: they would learn of it
    by what becomes of their statements.
    """
    found = entity_id or repo.registered(edits.connection, name, kind)
    before = None if found is None else entity_state.read(edits.connection, found)
    place = history_repo.last_id(edits.connection) + 1
    if entity_id is not None and before is not None:  # it becomes one that is listed, where it stands
        place = before["attributes"].get(MARK, {}).get("place", place)
    mark = {"name": name, "type": storable(kind)[0][:MAX_NAME], "store": store, "listed": is_listed, "place": place}
    if found is not None and before is not None:
        is_free = before["attributes"].get(MARK) is None and (sees_all(stores) or not before["touched"])
        if found == entity_id or is_free:
            attributes = {"graph_made": False, **before["attributes"], MARK: mark}
            edits.write(found, {**before, "attributes": attributes}, "UPDATE")
            return found
        # Another spelling of the name, or an entity that this caller does not see, is another entity.
        found = None
        name = f"{name} {new_id('entity')[-8:]}"
    fresh = found or new_id("entity")
    state: dict[str, Any] = {
        "name": name,
        "type": registry_type(kind),
        "summary": "",
        "protected": False,
        "merged_into": None,
        "attributes": {MARK: mark, "graph_made": True},
        "aliases": [name],
        "claims": [],
        "relations": [],
    }
    edits.write(fresh, state, "ADD")
    return fresh


def _is_seen(edge: Sequence[Any], stores: Sequence[str], actor: str) -> bool:
    """Return whether a caller sees a relation; its fourth field is who stated it."""
    return sees_all(stores) or edge[3] == actor


def _unmark(edits: EntityEdits, key: str, before: dict[str, Any], actor: str | None) -> None:
    """Take an entity out of the graph, with the relations of ``actor`` or all."""
    attributes = {name: value for name, value in before["attributes"].items() if name not in (MARK, "graph_made")}
    if before["attributes"].get("graph_made"):
        # Nothing else made it: it goes with the graph.
        gone = {**before, "aliases": [], "claims": [], "relations": [], "protected": False}
        edits.write(key, {**gone, "attributes": {**before["attributes"], "retired": True}}, "DELETE")
    else:
        left = [edge for edge in before["relations"] if actor not in (None, edge[3])]
        edits.write(key, {**before, "relations": left, "attributes": attributes}, "UPDATE")


def _relations(
    connection: apsw.Connection, nodes: Sequence[MarkedEntity], stores: Sequence[str], actor: str
) -> list[tuple[str, str, GraphRelation]]:
    """Return the relations between entities of the graph, with the ids of their ends.

    A relation has no store of its own, so callers that may not read all of them see what they stated.
    """
    names = {node.id: node.name for node in nodes}
    sees_everything = sees_all(stores)
    found = []
    for node in nodes:
        for edge in sorted(entities.edges(connection, node.id), key=lambda one: one.created_ms):
            target = names.get(edge.object_id)
            if target is not None and (sees_everything or edge.source == actor):
                found.append((node.id, edge.object_id, GraphRelation(node.name, target, edge.predicate)))
    return found


def _is_chosen(node: MarkedEntity, texts: Sequence[str], query: str, names: Sequence[str]) -> bool:
    if names and node.name not in names:
        return False
    wanted = query.lower()
    return any(wanted in text.lower() for text in (node.name, node.type, *texts))


def _name(name: str) -> str:
    clean = collapse(storable(name)[0])
    if not clean or len(clean) > MAX_NAME or not name_key(clean):
        raise InputError(f"A name must have 1 to {MAX_NAME} characters.", field="name")
    return clean


def _check_count(wanted: Sequence[object]) -> None:
    if len(wanted) > MAX_ITEMS:
        raise InputError(f"At most {MAX_ITEMS:,} at once.", allowed=MAX_ITEMS)


def _with_memories(changes: ChangeSet) -> ChangeSet:
    return replace(changes, areas=changes.areas | {"memories"})


def _scoped(changes: ChangeSet, scope: Scope) -> ChangeSet:
    """Return changes of entities that all lie in ``scope``."""
    return replace(changes, scopes=(scope,) * len(changes.ids))


def _of_relation(actor: str) -> Scope:
    """Return who hears of a relation below full trust: who stated it."""
    return (f"agent:{actor}",)
