"""Visibility of entities: a caller sees what mentions in the caller's stores say.

A caller that may read every store sees the registry: entities by their ids. For all others the registry is as if it
had never been, since entities, their times, types, spellings, merges and splits may come from what they do not see: an
entity is a type and a name that stand in their stores (the *surface* of mentions), with an id made of these two.

Inside queries an entity is named by its *handle*: the registry's id, or the surface.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import apsw

from app.core import message_ids
from app.core.ids import is_seen_entity_id, seen_entity_id
from app.core.stores import STORES, sees_all
from app.core.text import collapse
from app.entities.model import EntityType, name_key

_TRIED: Final = 5  # mentions whose words are looked at for the spelling of a name


def within(stores: Sequence[str], table: str = "m") -> str:
    """Return the condition that a mention is in one of ``stores``.

    Only names of our own stores get into the SQL. A mention of no entity is what others find where the registry knows
    better.
    """
    if sees_all(stores):
        return f"{table}.entity_id IS NOT NULL"
    inside = f"{table}.store IN ({', '.join(repr(store) for store in STORES if store in stores)})"
    # Messages are private, and there are far more of them.
    return inside if "private" in stores else f"({table}.owner_kind = 'memory' AND {inside})"


def handle_column(stores: Sequence[str]) -> str:
    """Return the column of the mentions ``m`` that names the entity."""
    return "m.entity_id" if sees_all(stores) else "m.surface"


KEY_SQL: Final = "substr(m.surface, instr(m.surface, ':') + 1)"
"""The SQL of the key of a mention's name."""
TYPE_SQL: Final = "substr(m.surface, 1, instr(m.surface, ':') - 1)"
"""The SQL of the type of a mention's name."""


def type_of(surface: str) -> EntityType:
    """Return the type of a surface."""
    return cast("EntityType", surface.partition(":")[0])


def key_of(surface: str) -> str:
    """Return the key of the name of a surface."""
    return surface.partition(":")[2]


def public_id(handle: str, stores: Sequence[str]) -> str:
    """Return the id by which a caller knows an entity."""
    return handle if sees_all(stores) else seen_entity_id(handle)


def handles(connection: apsw.Connection, ids: Iterable[str], stores: Sequence[str]) -> dict[str, str]:
    """Return the handles of entities by the ids that a caller gave.

    Ids of what a narrowed caller does not see are left out. Who sees everything may give the id by which another knows
    an entity.
    """
    wanted = dict.fromkeys(ids)
    found = {one: one for one in wanted} if sees_all(stores) else dict[str, str]()
    seen = {one for one in wanted if is_seen_entity_id(one)}
    if not seen:
        return found
    rows = connection.execute(
        f"SELECT m.surface, max({handle_column(stores)}) FROM mentions m WHERE {within(stores)} GROUP BY m.surface"
    )
    return found | {made: str(handle) for surface, handle in rows if (made := seen_entity_id(str(surface))) in seen}


def names(connection: apsw.Connection, wanted: Iterable[str], stores: Sequence[str]) -> dict[str, str]:
    """Return the names of entities, by handle, that a caller may see.

    Entities that the caller may not see are left out.
    """
    if sees_all(stores):
        rows = connection.execute(
            "SELECT e.id, e.canonical_name FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value",
            (json.dumps(list(wanted)),),
        )
        return {str(entity): str(name) for entity, name in rows}
    found = {}
    for surface in dict.fromkeys(wanted):
        name = _spelled(connection, surface, stores)
        if name is not None:
            found[surface] = name
    return found


def aliases(connection: apsw.Connection, handle: str, name: str, stores: Sequence[str]) -> tuple[str, ...]:
    """Return the names of an entity that a caller may know."""
    if not sees_all(stores):
        return (name,)
    rows = connection.execute("SELECT alias FROM entity_aliases WHERE entity_id = ? ORDER BY alias_key", (handle,))
    return tuple(str(row[0]) for row in rows)


def _spelled(connection: apsw.Connection, surface: str, stores: Sequence[str]) -> str | None:
    """Return a name as the earliest visible text has it, ``None`` where none has it."""
    rows: list[Any] = connection.execute(
        "SELECT m.owner_kind, m.owner_id, m.start, m.length FROM mentions m"
        f" WHERE m.surface = ? AND {within(stores)} ORDER BY m.start < 0, m.at, m.owner_id, m.start LIMIT ?",
        (surface, _TRIED),
    ).fetchall()
    key = key_of(surface)
    for kind, owner, start, length in rows:
        for words in _words(connection, kind, owner, start, length):
            if name_key(words) == key:
                return collapse(words)
            at = words.casefold().find(key)
            part = words[at : at + len(key)]
            if start < 0 <= at and name_key(part) == key:
                return part
    return key if rows else None


def _words(connection: apsw.Connection, kind: str, owner: str, start: int, length: int) -> list[str]:
    """Return an owner's words that are a name, or all without a place."""
    ref = message_ids.parse(owner) if kind == "message" else None
    if ref is not None:
        sql = "SELECT substr(content, max(?1, 0) + 1, ?2), author FROM messages WHERE session_id = ?3 AND seq = ?4"
        rows = connection.execute(sql, (start, length, ref.session, ref.seq))
        return [str(said if start >= 0 else author) for said, author in rows]
    sql = "SELECT substr(content, max(?1, 0) + 1, ?2), title, facts FROM memories WHERE id = ?3"
    texts = list[str]()
    for said, title, facts in connection.execute(sql, (start, length, owner)):
        texts += [said] if start >= 0 else [title, *json.loads(str(facts))]
    return [collapse(str(one)) for one in texts]
