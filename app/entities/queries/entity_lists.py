"""Lists of entities: those that a filter allows, and list rows."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import apsw

from app.core.clock import to_ms
from app.core.stores import sees_all
from app.core.text import storable
from app.entities.model import EntityFilter, EntityOrder, EntityRow, EntityType, name_key
from app.entities.queries.visibility import KEY_SQL, TYPE_SQL, handles, names, public_id, type_of, within
from app.entities.repo import STATED_IDS

# Ties by name: which entity came to be first may follow from what the caller does not see.
_ORDERS: dict[EntityOrder, str] = {
    "mentions": "n DESC, e.name_key, e.rowid",
    "name": "e.name_key, e.type, e.rowid",
    "recent": "latest DESC, e.name_key, e.rowid",
}
_COUNT_OF_ALL = (
    "SELECT (SELECT count(*) FROM entities WHERE merged_into IS NULL AND mention_count > 0) +"
    " (SELECT count(*) FROM entities WHERE merged_into IS NULL AND mention_count <= 0"
    f" AND (protected = 1 OR id IN ({STATED_IDS})))"
)
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
    found = chosen_handles(connection, chosen, order, limit=limit, offset=offset, stores=stores)
    return [public_id(one, stores) for one in found]


def rows(connection: apsw.Connection, wanted: Sequence[str], *, stores: Sequence[str]) -> list[EntityRow]:
    """Return list rows of the entities with the ids ``wanted``, in its order.

    Entities that are gone are left out.
    """
    known = handles(connection, wanted, stores)
    return list(rows_of(connection, [known[one] for one in wanted if one in known], stores=stores).values())


def chosen_handles(
    connection: apsw.Connection,
    chosen: EntityFilter,
    order: EntityOrder = "mentions",
    *,
    limit: int = -1,
    offset: int = 0,
    stores: Sequence[str],
) -> list[str]:
    """Return the handles of entities allowed by a filter, in order; see ``ids``."""
    source, values, handle = _source(chosen, order, stores, is_page=limit >= 0)
    cursor = connection.execute(
        f"SELECT {handle} FROM {source} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?", (*values, limit, offset)
    )
    return [str(row[0]) for row in cursor]


def count(connection: apsw.Connection, chosen: EntityFilter, *, stores: Sequence[str]) -> int:
    """Return how many entities a filter allows."""
    if sees_all(stores) and chosen == EntityFilter():
        # Counted from an index alone, where the general condition would read every row.
        return int(connection.execute(_COUNT_OF_ALL).get)
    source, values, _ = _source(chosen, "mentions", stores)
    found: list[Any] = connection.execute(f"SELECT count(*) FROM {source}", values).fetchall()
    return int(found[0][0])


def rows_of(connection: apsw.Connection, wanted: Sequence[str], *, stores: Sequence[str]) -> dict[str, EntityRow]:
    """Return list rows by handle, in the order of ``wanted``, without entities that are gone."""
    known = names(connection, wanted, stores)
    if not sees_all(stores):  # what the person decided is the person's
        counted = f"SELECT count(*) FROM mentions m WHERE m.surface = ? AND {within(stores)}"
        return {
            one: EntityRow(
                public_id(one, stores), known[one], type_of(one), int(str(connection.execute(counted, (one,)).get))
            )
            for one in dict.fromkeys(wanted)
            if one in known
        }
    cursor: Iterable[Any] = connection.execute(
        "SELECT e.id, e.type, e.mention_count, e.protected FROM json_each(?) w CROSS JOIN entities e"
        " ON e.id = w.value WHERE e.merged_into IS NULL ORDER BY w.key",
        (json.dumps(list(wanted)),),
    )
    return {
        row[0]: EntityRow(row[0], known[row[0]], cast("EntityType", row[1]), int(row[2]), bool(row[3]))
        for row in cursor
        if row[0] in known
    }


def matching(
    connection: apsw.Connection, wanted: Sequence[str], chosen: EntityFilter, *, stores: Sequence[str]
) -> list[str]:
    """Return the handles whose names and type a filter allows; its times do not count."""
    if not sees_all(stores):
        timeless = replace(chosen, since=None, until=None)
        allowed = set(chosen_handles(connection, timeless, stores=stores))
        return [one for one in wanted if one in allowed]
    where, values = _conditions(chosen, stores)
    cursor = connection.execute(
        f"SELECT e.id FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value WHERE {where} ORDER BY w.key",
        (json.dumps(list(wanted)), *values),
    )
    return [str(row[0]) for row in cursor]


def _source(
    chosen: EntityFilter, order: EntityOrder, stores: Sequence[str], *, is_page: bool = False
) -> tuple[str, list[Any], str]:
    """Return the ``FROM`` clause of a filter, its values, and the column of handles."""
    if not sees_all(stores):
        source, values, handle = *_by_surface(chosen, stores), "e.surface"
    elif chosen.since is None and chosen.until is None:
        is_page = is_page and order == "mentions" and chosen == EntityFilter()
        source, values, handle = *_by_registry(order, is_page=is_page), "e.id"
    else:
        source, values, handle = *_by_mentions(chosen), "e.id"
    where, more = _conditions(chosen, stores)
    return f"{source} AND {where}", [*values, *more], handle


def _by_registry(order: EntityOrder, *, is_page: bool) -> tuple[str, list[Any]]:
    # In the order of the index only the first rows are read, which the planner does not see for the ties by name.
    index = " INDEXED BY entities_by_count WHERE o.merged_into IS NULL" if is_page else ""
    latest = "(SELECT max(m.at) FROM mentions m WHERE m.entity_id = o.id)" if order == "recent" else "0"
    source = f"(SELECT o.*, o.mention_count AS n, {latest} AS latest FROM entities o{index})"
    # Of what is mentioned, and most is, the rest is not asked.
    standing = f"(e.n > 0 OR e.protected = 1 OR e.id IN ({STATED_IDS}))"
    return f"{source} e WHERE e.merged_into IS NULL AND {standing}", []


def _by_mentions(chosen: EntityFilter) -> tuple[str, list[Any]]:
    within_times, values = _times(chosen)
    counted = (
        "(SELECT m.entity_id, count(*) AS n, max(m.at) AS latest FROM mentions m"
        f" WHERE {within_times} GROUP BY m.entity_id)"
    )
    return f"{counted} c JOIN entities e ON e.id = c.entity_id WHERE e.merged_into IS NULL", values


def _by_surface(chosen: EntityFilter, stores: Sequence[str]) -> tuple[str, list[Any]]:
    within_times, values = _times(chosen)
    source = (
        f"(SELECT m.surface, m.surface AS rowid, {KEY_SQL} AS name_key, {TYPE_SQL} AS type, count(*) AS n,"
        f" max(m.at) AS latest FROM mentions m WHERE {within(stores)} AND {within_times} GROUP BY m.surface)"
    )
    return f"{source} e WHERE TRUE", values


def _times(chosen: EntityFilter) -> tuple[str, list[Any]]:
    parts, values = ["TRUE"], list[Any]()
    for sql, when in (("m.at >= ?", chosen.since), ("m.at < ?", chosen.until)):
        if when is not None:
            parts.append(sql)
            values.append(to_ms(when))
    return " AND ".join(parts), values


def _conditions(chosen: EntityFilter, stores: Sequence[str]) -> tuple[str, list[Any]]:
    parts, values = ["TRUE"], list[Any]()
    if chosen.types:
        parts.append("e.type IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(chosen.types))
    if chosen.protected is not None:
        parts.append("e.protected = ?" if sees_all(stores) else "0 = ?")
        values.append(int(chosen.protected))
    name, prefix, text = (_key(given[:_MAX_TEXT]) for given in (chosen.name, chosen.prefix, chosen.text))
    if name:
        parts.append(_named(stores, "key = ?"))
        values.append(name)
    if prefix:
        parts.append(_named(stores, "key >= ? AND key < ?"))
        values += [prefix, prefix + _LAST]
    for word in text.split():
        parts.append(_named(stores, "instr(key, ?)"))
        values.append(word)
    return " AND ".join(parts), values


def _key(given: str) -> str:
    return name_key(storable(given)[0])


def _named(stores: Sequence[str], condition: str) -> str:
    """Return the condition that a visible name of ``e`` satisfies ``condition`` on ``key``."""
    if sees_all(stores):
        return f"e.id IN (SELECT a.entity_id FROM entity_aliases a WHERE {condition.replace('key', 'a.alias_key')})"
    return condition.replace("key", "e.name_key")
