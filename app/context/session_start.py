"""Memories and summaries for an agent whose session starts in a folder.

Nothing is searched, as nobody has asked yet. What is merely new is left out.
"""

import json
from collections.abc import Sequence
from typing import Final

import apsw

from app.context import repo as context_repo
from app.context.model import ContextItem, ContextOptions, SectionName
from app.core.text_rules.project_conditions import in_project, is_project
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.spellings import wanted_names
from app.memories import repo
from app.memories.said_time import SAID_BY

_MOST_CERTAIN: Final = 5
_FOLDER_SESSIONS: Final = 20  # latest conversations in a folder whose memories count as known of it
_FOLDER: Final = "rtrim(json_extract(s.attributes, '$.cwd'), '/\\')"
_IS_CERTAIN: Final = "(m.pinned = 1 OR (m.kind = 'fact' AND m.confidence >= 1 AND m.decay_rate = 0))"


def start_sections(
    connection: apsw.Connection,
    *,
    folder: str,
    project: str,
    stores: Sequence[str],
    session: str,
    options: ContextOptions,
) -> dict[SectionName, list[ContextItem]]:
    """Return what bears on a session that begins in a folder, the most important first.

    Memories of the project and of earlier conversations in the folder come first, then a few that the person has pinned
    or confirmed. The summaries are of conversations in the folder or of the project alone.

    Args:
        connection: A read connection.
        folder: Where the agent works, ``""`` where that is not known.
        project: Name of the project that it works on, ``""`` where that is not known.
        stores: Stores that the caller may read.
        session: The conversation at hand, whose own memories are left out.
        options: The options of contexts.
    """
    sessions = _sessions_in(connection, folder, project, session, stores)
    certain = _certain(connection, stores, session)
    of_folder = _known_of(connection, sessions, project, stores, max(options.facts - len(certain), 0))
    memories = repo.many(connection, list(dict.fromkeys([*of_folder, *certain]))[: options.facts], stores=stores)
    return {
        "facts": list(map(context_repo.memory_item, memories)),
        "sessions": context_repo.session_items(connection, sessions, options.sessions),
    }


def _sessions_in(
    connection: apsw.Connection, folder: str, project: str, session: str, stores: Sequence[str]
) -> tuple[str, ...]:
    """Return the latest conversations of a project, in a folder and within it.

    Where a conversation took place is private, so that others get none.
    """
    bare = folder.rstrip("/\\")
    if not (bare or project) or "private" not in stores:
        return ()
    is_of = is_project(project_sql("s"), stores).replace("?", "?3")
    rows = connection.execute(
        f"SELECT s.id FROM sessions s WHERE s.forgotten_at IS NULL AND s.id <> ?2"
        f" AND (?1 <> '' AND ({_FOLDER} = ?1 OR substr({_FOLDER}, 1, length(?1) + 1) IN (?1 || '/', ?1 || '\\'))"
        f" OR {project_sql('s')} IS NOT NULL AND {is_of})"
        f" ORDER BY s.updated_at DESC LIMIT {_FOLDER_SESSIONS}",
        (bare, session, wanted_names(project)),
    )
    return tuple(str(row[0]) for row in rows)


def _known_of(
    connection: apsw.Connection, sessions: Sequence[str], project: str, stores: Sequence[str], limit: int
) -> Sequence[str]:
    """Return the memories of conversations and of a project, the most certain first."""
    is_of = in_project("m", stores).replace("?", "?3")
    # A quotation says what was said once; what was noted or decided stays true.
    rows = connection.execute(
        f"SELECT m.id FROM memories m WHERE (m.session_id IN (SELECT value FROM json_each(?1)) OR {is_of})"
        " AND m.valid_until IS NULL AND m.kind NOT IN ('reflection', 'digest')"
        f" AND coalesce({SAID_BY}, '') = '' AND {repo.store_condition(stores)}"
        f" ORDER BY {_IS_CERTAIN} DESC, m.mention_count DESC, m.created_at DESC LIMIT ?2",
        (json.dumps(list(sessions)), limit, wanted_names(project)),
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
