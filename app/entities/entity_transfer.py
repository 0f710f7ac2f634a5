"""Entity rows for exports and imports: decisions of a person, and positions in the graph."""

import json
from typing import Any

import apsw

from app.core.clock import to_ms
from app.entities import entity_state, repo
from app.entities.linking import relink
from app.entities.model import TYPES, name_key
from app.errors import InputError
from app.sentence import Sentence

Row = tuple[int, dict[str, Any]]

_COLUMNS = (
    "rowid, id, canonical_name, type, summary, protected, touched, created_at, updated_at, merged_into, position_x,"
    " position_y, position_pinned, attributes"
)
_FIELDS = (
    "id",
    "name",
    "entity_type",
    "summary",
    "protected",
    "touched",
    "created_at",
    "updated_at",
    "merged_into",
    "x",
    "y",
    "pinned",
    "attributes",
)
# Entities that reading would not make again as they are.
_DECIDED = (
    "(touched = 1 OR protected = 1 OR merged_into IS NOT NULL OR summary <> '' OR attributes <> '{}'"
    " OR id IN (SELECT o.merged_into FROM entities o WHERE o.merged_into IS NOT NULL)"
    " OR id IN (SELECT subject_id FROM relations UNION SELECT object_id FROM relations)"
    " OR id IN (SELECT from_id FROM entity_claims UNION SELECT to_id FROM entity_claims)"
    " OR id IN (SELECT value ->> 'from_id' FROM memory_archive, json_each(payload, '$.entity_claims'))"
    " OR id IN (SELECT value ->> 'to_id' FROM memory_archive, json_each(payload, '$.entity_claims')))"
)


def decided(connection: apsw.Connection, after: int, limit: int) -> list[Row]:
    """Return entities with a decision, merged ones included, by row id."""
    return _page(connection, _DECIDED, after, limit)


def positioned(connection: apsw.Connection, after: int, limit: int) -> list[Row]:
    """Return entities without a decision that were moved in the graph, by row id."""
    return _page(connection, f"position_x IS NOT NULL AND NOT {_DECIDED}", after, limit)


def _page(connection: apsw.Connection, condition: str, after: int, limit: int) -> list[Row]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entities WHERE rowid > ? AND {condition} ORDER BY rowid LIMIT ?", (after, limit)
    ).fetchall()
    found = []
    for rowid, *values in rows:
        fields: dict[str, Any] = dict(zip(_FIELDS, values, strict=True))
        fields |= {"protected": bool(fields["protected"]), "touched": bool(fields["touched"])}
        fields["pinned"] = bool(fields["pinned"])
        fields |= {"attributes": json.loads(fields["attributes"]), "aliases": []}
        fields["aliases"] = (entity_state.read(connection, fields["id"]) or fields)["aliases"]
        found.append((int(str(rowid)), fields))
    return found


def relations(connection: apsw.Connection, after: int, limit: int) -> list[Row]:
    """Return stated relations in the order of their key, from the place ``after`` on."""
    rows = connection.execute(
        "SELECT subject_id, predicate, object_id, weight, source, created_at FROM relations"
        " ORDER BY subject_id, predicate, object_id, source LIMIT ? OFFSET ?",
        (limit, after),
    )
    names = ("subject", "predicate", "object", "weight", "source", "created_at")
    return [(place, dict(zip(names, row, strict=True))) for place, row in enumerate(rows, after + 1)]


def claims(connection: apsw.Connection, after: int, limit: int) -> list[Row]:
    """Return claims of entities on messages and memories from a place on.

    Claims on archived memories are included.
    """
    rows = connection.execute(
        "SELECT owner_kind, owner_id, from_id, to_id FROM entity_claims"
        " UNION SELECT value ->> 'owner_kind', value ->> 'owner_id', value ->> 'from_id', value ->> 'to_id'"
        " FROM memory_archive, json_each(payload, '$.entity_claims') ORDER BY 1, 2, 3 LIMIT ? OFFSET ?",
        (limit, after),
    )
    names = ("owner_kind", "owner", "from", "to")
    return [(place, dict(zip(names, row, strict=True))) for place, row in enumerate(rows, after + 1)]


def put(connection: apsw.Connection, imported: dict[str, Any], now_ms: int) -> entity_state.State | None:
    """Store an exported entity under its own id; a newer decision made here stays.

    Returns:
        Its state before, ``None`` where it stays as it was. An entity that was not there counts as one that reading
        made and nothing mentions: nobody sees it, and a text that names it later makes it an entity again.

    Raises:
        InputError: Its type is unknown, or another entity that a person decided about has its name and type.
    """
    if imported["entity_type"] not in TYPES:
        raise InputError(
            Sentence("'{imported}' is not a type of entities.", imported=imported["entity_type"]),
            type=imported["entity_type"],
        )
    held = repo.get(connection, imported["id"])
    is_decided = held is not None and (held.touched or held.protected or held.merged_into is not None)
    # An undone import leaves an entity without a decision, whose time says when that was and not what is newer.
    is_newer = held is not None and to_ms(held.updated_at) >= imported["updated_at"]
    if is_newer and (is_decided or not imported["touched"]):
        return None
    if held is None and imported["merged_into"] is None:
        _take_over(connection, imported)
    before = entity_state.read(connection, imported["id"]) or _unread(imported)
    state = {name: imported[name] for name in ("name", "summary", "protected", "touched", "merged_into", "attributes")}
    state |= {"type": imported["entity_type"], "aliases": imported["aliases"]}
    state["claims"] = [[one.owner_kind, one.owner_id, one.from_id] for one in repo.claims(connection, imported["id"])]
    state["relations"] = [
        [one.predicate, one.object_id, one.weight, one.source, one.created_ms]
        for one in repo.edges(connection, imported["id"])
    ]
    entity_state.write(connection, imported["id"], state, now_ms)
    connection.execute(
        "UPDATE entities SET created_at = ?, updated_at = ? WHERE id = ?",
        (imported["created_at"], imported["updated_at"], imported["id"]),
    )
    _place(connection, imported)
    return before


def put_relation(connection: apsw.Connection, imported: dict[str, Any]) -> None:
    """Store a stated relation unless it is there.

    Raises:
        InputError: One of its entities is not there.
    """
    _require(connection, imported["subject"], imported["object"])
    connection.execute(
        "INSERT INTO relations (subject_id, predicate, object_id, weight, source, created_at)"
        " VALUES (:subject, :predicate, :object, :weight, :source, :created_at) ON CONFLICT DO NOTHING",
        imported,
    )


def put_claim(connection: apsw.Connection, imported: dict[str, Any], now_ms: int) -> None:
    """Store an entity's claim on a message or memory unless the owner is claimed already.

    Raises:
        InputError: One of its entities is not there.
    """
    _require(connection, imported["from"], imported["to"])
    connection.execute(
        "INSERT INTO entity_claims (owner_kind, owner_id, from_id, to_id) VALUES (:owner_kind, :owner, :from, :to)"
        " ON CONFLICT DO NOTHING",
        imported,
    )
    if connection.changes():
        relink(connection, (), [(imported["owner_kind"], imported["owner"])], now_ms)


def _unread(imported: dict[str, Any]) -> entity_state.State:
    """Return the state of an automatic entity that no text names."""
    return {
        "name": imported["name"],
        "type": imported["entity_type"],
        "summary": "",
        "protected": False,
        "touched": False,
        "merged_into": None,
        "attributes": {},
        "aliases": [imported["name"]],
        "claims": [],
        "relations": [],
    }


def _take_over(connection: apsw.Connection, imported: dict[str, Any]) -> None:
    """Give the imported id to an automatic entity of the same name and type.

    One with a history keeps its id, because its entries name it.
    """
    same = repo.named(connection, name_key(imported["name"]), imported["entity_type"])
    automatic = connection.execute(
        "SELECT 1 FROM entities e WHERE e.id = ? AND e.touched = 0 AND e.protected = 0"
        " AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.target = e.id)",
        (same,),
    )
    if automatic.fetchone() is None:
        return
    connection.execute("UPDATE entities SET id = ? WHERE id = ?", (imported["id"], same))
    connection.execute("UPDATE entities SET merged_into = ? WHERE merged_into = ?", (imported["id"], same))
    # The triggers on mentions have counted each of them once more.
    connection.execute(
        "UPDATE entities SET mention_count = (SELECT count(*) FROM mentions WHERE entity_id = ?1) WHERE id = ?1",
        (imported["id"],),
    )


def _place(connection: apsw.Connection, imported: dict[str, Any]) -> None:
    if imported["x"] is not None and imported["y"] is not None:
        pinned = bool(imported.get("pinned"))  # exports of earlier versions do not say
        repo.place(connection, [(imported["id"], imported["x"], imported["y"])], pinned=pinned)


def _require(connection: apsw.Connection, *ids: str) -> None:
    missing = [one for one in ids if repo.get(connection, one) is None]
    if missing:
        raise InputError(
            Sentence("The entity {missing}, which it names, is not in this vault.", missing=missing[0]), id=missing[0]
        )
