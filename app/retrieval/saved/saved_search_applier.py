"""Saved searches in the history: what it keeps of them, and their undo."""

from typing import Final

import apsw

from app.errors import NotFoundError
from app.history import history_repo
from app.history.undo import State
from app.retrieval.saved import repo
from app.retrieval.saved.model import SavedSearch

GONE: Final = "This search is no longer saved."


class SavedSearchApplier:
    """Puts saved searches back into an earlier state: name and query, or deleted."""

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the state of a saved search now; ``None`` where it is deleted."""
        search = repo.get(connection, target)
        return None if search is None else _state(search)

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a saved search; ``None`` deletes it."""
        if state is None:
            repo.delete(connection, target, at_ms)
            return None
        if current is None:
            repo.bring_back(connection, target)
        repo.rename(connection, target, str(state["name"]))
        result = self.current(connection, target)
        if result is None:
            raise NotFoundError(GONE, id=target)
        return result


def record_change(
    connection: apsw.Connection, before: SavedSearch | None, after: SavedSearch | None, actor: str, at_ms: int
) -> tuple[int, ...]:
    """Record that a search was saved, renamed or deleted.

    Args:
        connection: The writer's connection, in the transaction of the change.
        before: What it was, ``None`` for a new one.
        after: What it is, ``None`` for a deleted one.
        actor: Who changed it.
        at_ms: When, milliseconds UTC.

    Returns:
        The entry of the history; none where nothing changed.
    """
    known = after or before
    if known is None or before == after:
        return ()
    event = "ADD" if before is None else "DELETE" if after is None else "RENAME"
    states = (None if one is None else _state(one) for one in (before, after))
    entry = history_repo.record(
        connection,
        target_kind="saved_search",
        target=known.id,
        event=event,
        before=next(states),
        after=next(states),
        actor=actor,
        at_ms=at_ms,
    )
    return (entry,)


def _state(search: SavedSearch) -> State:
    return {"name": search.name, "query": search.query}
