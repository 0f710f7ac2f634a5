"""Entity profiles, and the entities of a message or memory, as far as visible."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import apsw

from app.core.clock import optional_datetime, to_datetime
from app.core.stores import sees_all
from app.core.text import excerpt
from app.entities import repo
from app.entities.entity_edits import resolve_merged
from app.entities.model import (
    Conversation,
    Entity,
    EntityInfo,
    EntityType,
    KnownFact,
    Mention,
    Neighbour,
    OwnerKind,
    Relation,
)
from app.entities.queries.cooccurrence import TimeWindow, neighbours, top
from app.entities.queries.entity_lists import rows
from app.entities.queries.visibility import aliases, names, within
from app.errors import NotFoundError

_TEXT = 240
_FOLLOWED = 1_000  # mentions of an entity in whose texts other entities are counted
_MAX_OTHERS = 400


def info(connection: apsw.Connection, entity_id: str, limit: int, stores: Sequence[str]) -> EntityInfo:
    """Return the profile of an entity, with at most ``limit`` items in each list.

    Raises:
        NotFoundError: The caller may see no entity with this id.
    """
    entity = visible(connection, entity_id, stores)
    facts, facts_total = _facts(connection, entity.id, limit, stores)
    conversations, conversations_total = _conversations(connection, entity.id, limit, stores)
    first, last = _cells(
        connection,
        f"SELECT min(m.at), max(m.at) FROM mentions m WHERE m.entity_id = ? AND {within(stores)}",
        entity.id,
    )
    company = _company(connection, entity.id, stores)
    return EntityInfo(
        entity=entity,
        first_at=optional_datetime(first),
        last_at=optional_datetime(last),
        facts=facts,
        facts_total=facts_total,
        conversations=conversations,
        conversations_total=conversations_total,
        relations=relations(connection, entity.id, stores),
        people=tuple([one for one in company if one.type == "person"][:limit]),
        related=tuple([one for one in company if one.type != "person"][:limit]),
    )


def visible(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> Entity:
    """Return the visible entity with an id, or the one it was merged into.

    Raises:
        NotFoundError: The caller may see no entity with this id.
    """
    entity = resolve_merged(connection, entity_id)
    shown = rows(connection, [entity.id], stores=stores)
    gone = shown and not shown[0].mentions and not entity.touched
    if not shown or gone:
        raise NotFoundError(f"There is no entity with the id {entity_id}.", id=entity_id)
    if sees_all(stores):
        return entity
    known = aliases(connection, entity.id, stores)
    plain = replace(entity, name=shown[0].name, aliases=known, mentions=shown[0].mentions)
    return replace(plain, summary="", attributes={}, touched=False, protected=False)


def relations(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> tuple[Relation, ...]:
    """Return stated relations of an entity and of all merged into it."""
    if not sees_all(stores):
        return ()
    found: dict[tuple[str, str, str], Relation] = {}
    for part in repo.cluster(connection, entity_id):
        for row in connection.execute(
            "SELECT subject_id, predicate, object_id, weight, source, created_at FROM relations"
            " WHERE subject_id = ?1 OR object_id = ?1 ORDER BY created_at",
            (part,),
        ).fetchall():
            made = _relation(connection, row)
            if made.subject_id != made.object_id:
                found[made.subject_id, made.predicate, made.object_id] = made
    return tuple(found.values())


def of_owner(connection: apsw.Connection, owner: str, stores: Sequence[str]) -> list[Mention]:
    """Return what a message (``session#seq``) or memory mentions, in the order of its text."""
    found = connection.execute(
        "SELECT m.entity_id, e.type, m.start, m.length, m.confidence, m.provider, m.at, m.owner_kind FROM mentions m"
        " JOIN entities e ON e.id = m.entity_id WHERE m.owner_kind IN ('message', 'memory') AND m.owner_id = ?"
        f" AND {within(stores)} ORDER BY m.start, m.surface",
        (owner,),
    ).fetchall()
    known = names(connection, {str(row[0]) for row in found}, stores)
    return [_mention(row, owner, known[str(row[0])]) for row in found]


def _mention(row: Sequence[Any], owner: str, name: str) -> Mention:
    return Mention(
        entity_id=row[0],
        name=name,
        type=cast("EntityType", row[1]),
        owner_kind=cast("OwnerKind", row[7]),
        owner_id=owner,
        start=row[2],
        length=row[3],
        confidence=row[4],
        provider=row[5],
        at=to_datetime(row[6]),
    )


def _relation(connection: apsw.Connection, row: Sequence[Any]) -> Relation:
    subject, target = repo.root(connection, row[0]), repo.root(connection, row[2])
    known = names(connection, (subject, target), ("private", "shared", "social"))
    return Relation(subject, known[subject], row[1], target, known[target], row[3], row[4], to_datetime(row[5]))


def _facts(
    connection: apsw.Connection, entity_id: str, limit: int, stores: Sequence[str]
) -> tuple[tuple[KnownFact, ...], int]:
    owned = (
        "FROM memories f WHERE f.valid_until IS NULL AND f.id IN (SELECT m.owner_id FROM mentions m"
        f" WHERE m.entity_id = ? AND m.owner_kind = 'memory' AND {within(stores)})"
    )
    total = connection.execute(f"SELECT count(*) {owned}", (entity_id,)).get
    found = connection.execute(
        "SELECT f.id, f.kind, f.title, substr(f.content, 1, ?), coalesce(f.event_time, f.updated_at)"
        f" {owned} ORDER BY 5 DESC, f.rowid DESC LIMIT ?",
        (_TEXT * 2, entity_id, limit),
    )
    return tuple(KnownFact(row[0], row[1], row[2], excerpt(row[3], _TEXT), to_datetime(row[4])) for row in found), total


def _conversations(
    connection: apsw.Connection, entity_id: str, limit: int, stores: Sequence[str]
) -> tuple[tuple[Conversation, ...], int]:
    # An owner is "session#seq", and a session's id may hold any character.
    found: list[Any] = connection.execute(
        "SELECT s.id, s.title, t.turns, t.latest, count(*) OVER () FROM (SELECT"
        " substr(rtrim(m.owner_id, '0123456789'), 1,"
        " length(rtrim(m.owner_id, '0123456789')) - 1) AS session, count(DISTINCT m.owner_id) AS turns,"
        " max(m.at) AS latest FROM mentions m WHERE m.entity_id = ? AND m.owner_kind = 'message'"
        f" AND {within(stores)} GROUP BY session) t JOIN sessions s ON s.id = t.session AND s.forgotten_at IS NULL"
        " ORDER BY t.latest DESC, s.rowid DESC LIMIT ?",
        (entity_id, limit),
    ).fetchall()
    total = int(found[0][4]) if found else 0
    return tuple(Conversation(row[0], row[1], row[2], to_datetime(row[3])) for row in found), total


def _cells(connection: apsw.Connection, sql: str, value: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] = connection.execute(sql, (value,)).fetchall()[0]
    return row


def _company(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> list[Neighbour]:
    together = neighbours(connection, entity_id, TimeWindow(tuple(stores)), _FOLLOWED)
    counts = dict(top(connection, together, _MAX_OTHERS))
    listed = rows(connection, list(counts), stores=stores)
    return [Neighbour(row.id, row.name, row.type, float(counts[row.id])) for row in listed]
