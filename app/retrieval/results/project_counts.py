"""Counts of projects among results."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from app.core.stores import sees_all
from app.core.text_rules.project_name import project_name, project_sql
from app.entities.model import name_key
from app.retrieval.snapshot import SearchSnapshot

_FEW: Final = 2_000
"""Sessions up to which they are looked up one by one; of more, all that have a project are read."""
_OF_FEW: Final = (
    f"SELECT {project_sql('s')}, sum(w.value ->> 1) FROM json_each(?) w CROSS JOIN sessions s ON s.id = w.value ->> 0"
    f" WHERE {project_sql('s')} IS NOT NULL GROUP BY 1 ORDER BY min(w.key)"
)
_OF_ALL: Final = f"SELECT {project_sql('s')}, s.id FROM sessions s WHERE {project_sql('s')} IS NOT NULL"
# What a memory's conversation belongs to would tell of a conversation that is private.
_OF_MEMORIES: Final = (
    f"SELECT coalesce({project_sql('m')}, CASE WHEN ?2 THEN (SELECT {project_sql('s')} FROM sessions s"
    " WHERE s.id = m.session_id) END), count(*) FROM json_each(?1) w CROSS JOIN memories m ON m.id = w.value"
    " GROUP BY 1 ORDER BY min(w.key)"
)
_CALLED: Final = (
    "SELECT a.alias_key, e.canonical_name FROM json_each(?) w CROSS JOIN entity_aliases a ON a.alias_key = w.value"
    " CROSS JOIN entities e ON e.id = a.entity_id WHERE e.type = 'project' AND e.merged_into IS NULL"
)


def count_projects(
    snapshot: SearchSnapshot, sessions: Mapping[int, int], memories: Sequence[str], stores: Sequence[str]
) -> "Counter[str]":
    """Return how many results are of each project, by what the person calls it.

    Args:
        snapshot: The index.
        sessions: Results of each session, by its number.
        memories: Ids of the memories among the results.
        stores: Stores that the caller may read.
    """
    connection, columns = snapshot.connection, snapshot.columns
    counts: Counter[str] = Counter()
    if len(sessions) <= _FEW:
        few = json.dumps([(columns.name(number), count) for number, count in sessions.items()])
        for value, count in connection.execute(_OF_FEW, (few,)) if sessions else ():
            counts[project_name(value)] += count
    else:
        by_value: Counter[object] = Counter()
        for value, session in connection.execute(_OF_ALL):
            by_value[value] += sessions.get(columns.numbers.get(str(session), 0), 0)
        for value, count in by_value.items():
            counts[project_name(value)] += count
    for value, count in connection.execute(_OF_MEMORIES, (json.dumps(list(memories)), "private" in stores)):
        counts[project_name(value)] += count
    counts.pop("", None)
    counts = +counts
    if not (counts and sees_all(stores)):
        return counts
    keys = json.dumps([name_key(name) for name in counts])
    called = {str(key): str(name) for key, name in connection.execute(_CALLED, (keys,))}
    joined: Counter[str] = Counter()
    for name, count in counts.items():
        joined[called.get(name_key(name), name)] += count
    return joined
