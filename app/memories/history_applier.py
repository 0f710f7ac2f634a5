"""History of memories applied: puts a memory back into a recorded state."""

from dataclasses import replace

import apsw

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.errors import InternalError
from app.history.undo import State
from app.memories import repo, validation
from app.memories.archive import archive_moves
from app.memories.model import Memory
from app.memories.state_codec import from_state
from app.memories.writer import MemoryIndex, recorded_state, require_no_conflict, write_state


class MemoryApplier:
    """Puts memories back; their version goes on counting, so an editor that is open notices.

    Args:
        index: Who keeps the search index in step.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the memory's state now."""
        memory = repo.get(connection, target, stores=STORES)
        return archive_moves.state(connection, target) if memory is None else recorded_state(memory)

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the memory's state and return the new one; ``None`` deletes the memory softly.

        Raises:
            StaleError: Another fact has taken its category and key.
        """
        is_archived = current is not None and "archived_at" in current
        if is_archived:
            now: Memory | None = archive_moves.take_out(connection, self._index, target)
        else:
            now = repo.get(connection, target, stores=STORES) if current is None else from_state(current)
        if state is None and (now is None or (is_archived and now.deleted_at is not None)):
            return recorded_state(now)  # there is nothing to delete, or it came from the trash
        if state is not None and "archived_at" in state:
            if now is None:  # it was deleted from the archive: its entry has the whole memory
                write_state(connection, self._index, None, from_state(state))
            # At the time it was put there: earlier entries must find the state that they led to.
            archive_moves.put_in(connection, self._index, target, state["reason"], int(state["archived_at"]))
            return self.current(connection, target)
        wanted = _wanted(state, now, at_ms)
        require_no_conflict(connection, wanted)
        write_state(connection, self._index, now, wanted)
        return recorded_state(wanted)


def _wanted(state: State | None, now: Memory | None, at_ms: int) -> Memory:
    """Return the memory to write in the place of ``now``.

    Without ``state`` that is ``now`` deleted, which must then be there.
    """
    if state is not None:
        memory_state = from_state(state)
        wanted = replace(memory_state, tokens=validation.size(memory_state.content, memory_state.facts))
        return wanted if now is None else replace(wanted, version=now.version + 1)
    if now is None:
        raise InternalError("There is no memory to delete.")
    return replace(now, deleted_at=to_datetime(at_ms), superseded_by=None, version=now.version + 1)
