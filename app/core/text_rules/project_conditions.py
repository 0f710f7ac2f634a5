"""SQL of what belongs to a project."""

from collections.abc import Sequence
from typing import Final

from app.core.stores import sees_all
from app.core.text_rules.project_name import project_sql
from app.core.text_rules.spellings import OTHER_LETTERS, spelled_sql

NAMES: Final = (
    "SELECT value FROM json_each(?) UNION SELECT alias_key FROM entity_aliases"
    f" WHERE {OTHER_LETTERS.format('alias_key', 'same', '?')}"
)
"""SQL of all keys of names that are spelled like a wanted one."""


def is_project(column: str, stores: Sequence[str]) -> str:
    """Return the SQL of whether a project has a wanted name or ending.

    Its values are wanted names, each bound for every ``?``; see ``spelled_sql``. What the person called it, or merged
    with it, counts for a caller who may read every store.

    Args:
        column: The name of the project.
        stores: Stores that the caller may read.
    """
    if not sees_all(stores):
        return f"({spelled_sql(column)} OR {_ends(f'lower({column})')})"
    called = (
        "SELECT a.entity_id FROM entities e CROSS JOIN entity_aliases a ON a.entity_id = e.id"
        f" WHERE e.type = 'project' AND (a.alias_key IN ({NAMES}) OR {_ends('a.alias_key')})"
    )
    names = f"SELECT o.alias_key FROM entity_aliases o WHERE o.entity_id IN ({called})"
    return f"({spelled_sql(column)} OR {_ends(f'lower({column})')} OR lower({column}) IN ({names}))"


def in_project(memories: str, stores: Sequence[str]) -> str:
    """Return the SQL of whether a memory is of a project, or its conversation is.

    Its values are wanted names. Conversations count for a caller who may read private texts.

    Args:
        memories: The table's name in the statement.
        stores: Stores that the caller may read.
    """
    named = is_project(project_sql("o"), stores)
    ids = f"SELECT o.id FROM memories o WHERE {project_sql('o')} IS NOT NULL AND {named}"
    if "private" in stores:
        ids += (
            " UNION ALL SELECT i.id FROM sessions o CROSS JOIN memories i ON i.session_id = o.id"
            f" WHERE {project_sql('o')} IS NOT NULL AND {named}"
        )
    return f"{memories}.id IN ({ids})"


def _ends(column: str) -> str:
    """Return the SQL of whether a path ends with a wanted name."""
    return f"substr({column}, -length(? ->> 0) - 1) = '/' || (? ->> 0)"
