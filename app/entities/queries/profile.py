"""Entity profiles, and the entities of a message or memory, as far as visible."""

from collections.abc import Sequence
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
from app.entities.queries.entity_lists import rows_of
from app.entities.queries.visibility import (
    aliases,
    handle_column,
    handles,
    names,
    public_id,
    type_of,
    within,
)
from app.errors import NotFoundError
from app.sentence import Sentence

_TEXT = 240
_FOLLOWED = 1_000  # mentions of an entity in whose texts other entities are counted
_MAX_OTHERS = 400


def info(connection: apsw.Connection, entity_id: str, limit: int, stores: Sequence[str]) -> EntityInfo:
    """Return the profile of an entity, with at most ``limit`` items in each list.

    Raises:
        NotFoundError: The caller may see no entity with this id.
    """
    handle, entity = located(connection, entity_id, stores)
    facts, facts_total = _facts(connection, handle, limit, stores)
    conversations, conversations_total = _conversations(connection, handle, limit, stores)
    first, last = _times(connection, handle, stores)
    company = _company(connection, handle, stores)
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
    return located(connection, entity_id, stores)[1]


def located(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> tuple[str, Entity]:
    """Return a visible entity with its handle; raises what ``visible`` raises."""
    if not sees_all(stores):
        return _seen(connection, entity_id, stores)
    entity = resolve_merged(connection, handles(connection, [entity_id], stores)[entity_id])
    if not (entity.mentions or entity.touched or repo.is_stated(connection, entity.id)):
        raise NotFoundError(Sentence("There is no entity with the id {entity_id}.", entity_id=entity_id), id=entity_id)
    return entity.id, entity


def _seen(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> tuple[str, Entity]:
    """Return an entity as its visible mentions make it."""
    handle = handles(connection, [entity_id], stores).get(entity_id, "")
    row = rows_of(connection, [handle], stores=stores).get(handle)
    if row is None:
        raise NotFoundError(Sentence("There is no entity with the id {entity_id}.", entity_id=entity_id), id=entity_id)
    first, last = map(to_datetime, _times(connection, handle, stores))
    known = aliases(connection, handle, row.name, stores)
    return handle, Entity(row.id, row.name, row.type, row.mentions, created_at=first, updated_at=last, aliases=known)


def relations(connection: apsw.Connection, entity_id: str, stores: Sequence[str]) -> tuple[Relation, ...]:
    """Return stated relations of an entity and of all merged into it.

    Of a relation that several state, the last statement is returned.
    """
    if not sees_all(stores):
        return ()
    found: dict[tuple[str, str, str], Relation] = {}
    for part in repo.cluster(connection, entity_id):
        for row in connection.execute(
            "SELECT subject_id, predicate, object_id, weight, source, created_at FROM relations"
            " WHERE subject_id = ?1 OR object_id = ?1 ORDER BY created_at, source",
            (part,),
        ).fetchall():
            made = _relation(connection, row)
            if made.subject_id != made.object_id:
                key = (made.subject_id, made.predicate, made.object_id)
                found.pop(key, None)  # the order is that of the statements shown
                found[key] = made
    return tuple(found.values())


def of_owner(connection: apsw.Connection, owner: str, stores: Sequence[str]) -> list[Mention]:
    """Return what a message (``session#seq``) or memory mentions, in the order of its text."""
    found = connection.execute(
        f"SELECT {handle_column(stores)}, e.type, m.start, m.length, m.confidence, m.provider, m.at, m.owner_kind"
        " FROM mentions m LEFT JOIN entities e ON e.id = m.entity_id"
        " WHERE m.owner_kind IN ('message', 'memory') AND m.owner_id = ?"
        f" AND {within(stores)} ORDER BY m.start, m.surface",
        (owner,),
    ).fetchall()
    known = names(connection, {str(row[0]) for row in found}, stores)
    return [_mention(row, owner, known[str(row[0])], stores) for row in found]


def _mention(row: Sequence[Any], owner: str, name: str, stores: Sequence[str]) -> Mention:
    return Mention(
        entity_id=public_id(row[0], stores),
        name=name,
        type=cast("EntityType", row[1]) if sees_all(stores) else type_of(row[0]),
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
    connection: apsw.Connection, handle: str, limit: int, stores: Sequence[str]
) -> tuple[tuple[KnownFact, ...], int]:
    owned = (
        "FROM memories f WHERE f.valid_until IS NULL AND f.id IN (SELECT m.owner_id FROM mentions m"
        f" WHERE {handle_column(stores)} = ? AND m.owner_kind = 'memory' AND {within(stores)})"
    )
    total = connection.execute(f"SELECT count(*) {owned}", (handle,)).get
    cursor = connection.execute(
        "SELECT f.id, f.kind, f.title, substr(f.content, 1, ?), coalesce(f.event_time, f.updated_at)"
        f" {owned} ORDER BY 5 DESC, f.rowid DESC LIMIT ?",
        (_TEXT * 2, handle, limit),
    )
    return tuple(
        KnownFact(row[0], row[1], row[2], excerpt(row[3], _TEXT), to_datetime(row[4])) for row in cursor
    ), total


def _conversations(
    connection: apsw.Connection, handle: str, limit: int, stores: Sequence[str]
) -> tuple[tuple[Conversation, ...], int]:
    # An owner is "session#seq", and a session's id may hold any character.
    found: list[Any] = connection.execute(
        "SELECT s.id, s.title, t.turns, t.latest, count(*) OVER () FROM (SELECT"
        " substr(rtrim(m.owner_id, '0123456789'), 1,"
        " length(rtrim(m.owner_id, '0123456789')) - 1) AS session, count(DISTINCT m.owner_id) AS turns,"
        f" max(m.at) AS latest FROM mentions m WHERE {handle_column(stores)} = ? AND m.owner_kind = 'message'"
        f" AND {within(stores)} GROUP BY session) t JOIN sessions s ON s.id = t.session AND s.forgotten_at IS NULL"
        " ORDER BY t.latest DESC, s.rowid DESC LIMIT ?",
        (handle, limit),
    ).fetchall()
    total = int(found[0][4]) if found else 0
    return tuple(Conversation(row[0], row[1], row[2], to_datetime(row[3])) for row in found), total


def _times(connection: apsw.Connection, handle: str, stores: Sequence[str]) -> tuple[Any, Any]:
    sql = f"SELECT min(m.at), max(m.at) FROM mentions m WHERE {handle_column(stores)} = ? AND {within(stores)}"
    first, last = connection.execute(sql, (handle,)).fetchall()[0]
    return first, last


def _company(connection: apsw.Connection, handle: str, stores: Sequence[str]) -> list[Neighbour]:
    together = neighbours(connection, handle, TimeWindow(tuple(stores)), _FOLLOWED)
    counts = dict(top(connection, together, _MAX_OTHERS, stores))
    listed = rows_of(connection, list(counts), stores=stores)
    return [Neighbour(row.id, row.name, row.type, float(counts[one])) for one, row in listed.items()]
