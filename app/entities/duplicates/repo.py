"""SQL of near-duplicates: names to compare, evidence about a pair, and proposed merges.

Owns proposed_merges.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import apsw

from app.core import message_ids
from app.entities import repo as entity_repo
from app.entities.duplicates.finder import COMPARED
from app.entities.duplicates.model import NamedEntity, NearDuplicate, SpelledName
from app.entities.linking import surface
from app.entities.model import OwnerKind

_MOST = 20_000  # entities compared
MOST_MENTIONS = 2_000  # newest mentions of an entity that are looked at

Key = tuple[str, str]
TextId = tuple[str, str]  # its kind and its id


def names(connection: apsw.Connection, *, is_apart: bool = False) -> list[NamedEntity]:
    """Return the entities to compare, the most mentioned first.

    Args:
        connection: The vault's database.
        is_apart: Whether names that were joined by themselves are compared as if they were not.
    """
    rows = connection.execute(
        "SELECT id, canonical_name, type, mention_count, touched OR protected,"
        " (SELECT json_group_array(a.alias) FROM entity_aliases a WHERE a.entity_id = e.id AND a.alias_key <> name_key)"
        " FROM entities e WHERE merged_into IS NULL"
        " AND (mention_count > 0 OR touched = 1 OR protected = 1) AND type IN (SELECT value FROM json_each(?))"
        " AND json_extract(attributes, '$.retired') IS NULL ORDER BY mention_count DESC, rowid LIMIT ?",
        (json.dumps(COMPARED), _MOST),
    )
    found = [NamedEntity(row[0], row[1], row[2], row[3], bool(row[4]), tuple(json.loads(row[5]))) for row in rows]
    joins = standing_joins(connection) if is_apart else ()
    lent = Counter[str]()
    for pair in joins:
        lent[pair.into.id] += pair.other.mentions
    listed = {one.id for one in found}
    found += {pair.into.id: pair.into for pair in joins if pair.into.id not in listed}.values()
    found = [replace(one, mentions=one.mentions - lent[one.id]) for one in found]
    found = [one for one in found if one.mentions or one.is_decided]
    return sorted((*found, *(pair.other for pair in joins if pair.other.mentions)), key=lambda one: -one.mentions)


def spelled_names(connection: apsw.Connection) -> list[SpelledName]:
    """Return every name of every entity, without those that a person merged into another."""
    rows = connection.execute(
        "SELECT e.id, e.type, a.alias FROM entities e CROSS JOIN entity_aliases a ON a.entity_id = e.id"
        " WHERE e.merged_into IS NULL AND (e.mention_count > 0 OR e.touched = 1 OR e.protected = 1)"
        " OR e.merged_into IS NOT NULL AND e.touched = 0"
    )
    return [SpelledName(*row) for row in rows]


def standing_joins(connection: apsw.Connection) -> list[NearDuplicate]:
    """Return the names that were joined to another by themselves, as pairs.

    Of the two, the short name has its own mentions only.
    """
    rows = connection.execute(
        "SELECT DISTINCT e.id FROM entities e CROSS JOIN entity_aliases a"
        " ON a.entity_id = e.id WHERE e.merged_into IS NOT NULL AND e.touched = 0"
    ).fetchall()
    made = []
    for (entity_id,) in rows:
        short = entity_repo.get(connection, str(entity_id))
        full = entity_repo.get(connection, entity_repo.root(connection, str(entity_id)))
        if short is not None and full is not None:
            marks = json.dumps([surface(short.type, alias) for alias in short.aliases])
            sql = "SELECT count(*) FROM mentions WHERE surface IN (SELECT value FROM json_each(?)) AND entity_id = ?"
            count = int(str(connection.execute(sql, (marks, full.id)).get))
            into = NamedEntity(full.id, full.name, full.type, full.mentions, full.touched or full.protected)
            other = NamedEntity(short.id, short.name, short.type, count, aliases=short.aliases)
            made.append(NearDuplicate(into, other, "short name", 1.0))
    return made


def joined_surfaces(connection: apsw.Connection) -> dict[str, str]:
    """Return the surfaces of joined names, with the entity of each."""
    joins = (pair.other for pair in standing_joins(connection))
    return {surface(one.type, alias): one.id for one in joins for alias in one.aliases}


def stand_alone(connection: apsw.Connection, entity_ids: Iterable[str]) -> bool:
    """Return whether entities are there and none was merged into another."""
    found = [entity_repo.get(connection, one) for one in entity_ids]
    return all(one is not None and one.merged_into is None and one.mentions > 0 for one in found)


def is_answered(connection: apsw.Connection, entity_id: str) -> bool:
    """Return whether a person answered, or took back, a proposal to merge an entity."""
    cursor = connection.execute(
        "SELECT 1 FROM proposed_merges WHERE ? IN (first_id, second_id) AND decision NOT IN ('waiting', 'expired')"
        " LIMIT 1",
        (entity_id,),
    )
    return cursor.fetchone() is not None


def by_assistants(connection: apsw.Connection, session: str, places: Iterable[int]) -> set[int]:
    """Return those of a conversation's messages, by number, that an assistant wrote."""
    rows = connection.execute(
        "SELECT seq FROM json_each(?2) w JOIN messages m ON m.session_id = ?1 AND m.seq = w.value"
        " WHERE m.role = 'assistant'",
        (session, json.dumps(sorted(places))),
    )
    return {int(str(row[0])) for row in rows}


def is_said_by_people(connection: apsw.Connection, texts: Sequence[TextId]) -> bool:
    """Return whether any text is a memory or a message that no assistant wrote."""
    owners = [owner for kind, owner in texts if kind == "message"]
    if len(owners) < len(texts):
        return True
    places: dict[str, set[int]] = {}
    for ref in filter(None, map(message_ids.parse, owners)):
        places.setdefault(ref.session, set()).add(ref.seq)
    return any(by_assistants(connection, session, some) < some for session, some in places.items())


def spelled_places(
    connection: apsw.Connection, entity: NamedEntity, limit: int
) -> list[tuple[OwnerKind, str, int, str]]:
    """Return where texts say an entity's name, the newest first.

    Each is the kind and id of the text, the place in it, and the provider that found it.
    """
    rows = connection.execute(
        "SELECT owner_kind, owner_id, start, provider FROM mentions WHERE surface = ?"
        " AND entity_id IS NOT NULL ORDER BY at DESC LIMIT ?",
        (surface(entity.type, entity.name), limit),
    )
    return [(cast("OwnerKind", kind), str(owner), int(str(start)), str(found)) for kind, owner, start, found in rows]


def is_undecided(connection: apsw.Connection, entity_ids: Iterable[str], actor: str) -> bool:
    """Return whether no other than ``actor`` ever decided or stated anything about entities.

    That holds for all that was merged into them as well. What ``actor`` joins and parts is no decision.
    """
    members = json.dumps([one for entity_id in entity_ids for one in entity_repo.cluster(connection, entity_id)])
    cursor = connection.execute(
        "WITH part (id) AS MATERIALIZED (SELECT value FROM json_each(?1))"
        " SELECT 1 FROM part p JOIN entities e ON e.id = p.id WHERE e.touched = 1 OR e.protected = 1"
        " OR e.position_pinned = 1 OR e.summary <> '' OR e.attributes <> '{}'"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN memory_history h ON h.target = p.id"
        " WHERE h.actor <> ?2 OR h.event NOT IN ('MERGE', 'RESTORE') OR h.undone_by IS NOT NULL"
        " UNION ALL SELECT 1 FROM entity_claims c JOIN part p ON p.id IN (c.from_id, c.to_id)"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN relations r ON r.subject_id = p.id"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN relations r ON r.object_id = p.id"
        " UNION ALL SELECT 1 FROM part p CROSS JOIN graph_positions g ON g.entity_id = p.id WHERE g.pinned = 1 LIMIT 1",
        (members, actor),
    )
    return cursor.fetchone() is None


def are_apart(connection: apsw.Connection, key: Key) -> bool:
    """Return whether a decision says that two entities are not one.

    Something that means the one was split from something that means the other, a merge of such two was refused or
    undone, or a relation between them is stated. That Keepsake took a join of its own back decides nothing.
    """
    part, whole = sorted((entity_repo.cluster(connection, one) for one in key), key=len)
    cursor = connection.execute(
        "WITH part (id, side) AS MATERIALIZED"
        " (SELECT value, 0 FROM json_each(?) UNION ALL SELECT value, 1 FROM json_each(?)),"
        " apart (first, second) AS ("
        " SELECT p.id, json_extract(e.attributes, '$.split_from') FROM part p JOIN entities e ON e.id = p.id"
        " UNION ALL SELECT p.id, json_extract(h.after, '$.merged_into') FROM part p CROSS JOIN memory_history h"
        " ON h.target = p.id WHERE h.target_kind = 'entity' AND h.event = 'MERGE' AND h.undone_by IS NOT NULL"
        " UNION ALL SELECT p.id, json_extract(h.before, '$.merged_into') FROM part p CROSS JOIN memory_history h"
        " ON h.target = p.id WHERE h.target_kind = 'entity' AND h.event = 'RESTORE' AND h.undone_by IS NULL"
        " AND json_extract(h.after, '$.touched')"
        " UNION ALL SELECT p.id, r.object_id FROM part p CROSS JOIN relations r ON r.subject_id = p.id"
        " UNION ALL SELECT p.id, m.second_id FROM part p CROSS JOIN proposed_merges m ON m.first_id = p.id"
        " WHERE m.decision = 'rejected')"
        " SELECT 1 FROM apart a JOIN part p ON p.id = a.first JOIN part q ON q.id = a.second"
        " WHERE p.side <> q.side LIMIT 1",
        (json.dumps(part), json.dumps([one for one in whole if one not in part])),
    )
    return cursor.fetchone() is not None


def have_context(connection: apsw.Connection, key: Key) -> bool:
    """Return whether one conversation or memory mentions both of two entities."""
    first, second = (contexts(mentioning(connection, one)) for one in key)
    return bool(first.keys() & second.keys())


def contexts(owners: Iterable[TextId]) -> Counter[str]:
    """Return the conversations and memories of some texts, with how often each is named."""
    return Counter(owner if kind == "memory" else owner.rpartition("#")[0] for kind, owner in owners)


def mentioning(connection: apsw.Connection, entity_id: str, without: Iterable[str] = ()) -> list[TextId]:
    """Return the kind and id of the text of each of an entity's newest mentions.

    Args:
        connection: The vault's database.
        entity_id: The entity.
        without: Surfaces that do not count.
    """
    rows = connection.execute(
        "SELECT owner_kind, owner_id FROM mentions WHERE entity_id = ?"
        " AND surface NOT IN (SELECT value FROM json_each(?)) ORDER BY at DESC LIMIT ?",
        (entity_id, json.dumps(list(without)), MOST_MENTIONS),
    )
    return [(str(kind), str(owner)) for kind, owner in rows]


def saying(connection: apsw.Connection, surfaces: Iterable[str]) -> list[TextId]:
    """Return the kind and id of the texts that have some surfaces, the newest first."""
    rows = connection.execute(
        "SELECT owner_kind, owner_id FROM mentions WHERE surface IN (SELECT value FROM json_each(?))"
        " AND entity_id IS NOT NULL ORDER BY at DESC LIMIT ?",
        (json.dumps(list(surfaces)), MOST_MENTIONS),
    )
    return [(str(kind), str(owner)) for kind, owner in rows]


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


def withdraw_merged(connection: apsw.Connection) -> list[int]:
    """Delete the waiting proposals about entities that were merged meanwhile; return them."""
    rows = connection.execute(
        "DELETE FROM proposed_merges WHERE decision = 'waiting' AND EXISTS (SELECT 1 FROM entities e"
        " WHERE e.id IN (first_id, second_id) AND e.merged_into IS NOT NULL) RETURNING proposal_id"
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def withdraw_run(connection: apsw.Connection, run_id: str) -> list[int]:
    """Note that the proposals of a run that still wait are withdrawn; return them."""
    rows = connection.execute(
        "UPDATE proposed_merges SET decision = 'withdrawn' WHERE run_id = ? AND decision = 'waiting'"
        " RETURNING proposal_id",
        (run_id,),
    ).fetchall()
    return [int(str(row[0])) for row in rows]
