"""Hiding of an agent's entities, and of its relations and marks on others.

What somebody else stated of the same entity stays visible.
"""

from typing import Any

import apsw

from app.entities import entity_state
from app.entities.entity_edits import EntityEdits
from app.history import history_repo, undo_chain
from app.knowledge_graph.repo import MARK, OF_ENTITY

State = dict[str, Any]

_GRAPH_MADE = "graph_made"
# As in the ids of runs that hide something.
_NOT_HIDING = "(run_id IS NULL OR NOT (run_id >= 'quarantine:' AND run_id < 'quarantine;'))"


def merges_of(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> list[int]:
    """Return the history entries of the merges that an agent made within a time."""
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE actor = ? AND at BETWEEN ? AND ? AND target_kind = 'entity'"
        " AND event = 'MERGE' ORDER BY id",
        (agent, since_ms, until_ms),
    )
    return [int(str(row[0])) for row in rows]


def hide(edits: EntityEdits, agent: str, since_ms: int, until_ms: int) -> None:
    """Hide what an agent stated of entities within a time; its memories are hidden already."""
    connection = edits.connection
    made = _targets(connection, agent, since_ms, until_ms, "before IS NULL")
    marks = "before ->> '$.attributes.graph' IS NULL AND after ->> '$.attributes.graph' IS NOT NULL"
    marked = _targets(connection, agent, since_ms, until_ms, marks)
    related = connection.execute(
        "SELECT DISTINCT subject_id FROM relations WHERE source = ? AND created_at BETWEEN ? AND ?",
        (agent, since_ms, until_ms),
    ).fetchall()
    # Relations go first: then what is left of an entity is what others stated.
    for entity in sorted({*made, *marked, *(str(row[0]) for row in related)}):
        before = entity_state.read(connection, entity)
        if before is not None:
            kept = [one for one in before["relations"] if not (one[3] == agent and since_ms <= one[4] <= until_ms)]
            if kept != before["relations"]:
                edits.write(entity, {**before, "relations": kept}, "UPDATE")
    for entity in sorted({*made, *marked}):
        before = entity_state.read(connection, entity)
        if before is None or _is_stated_by_others(connection, entity, agent):
            continue
        if entity in made:
            edits.write(entity, _retired(before), "DELETE")
        elif MARK in before["attributes"]:
            attributes = {
                name: value for name, value in before["attributes"].items() if name not in (MARK, _GRAPH_MADE)
            }
            edits.write(entity, {**before, "attributes": attributes}, "UPDATE")


def bring_back_relations(edits: EntityEdits, entry_id: int) -> bool:
    """Bring hidden relations back to an entity that others changed; return whether done."""
    entry = history_repo.entry(edits.connection, entry_id)
    now = None if entry is None else entity_state.read(edits.connection, entry.target)
    if entry is None or entry.before is None or entry.after is None or now is None:
        return False
    if any(entry.before[name] != entry.after[name] for name in entry.before if name != "relations"):
        return False
    hidden = [one for one in entry.before["relations"] if one not in entry.after["relations"]]
    stated = {(one[0], one[1]) for one in now["relations"]}
    back = [one for one in hidden if (one[0], one[1]) not in stated]
    edits.write(entry.target, {**now, "relations": sorted([*now["relations"], *back])}, "UPDATE")
    history_repo.mark_undone(edits.connection, entry_id, edits.changes("").history_ids[-1])
    return True


def _retired(before: State) -> State:
    gone = {**before, "aliases": [], "claims": [], "relations": [], "protected": False}
    return {**gone, "attributes": {**before["attributes"], "retired": True}}


def _targets(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int, condition: str) -> set[str]:
    rows = connection.execute(
        "SELECT id, target FROM memory_history WHERE actor = ? AND at BETWEEN ? AND ? AND target_kind = 'entity'"
        f" AND {condition}",
        (agent, since_ms, until_ms),
    ).fetchall()
    return {str(target) for entry, target in rows if undo_chain.stands(connection, int(str(entry)))}


def _is_stated_by_others(connection: apsw.Connection, entity: str, agent: str) -> bool:
    """Return whether others decided about an entity, related it, or observed it."""
    found = connection.execute(
        "SELECT 1 FROM relations WHERE (subject_id = ?1 OR object_id = ?1) AND source <> ?2"
        f" UNION ALL SELECT 1 FROM memories WHERE valid_until IS NULL AND attributes ->> '{OF_ENTITY}' = ?1 LIMIT 1",
        (entity, agent),
    ).fetchone()
    if found is not None:
        return True
    rows = connection.execute(
        f"SELECT id FROM memory_history WHERE target = ? AND target_kind = 'entity' AND actor <> ? AND {_NOT_HIDING}"
        " AND id NOT IN (SELECT undone_by FROM memory_history WHERE target = ? AND undone_by IS NOT NULL)",
        (entity, agent, entity),
    ).fetchall()
    return any(undo_chain.stands(connection, int(str(row[0]))) for row in rows)
