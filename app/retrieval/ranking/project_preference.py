"""Preference of a search for the project that is worked on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from app.core.text_rules.project_conditions import in_project, is_project
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.spellings import wanted_names
from app.retrieval.snapshot import SearchSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFERENCE: Final = 3.0
"""Score added for the project, three quarters of that for a rare word.

By ``tests.bench.projects`` an answer of the project at hand comes first in .98 of questions instead of .13, and 1.00 of
the answers that only another project has still do. From 6 on they no longer do.
"""


def owners_of_project(snapshot: SearchSnapshot, project: str, stores: Sequence[str]) -> "NDArray[np.int64]":
    """Return the numbers of a project's sessions and memories, as a caller sees it.

    Args:
        snapshot: The index.
        project: Its name.
        stores: Stores that the caller may read.
    """
    columns, connection = snapshot.columns, snapshot.connection
    wanted = wanted_names(project)
    of_sessions = f"{project_sql('s')} IS NOT NULL AND {is_project(project_sql('s'), stores)}"
    of_memories = in_project("m", stores)
    sessions = connection.execute(f"SELECT s.id FROM sessions s WHERE {of_sessions.replace('?', '?1')}", (wanted,))
    rows = connection.execute(f"SELECT m.id FROM memories m WHERE {of_memories.replace('?', '?1')}", (wanted,))
    numbers = [columns.numbers.get(str(row[0]), 0) for row in sessions]
    numbers += [columns.memory_number(str(row[0])) for row in rows]
    return np.array(sorted({*numbers} - {0}), dtype=np.int64)
