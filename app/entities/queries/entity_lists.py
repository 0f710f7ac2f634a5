"""Lists of entities: ids that a filter allows, and list rows."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

import apsw

from app.core.clock import to_ms
from app.core.stores import sees_all
from app.core.text import storable
from app.entities.model import EntityFilter, EntityOrder, EntityRow, EntityType, name_key
from app.entities.queries.visibility import names, within

# Ties by name: which entity came to be first may follow from what the caller does not see.
_ORDERS: dict[EntityOrder, str] = {
    "mentions": "n DESC, e.name_key, e.rowid",
    "name": "e.name_key, e.type, e.rowid",
    "recent": "latest DESC, e.name_key, e.rowid",
}
_LAST = "\U0010ffff"
_MAX_TEXT = 500


def ids(
    connection: apsw.Connection,
    chosen: EntityFilter,
    order: EntityOrder = "mentions",
    *,
    limit: int = -1,
    offset: int = 0,
    stores: Sequence[str],
) -> list[str]:
    """Return the ids of entities allowed by a filter, in order.

    A negative ``limit`` gives all of them.
    """
    source, values = _source(chosen, order, stores)
    rows = connection.execute(
        f"SELECT e.id FROM {source} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?", (*values, limit, offset)
    )
    return [str(row[0]) for row in rows]


def count(connection: apsw.Connection, chosen: EntityFilter, *, stores: Sequence[str]) -> int:
    """Return how many entities a filter allows."""
    source, values = _source(chosen, "mentions", stores)
    found: list[Any] = connection.execute(f"SELECT count(*) FROM {source}", values).fetchall()
    return int(found[0][0])


def rows(connection: apsw.Connection, wanted: Sequence[str], *, stores: Sequence[str]) -> list[EntityRow]:
    """Return list rows of the entities of ``wanted``, in its order.

    Entities that are gone are left out.
    """
    known = names(connection, wanted, stores)
    mentions, protected = "e.mention_count", "e.protected"
    if not sees_all(stores):  # what the person decided is the person's
        protected = "0"
        mentions = f"(SELECT count(*) FROM mentions m WHERE m.entity_id = e.id AND {within(stores)})"
    found: Iterable[Any] = connection.execute(
        f"SELECT e.id, e.type, {mentions}, {protected} FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value"
        " WHERE e.merged_into IS NULL ORDER BY w.key",
        (json.dumps(list(wanted)),),
    )
    return [
        EntityRow(str(row[0]), known[str(row[0])], cast("EntityType", row[1]), int(row[2]), bool(row[3]))
        for row in found
        if str(row[0]) in known
    ]


def matching(
    connection: apsw.Connection, wanted: Sequence[str], chosen: EntityFilter, *, stores: Sequence[str]
) -> list[str]:
    """Return the ids whose names and type a filter allows; its times do not count."""
    where, values = _conditions(chosen, stores)
    found = connection.execute(
        f"SELECT e.id FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value WHERE {where} ORDER BY w.key",
        (json.dumps(list(wanted)), *values),
    )
    return [str(row[0]) for row in found]


def _source(chosen: EntityFilter, order: EntityOrder, stores: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the ``FROM`` clause of the entities that a filter allows, and its values."""
    if sees_all(stores) and chosen.since is None and chosen.until is None:
        counted, values = _by_registry(order)
    else:
        counted, values = _by_mentions(chosen, stores)
    where, more = _conditions(chosen, stores)
    return f"{counted} AND {where}", [*values, *more]


def _by_registry(order: EntityOrder) -> tuple[str, list[Any]]:
    latest = "(SELECT max(m.at) FROM mentions m WHERE m.entity_id = o.id)" if order == "recent" else "0"
    source = f"(SELECT o.*, o.mention_count AS n, {latest} AS latest FROM entities o)"
    return f"{source} e WHERE e.merged_into IS NULL AND (e.n > 0 OR e.protected = 1)", []


def _by_mentions(chosen: EntityFilter, stores: Sequence[str]) -> tuple[str, list[Any]]:
    parts, values = [within(stores)], list[Any]()
    for sql, when in (("m.at >= ?", chosen.since), ("m.at < ?", chosen.until)):
        if when is not None:
            parts.append(sql)
            values.append(to_ms(when))
    counted = (
        "(SELECT m.entity_id, count(*) AS n, max(m.at) AS latest FROM mentions m"
        f" WHERE {' AND '.join(parts)} GROUP BY m.entity_id)"
    )
    return f"{counted} c JOIN entities e ON e.id = c.entity_id WHERE e.merged_into IS NULL", values


def _conditions(chosen: EntityFilter, stores: Sequence[str]) -> tuple[str, list[Any]]:
    parts, values = ["TRUE"], list[Any]()
    if chosen.types:
        parts.append("e.type IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(chosen.types))
    if chosen.protected is not None:
        parts.append("e.protected = ?" if sees_all(stores) else "0 = ?")
        values.append(int(chosen.protected))
    prefix, text = (name_key(storable(given[:_MAX_TEXT])[0]) for given in (chosen.prefix, chosen.text))
    if prefix:
        parts.append(_named(stores, "key >= ? AND key < ?"))
        values += [prefix, prefix + _LAST]
    for word in text.split():
        parts.append(_named(stores, "instr(key, ?)"))
        values.append(word)
    return " AND ".join(parts), values


def _named(stores: Sequence[str], condition: str) -> str:
    """Return the condition that a visible name of ``e`` satisfies ``condition`` on ``key``."""
    if sees_all(stores):
        return f"e.id IN (SELECT a.entity_id FROM entity_aliases a WHERE {condition.replace('key', 'a.alias_key')})"
    key = "substr(m.surface, instr(m.surface, ':') + 1)"
    return (
        "EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id"
        f" AND {within(stores)} AND {condition.replace('key', key)})"
    )
