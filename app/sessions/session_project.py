"""Projects of conversations: each change of one can be undone."""

import json
from typing import Any, Final

import apsw

from app.changes import Changed, ChangeSet, session_scope
from app.core.clock import Clock
from app.core.text_rules.project_name import ATTRIBUTE, clean_name
from app.errors import NotFoundError
from app.history import history_repo
from app.sentence import Sentence
from app.sessions import repo
from app.sessions.model import Session
from app.store.store import Store

STATE: Final = ATTRIBUTE
"""The state field of the project."""


class SessionProjects:
    """Changes the projects of conversations.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def put(self, session: str, project: str, actor: str) -> Changed[Session]:
        """Put a conversation into a project; ``""`` takes it out of its own.

        Raises:
            NotFoundError: There is no such conversation.
        """

        def work(connection: apsw.Connection) -> Changed[Session]:
            shown = repo.get_session(connection, session)
            if shown is None:
                raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
            before, after = state(connection, session), {STATE: clean_name(project) or None}
            if after == before:
                return Changed(shown, ChangeSet(frozenset(), (), actor))
            apply(connection, session, after[STATE])
            entry = history_repo.record(
                connection,
                target_kind="session",
                target=session,
                event="UPDATE",
                before=before,
                after=after,
                actor=actor,
                at_ms=self._clock.now_ms(),
            )
            changed = repo.get_session(connection, session) or shown
            scopes = (session_scope(shown.agent),)
            changes = ChangeSet(frozenset({"sessions"}), (session,), actor, history_ids=(entry,), scopes=scopes)
            return Changed(changed, changes)

        return await self._store.write(work)


def state(connection: apsw.Connection, session: str) -> dict[str, Any]:
    """Return a conversation's project as history keeps it, null for none."""
    return {STATE: _attributes(connection, session).get(ATTRIBUTE)}


def apply(connection: apsw.Connection, session: str, value: object) -> None:
    """Give a conversation the project of a state."""
    before = _attributes(connection, session)
    after = {name: kept for name, kept in before.items() if name != ATTRIBUTE}
    after |= {} if value is None else {ATTRIBUTE: value}
    if after != before:
        connection.execute("UPDATE sessions SET attributes = ? WHERE id = ?", (json.dumps(after), session))


def _attributes(connection: apsw.Connection, session: str) -> dict[str, Any]:
    attributes: dict[str, Any] = json.loads(
        connection.execute("SELECT attributes FROM sessions WHERE id = ?", (session,)).get or "{}"
    )
    return attributes
