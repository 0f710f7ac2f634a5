"""Conversations of an import in the history.

They are those that it made, and others to which it added messages.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import apsw

from app.exchange.importing.import_run import IMPORT_RUN
from app.history import history_repo
from app.sessions import repo, withheld_turns
from app.sessions.withheld_turns import STATE, TurnIndexer


@dataclass(slots=True)
class _Noted:
    """Entry of a conversation in the history, and the messages added to it."""

    entry: int = 0
    seqs: list[int] = field(default_factory=list)


class ImportedSessions:
    """Record of what an import does to conversations, so that it is undone as one.

    A conversation that the import made goes with it, unless something was said in it since or it got another title.
    Of one that was there before, only the messages go that the import added.

    Args:
        run_id: The run of the import.
        index: The search index.
    """

    def __init__(self, run_id: str, index: TurnIndexer) -> None:
        self.run_id = run_id
        self._index = index
        self._made: dict[str, _Noted] = {}
        self._added: dict[str, _Noted] = {}
        self._touched: dict[str, None] = {}
        self._has_brought_back = False

    @property
    def has_changes(self) -> bool:
        """True once something was done to a conversation."""
        return self._has_brought_back or bool(self._made or self._added)

    def made(self, session_id: str) -> None:
        """Note that the import made a conversation, or brought a forgotten one back."""
        self._made.setdefault(session_id, _Noted())
        self._touched[session_id] = None

    def appended(self, session_id: str, seqs: Iterable[int]) -> None:
        """Note that the import added messages to a conversation."""
        self._touched[session_id] = None
        if session_id not in self._made:
            self._added.setdefault(session_id, _Noted()).seqs.extend(seqs)

    def bring_back(self, connection: apsw.Connection, session_id: str, actor: str, now_ms: int) -> bool:
        """Bring back messages that an undo took out; return whether there were some."""
        withheld = withheld_turns.states(connection, session_id)
        fields = [name for name in withheld if name.startswith(STATE + IMPORT_RUN)]
        for name in fields:
            withheld_turns.apply(connection, session_id, name.removeprefix(STATE), None, self._index)
            self._record(connection, session_id, "UPDATE", {name: withheld[name]}, {name: None}, actor, now_ms)
        self._has_brought_back |= bool(fields)
        return bool(fields)

    def record(self, connection: apsw.Connection, actor: str, now_ms: int) -> None:
        """Write what was noted since the last time into the history, in the same transaction."""
        for session_id in self._touched:
            if (session := self._made.get(session_id)) is not None:
                self._record_made(connection, session_id, session, actor, now_ms)
            elif (added := self._added.get(session_id)) is not None:
                self._record_added(connection, session_id, added, actor, now_ms)
        self._touched.clear()

    def forget(self) -> None:
        """Forget what was noted since the last time, because its transaction failed."""
        for session_id in self._touched:
            self._made.pop(session_id, None)
            self._added.pop(session_id, None)
        self._touched.clear()

    def _record_made(
        self, connection: apsw.Connection, session_id: str, noted: _Noted, actor: str, now_ms: int
    ) -> None:
        state = repo.state_of(connection, session_id) or {}
        after = state | {"forgotten_at": None, "message_count": repo.message_count(connection, session_id)}
        if noted.entry:
            history_repo.extend(connection, noted.entry, after)
        else:
            noted.entry = self._record(connection, session_id, "ADD", None, after, actor, now_ms)

    def _record_added(
        self, connection: apsw.Connection, session_id: str, added: _Noted, actor: str, now_ms: int
    ) -> None:
        name = STATE + self.run_id
        before = {name: withheld_turns.ranges_of(sorted(added.seqs))}
        if added.entry:
            history_repo.extend_before(connection, added.entry, before)
        else:
            added.entry = self._record(connection, session_id, "UPDATE", before, {name: None}, actor, now_ms)

    def _record(
        self,
        connection: apsw.Connection,
        session_id: str,
        event: str,
        before: dict[str, Any] | None,
        after: dict[str, Any],
        actor: str,
        now_ms: int,
    ) -> int:
        return history_repo.record(
            connection,
            target_kind="session",
            target=session_id,
            event=event,
            before=before,
            after=after,
            actor=actor,
            at_ms=now_ms,
            run_id=self.run_id,
        )
