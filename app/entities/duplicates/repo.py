"""SQL of near-duplicates: names to compare, evidence about a pair, and proposed merges.

Owns proposed_merges.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import cast

import apsw

from app.entities import repo as entity_repo
from app.entities.duplicates.finder import COMPARED
from app.entities.duplicates.model import NamedEntity, NearDuplicate, SpelledName
from app.entities.linking import surface
from app.entities.model import OwnerKind

_MOST = 20_000  # entities compared
_MOST_NAMES = 60  # mentions of a memory that is no list of names
_MOST_OWNERS = 2_000  # texts looked at for each of two entities

Key = tuple[str, str]


def names(connection: apsw.Connection) -> list[NamedEntity]:
    """Return the entities to compare, the most mentioned first."""
    rows = connection.execute(
        "SELECT id, canonical_name, type, mention_count, touched OR protected,"
        " (SELECT json_group_array(a.alias) FROM entity_aliases a WHERE a.entity_id = e.id AND a.alias_key <> name_key)"
        " FROM entities e WHERE merged_into IS NULL"
        " AND (mention_count > 0 OR touched = 1 OR protected = 1) AND type IN (SELECT value FROM json_each(?))"
        " AND json_extract(attributes, '$.retired') IS NULL ORDER BY mention_count DESC, rowid LIMIT ?",
        (json.dumps(COMPARED), _MOST),
    )
    return [NamedEntity(row[0], row[1], row[2], row[3], bool(row[4]), tuple(json.loads(row[5]))) for row in rows]


def spelled_names(connection: apsw.Connection) -> list[SpelledName]:
    """Return every name of every entity that is not merged into another."""
    rows = connection.execute(
        "SELECT e.id, e.type, a.alias FROM entities e CROSS JOIN entity_aliases a ON a.entity_id = e.id"
        " WHERE e.merged_into IS NULL AND (e.mention_count > 0 OR e.touched = 1 OR e.protected = 1)"
    )
    return [SpelledName(*row) for row in rows]


def standing_joins(connection: apsw.Connection) -> list[NearDuplicate]:
    """Return the names that were joined to another by themselves, as pairs."""
    rows = connection.execute(
        "SELECT DISTINCT e.id FROM entities e CROSS JOIN entity_aliases a"
        " ON a.entity_id = e.id WHERE e.merged_into IS NOT NULL AND e.touched = 0"
    ).fetchall()
    made = []
    for (entity_id,) in rows:
        short = entity_repo.get(connection, str(entity_id))
        full = entity_repo.get(connection, entity_repo.root(connection, str(entity_id)))
        if short is not None and full is not None:
            into, other = (NamedEntity(one.id, one.name, one.type, one.mentions) for one in (full, short))
            made.append(NearDuplicate(into, other, "short name", 1.0))
    return made


def stand_alone(connection: apsw.Connection, entity_ids: Iterable[str]) -> bool:
    """Return whether entities are there and none was merged into another."""
    found = [entity_repo.get(connection, one) for one in entity_ids]
    return all(one is not None and one.merged_into is None and one.mentions > 0 for one in found)


def is_proposed(connection: apsw.Connection, entity_id: str) -> bool:
    """Return whether a merge of an entity was proposed, unless the proposal expired."""
    found = connection.execute(
        "SELECT 1 FROM proposed_merges WHERE ? IN (first_id, second_id) AND decision <> 'expired' LIMIT 1",
        (entity_id,),
    )
    return found.fetchone() is not None


def spelled_places(
    connection: apsw.Connection, entity: NamedEntity, limit: int
) -> list[tuple[OwnerKind, str, int, str]]:
    """Return where texts say an entity's name, the newest first.

    Each is the kind and id of the text, the place in it, and the provider that found it.
    """
    rows = connection.execute(
        "SELECT owner_kind, owner_id, start, provider FROM mentions WHERE surface = ? ORDER BY at DESC LIMIT ?",
        (surface(entity.type, entity.name), limit),
    )
    return [(cast("OwnerKind", kind), str(owner), int(str(start)), str(found)) for kind, owner, start, found in rows]


def is_undecided(connection: apsw.Connection, entity_ids: Iterable[str], actor: str) -> bool:
    """Return whether no other than ``actor`` ever decided or stated anything about entities.

    That holds for all that was merged into them as well.
    """
    members = json.dumps([one for entity_id in entity_ids for one in entity_repo.cluster(connection, entity_id)])
    found = connection.execute(
        "WITH part (id) AS MATERIALIZED (SELECT value FROM json_each(?1))"
        " SELECT 1 FROM part p JOIN entities e ON e.id = p.id WHERE e.touched = 1 OR e.protected = 1"
        " OR e.position_pinned = 1 OR e.summary <> '' OR e.attributes <> '{}'"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN memory_history h ON h.target = p.id"
        " WHERE h.actor <> ?2 OR h.event <> 'MERGE' OR h.undone_by IS NOT NULL"
        " UNION ALL SELECT 1 FROM entity_claims c JOIN part p ON p.id IN (c.from_id, c.to_id)"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN relations r ON r.subject_id = p.id"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN relations r ON r.object_id = p.id"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN graph_positions g ON g.entity_id = p.id WHERE g.pinned = 1 LIMIT 1",
        (members, actor),
    )
    return found.fetchone() is None


def are_apart(connection: apsw.Connection, key: Key) -> bool:
    """Return whether a decision says that two entities are not one.

    Something that means the one was split from something that means the other, a merge of such two was refused or
    undone, or a relation between them is stated.
    """
    found = connection.execute(
        "WITH part (id, side) AS MATERIALIZED"
        " (SELECT value, 0 FROM json_each(?) UNION ALL SELECT value, 1 FROM json_each(?)),"
        " apart (first, second) AS ("
        " SELECT p.id, json_extract(e.attributes, '$.split_from') FROM part p JOIN entities e ON e.id = p.id"
        " UNION ALL SELECT p.id, json_extract(h.after, '$.merged_into') FROM part p CROSS JOIN memory_history h"
        " ON h.target = p.id WHERE h.target_kind = 'entity' AND h.event = 'MERGE' AND h.undone_by IS NOT NULL"
        " UNION ALL SELECT p.id, json_extract(h.before, '$.merged_into') FROM part p CROSS JOIN memory_history h"
        " ON h.target = p.id WHERE h.target_kind = 'entity' AND h.event = 'RESTORE' AND h.undone_by IS NULL"
        " UNION ALL SELECT p.id, r.object_id FROM part p CROSS JOIN relations r ON r.subject_id = p.id"
        " UNION ALL SELECT p.id, m.second_id FROM part p CROSS JOIN proposed_merges m ON m.first_id = p.id"
        " WHERE m.decision = 'rejected')"
        " SELECT 1 FROM apart a JOIN part p ON p.id = a.first JOIN part q ON q.id = a.second"
        " WHERE p.side <> q.side LIMIT 1",
        [json.dumps(entity_repo.cluster(connection, one)) for one in key],
    )
    return found.fetchone() is not None


def have_context(connection: apsw.Connection, key: Key) -> bool:
    """Return whether one conversation or memory mentions both of two entities."""
    first, second = (_contexts(connection, one) for one in key)
    return bool(first.keys() & second.keys())


def nearness(connection: apsw.Connection, pair: NearDuplicate) -> tuple[int, int]:
    """Return how many mentions of a short name are near the full name, and all.

    It is near in one conversation or memory; notes that link to each other count as one. Long lists of names are passed
    over, where names stand together by chance.
    """
    short, full = (_contexts(connection, one.id) for one in (pair.other, pair.into))
    counted = _without_lists(connection, set(short) | set(full))
    near = counted & (set(full) | _linked(connection, counted & set(full)))
    return sum(short[one] for one in near & set(short)), sum(short[one] for one in counted & set(short))


def _without_lists(connection: apsw.Connection, contexts: set[str]) -> set[str]:
    rows = connection.execute(
        "SELECT w.value FROM json_each(?) w WHERE (SELECT count(*) FROM (SELECT 1 FROM mentions m"
        " WHERE m.owner_kind = 'memory' AND m.owner_id = w.value LIMIT ?)) <= ?",
        (json.dumps(sorted(contexts)), _MOST_NAMES + 1, _MOST_NAMES),
    )
    return {str(row[0]) for row in rows}


def _linked(connection: apsw.Connection, contexts: set[str]) -> set[str]:
    """Return the notes linked with any of some notes, in either direction."""
    rows = connection.execute(
        "WITH near (id, title) AS (SELECT m.id, lower(m.title) FROM json_each(?) w JOIN memories m ON m.id = w.value)"
        " SELECT l.memory_id FROM near JOIN memory_links l ON l.target_key = near.title AND near.title <> ''"
        " UNION SELECT m.id FROM near JOIN memory_links l ON l.memory_id = near.id"
        " JOIN memories m ON lower(m.title) = l.target_key WHERE m.title <> ''",
        (json.dumps(sorted(contexts)[:_MOST_OWNERS]),),
    )
    return {str(row[0]) for row in rows}


def _contexts(connection: apsw.Connection, entity_id: str) -> Counter[str]:
    """Return the conversations and memories that mention an entity, with how often."""
    rows = connection.execute(
        "SELECT owner_kind, owner_id FROM mentions WHERE entity_id = ? ORDER BY at DESC LIMIT ?",
        (entity_id, _MOST_OWNERS),
    )
    return Counter(str(owner) if kind == "memory" else str(owner).rpartition("#")[0] for kind, owner in rows)


def decisions(connection: apsw.Connection) -> dict[Key, tuple[str, int]]:
    """Return what became of proposed merges, with the proposal, by the ids of both entities."""
    rows = connection.execute("SELECT first_id, second_id, decision, proposal_id FROM proposed_merges")
    return {(str(first), str(second)): (str(decision), int(str(made))) for first, second, decision, made in rows}


def note_proposed(connection: apsw.Connection, pair: NearDuplicate, proposal_id: int, run_id: str, at_ms: int) -> None:
    """Store that a merge was proposed, unless one of the entities is gone."""
    connection.execute(
        "INSERT INTO proposed_merges (first_id, second_id, proposal_id, run_id, at) SELECT ?1, ?2, ?3, ?4, ?5"
        " WHERE (SELECT count(*) FROM entities WHERE id IN (?1, ?2)) = 2 ON CONFLICT DO UPDATE SET"
        " proposal_id = excluded.proposal_id, run_id = excluded.run_id, at = excluded.at, decision = 'waiting'",
        (*pair.key, proposal_id, run_id, at_ms),
    )


def withdraw_run(connection: apsw.Connection, run_id: str) -> list[int]:
    """Note that the proposals of a run that still wait are withdrawn; return them."""
    rows = connection.execute(
        "UPDATE proposed_merges SET decision = 'withdrawn' WHERE run_id = ? AND decision = 'waiting'"
        " RETURNING proposal_id",
        (run_id,),
    ).fetchall()
    return [int(str(row[0])) for row in rows]
