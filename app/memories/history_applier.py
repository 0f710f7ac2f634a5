"""History of memories applied: puts a memory back into a recorded state."""

from dataclasses import replace

import apsw

from app.core.clock import to_datetime
from app.errors import StaleError
from app.history.undo import State
from app.memories import repo
from app.memories.archive import archive_moves
from app.memories.state_codec import from_state
from app.memories.writer import MemoryIndex, conflicting_fact, recorded_state, write_state


class MemoryApplier:
    """Puts memories back; their version goes on counting, so an editor that is open notices.

    Args:
        index: Who keeps the search index in step.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the memory's state now."""
        memory = repo.get(connection, target)
        return archive_moves.state(connection, target) if memory is None else recorded_state(memory)

    def apply(self, connection: apsw.Connection, target: str, state: State | None, at_ms: int) -> None:
        """Make ``state`` the memory's state; ``None`` deletes it softly.

        Raises:
            StaleError: Another fact has taken its category and key.
        """
        now = repo.get(connection, target)
        if now is None and archive_moves.state(connection, target) is not None:
            now = archive_moves.take_out(connection, self._index, target)
            if state is None and now.deleted_at is not None:
                return  # it came from the trash
        if state is not None and "archived_at" in state:
            # At the time it was put there: earlier entries must find the state that they led to.
            archive_moves.put_in(connection, self._index, target, state["reason"], int(state["archived_at"]))
            return
        if state is not None:
            wanted = from_state(state)
        elif now is not None:
            wanted = replace(now, deleted_at=to_datetime(at_ms), superseded_by=None)
        else:
            return
        if now is not None:
            wanted = replace(wanted, version=now.version + 1)
        if (other := conflicting_fact(connection, wanted)) is not None:
            raise StaleError(
                "Another fact has taken the place of this one since. Undo or delete that one first.",
                target=target,
                other=other.id,
            )
        write_state(connection, self._index, now, wanted)
