"""Applier of session states, for changes and their undo."""

from collections.abc import Sequence
from typing import Any, Protocol

import apsw

from app.changes import Area
from app.sessions import repo, session_project, withheld_turns
from app.sessions.model import Message
from app.sessions.state.state_repo import kept_summary, summary_epoch, write_state
from app.sessions.withheld_turns import TurnIndexer


class MessageIndexer(TurnIndexer, Protocol):
    """Protocol of the search index, called in the transaction that changes messages."""

    def messages_stored(self, connection: apsw.Connection, messages: Sequence[Message]) -> None:
        """Index messages just inserted."""

    def messages_of_forgotten(self, connection: apsw.Connection, messages: Sequence[Message]) -> None:
        """Note messages of one forgotten session that another machine wrote, for when it is restored."""

    def session_forgotten(self, connection: apsw.Connection, session_id: str) -> None:
        """Drop a session from the index."""

    def session_restored(self, connection: apsw.Connection, session_id: str) -> None:
        """Index all of a session again."""


class SessionApplier:
    """Puts a session back into an earlier state, for undo.

    Args:
        index: Told when a session leaves or enters search.
    """

    def __init__(self, index: MessageIndexer) -> None:
        self._index = index

    def current(self, connection: apsw.Connection, target: str) -> dict[str, Any] | None:
        """Return the session's state as history keeps it."""
        state = repo.state_of(connection, target)
        if state is None:
            return None
        count = {"message_count": repo.message_count(connection, target)}
        parts = kept_summary(connection, target) | session_project.state(connection, target)
        return state | count | parts | withheld_turns.states(connection, target)

    def apply(
        self,
        connection: apsw.Connection,
        target: str,
        state: dict[str, Any] | None,
        at_ms: int,
        current: dict[str, Any] | None,
    ) -> dict[str, Any] | None:
        """Make ``state`` the session's state, as far as it goes; ``None`` forgets it at ``at_ms``."""
        if state is None:
            state = {"forgotten_at": at_ms}
        whole = (repo.state_of(connection, target) or {"title": ""}) | state
        apply_state(connection, target, whole, self._index)
        if "summary" in state:
            epoch = summary_epoch(connection, target)
            write_state(connection, target, state["summary"], state["summary_upper_seq"], epoch, at_ms)
        if session_project.STATE in state:
            session_project.apply(connection, target, state[session_project.STATE])
        for field in state:
            if field.startswith(withheld_turns.STATE):
                writer = field.removeprefix(withheld_turns.STATE)
                withheld_turns.apply(connection, target, writer, state[field], self._index)
        return self.current(connection, target)


def apply_state(
    connection: apsw.Connection, session: str, state: dict[str, Any], index: MessageIndexer
) -> frozenset[Area]:
    """Write a session's state, keep the index in step, and return the areas that changed."""
    before = repo.state_of(connection, session) or {}
    repo.update_session(connection, session, title=str(state["title"]), forgotten_ms=state["forgotten_at"])
    if before.get("forgotten_at") is None and state["forgotten_at"] is not None:
        index.session_forgotten(connection, session)
    elif before.get("forgotten_at") is not None and state["forgotten_at"] is None:
        index.session_restored(connection, session)
    else:
        return frozenset({"sessions"})
    return frozenset({"sessions", "messages"})
