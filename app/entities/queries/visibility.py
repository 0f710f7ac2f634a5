"""Visibility of entities: a caller sees what mentions in the caller's stores say.

A caller that may read every store sees the whole registry. Others see an entity when a memory that they may read
mentions it, under the names in that memory; summaries and stated relations belong to no store and stay with the person.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

import apsw

from app.core.stores import STORES, sees_all
from app.entities.model import name_key


def within(stores: Sequence[str], table: str = "m") -> str:
    """Return the condition that a mention is in one of ``stores``.

    Only names of our own stores get into the SQL.
    """
    if sees_all(stores):
        return "TRUE"
    return f"{table}.store IN ({', '.join(repr(store) for store in STORES if store in stores)})"


def names(connection: apsw.Connection, ids: Iterable[str], stores: Sequence[str]) -> dict[str, str]:
    """Return the names of entities that a caller may see.

    Entities that the caller may not see are left out.
    """
    wanted = json.dumps(list(ids))
    rows = connection.execute(
        "SELECT e.id, e.canonical_name FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value", (wanted,)
    ).fetchall()
    if sees_all(stores):
        return {str(entity): str(name) for entity, name in rows}
    seen = _seen_keys(connection, wanted, stores)
    found = {}
    for entity, name in rows:
        keys = seen.get(str(entity))
        if keys:
            found[str(entity)] = str(name) if name_key(str(name)) in keys else _alias(connection, str(entity), keys[0])
    return found


def aliases(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> tuple[str, ...]:
    """Return the names of an entity that a caller may know."""
    rows = connection.execute(
        "SELECT alias_key, alias FROM entity_aliases WHERE entity_id = ? ORDER BY alias_key", (entity_id,)
    ).fetchall()
    if sees_all(stores):
        return tuple(str(alias) for _, alias in rows)
    keys = set(_seen_keys(connection, json.dumps([entity_id]), stores).get(entity_id, ()))
    return tuple(str(alias) for key, alias in rows if key in keys)


def _seen_keys(connection: apsw.Connection, wanted: str, stores: Sequence[str]) -> dict[str, list[str]]:
    """Return the keys of names that stand in ``stores`` by entity, the most frequent first."""
    rows = connection.execute(
        "SELECT m.entity_id, substr(m.surface, instr(m.surface, ':') + 1) AS key, count(*) AS n"
        " FROM json_each(?) w CROSS JOIN mentions m ON m.entity_id = w.value"
        f" WHERE {within(stores)} GROUP BY 1, 2 ORDER BY n DESC, key",
        (wanted,),
    )
    seen: defaultdict[str, list[str]] = defaultdict(list)
    for entity, key, _ in rows:
        seen[str(entity)].append(str(key))
    return seen


def _alias(connection: apsw.Connection, entity_id: str, key: str) -> str:
    row = connection.execute(
        "SELECT alias FROM entity_aliases WHERE entity_id = ? AND alias_key = ?", (entity_id, key)
    ).fetchone()
    return key if row is None else str(row[0])
