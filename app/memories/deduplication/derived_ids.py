"""Ids of memories that jobs conclude: the same on every machine that concludes the same."""

from itertools import count
from typing import Final

import apsw

from app.core.ids import derived_id

_KNOWN: Final = (
    "SELECT 1 FROM memories WHERE id = ?1 UNION ALL SELECT 1 FROM memory_archive WHERE id = ?1"
    " UNION ALL SELECT 1 FROM memory_history WHERE target = ?1 AND target_kind = 'memory'"
    " UNION ALL SELECT 1 FROM erasures WHERE target = ?1 LIMIT 1"
)


def is_known(connection: apsw.Connection, memory_id: str) -> bool:
    """Return whether there is or was a memory of an id, on any machine."""
    return connection.execute(_KNOWN, (memory_id,)).fetchone() is not None


def next_derived_id(connection: apsw.Connection, kind: str, at_ms: int, *parts: str) -> str:
    """Return the first id of a conclusion that no memory has or had.

    Machines that do not know of each other's conclusion give it the same id. Who has it already, and concludes again
    because a person did away with it, gives it another.

    Args:
        connection: The writer's connection.
        kind: The kind of memory.
        at_ms: A time that belongs to what it follows from, milliseconds UTC.
        parts: What it follows from, as all machines name it.
    """
    ids = (derived_id(kind, at_ms, *parts, str(number)) for number in count())
    return next(identity for identity in ids if not is_known(connection, identity))
