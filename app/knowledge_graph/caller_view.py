"""Part of the knowledge graph that a caller sees."""

from collections.abc import Collection

import apsw

from app.core.access import Access
from app.core.stores import sees_all
from app.knowledge_graph import repo
from app.knowledge_graph.model import GraphRelation
from app.knowledge_graph.repo import MarkedEntity


class CallerView:
    """The graph as a caller sees it.

    Entities are seen by their store. A relation has none of its own: a caller who may not read all stores sees the
    relations that it stated itself, with the names at their ends, whatever else is said of these.

    Args:
        connection: The snapshot that is looked at.
        access: Who looks.

    Attributes:
        listed: The entities that the caller sees as such, first stated first.
        unlisted: By name, those that only relations name, of any source.
        relations: Ids of the ends of each relation that the caller sees, first stated first.
        own: The relations that it stated itself.
    """

    def __init__(self, connection: apsw.Connection, access: Access) -> None:
        known = {node.id: node for node in repo.nodes(connection)}
        self.is_whole = sees_all(access.stores)
        self.listed = [node for node in known.values() if node.is_listed and node.store in access.stores]
        self.relations: dict[GraphRelation, list[tuple[str, str]]] = {}
        self.own: set[GraphRelation] = set()
        stated: list[tuple[int, GraphRelation, tuple[str, str]]] = []
        for at, subject, predicate, target, source in repo.relations(connection):
            if subject in known and target in known and (self.is_whole or source == access.actor):
                relation = GraphRelation(known[subject].name, known[target].name, predicate)
                stated.append((at, relation, (subject, target)))
                if source == access.actor:
                    self.own.add(relation)
        # Of those stated together names decide: ids would tell which names there were before.
        for _, relation, pair in sorted(stated, key=_place):
            self.relations.setdefault(relation, []).append(pair)
        ends = {end for pairs in self.relations.values() for pair in pairs for end in pair}
        self._ends = [node for node in known.values() if node.id in ends]
        nodes = [node for node in known.values() if not node.is_listed]
        self.unlisted = {node.name: node for node in (*nodes, *self._ends) if not node.is_listed}
        self._nodes = known if self.is_whole else {node.id: node for node in (*self.listed, *self._ends)}

    def ids(self) -> dict[str, str]:
        """Return the entity that a relation of the caller means by each name."""
        return {node.name: node.id for node in (*self.unlisted.values(), *self._ends, *self.listed)}

    def named(self, names: Collection[str]) -> list[MarkedEntity]:
        """Return the entities with some names that the caller knows of."""
        return [node for node in self._nodes.values() if node.name in names]


def _place(stated: tuple[int, GraphRelation, tuple[str, str]]) -> tuple[int, str, str, str, tuple[str, str]]:
    at, relation, pair = stated
    return at, relation.type, relation.source, relation.target, pair
