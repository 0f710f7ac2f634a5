"""Names that only one turn or memory gave: found before it goes for ever, and taken away after it."""

import json
from collections.abc import Collection

import apsw

Names = frozenset[tuple[str, str]]

_OF_MEMORY = "owner_kind = 'memory' AND owner_id = ?"
_OF_SESSION = (
    "owner_kind = 'message' AND owner_id IN (SELECT session_id || '#' || seq FROM messages WHERE session_id = ?)"
)


def names_in(connection: apsw.Connection, kind: str, target: str) -> Names:
    """Return the entities that a memory or session names, each with the keys of the names it uses."""
    where = _OF_MEMORY if kind == "memory" else _OF_SESSION
    rows = connection.execute(
        f"SELECT DISTINCT entity_id, substr(surface, instr(surface, ':') + 1) FROM mentions WHERE {where}", (target,)
    )
    return frozenset((str(entity), str(key)) for entity, key in rows)


def drop(connection: apsw.Connection, names: Collection[tuple[str, str]]) -> dict[str, int]:
    """Remove those of ``names`` that nothing else mentions and no person decided about.

    An entity goes when nothing mentions it any more; one that stays loses the aliases that nothing else uses.
    """
    wanted = json.dumps([list(name) for name in names])
    aliases = connection.execute(
        "DELETE FROM entity_aliases WHERE (entity_id, alias_key) IN (SELECT e.id, w.value ->> 1 FROM json_each(?) w"
        " JOIN entities e ON e.id = w.value ->> 0 WHERE e.touched = 0 AND e.name_key <> w.value ->> 1 AND NOT EXISTS"
        " (SELECT 1 FROM mentions m WHERE m.entity_id = e.id AND substr(m.surface, instr(m.surface, ':') + 1)"
        " = w.value ->> 1)) RETURNING 1",
        (wanted,),
    ).fetchall()
    entities = connection.execute(
        "DELETE FROM entities WHERE id IN (SELECT e.id FROM json_each(?) w JOIN entities e ON e.id = w.value ->> 0"
        " WHERE e.mention_count = 0 AND e.touched = 0 AND e.protected = 0"
        " AND NOT EXISTS (SELECT 1 FROM relations r WHERE e.id IN (r.subject_id, r.object_id))) RETURNING 1",
        (wanted,),
    ).fetchall()
    return {"entity_aliases": len(aliases), "entities": len(entities)}
