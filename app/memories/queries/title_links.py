"""Wiki links between notes, by the titles at both ends."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import apsw

from app.memories.note_links import links
from app.memories.repo import get, store_condition
from app.memories.text.markdown_links import title_key

_MOST = 20_000  # links followed, and notes that link
_MOST_TARGETS = 100  # notes whose backlinks are looked for


def links_of_titles(
    connection: apsw.Connection, keys: Collection[str], stores: Sequence[str], *, with_backlinks: bool
) -> list[tuple[str, str, str, int]]:
    """Return links of active notes by titles, the oldest note first.

    Args:
        connection: A reader.
        keys: Keys of titles.
        stores: Those that the caller may see: notes elsewhere neither link nor are linked to.
        with_backlinks: Also links from other notes to these.

    Returns:
        For each link the id of the note that has it, the keys of the titles of this note and of the one it means, and
        when the first was written, in milliseconds.
    """
    written = _written(
        connection,
        "json_each(:wanted) w CROSS JOIN memories m ON m.title_key = w.value"
        " CROSS JOIN memory_links l ON l.memory_id = m.id AND l.relation = 'wiki'",
        [key for key in keys if key],
        stores,
    )
    if with_backlinks:
        written += _written(
            connection,
            "json_each(:wanted) w CROSS JOIN memory_links l ON l.relation = 'wiki' AND l.target_key = w.value"
            " CROSS JOIN memories m ON m.id = l.memory_id",
            sorted(_targets(connection, keys, stores)),
            stores,
        )
    resolved = links.resolve_all(connection, {target for _, _, target, _, _ in written}, stores=stores)
    keys_of = {target: title_key(link.title) for target, link in resolved.items()}
    ordered = sorted(set(written), key=lambda link: (link[3], link[4], link[2]))
    return [
        (note, key, keys_of[target], at)
        for note, key, target, at, _ in ordered
        if target in resolved and resolved[target].memory_id != note
    ]


def _written(
    connection: apsw.Connection, source: str, wanted: Sequence[str], stores: Sequence[str]
) -> list[tuple[str, str, str, int, int]]:
    rows: list[Any] = connection.execute(
        "SELECT m.id, m.title_key, l.target, coalesce(m.event_time, m.updated_at), m.rowid"
        f" FROM {source} WHERE m.valid_until IS NULL AND m.kind = 'note' AND m.title_key <> ''"
        f" AND {store_condition(stores)} LIMIT :most",
        {"wanted": json.dumps(list(wanted)), "most": _MOST},
    ).fetchall()
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]


def _targets(connection: apsw.Connection, keys: Collection[str], stores: Sequence[str]) -> set[str]:
    """Return the keys by which links name the memories with these titles."""
    rows = connection.execute(
        "SELECT m.id FROM json_each(?) w CROSS JOIN memories m ON m.title_key = w.value"
        f" WHERE m.valid_until IS NULL AND m.title_key <> '' AND {store_condition(stores)} LIMIT ?",
        (json.dumps(list(keys)), _MOST_TARGETS),
    ).fetchall()
    targets = {key for key in keys if key}
    for (memory_id,) in rows:
        memory = get(connection, str(memory_id), stores=stores)
        if memory is not None:
            path = links.imported_path(memory)
            names = (memory.id, f"/{path}" if path else "", *links.aliases(memory.attributes.get("aliases")))
            targets |= {key for key in map(title_key, names) if key}
    return targets
