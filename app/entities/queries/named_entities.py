"""Entities of many messages and memories at once, with the words that name them."""

import json
from collections.abc import Sequence
from typing import Final, cast

import apsw

from app.core import message_ids
from app.core.stores import sees_all
from app.entities.model import EntityType, MentionedEntity, name_key
from app.entities.queries.visibility import KEY_SQL, handle_column, names, public_id, type_of, within

MAX_OWNERS: Final = 500
_MAX_PER_OWNER: Final = 200  # names of one text; a text of nothing but names is a list, not prose
_SQL: Final = (
    "SELECT m.owner_id, {handle}, e.type, {key},"
    " CASE WHEN m.start < 0 THEN '' WHEN m.owner_kind = 'memory'"
    " THEN (SELECT substr(c.content, m.start + 1, m.length) FROM memories c WHERE c.id = m.owner_id)"
    " ELSE (SELECT substr(t.content, m.start + 1, m.length) FROM messages t"
    "  WHERE t.session_id = w.value ->> 'session' AND t.seq = w.value ->> 'seq') END"
    " FROM json_each(?) w CROSS JOIN mentions m ON m.owner_kind = w.value ->> 'kind' AND m.owner_id = w.value ->> 'id'"
    " LEFT JOIN entities e ON e.id = m.entity_id WHERE {within} ORDER BY w.key, m.start, m.surface"
)


def named_in(connection: apsw.Connection, owners: Sequence[str], stores: Sequence[str]) -> list[MentionedEntity]:
    """Return the entities that texts name, text by text in reading order.

    Each name of a text comes once.

    Args:
        connection: The vault.
        owners: ``session#seq`` of messages and ids of memories, of which the first 500 count.
        stores: What the caller may see.
    """
    wanted = json.dumps([_owner(one) for one in dict.fromkeys(owners[:MAX_OWNERS])])
    sql = _SQL.format(within=within(stores), handle=handle_column(stores), key=KEY_SQL)
    rows = connection.execute(sql, (wanted,)).fetchall()
    known = names(connection, {str(row[1]) for row in rows}, stores)
    found: dict[tuple[str, str, str], MentionedEntity] = {}
    counts: dict[str, int] = {}
    for owner, entity, registered, key, words in rows:
        # Words that were changed since the name was found in them do not count.
        text = str(words) if words and name_key(str(words)) == key else str(key)
        place = (str(owner), str(entity), str(key))
        if place in found or str(entity) not in known or counts.get(place[0], 0) >= _MAX_PER_OWNER:
            continue
        counts[place[0]] = counts.get(place[0], 0) + 1
        kind = cast("EntityType", registered) if sees_all(stores) else type_of(place[1])
        found[place] = MentionedEntity(place[0], public_id(place[1], stores), known[place[1]], kind, text)
    return list(found.values())


def _owner(owner: str) -> dict[str, str | int]:
    ref = message_ids.parse(owner)
    if ref is None:
        return {"kind": "memory", "id": owner}
    return {"kind": "message", "id": owner, "session": ref.session, "seq": ref.seq}
