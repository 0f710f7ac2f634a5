"""SQL of the entity registry: rows, names, claims and stated relations.

Rules live in the service.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import apsw

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities.model import Entity, EntityType, name_key, registry_type

_COLUMNS = (
    "id, canonical_name, type, mention_count, created_at, updated_at, summary, protected, touched, merged_into,"
    " attributes"
)
_RETIRED = "\x1f"  # between the name and the id of an entity that is there no more; no key holds it
_MAX_STEPS = 1_000  # of a chain of merges

STATED = "graph"
"""The attribute of an entity that an agent stated: its name, type and store in the agent's words."""

_IS_KEPT = "attributes ->> '$.retired' IS NULL"
IS_LISTED: Final = f"coalesce(attributes ->> '$.{STATED}.listed' = 1 AND {_IS_KEPT}, 0)"
"""SQL of whether an entity was stated by itself."""
STATED_IDS: Final = (
    "WITH RECURSIVE held (subject_id, object_id) AS (SELECT r.subject_id, r.object_id FROM relations r"
    " CROSS JOIN entities s ON s.id = r.subject_id CROSS JOIN entities o ON o.id = r.object_id"
    f" WHERE s.{_IS_KEPT} AND o.{_IS_KEPT}),"
    f" stated (id) AS (SELECT id FROM entities INDEXED BY entities_touched WHERE touched = 1 AND {IS_LISTED}"
    " UNION SELECT subject_id FROM held UNION SELECT object_id FROM held"
    " UNION SELECT e.merged_into FROM stated CROSS JOIN entities e ON e.id = stated.id"
    " WHERE e.merged_into IS NOT NULL) SELECT id FROM stated"
)
"""SQL of the ids of entities of which a statement holds, with those that they were merged into."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A stated relation from an entity, by ids; times in milliseconds."""

    predicate: str
    object_id: str
    weight: float
    source: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim of an entity on an owner whose text would otherwise mean ``from_id``."""

    owner_kind: str
    owner_id: str
    from_id: str


def get(connection: apsw.Connection, entity_id: str) -> Entity | None:
    """Return an entity, merged ones included."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM entities WHERE id = ?", (entity_id,)).fetchone()
    if row is None:
        return None
    return Entity(
        id=row[0],
        name=row[1],
        type=cast("EntityType", row[2]),
        mentions=row[3],
        created_at=to_datetime(row[4]),
        updated_at=to_datetime(row[5]),
        aliases=tuple(aliases(connection, entity_id)),
        summary=row[6],
        protected=bool(row[7]),
        touched=bool(row[8]),
        merged_into=row[9],
        attributes=json.loads(row[10]),
    )


def named(connection: apsw.Connection, key: str, kind: str) -> str | None:
    """Return the id of the unmerged entity with a canonical name and type."""
    row = connection.execute(
        "SELECT id FROM entities WHERE name_key = ? AND type = ? AND merged_into IS NULL", (key, kind)
    ).fetchone()
    return None if row is None else str(row[0])


def decided_alias(connection: apsw.Connection, key: str, kind: str) -> str | None:
    """Return the entity that has an alias by a decision or a join."""
    rows = connection.execute(
        "SELECT e.id, e.touched FROM entity_aliases a JOIN entities e ON e.id = a.entity_id WHERE a.alias_key = ?"
        " AND e.type = ? AND e.merged_into IS NULL ORDER BY e.touched DESC, e.rowid",
        (key, kind),
    ).fetchall()
    for entity_id, touched in rows:
        if touched or key in map(name_key, joined_names(connection, str(entity_id))):
            return str(entity_id)
    return None


def stated_names(connection: apsw.Connection) -> dict[str, dict[str, EntityType]]:
    """Return the keys and types of the names that each store's readers see stated there.

    Those that are not listed stand in relations alone, which only their source sees below full trust. Of two types of
    one name the one that was stated first holds: the order of rows may follow from what a reader does not see.
    """
    rows = connection.execute(
        f"SELECT attributes ->> '$.{STATED}.store', attributes ->> '$.{STATED}.name', attributes ->> '$.{STATED}.type'"
        f" FROM entities WHERE touched = 1 AND {IS_LISTED} ORDER BY attributes ->> '$.{STATED}.place' DESC, 2, 3"
    )
    names: dict[str, dict[str, EntityType]] = {store: {} for store in STORES}
    for store, name, kind in rows:
        if key := name_key(str(name)):
            names[str(store)][key] = registry_type(str(kind))
    return names


def is_stated(connection: apsw.Connection, entity_id: str) -> bool:
    """Return whether a statement about an entity holds."""
    return bool(connection.execute(f"SELECT ? IN ({STATED_IDS})", (entity_id,)).get)


def merged_named(connection: apsw.Connection, key: str, kind: str | None, into: str) -> str | None:
    """Return the id of an entity of a name that was merged into ``into``.

    A ``kind`` of ``None`` allows any type.
    """
    row = connection.execute(
        "SELECT id FROM entities WHERE merged_into = ?1 AND name_key = ?2 AND (?3 IS NULL OR type = ?3)"
        " AND json_extract(attributes, '$.retired') IS NULL ORDER BY rowid LIMIT 1",
        (into, key, kind),
    ).fetchone()
    return None if row is None else str(row[0])


def aliased(connection: apsw.Connection, key: str, kind: str | None) -> str | None:
    """Return the id of the entity with the alias ``key`` and a type.

    Its type, or that of an entity merged into it, must be ``kind``; ``None`` allows any.
    """
    row = connection.execute(
        "SELECT e.id FROM entity_aliases a JOIN entities e ON e.id = a.entity_id"
        " WHERE a.alias_key = ?1 AND e.merged_into IS NULL AND (?2 IS NULL OR e.type = ?2 OR EXISTS"
        " (SELECT 1 FROM json_each(e.attributes, '$.absorbed') WHERE value = ?2))"
        " ORDER BY e.type IS NOT ?2, e.touched DESC, e.rowid LIMIT 1",
        (key, kind),
    ).fetchone()
    return None if row is None else str(row[0])


def root(connection: apsw.Connection, entity_id: str) -> str:
    """Return the entity that ``entity_id`` stands for after all merges."""
    for _ in range(_MAX_STEPS):
        row = connection.execute("SELECT merged_into FROM entities WHERE id = ?", (entity_id,)).fetchone()
        if row is None or row[0] is None:
            break
        entity_id = str(row[0])
    return entity_id


def cluster(connection: apsw.Connection, entity_id: str) -> list[str]:
    """Return an entity's id and those of all that were merged into it."""
    rows = connection.execute(
        "WITH RECURSIVE part (id) AS (SELECT ?1 UNION SELECT e.id FROM entities e JOIN part ON e.merged_into = part.id)"
        " SELECT id FROM part",
        (entity_id,),
    )
    return [str(row[0]) for row in rows]


def joined_names(connection: apsw.Connection, entity_id: str) -> list[str]:
    """Return the names of all that was joined to an entity by itself.

    What a person merges gives its names away. What is joined by itself keeps them, so that it is one change of one
    entity, and lends them to the one it stands for.
    """
    rows = connection.execute(
        "WITH RECURSIVE part (id) AS (SELECT id FROM entities WHERE merged_into = ?1"
        " UNION SELECT e.id FROM entities e JOIN part ON e.merged_into = part.id)"
        " SELECT a.alias FROM part JOIN entity_aliases a ON a.entity_id = part.id ORDER BY a.alias_key",
        (entity_id,),
    )
    return [str(row[0]) for row in rows]


def insert(connection: apsw.Connection, entity_id: str, name: str, kind: str, now_ms: int) -> None:
    """Insert an entity that goes by its own name."""
    connection.execute(
        "INSERT INTO entities (id, canonical_name, name_key, type, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
        (entity_id, name, name_key(name), kind, now_ms, now_ms),
    )
    add_aliases(connection, entity_id, (name,))


def insert_merged(connection: apsw.Connection, entity_id: str, name: str, kind: str, into: str, now_ms: int) -> None:
    """Insert an entity that stands for another from the beginning."""
    connection.execute(
        "INSERT INTO entities (id, canonical_name, name_key, type, created_at, updated_at, merged_into)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (entity_id, name, name_key(name), kind, now_ms, now_ms, into),
    )


def update(connection: apsw.Connection, entity_id: str, values: dict[str, Any], now_ms: int) -> None:
    """Update the columns of an entity that a person may change.

    The keys of ``values`` are those of its state. One whose making was undone leaves its name to others.
    """
    key = name_key(values["name"])
    if values["attributes"].get("retired"):
        key += f"{_RETIRED}{entity_id}"
    connection.execute(
        "UPDATE entities SET canonical_name = ?, name_key = ?, type = ?, summary = ?, protected = ?, touched = ?,"
        " merged_into = ?, attributes = ?, updated_at = ? WHERE id = ?",
        (
            values["name"],
            key,
            values["type"],
            values["summary"],
            int(values["protected"]),
            int(values["touched"]),
            values["merged_into"],
            json.dumps(values["attributes"], ensure_ascii=False),
            now_ms,
            entity_id,
        ),
    )


def aliases(connection: apsw.Connection, entity_id: str) -> list[str]:
    """Return an entity's names by key."""
    rows = connection.execute("SELECT alias FROM entity_aliases WHERE entity_id = ? ORDER BY alias_key", (entity_id,))
    return [str(row[0]) for row in rows]


def add_aliases(connection: apsw.Connection, entity_id: str, names: Iterable[str]) -> None:
    """Add names to an entity; those it has stay as they are written."""
    connection.executemany(
        "INSERT INTO entity_aliases (alias_key, entity_id, alias) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(name_key(name), entity_id, name) for name in names],
    )


def set_aliases(connection: apsw.Connection, entity_id: str, names: Iterable[str]) -> None:
    """Give an entity these names and no others."""
    connection.execute("DELETE FROM entity_aliases WHERE entity_id = ?", (entity_id,))
    add_aliases(connection, entity_id, names)


def claims(connection: apsw.Connection, entity_id: str) -> list[Claim]:
    """Return what an entity claims."""
    rows = connection.execute(
        "SELECT owner_kind, owner_id, from_id FROM entity_claims WHERE to_id = ? ORDER BY 1, 2, 3", (entity_id,)
    )
    return [Claim(*map(str, row)) for row in rows]


def set_claims(connection: apsw.Connection, entity_id: str, wanted: Iterable[Claim]) -> None:
    """Let an entity claim this and nothing else; what another claimed of it passes over."""
    connection.execute("DELETE FROM entity_claims WHERE to_id = ?", (entity_id,))
    connection.executemany(
        "INSERT INTO entity_claims (owner_kind, owner_id, from_id, to_id) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET to_id = excluded.to_id",
        [(one.owner_kind, one.owner_id, one.from_id, entity_id) for one in wanted],
    )


def is_mentioned(connection: apsw.Connection, entity_id: str, owners: Iterable[tuple[str, str]]) -> bool:
    """Return whether any of some messages and memories, as (kind, id), mentions an entity."""
    cursor = connection.execute(
        "SELECT 1 FROM json_each(?) w JOIN mentions m ON m.owner_kind = w.value ->> 0 AND m.owner_id = w.value ->> 1"
        " WHERE m.entity_id = ? LIMIT 1",
        (json.dumps([list(owner) for owner in owners]), entity_id),
    )
    return cursor.fetchone() is not None


def is_claimed(connection: apsw.Connection, owner_kind: str, owner_id: str, from_id: str) -> bool:
    """Return whether something else is meant in an owner by the name of ``from_id``."""
    cursor = connection.execute(
        "SELECT 1 FROM entity_claims WHERE owner_kind = ? AND owner_id = ? AND from_id = ?",
        (owner_kind, owner_id, from_id),
    )
    return cursor.fetchone() is not None


def owners_with_claims(connection: apsw.Connection, owners: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of some messages and memories, as (kind, id), of which anything is claimed."""
    rows = connection.execute(
        "SELECT DISTINCT c.owner_kind, c.owner_id FROM json_each(?) w CROSS JOIN entity_claims c"
        " ON c.owner_kind = w.value ->> 0 AND c.owner_id = w.value ->> 1",
        (json.dumps([list(owner) for owner in owners]),),
    )
    return {(str(kind), str(owner_id)) for kind, owner_id in rows}


def claims_on(connection: apsw.Connection, owner_kind: str, owner_id: str) -> dict[str, str]:
    """Return the claims on an owner: claiming entity by the one claimed from.

    Both are given after merges.
    """
    rows = connection.execute(
        "SELECT from_id, to_id FROM entity_claims WHERE owner_kind = ? AND owner_id = ?", (owner_kind, owner_id)
    ).fetchall()
    return {root(connection, str(first)): root(connection, str(second)) for first, second in rows}


def edges(connection: apsw.Connection, entity_id: str) -> list[Edge]:
    """Return the relations stated of an entity as their subject."""
    rows = connection.execute(
        "SELECT predicate, object_id, weight, source, created_at FROM relations WHERE subject_id = ? ORDER BY 1, 2, 4",
        (entity_id,),
    )
    return [Edge(*row) for row in rows]


def set_edges(connection: apsw.Connection, entity_id: str, wanted: Sequence[Edge]) -> None:
    """Let these and no others be stated of an entity as their subject.

    Those to an entity that was erased since are left out.
    """
    connection.execute("DELETE FROM relations WHERE subject_id = ?", (entity_id,))
    connection.executemany(
        "INSERT INTO relations (subject_id, predicate, object_id, weight, source, created_at)"
        " SELECT ?1, ?2, id, ?4, ?5, ?6 FROM entities WHERE id = ?3",
        [(entity_id, one.predicate, one.object_id, one.weight, one.source, one.created_ms) for one in wanted],
    )


def place(
    connection: apsw.Connection, positions: Iterable[tuple[str, float, float]], *, pinned: bool | None = None
) -> None:
    """Remember where entities were left in the graph of all names.

    Pinned ones stay where they are unless ``pinned`` says that a person moved them, or let go of them.
    """
    connection.executemany(
        "UPDATE entities SET position_x = ?, position_y = ?, position_pinned = coalesce(?, position_pinned)"
        " WHERE id = ? AND (position_pinned = 0 OR ? IS NOT NULL)",
        [(x, y, pinned, entity, pinned) for entity, x, y in positions],
    )


def place_around(
    connection: apsw.Connection,
    centre: str,
    positions: Iterable[tuple[str, float, float]],
    *,
    pinned: bool | None = None,
) -> None:
    """Remember where entities were left in the graph around ``centre``; see ``place``."""
    connection.executemany(
        "INSERT INTO graph_positions (centre_id, entity_id, x, y, pinned)"
        " SELECT c.id, e.id, ?, ?, coalesce(?, 0) FROM entities c, entities e WHERE c.id = ? AND e.id = ?"
        " ON CONFLICT (centre_id, entity_id) DO UPDATE SET x = excluded.x, y = excluded.y,"
        " pinned = coalesce(?, pinned) WHERE pinned = 0 OR ? IS NOT NULL",
        [(x, y, pinned, centre, entity, pinned, pinned) for entity, x, y in positions],
    )
