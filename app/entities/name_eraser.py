"""Erasure of names that only one message or memory gave.

They are found before it is erased, and removed after it.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import apsw

from app.core.clock import to_ms
from app.entities import entity_state, repo
from app.entities.model import name_key
from app.erasure.call_records import forget_in_calls
from app.erasure.eraser import DroppedNames
from app.erasure.model import RemainingReference

Names = frozenset[tuple[str, str]]

_OF_MEMORY = "owner_kind = 'memory' AND owner_id = ?"
_OF_SESSION = (
    "owner_kind = 'message' AND owner_id IN (SELECT session_id || '#' || seq FROM messages WHERE session_id = ?)"
)


def names_in(connection: apsw.Connection, kind: str, target: str) -> Names:
    """Return the entities that a target names with the keys used, of an entity itself."""
    if kind == "entity":
        names = connection.execute(
            "SELECT id, name_key FROM entities WHERE id = ?1 UNION SELECT entity_id, alias_key FROM entity_aliases"
            " WHERE entity_id = ?1",
            (target,),
        )
        return frozenset((str(entity), str(key)) for entity, key in names)
    where = _OF_MEMORY if kind == "memory" else _OF_SESSION
    rows = connection.execute(
        f"SELECT DISTINCT entity_id, substr(surface, instr(surface, ':') + 1) FROM mentions"
        f" WHERE {where} AND entity_id IS NOT NULL",
        (target,),
    )
    return frozenset((str(entity), str(key)) for entity, key in rows)


def unmentioned_in(connection: apsw.Connection, texts: Iterable[str]) -> Names:
    """Return entities and names in ``texts`` that have no mention.

    An earlier wording left them behind.
    """
    rows = connection.execute(
        "SELECT e.id, e.name_key, e.canonical_name FROM entities e"
        " WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id)"
        " UNION ALL SELECT a.entity_id, a.alias_key, a.alias FROM entity_aliases a WHERE NOT EXISTS (SELECT 1"
        " FROM mentions m WHERE m.entity_id = a.entity_id AND substr(m.surface, instr(m.surface, ':') + 1)"
        " = a.alias_key)"
    ).fetchall()
    said = "\n".join(texts).casefold() if rows else ""
    return frozenset(
        (str(entity), str(key)) for entity, key, name in rows if _says(said, str(key)) or _says(said, str(name))
    )


def _says(text: str, name: str) -> bool:
    """Return whether a case-folded text has a name.

    Names in scripts that write spaces between words must stand as whole words.
    """
    folded = name.casefold()
    if not folded or folded not in text:
        return False
    return not folded.isascii() or re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", text) is not None


def spellings(connection: apsw.Connection, names: Collection[tuple[str, str]]) -> frozenset[str]:
    """Return how ``names`` are written in the tables of entities now."""
    wanted = json.dumps([list(name) for name in names])
    rows = connection.execute(
        "SELECT e.canonical_name, e.name_key FROM json_each(?1) w JOIN entities e ON e.id = w.value ->> 0"
        " UNION SELECT a.alias, a.alias_key FROM json_each(?1) w JOIN entity_aliases a"
        " ON a.entity_id = w.value ->> 0 AND a.alias_key = w.value ->> 1",
        (wanted,),
    )
    return frozenset(str(spelling) for row in rows for spelling in row)


def kept(connection: apsw.Connection, names: Collection[tuple[str, str]]) -> Iterator[RemainingReference]:
    """Yield entities that have one of ``names`` by decision of a person, without a mention."""
    wanted = json.dumps([list(name) for name in names])
    rows = connection.execute(
        "SELECT DISTINCT e.id FROM json_each(?) w JOIN entities e ON e.id = w.value ->> 0"
        " WHERE (e.name_key = w.value ->> 1 OR EXISTS (SELECT 1 FROM entity_aliases a WHERE a.entity_id = e.id"
        " AND a.alias_key = w.value ->> 1)) AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id"
        " AND substr(m.surface, instr(m.surface, ':') + 1) = w.value ->> 1) ORDER BY e.id",
        (wanted,),
    )
    for (entity,) in rows.fetchall():
        yield RemainingReference("entities", str(entity), "has a name from it")


def drop(connection: apsw.Connection, names: Collection[tuple[str, str]]) -> DroppedNames:
    """Remove those of ``names`` that nothing else mentions and no person decided about.

    An entity goes when nothing mentions it any more, be it of ``names`` or not: it may be of an earlier wording. One
    that stays loses the aliases that nothing else uses. What was joined by itself with one of them stands alone again,
    and nothing tells of the join: what is left may no longer speak for it.
    """
    history = _drop_history(connection, _take_joins_back(connection, {entity for entity, _ in names}))
    wanted = json.dumps([list(name) for name in names])
    aliases = connection.execute(
        "DELETE FROM entity_aliases WHERE (entity_id, alias_key) IN (SELECT e.id, w.value ->> 1 FROM json_each(?) w"
        " JOIN entities e ON e.id = w.value ->> 0 WHERE e.touched = 0 AND e.name_key <> w.value ->> 1 AND NOT EXISTS"
        " (SELECT 1 FROM mentions m WHERE m.entity_id = e.id AND substr(m.surface, instr(m.surface, ':') + 1)"
        " = w.value ->> 1)) RETURNING entity_id",
        (wanted,),
    ).fetchall()
    entities = connection.execute(
        "DELETE FROM entities WHERE id IN (SELECT e.id FROM entities e WHERE e.touched = 0 AND e.protected = 0"
        " AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id)"
        " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.subject_id = e.id)"
        " AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.object_id = e.id)"
        " AND (e.id IN (SELECT w.value ->> 0 FROM json_each(?) w)"
        " OR NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.target = e.id))) RETURNING id",
        (wanted,),
    ).fetchall()
    gone = [str(row[0]) for row in entities]
    removed = {"entity_aliases": len(aliases), "entities": len(entities)}
    history += _drop_history(connection, {*gone, *(str(row[0]) for row in aliases)})
    removed["memory_history"] = history.total()
    for entity in gone:  # a merge of it may have been proposed
        for table, count in forget_in_calls(connection, entity).items():
            removed[table] = removed.get(table, 0) + count
    return DroppedNames(removed, tuple(sorted(history)))


def _drop_history(connection: apsw.Connection, entities: Collection[str]) -> Counter[str]:
    """Remove the history of entities, which has their names; count the entries of each."""
    rows = connection.execute(
        "SELECT id, target FROM memory_history WHERE target_kind = 'entity' AND target IN"
        " (SELECT value FROM json_each(?))",
        (json.dumps(sorted(entities)),),
    ).fetchall()
    drop_entries(connection, [int(str(entry)) for entry, _ in rows])
    return Counter(str(target) for _, target in rows)


def _take_joins_back(connection: apsw.Connection, entities: Collection[str]) -> list[str]:
    """Take back what joined entities by itself, and return those that stand alone again."""
    joined = connection.execute(
        "SELECT id FROM entities e WHERE merged_into IS NOT NULL AND touched = 0"
        " AND EXISTS (SELECT 1 FROM entity_aliases a WHERE a.entity_id = e.id)"
    ).fetchall()
    return [
        entity
        for entity in (str(row[0]) for row in joined)
        if {entity, repo.root(connection, entity)} & set(entities) and part(connection, entity, {})
    ]


def part(connection: apsw.Connection, entity: str, fields: Mapping[str, Any]) -> bool:
    """Let an entity stand alone, with some fields changed; return False where it cannot.

    Where a person has named another one so, it stands for that one.
    """
    held, state = repo.get(connection, entity), entity_state.read(connection, entity)
    if held is None or state is None:
        return False
    named = repo.named(connection, name_key(state["name"]), state["type"])
    other = None if named in (None, entity) else repo.get(connection, str(named))
    into = named if other is not None and other.touched else None
    entity_state.write(connection, entity, {**state, **fields, "merged_into": into}, to_ms(held.updated_at))
    return True


def drop_entries(connection: apsw.Connection, entries: Collection[int]) -> int:
    """Remove entries of the history, and return how many; what they had undone stands again."""
    gone = json.dumps(list(entries))
    connection.execute(
        "UPDATE memory_history SET undone_by = NULL WHERE undone_by IN (SELECT value FROM json_each(?))", (gone,)
    )
    rows = connection.execute(
        "DELETE FROM memory_history WHERE id IN (SELECT value FROM json_each(?)) RETURNING 1", (gone,)
    )
    return len(rows.fetchall())
