"""Memories that a filter leaves: their ids, list rows and counts."""

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import apsw

from app.core.clock import to_ms
from app.core.facets import Facet, Facets
from app.core.stores import sees_all
from app.core.text import storable
from app.core.text_rules.spellings import wanted_names
from app.core.text_rules.tag_names import normalise_tag
from app.errors import InputError
from app.memories.model import MemoryFilter, MemoryOrder, MemoryRow, NamedThing
from app.memories.repo import rows, store_condition
from app.memories.tags.tag_repo import ACTIVE, SPELLED_TAGS, nested_counts
from app.sentence import Sentence

_MAX_WORDS = 16
_MAX_TAGS = 100
_MAX_NAMING = 5_000  # memories whose names are counted
_MAX_WORD = 1_000  # SQLite refuses patterns of more than 50,000 bytes
MAX_FACETS = 1_000

_NO_NAMES = "('date', 'email', 'hashtag', 'mention', 'url')"  # types of entities that name nobody and no thing

_LAST_CASED = 0x1E943  # no script above has upper and lower case

# Pinned memories come first in every order.
_ORDERS: dict[MemoryOrder, str] = {
    "recent": "m.pinned DESC, m.updated_at DESC, m.rowid DESC",
    "oldest": "m.pinned DESC, m.updated_at, m.rowid",
    "title": "m.pinned DESC, m.title_key = '', m.title_key, m.rowid",
    "created": "m.pinned DESC, m.created_at DESC, m.rowid DESC",
}


def ids(
    connection: apsw.Connection,
    chosen: MemoryFilter,
    order: MemoryOrder = "recent",
    *,
    limit: int = -1,
    offset: int = 0,
    stores: Sequence[str],
) -> list[str]:
    """Return the ids of memories that ``chosen`` leaves, in ``order``.

    All of them are returned when ``limit`` is negative.
    """
    where, values = condition(chosen, stores)
    cursor = connection.execute(
        f"SELECT m.id FROM memories m WHERE {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [row[0] for row in cursor]


def listed(
    connection: apsw.Connection,
    chosen: MemoryFilter,
    order: MemoryOrder = "recent",
    *,
    limit: int = 50,
    offset: int = 0,
    stores: Sequence[str],
) -> list[MemoryRow]:
    """Return one page of the memories that ``chosen`` leaves, as a list shows them."""
    return rows(connection, ids(connection, chosen, order, limit=limit, offset=offset, stores=stores), stores=stores)


def facets(connection: apsw.Connection, chosen: MemoryFilter, *, stores: Sequence[str]) -> Facets:
    """Return the counts by kind, tag, store and source over the memories that ``chosen`` leaves."""
    where, values = condition(chosen, stores)
    groups = connection.execute(
        f"SELECT m.kind, m.store, m.source, count(*) FROM memories m WHERE {where}"
        " GROUP BY +m.kind, m.store, m.source",  # the plus keeps SQLite to the index that has all three
        values,
    ).fetchall()
    by_kind, by_store, by_source = (_totals(groups, column) for column in range(3))
    tags = nested_counts(connection, where, values, is_joined=True)
    return Facets(by_kind, tuple(tags[:MAX_FACETS]), by_store, by_source)


def _totals(groups: Sequence[Sequence[Any]], column: int) -> tuple[Facet, ...]:
    totals: Counter[str] = Counter()
    for group in groups:
        totals[group[column]] += group[-1]
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(name, count) for name, count in ordered[:MAX_FACETS])


def entities(
    connection: apsw.Connection, chosen: MemoryFilter, limit: int = 30, *, stores: Sequence[str]
) -> list[NamedThing]:
    """Return the people and things that the memories ``chosen`` leaves name, the most named first.

    Where there are very many memories, the last changed ones decide. A caller who may not read every store gets the
    keys of names.
    """
    handle, name, kind, key = "e.id", "e.canonical_name", "e.type", "e.name_key"
    if not sees_all(stores):
        name = key = "substr(n.surface, instr(n.surface, ':') + 1)"
        handle, kind = "seen_entity_id(n.surface)", "substr(n.surface, 1, instr(n.surface, ':') - 1)"
    where, values = condition(chosen, stores)
    cursor = connection.execute(
        f"WITH chosen (id) AS (SELECT m.id FROM memories m WHERE {where} ORDER BY {_ORDERS['recent']} LIMIT ?)"
        f" SELECT {handle}, {name}, {kind}, count(DISTINCT n.owner_id) AS found FROM chosen"
        f" CROSS JOIN mentions n ON n.owner_kind = 'memory' AND n.owner_id = chosen.id AND {_seen(stores)}"
        f" LEFT JOIN entities e ON e.id = n.entity_id WHERE {kind} NOT IN {_NO_NAMES}"
        f" GROUP BY 1 ORDER BY found DESC, {key}, {handle} LIMIT ?",
        (*values, _MAX_NAMING, limit),
    )
    return [NamedThing(str(row[0]), str(row[1]), str(row[2]), int(str(row[3]))) for row in cursor]


def counts_by(connection: apsw.Connection, column: str, where: str, limit: int = -1) -> list[Facet]:
    """Return how many memories have each value of a column, the most frequent first."""
    rows = connection.execute(
        f"SELECT m.{column}, count(*) AS n FROM memories m WHERE {where} GROUP BY m.{column}"
        f" ORDER BY n DESC, m.{column} LIMIT ?",
        (limit,),
    )
    return [Facet(str(name), int(str(count))) for name, count in rows]


def condition(chosen: MemoryFilter, stores: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    """Return the filter ``chosen`` as an SQL condition, and the values to bind in it.

    The condition is on ``memories m``. A superseded memory is neither active nor in the trash: its successor stands for
    it.
    """
    parts: list[str] = [
        "m.valid_until IS NOT NULL AND m.superseded_by IS NULL" if chosen.deleted else ACTIVE,
        store_condition(stores),
    ]
    values: list[Any] = []
    for field, clause, bind in _CLAUSES:
        if (value := getattr(chosen, field)) not in ("", (), None):
            parts.append(clause)
            values.append(bind(value))
    tags = dict.fromkeys(map(normalise_tag, chosen.tags))
    if len(tags) > _MAX_TAGS:
        raise InputError(
            Sentence("A list can be narrowed to at most {max_tags} tags at once.", max_tags=_MAX_TAGS),
            allowed=_MAX_TAGS,
        )
    for tag in tags:
        parts.append(f"m.id IN (SELECT memory_id FROM memory_tags WHERE tag IN ({SPELLED_TAGS}))")
        values.extend([wanted_names(tag)] * SPELLED_TAGS.count("?"))
    for entity in dict.fromkeys(chosen.entities[:_MAX_TAGS]):
        named = "n.entity_id" if sees_all(stores) else "seen_entity_id(n.surface)"
        parts.append(_NAMING.format(entity=named, seen=_seen(stores)))
        values.append(storable(entity)[0])
    for word in storable(chosen.text)[0].split()[:_MAX_WORDS]:
        operator, pattern = _pattern(word[:_MAX_WORD])
        parts.append(f"(m.title {operator} OR m.content {operator})")
        values.extend([pattern] * 2)
    return " AND ".join(part for part in parts if part != "TRUE"), tuple(values)


def _seen(stores: Sequence[str]) -> str:
    """Return the condition that a caller sees the mention ``n`` in a memory."""
    return "n.entity_id IS NOT NULL" if sees_all(stores) else "n.store <> ''"


_NAMING = "m.id IN (SELECT n.owner_id FROM mentions n WHERE {entity} = ? AND n.owner_kind = 'memory' AND {seen})"
_CLAUSES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("kinds", "m.kind IN (SELECT value FROM json_each(?))", json.dumps),
    ("stores", "m.store IN (SELECT value FROM json_each(?))", json.dumps),
    ("source", "m.source = ?", lambda source: storable(source)[0]),
    (
        "types",
        "m.type COLLATE NOCASE IN (SELECT value FROM json_each(?))",
        lambda types: storable(json.dumps(types))[0],
    ),
    ("since", "m.updated_at >= ?", to_ms),
    ("until", "m.updated_at < ?", to_ms),
    ("created_since", "m.created_at >= ?", to_ms),
    ("created_until", "m.created_at < ?", to_ms),
    ("pinned", "m.pinned = ?", int),
)


def _pattern(word: str) -> tuple[str, str]:
    """Return the operator and pattern that find ``word`` in any case.

    SQLite's LIKE folds the case of ASCII only, but is fast; other scripts get a GLOB that names each letter's cases.
    """
    if word.isascii():
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return "LIKE ? ESCAPE '\\'", f"%{escaped}%"
    return "GLOB ?", f"*{''.join(map(_cases, unicodedata.normalize('NFC', word)))}*"


def _cases(letter: str) -> str:
    cases = _letters_by_fold().get(letter.casefold(), letter)
    return f"[{cases}]" if len(cases) > 1 or letter in "*?[" else letter


@cache
def _letters_by_fold() -> dict[str, str]:
    """Return the letters that differ only in case, by their folded form.

    All three sigmas, for example, have one folded form.
    """
    letters: defaultdict[str, str] = defaultdict(str)
    for letter in map(chr, range(_LAST_CASED + 1)):
        if (fold := letter.casefold()) != letter or letter.upper() != letter:
            letters[fold] += letter
    return letters
