"""Hiding of an agent's entities, and of its relations and marks on others.

What somebody else stated of the same entity stays visible.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class StatedEntities:
    """Entities of which an agent stated something, by their ids.

    Args:
        made: It made them.
        marked: It took them into the knowledge graph.
        related: It stated relations from them.
    """

    made: frozenset[str]
    marked: frozenset[str]
    related: frozenset[str]


def merges_of(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> list[int]:
    """Return the history entries of the merges that an agent made within a time."""
    rows = connection.execute(
        "SELECT id FROM memory_history WHERE actor = ? AND at BETWEEN ? AND ? AND target_kind = 'entity'"
        " AND event = 'MERGE' ORDER BY id",
        (agent, since_ms, until_ms),
    )
    return [int(str(row[0])) for row in rows]


def stated_by(connection: apsw.Connection, agent: str, since_ms: int, until_ms: int) -> StatedEntities:
    """Return the entities of which an agent stated something within a time."""
    targets = _targets(connection, agent, since_ms, until_ms, "before IS NULL")
    graph = "state_json({}) ->> '$.attributes.graph'"  # the states of memories that it wrote may be packed
    marks = f"{graph.format('before')} IS NULL AND {graph.format('after')} IS NOT NULL"
    marked = _targets(connection, agent, since_ms, until_ms, marks)
    related = connection.execute(
        "SELECT DISTINCT subject_id FROM relations WHERE source = ? AND created_at BETWEEN ? AND ?",
        (agent, since_ms, until_ms),
    ).fetchall()
    return StatedEntities(frozenset(targets), frozenset(marked), frozenset(str(row[0]) for row in related))


def hide_relations(edits: EntityEdits, entity: str, agent: str, since_ms: int, until_ms: int) -> None:
    """Hide the relations of an entity that an agent stated within a time."""
    before = entity_state.read(edits.connection, entity)
    if before is not None:
        relations = [
            relation
            for relation in before["relations"]
            if not (relation[3] == agent and since_ms <= relation[4] <= until_ms)
        ]
        if relations != before["relations"]:
            edits.write(entity, {**before, "relations": relations}, "UPDATE")


def hide_entity(edits: EntityEdits, entity: str, agent: str, *, is_made: bool) -> None:
    """Hide an entity that an agent made, or its mark on one.

    An entity of which others stated something stays.

    Args:
        edits: The transaction.
        entity: Its id; its relations and memories by the agent are hidden already.
        agent: The agent.
        is_made: Whether the agent made it, and did not only mark it.
    """
    before = entity_state.read(edits.connection, entity)
    if before is None or _is_stated_by_others(edits.connection, entity, agent):
        return
    if is_made:
        edits.write(entity, _retired(before), "DELETE")
    elif MARK in before["attributes"]:
        attributes = {name: value for name, value in before["attributes"].items() if name not in (MARK, _GRAPH_MADE)}
        edits.write(entity, {**before, "attributes": attributes}, "UPDATE")


def entity_entries(connection: apsw.Connection, history_ids: Sequence[int], targets: Collection[str]) -> list[int]:
    """Return the history entries that concern some entities and were not undone, in order."""
    rows = connection.execute(
        "SELECT j.value, h.target FROM json_each(?) j CROSS JOIN memory_history h ON h.id = j.value"
        " WHERE h.target_kind = 'entity' ORDER BY j.key",
        (json.dumps(list(history_ids)),),
    ).fetchall()
    entries = [int(str(entry)) for entry, target in rows if target in targets]
    return [entry for entry in entries if undo_chain.stands(connection, entry)]


def bring_back_relations(edits: EntityEdits, entry_id: int) -> bool:
    """Bring hidden relations back to an entity that others changed; return whether done."""
    entry = history_repo.entry(edits.connection, entry_id)
    now = None if entry is None else entity_state.read(edits.connection, entry.target)
    if entry is None or entry.before is None or entry.after is None or now is None:
        return False
    if any(entry.before[name] != entry.after[name] for name in entry.before if name != "relations"):
        return False
    hidden = [relation for relation in entry.before["relations"] if relation not in entry.after["relations"]]
    stated = {(relation[0], relation[1], relation[3]) for relation in now["relations"]}
    back = [naming for naming in hidden if (naming[0], naming[1], naming[3]) not in stated]
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
    relation_row = connection.execute(
        "SELECT 1 FROM relations WHERE (subject_id = ?1 OR object_id = ?1) AND source <> ?2"
        f" UNION ALL SELECT 1 FROM memories WHERE valid_until IS NULL AND attributes ->> '{OF_ENTITY}' = ?1 LIMIT 1",
        (entity, agent),
    ).fetchone()
    if relation_row is not None:
        return True
    rows = connection.execute(
        f"SELECT id FROM memory_history WHERE target = ? AND target_kind = 'entity' AND actor <> ? AND {_NOT_HIDING}"
        " AND id NOT IN (SELECT undone_by FROM memory_history WHERE target = ? AND undone_by IS NOT NULL)",
        (entity, agent, entity),
    ).fetchall()
    return any(undo_chain.stands(connection, int(str(row[0]))) for row in rows)
