"""Note links: edges between entities whose notes link to one another.

A note is about the entity that its title names.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import apsw

from app.core.clock import to_datetime
from app.core.stores import sees_all
from app.entities.model import TYPES, GraphEdge
from app.entities.queries.cooccurrence import TimeWindow
from app.entities.queries.visibility import key_of, within

_MOST_NOTES = 20  # told of an edge


class TitleLinks(Protocol):
    """Source of the links between notes."""

    def __call__(
        self, connection: apsw.Connection, keys: Collection[str], stores: Sequence[str], *, with_backlinks: bool
    ) -> list[tuple[str, str, str, int]]:
        """Return links from notes whose titles have one of ``keys``.

        With backlinks also those to them.
        Each is the id of the note that links, the keys of the titles at both ends, and when that note was written, in
        milliseconds; the oldest note comes first.
        """
        ...


@dataclass(slots=True)
class _Linked:
    """Notes that join two entities, with the time of the first."""

    first_ms: int
    notes: dict[str, None] = field(default_factory=dict)


def edges_of_links(
    connection: apsw.Connection,
    handles: Collection[str],
    window: TimeWindow,
    title_links: TitleLinks,
    *,
    is_outward: bool = False,
) -> list[GraphEdge]:
    """Return the edges that note links make among ``handles``.

    Both ends are handles.

    Args:
        connection: A reader.
        handles: The entities.
        window: Which notes count.
        title_links: Finds links between notes.
        is_outward: Also those between them and others, whichever note links.
    """
    keys = _keys(connection, handles, window.stores)
    found = title_links(connection, keys, window.stores, with_backlinks=is_outward)
    named = _named(connection, {key for _, source, target, _ in found for key in (source, target)}, window.stores)
    inside = set(handles)
    joined: dict[tuple[str, str], _Linked] = {}
    for note, source, target, at in found:
        first, last = sorted((named.get(source, ""), named.get(target, "")))
        is_wanted = is_outward or (first in inside and last in inside)
        if first and first != last and is_wanted and window.since_ms <= at < window.until_ms:
            joined.setdefault((first, last), _Linked(at)).notes[note] = None
    return [
        GraphEdge(
            first,
            last,
            float(len(one.notes)),
            "link",
            first_at=to_datetime(one.first_ms),
            notes=tuple(one.notes)[:_MOST_NOTES],
        )
        for (first, last), one in sorted(joined.items())
    ]


def _keys(connection: apsw.Connection, handles: Iterable[str], stores: Sequence[str]) -> set[str]:
    """Return the keys of all names by which the caller may know the entities."""
    if not sees_all(stores):
        return {key_of(one) for one in handles}
    rows = connection.execute(
        "SELECT a.alias_key FROM json_each(?) w CROSS JOIN entity_aliases a ON a.entity_id = w.value",
        (json.dumps(list(handles)),),
    )
    return {str(key) for (key,) in rows}


def _named(connection: apsw.Connection, keys: Iterable[str], stores: Sequence[str]) -> dict[str, str]:
    """Return the handle that each key means.

    Of several it is one whose own name it is rather than an alias, then the most mentioned.
    """
    if sees_all(stores):
        rows = connection.execute(
            "SELECT a.alias_key, e.id FROM json_each(?) w CROSS JOIN entity_aliases a ON a.alias_key = w.value"
            " CROSS JOIN entities e ON e.id = a.entity_id WHERE e.merged_into IS NULL AND e.mention_count > 0"
            " ORDER BY e.name_key = a.alias_key, e.mention_count, e.type DESC, e.rowid DESC",
            (json.dumps(list(keys)),),
        )
        return {str(key): str(entity) for key, entity in rows}
    surfaces = [f"{kind}:{key}" for key in keys for kind in TYPES]
    rows = connection.execute(
        f"SELECT m.surface FROM json_each(?) w CROSS JOIN mentions m ON m.surface = w.value WHERE {within(stores)}"
        " GROUP BY m.surface ORDER BY count(*), m.surface DESC",
        (json.dumps(surfaces),),
    )
    return {key_of(str(surface)): str(surface) for (surface,) in rows}
