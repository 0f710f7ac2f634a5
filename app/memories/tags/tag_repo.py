"""The tag table, memory_tags: tags of memories and their counts.

The tag ``a`` covers ``a/b``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import apsw

from app.core.facets import Facet
from app.core.text_rules.spellings import covered_names, spelled_sql
from app.core.text_rules.tag_names import normalise_tag
from app.memories.repo import store_condition

ACTIVE = "m.valid_until IS NULL"
# Each distinct tag once, by the index.
SPELLED_TAGS: Final = (
    "WITH RECURSIVE every (tag) AS (SELECT min(tag) FROM memory_tags UNION ALL"
    " SELECT (SELECT min(t.tag) FROM memory_tags t WHERE t.tag > every.tag) FROM every WHERE every.tag IS NOT NULL)"
    f" SELECT tag FROM every WHERE {spelled_sql('tag', 'under')}"
)
"""SQL of the tags that are spelled like a wanted one, or nested in it; each ``?`` is what ``wanted_names`` made."""


def write(connection: apsw.Connection, memory_id: str, tags: Sequence[str]) -> None:
    """Replace the tags of a memory."""
    connection.execute("DELETE FROM memory_tags WHERE memory_id = ?", (memory_id,))
    connection.executemany(
        "INSERT INTO memory_tags (memory_id, tag, position) VALUES (?, ?, ?)",
        [(memory_id, tag, position) for position, tag in enumerate(tags)],
    )


def tag_condition(column: str) -> str:
    """Return the SQL condition that ``column`` has a tag or one nested in it.

    The tag is to be bound three times.
    """
    return f"({column} = ? OR ({column} >= ? || '/' AND {column} < ? || '0'))"  # "0" follows "/"


def tags_with_prefix(
    connection: apsw.Connection, prefix: str = "", *, limit: int = 200, stores: Sequence[str]
) -> list[Facet]:
    """Return the tags that begin with ``prefix``, most used first.

    Each comes with the number of active memories that it covers.
    """
    visible = store_condition(stores)
    wanted = normalise_tag(prefix)
    counted = nested_counts(connection, ACTIVE if visible == "TRUE" else f"{ACTIVE} AND {visible}", (), is_joined=False)
    return [facet for facet in counted if facet.name.startswith(wanted)][: max(limit, 0)]


def nested_counts(connection: apsw.Connection, where: str, values: Sequence[Any], *, is_joined: bool) -> list[Facet]:
    """Return the tags and how many memories each covers, most first.

    A parent tag that no memory has by itself is counted too. A tag covers what a list narrowed to it shows: memories
    with it in any spelling, or with one nested in it.

    Args:
        connection: Any connection.
        where: Which ones: a condition on ``memories m``.
        values: What to bind in it.
        is_joined: Whether of several spellings of a tag only that which finds most is listed.
    """
    chosen = f"memory_id IN (SELECT m.id FROM memories m WHERE {where})"
    if where == ACTIVE:  # few are deleted: looking those up is many times faster
        chosen = "memory_id NOT IN (SELECT m.id FROM memories m WHERE m.valid_until IS NOT NULL)"
    flat: dict[str, int] = dict(
        connection.execute(f"SELECT tag, count(*) FROM memory_tags WHERE {chosen} GROUP BY tag", tuple(values))
    )
    every = dict.fromkeys([*flat, *(parent for tag in flat for parent in _ancestors(tag))])
    nested, alike = covered_names(every, nested=True), covered_names(every, nested=False)
    covered = {name: tuple(tag for tag in tags if tag in flat) for name, tags in nested.items()}
    counts = flat | _counted_once(connection, covered, chosen, values)
    shown, joined = list[Facet](), set[str]()
    for name in sorted(every, key=lambda name: (-counts[name], -flat.get(name, 0), name)):
        if name not in joined:
            shown.append(Facet(name, counts[name]))
            joined.update(alike[name] if is_joined else ())
    return sorted(shown, key=lambda facet: (-facet.count, facet.name))


def _counted_once(
    connection: apsw.Connection, covered: Mapping[str, Sequence[str]], where: str, values: Sequence[Any]
) -> dict[str, int]:
    """Count each memory once under each name that covers other tags than itself."""
    pairs = [(tag, name) for name, tags in covered.items() if tags != (name,) for tag in tags]
    if not pairs:
        return {}
    return dict(
        connection.execute(
            "SELECT pair.value ->> 1, count(DISTINCT memory_id)"
            # From the tags to the items: the other way round every item would ask for every pair.
            " FROM json_each(?) pair CROSS JOIN memory_tags ON tag = pair.value ->> 0"
            f" WHERE +{where} GROUP BY 1",
            (json.dumps(sorted(pairs)), *values),
        )
    )


def _ancestors(tag: str) -> list[str]:
    parts = tag.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts)) if parts[depth - 1]]
