"""Rows of the knowledge graph: marked entities, their observations, the relations between them.

An entity of the graph is one of the registry with the attribute ``graph``: its name and type in the caller's words, and
the store in which it may be seen. An observation is a memory with the attribute ``graph_entity``.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from app.entities import repo as entities
from app.entities.model import name_key, registry_type

MARK = entities.STATED
OF_ENTITY = "graph_entity"


@dataclass(frozen=True, slots=True)
class MarkedEntity:
    """A marked entity.

    Args:
        is_listed: False for one that only a relation names.
        place: Its place in the order in which they were stated, 0 where none was kept.
    """

    id: str
    name: str
    type: str
    store: str
    is_listed: bool
    place: int = 0


def nodes(connection: apsw.Connection) -> list[MarkedEntity]:
    """Return the entities of the graph, first stated first."""
    rows = connection.execute(
        "SELECT id, json_extract(attributes, '$.graph') FROM entities"
        " WHERE merged_into IS NULL AND json_extract(attributes, '$.graph') IS NOT NULL"
        " AND json_extract(attributes, '$.retired') IS NULL ORDER BY rowid"
    )
    # Which rows came to be first may follow from what a caller does not see.
    return sorted((_node(str(key), str(mark)) for key, mark in rows), key=lambda node: node.place)


def registered(connection: apsw.Connection, name: str, kind: str) -> str | None:
    """Return the registry's entity of a name.

    It is the one of the given type, else the only one there is.
    """
    exact = entities.named(connection, name_key(name), registry_type(kind))
    if exact is not None:
        return exact
    rows = connection.execute(
        "SELECT id FROM entities WHERE name_key = ? AND merged_into IS NULL LIMIT 2", (name_key(name),)
    ).fetchall()
    return str(rows[0][0]) if len(rows) == 1 else None


def observations(
    connection: apsw.Connection, entity_ids: Iterable[str], stores: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return id and text of each observation, by entity, in the order they were made."""
    rows = connection.execute(
        "SELECT json_extract(m.attributes, '$.graph_entity'), m.id, m.content FROM memories m"
        " JOIN json_each(?) w ON w.value = json_extract(m.attributes, '$.graph_entity')"
        " JOIN json_each(?) s ON s.value = m.store"
        " WHERE m.kind = 'observation' AND m.valid_until IS NULL ORDER BY m.rowid",
        (json.dumps(list(entity_ids)), json.dumps(list(stores))),
    )
    observations: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for entity, memory, content in rows:
        observations[str(entity)].append((str(memory), str(content)))
    return observations


def relations(connection: apsw.Connection) -> list[tuple[int, str, str, str, str]]:
    """Return when each relation was stated, with its subject, predicate, object and source."""
    rows = connection.execute("SELECT created_at, subject_id, predicate, object_id, source FROM relations")
    return [
        (int(at), str(subject), str(predicate), str(target), str(source))
        for at, subject, predicate, target, source in rows
    ]


def is_stated_by_others(connection: apsw.Connection, entity_id: str, source: str, stores: Sequence[str]) -> bool:
    """Return whether others state something of an entity.

    That is a relation of another source, or an observation outside ``stores``.
    """
    cursor = connection.execute(
        "SELECT 1 FROM relations WHERE (subject_id = ?1 OR object_id = ?1) AND source <> ?2"
        f" UNION ALL SELECT 1 FROM memories WHERE valid_until IS NULL AND attributes ->> '{OF_ENTITY}' = ?1"
        " AND store NOT IN (SELECT value FROM json_each(?3)) LIMIT 1",
        (entity_id, source, json.dumps(list(stores))),
    )
    return cursor.fetchone() is not None


def _node(entity_id: str, mark: str) -> MarkedEntity:
    held = json.loads(mark)
    return MarkedEntity(
        entity_id, held["name"], held["type"], held["store"], bool(held["listed"]), held.get("place", 0)
    )
