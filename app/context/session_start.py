"""Memories and summaries for an agent whose session starts in a folder.

Nothing is searched, as nobody has asked yet. What is merely new is left out.
"""

import json
from collections.abc import Sequence
from typing import Final

import apsw

from app.context import repo as context_repo
from app.context.model import ContextItem, ContextOptions, SectionName
from app.memories import repo
from app.memories.said_time import SAID_BY

_MOST_CERTAIN: Final = 5
_FOLDER_SESSIONS: Final = 20  # latest conversations in a folder whose memories count as known of it
_FOLDER: Final = "rtrim(json_extract(s.attributes, '$.cwd'), '/\\')"
_IS_CERTAIN: Final = "(m.pinned = 1 OR (m.kind = 'fact' AND m.confidence >= 1 AND m.decay_rate = 0))"


def start_sections(
    connection: apsw.Connection, *, folder: str, stores: Sequence[str], session: str, options: ContextOptions
) -> dict[SectionName, list[ContextItem]]:
    """Return what bears on a session that begins in a folder, the most important first.

    Memories of earlier conversations in the folder come first, then a few that the person has pinned or confirmed. The
    summaries are of those conversations alone.

    Args:
        connection: A read connection.
        folder: Where the agent works, ``""`` where that is not known.
        stores: Stores that the caller may read.
        session: The conversation at hand, whose own memories are left out.
        options: The options of contexts.
    """
    sessions = _sessions_in(connection, folder, session, stores)
    certain = _certain(connection, stores, session)
    of_folder = _of_sessions(connection, sessions, stores, max(options.facts - len(certain), 0))
    memories = repo.many(connection, list(dict.fromkeys([*of_folder, *certain]))[: options.facts], stores=stores)
    return {
        "facts": list(map(context_repo.memory_item, memories)),
        "sessions": context_repo.session_items(connection, sessions, options.sessions),
    }


def _sessions_in(connection: apsw.Connection, folder: str, session: str, stores: Sequence[str]) -> tuple[str, ...]:
    """Return the latest conversations in a folder and those within it, the newest first.

    Where a conversation took place is private, so that others get none.
    """
    bare = folder.rstrip("/\\")
    if not bare or "private" not in stores:
        return ()
    rows = connection.execute(
        f"SELECT s.id FROM sessions s WHERE s.forgotten_at IS NULL AND s.id <> ?2"
        f" AND ({_FOLDER} = ?1 OR substr({_FOLDER}, 1, length(?1) + 1) IN (?1 || '/', ?1 || '\\'))"
        f" ORDER BY s.updated_at DESC LIMIT {_FOLDER_SESSIONS}",
        (bare, session),
    )
    return tuple(str(row[0]) for row in rows)


def _of_sessions(
    connection: apsw.Connection, sessions: Sequence[str], stores: Sequence[str], limit: int
) -> Sequence[str]:
    # A quotation says what was said once; what was noted or decided stays true.
    rows = connection.execute(
        "SELECT m.id FROM json_each(?) w CROSS JOIN memories m ON m.session_id = w.value WHERE m.valid_until IS NULL"
        " AND m.kind NOT IN ('reflection', 'digest')"
        f" AND coalesce({SAID_BY}, '') = '' AND {repo.store_condition(stores)}"
        f" ORDER BY {_IS_CERTAIN} DESC, m.mention_count DESC, m.created_at DESC LIMIT ?",
        (json.dumps(list(sessions)), limit),
    )
    return [str(row[0]) for row in rows]


def _certain(connection: apsw.Connection, stores: Sequence[str], session: str) -> Sequence[str]:
    rows = connection.execute(
        f"SELECT m.id FROM memories m WHERE {_IS_CERTAIN} AND m.valid_until IS NULL AND m.kind <> 'reflection'"
        f" AND m.session_id IS NOT ? AND {repo.store_condition(stores)}"
        " ORDER BY m.pinned DESC, coalesce(m.last_accessed, m.created_at) DESC, m.rowid DESC LIMIT ?",
        (session or None, _MOST_CERTAIN),
    )
    return [str(row[0]) for row in rows]
