"""Saved searches in the history: what it keeps of them, and their undo."""

from typing import Final

import apsw

from app.errors import NotFoundError
from app.history.model import TargetKind
from app.history.named_applier import NamedApplier
from app.history.undo import State
from app.retrieval.saved import repo
from app.retrieval.saved.model import SavedSearch

GONE: Final = "This search is no longer saved."


class SavedSearchApplier(NamedApplier[SavedSearch]):
    """Puts saved searches back into an earlier state: name and query, or deleted."""

    kind: TargetKind = "saved_search"

    def find(self, connection: apsw.Connection, target: str) -> SavedSearch | None:
        """Return a saved search; ``None`` where it is deleted."""
        return repo.get(connection, target)

    def state(self, thing: SavedSearch) -> State:
        """Return name and query of a saved search."""
        return {"name": thing.name, "query": thing.query}

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
