"""Moves of memories into the archive and back, inside the caller's transaction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.core.text import storable
from app.errors import NotFoundError
from app.memories.archive import archive_repo
from app.memories.model import Memory
from app.memories.state_codec import to_state
from app.memories.writer import MemoryIndex, require_no_conflict
from app.sentence import Sentence


def put_in(connection: apsw.Connection, index: MemoryIndex, memory_id: str, reason: str, at_ms: int) -> None:
    """Move a memory into the archive, without history."""
    index.memory_removed(connection, memory_id)
    archive_repo.move_in(connection, memory_id, reason, at_ms)


def take_out(connection: apsw.Connection, index: MemoryIndex, memory_id: str) -> Memory:
    """Move a memory back from the archive, without history, and return it.

    Raises:
        NotFoundError: It is not there.
        StaleError: Another active fact has its category and key.
    """
    memory, _, _ = require_archived(connection, memory_id, STORES)
    require_no_conflict(connection, memory)
    archive_repo.move_out(connection, memory_id)
    if memory.deleted_at is None:
        index.memory_stored(connection, memory)
    return memory


def state(connection: apsw.Connection, memory_id: str) -> dict[str, Any] | None:
    """Return the state of an archived memory for the history.

    It records that the memory is there, not what it says.
    To everybody else it reads as deleted when it was archived.
    """
    row = archive_repo.get(connection, memory_id, STORES)
    if row is None:
        return None
    memory, at_ms, reason = row
    bare = replace(
        memory, content="", facts=(), attributes={}, files=(), people=(), sources=(), deleted_at=to_datetime(at_ms)
    )
    return {**to_state(bare), "archived_at": at_ms, "reason": reason}


def require_archived(connection: apsw.Connection, memory_id: str, stores: Sequence[str]) -> tuple[Memory, int, str]:
    """Return an archived memory, the time it was archived and the reason.

    Raises:
        NotFoundError: There is none of that id in ``stores``.
    """
    row = archive_repo.get(connection, storable(memory_id)[0], stores)
    if row is None:
        raise NotFoundError(
            Sentence("The archive has no memory with the id {memory_id}.", memory_id=memory_id), id=memory_id
        )
    return row
