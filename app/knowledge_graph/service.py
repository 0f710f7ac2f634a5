"""Knowledge graph service: makes, finds and removes entities, observations and relations."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from app.entities.entity_edits import EntityEdits
from app.entities.linking import MAX_NAME
from app.entities.model import name_key, registry_type
from app.errors import InputError, NotFoundError
from app.history import history_repo
from app.knowledge_graph import repo
from app.knowledge_graph.caller_view import CallerView
from app.knowledge_graph.model import GraphEntity, GraphRelation, KnowledgeGraph, Observations
from app.knowledge_graph.repo import MARK, OF_ENTITY, MarkedEntity
from app.memories.model import Memory, NewMemory
from app.sentence import Sentence
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
            view = CallerView(connection, access)
            texts = _texts(repo.observations(connection, (node.id for node in view.listed), access.stores))
            chosen = [node for node in view.listed if _is_chosen(node, texts[node.id], query, names)]
            shown = {node.name for node in chosen}
            is_part = bool(query or names)
            relations = [
                relation
                for relation in view.relations
                if not is_part or relation.source in shown or relation.target in shown
            ]
            entities = tuple(GraphEntity(node.name, node.type, texts[node.id]) for node in chosen)
            return KnowledgeGraph(entities, tuple(relations))

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
            view = CallerView(edits.connection, access)
            there = {node.name for node in view.listed}
            entities: dict[str, tuple[str, GraphEntity]] = {}
            for entity in wanted:
                name = _name(entity.name)
                if name not in entities and name not in there:
                    key = _mark(edits, name, entity.type, store, view.unlisted.get(name), access.stores)
                    entities[name] = (key, GraphEntity(name, entity.type, list(dict.fromkeys(entity.observations))))
            return list(entities.values())

        entities, changes = await self._decide(work, "graph.create_entities", access.actor)
        for key, entity in entities:
            await self._observe(key, entity.name, entity.observations, store, access.actor)
        return Changed(tuple(entity for _, entity in entities), _with_memories(_scoped(changes, (store,))))

    async def create_relations(
        self, access: Access, wanted: Sequence[GraphRelation], store: StoreName
    ) -> Changed[tuple[GraphRelation, ...]]:
        """State relations and return those that the caller saw nowhere before.

        What others state already is stated by this caller too. An end that is no entity yet is kept without being
        listed.

        Raises:
            InputError: A name or type cannot be stored, or there are too many.
        """
        _check_count(wanted)

        def work(edits: EntityEdits) -> list[GraphRelation]:
            view = CallerView(edits.connection, access)
            ids = view.ids()
            stated: list[GraphRelation] = []
            for entity in wanted:
                relation = GraphRelation(_name(entity.source), _name(entity.target), _name(entity.type))
                if relation in view.own:
                    continue
                for name in (relation.source, relation.target):
                    if name not in ids:
                        ids[name] = _mark(edits, name, "", store, None, access.stores, is_listed=False)
                source, target = ids[relation.source], ids[relation.target]
                before = edits.state(source)
                edge = [relation.type, target, 1.0, access.actor, self._clock.now_ms()]
                edits.write(source, {**before, "relations": sorted([*before["relations"], edge])}, "UPDATE")
                view.own.add(relation)
                if relation not in view.relations:
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
        nodes, held = await self._listed(access)
        by_name = {node.name: node for node in nodes}
        for number, entity in enumerate(wanted):
            if entity.entity not in by_name:
                raise NotFoundError("One of these entities is not there. Create it first.", number=number)
        added = []
        for entity in wanted:
            node = by_name[entity.entity]
            known = {text for _, text in held.get(node.id, ())}
            fresh = [text for text in dict.fromkeys(entity.contents) if text not in known]
            await self._observe(node.id, node.name, fresh, store, access.actor)
            added.append(Observations(entity.entity, fresh))
        scopes = ((store,),) if any(observations.contents for observations in added) else ()
        return Changed(tuple(added), self._memory_changes(access.actor, "graph.add_observations", scopes))

    async def delete_entities(self, access: Access, names: Sequence[str]) -> Changed[int]:
        """Delete entities with their observations and relations, and return how many; can be undone.

        What others state of them and the caller does not see stays.
        """
        nodes, held = await self._listed(access)
        memories = [memory for node in nodes if node.name in names for memory, _ in held.get(node.id, ())]
        own = _of_relation(access.actor)

        def work(edits: EntityEdits) -> tuple[int, dict[str, Scope]]:
            view = CallerView(edits.connection, access)
            gone = view.named(names)
            subjects: set[str] = set()
            for relation, pairs in view.relations.items():
                if relation.source in names or relation.target in names:
                    _take_back(edits, relation, pairs, access)
                    subjects.update(subject for subject, _ in pairs)
            listed = {node.id for node in view.listed}
            for node in gone:
                if node.id in listed or not node.is_listed:  # another may list a name that the caller only related
                    _unmark(edits, node.id, access)
            scopes: dict[str, Scope] = {node.id: (node.store,) for node in gone if node.id in listed}
            # Whether the subject of a relation is listed too depends on what else there is of its name.
            scopes |= {key: (*own, *scopes[key]) for key in subjects & scopes.keys()}
            return len({node.name for node in gone}), scopes

        if memories:
            await self._memories.delete_many(access, memories)
        (count, scopes), changes = await self._decide(work, "graph.delete_entities", access.actor)
        of_each = tuple(scopes.get(key, own) for key in changes.ids)
        return Changed(count, _with_memories(replace(changes, scopes=of_each)))

    async def delete_observations(self, access: Access, unwanted: Sequence[Observations]) -> Changed[int]:
        """Delete observations by their text and return how many; can be undone."""
        nodes, held = await self._listed(access)
        by_name = {node.name: node.id for node in nodes}
        memories = [
            memory
            for relation in unwanted
            for memory, text in held.get(by_name.get(relation.entity, ""), ())
            if text in set(relation.contents)
        ]
        scopes: tuple[Scope, ...] = ()
        if memories:
            done = await self._memories.delete_many(access, memories)
            scopes = joined_scopes(done.changes.scopes or ())
        return Changed(len(memories), self._memory_changes(access.actor, "graph.delete_observations", scopes))

    async def delete_relations(self, access: Access, unwanted: Sequence[GraphRelation]) -> Changed[int]:
        """Take relations back and return how many; can be undone."""

        def work(edits: EntityEdits) -> int:
            view = CallerView(edits.connection, access)
            gone = [relation for relation in dict.fromkeys(unwanted) if relation in view.relations]
            for relation in gone:
                _take_back(edits, relation, view.relations[relation], access)
            return len(gone)

        count, changes = await self._decide(work, "graph.delete_relations", access.actor)
        return Changed(count, _scoped(changes, _of_relation(access.actor)))

    async def _listed(self, access: Access) -> tuple[list[MarkedEntity], dict[str, list[tuple[str, str]]]]:
        def work(connection: apsw.Connection) -> tuple[list[MarkedEntity], dict[str, list[tuple[str, str]]]]:
            nodes = CallerView(connection, access).listed
            return nodes, repo.observations(connection, (node.id for node in nodes), access.stores)

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
    there: MarkedEntity | None,
    stores: Sequence[str],
    *,
    is_listed: bool = True,
) -> str:
    """Mark an entity of the registry, or a new one, as one of the graph.

    One that is ``there`` is marked anew.

    One that the person decided about is left alone by callers who do not see what was decided: they would learn of it
    by what becomes of their statements.
    """
    handle = repo.registered(edits.connection, name, kind) if there is None else there.id
    before = None if handle is None else entity_state.read(edits.connection, handle)
    place = history_repo.last_id(edits.connection) + 1
    mark = {"name": name, "type": storable(kind)[0][:MAX_NAME], "store": store, "listed": is_listed, "place": place}
    if handle is not None and before is not None:
        is_free = before["attributes"].get(MARK) is None and (sees_all(stores) or not before["touched"])
        if is_free or (there is not None and (sees_all(stores) or not before["protected"])):
            attributes = {"graph_made": False, **before["attributes"], MARK: mark}
            edits.write(handle, {**before, "attributes": attributes}, "UPDATE")
            return handle
        # Another spelling of the name, or an entity that this caller does not see, is another entity.
        handle = None
        name = f"{name} {new_id('entity')[-8:]}"
    fresh = handle or new_id("entity")
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


def _take_back(edits: EntityEdits, relation: GraphRelation, pairs: Iterable[tuple[str, str]], access: Access) -> None:
    """Take back the statements of a relation that the caller sees.

    Args:
        edits: The transaction.
        relation: The relation.
        pairs: Ids of its ends.
        access: The caller.
    """
    for subject, target in dict.fromkeys(pairs):
        before = edits.state(subject)
        key = [relation.type, target]
        edges = [edge for edge in before["relations"] if edge[:2] != key or not _is_seen(edge, access)]
        edits.write(subject, {**before, "relations": edges}, "UPDATE")


def _unmark(edits: EntityEdits, key: str, access: Access) -> None:
    """Take an entity out of the graph.

    The relations of it that the caller sees were taken back. While others state something of it that the caller does
    not see, it stays for them without being listed. So does what the person protected, where the caller does not see it
    listed: it must not learn of the protection.
    """
    before = edits.state(key)
    stated = repo.is_stated_by_others(edits.connection, key, access.actor, access.stores)
    is_kept = stated or (before["protected"] and not before["attributes"][MARK]["listed"])
    attributes = {name: value for name, value in before["attributes"].items() if name not in (MARK, "graph_made")}
    if is_kept and not sees_all(access.stores):
        attributes_left = {**before["attributes"], MARK: {**before["attributes"][MARK], "listed": False}}
        edits.write(key, {**before, "attributes": attributes_left}, "UPDATE")
    elif before["attributes"].get("graph_made"):
        # Nothing else made it: it goes with the graph.
        gone = {**before, "aliases": [], "claims": [], "relations": [], "protected": False}
        edits.write(key, {**gone, "attributes": {**attributes, "retired": True}}, "DELETE")
    else:
        edits.write(key, {**before, "attributes": attributes}, "UPDATE")


def _is_seen(edge: Sequence[Any], access: Access) -> bool:
    """Return whether a caller sees a statement of a relation."""
    return sees_all(access.stores) or edge[3] == access.actor  # who stated it


def _texts(held: Mapping[str, Sequence[tuple[str, str]]]) -> defaultdict[str, list[str]]:
    return defaultdict(list, {key: [text for _, text in texts] for key, texts in held.items()})


def _is_chosen(node: MarkedEntity, texts: Sequence[str], query: str, names: Sequence[str]) -> bool:
    if names and node.name not in names:
        return False
    wanted = query.lower()
    return any(wanted in text.lower() for text in (node.name, node.type, *texts))


def _name(name: str) -> str:
    clean = collapse(storable(name)[0])
    if not clean or len(clean) > MAX_NAME or not name_key(clean):
        raise InputError(Sentence("A name must have 1 to {most} characters.", most=MAX_NAME), field="name")
    return clean


def _check_count(wanted: Sequence[object]) -> None:
    if len(wanted) > MAX_ITEMS:
        raise InputError(Sentence("At most {most} at once.", most=MAX_ITEMS), allowed=MAX_ITEMS)


def _with_memories(changes: ChangeSet) -> ChangeSet:
    return replace(changes, areas=changes.areas | {"memories"})


def _scoped(changes: ChangeSet, scope: Scope) -> ChangeSet:
    """Return changes of entities that all lie in ``scope``."""
    return replace(changes, scopes=(scope,) * len(changes.ids))


def _of_relation(actor: str) -> Scope:
    """Return who hears of a relation below full trust: who stated it."""
    return (f"agent:{actor}",)
