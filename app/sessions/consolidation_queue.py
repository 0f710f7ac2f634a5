"""Consolidation queue: sessions whose facts are still to be extracted."""

from functools import partial
from typing import Any

import apsw

from app.changes import Changed
from app.core.clock import Clock
from app.errors import InputError
from app.sentence import Sentence
from app.sessions.compaction.rolling_summary import touched
from app.sessions.model import Session
from app.sessions.repo import SESSION_COLUMNS, session_of
from app.sessions.state.state_repo import read_state
from app.store.store import Store

CURRENT_MS = 30 * 60_000  # a message so recent keeps its agent's latest conversation the current one


class ConsolidationQueue:
    """Lists conversations that wait for consolidation and marks them.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def waiting(self, agent: str | None = None, limit: int = 50) -> list[Session]:
        """Return conversations with messages that were not consolidated, the one quiet longest first.

        Those that are still going on are left out: the latest of its agent, with a message within half an hour.

        Args:
            agent: Only those with this agent; ``None`` for all.
            limit: How many at most.
        """
        columns = ", ".join(f"s.{name}" for name in SESSION_COLUMNS.split(", "))
        rows = await self._store.read(partial(_waiting, columns, agent, self._clock.now_ms() - CURRENT_MS, limit))
        return [session_of(row) for row in rows]

    async def waiting_ids(self) -> list[str]:
        """Return the ids of all conversations that ``waiting`` gives."""
        rows = await self._store.read(partial(_waiting, "s.id", None, self._clock.now_ms() - CURRENT_MS, -1))
        return [str(row[0]) for row in rows]

    async def mark(self, session: str, actor: str, upper_seq: int | None = None) -> Changed[bool]:
        """Note that a session was consolidated up to a message; return whether it is done.

        It is not when messages came after ``upper_seq``. Marking twice is the same as once.

        Raises:
            NotFoundError: There is no such conversation.
            InputError: ``upper_seq`` is beyond its last message.
        """
        now = self._clock.now_ms()

        def work(connection: apsw.Connection) -> tuple[bool, bool]:
            last = read_state(connection, session).last_seq
            if upper_seq is not None and upper_seq > last:
                raise InputError(
                    Sentence(
                        "The last message of session {session} has the number {last}.", session=session, last=str(last)
                    ),
                    field="upper_seq",
                )
            return mark_in(connection, session, last if upper_seq is None else upper_seq, now)

        is_done, is_written = await self._store.write(work)
        return Changed(is_done, touched(session, actor, is_written=is_written))


def agent_of(connection: apsw.Connection, session: str) -> str:
    """Return the agent of a session, ``""`` for none or without a session."""
    row: Any = connection.execute("SELECT agent FROM sessions WHERE id = ?", (session,)).fetchone()
    return "" if row is None else str(row[0])


def mark_in(connection: apsw.Connection, session: str, upper_seq: int, now_ms: int) -> tuple[bool, bool]:
    """Note inside a transaction that a session was read up to a message.

    Returns:
        Whether it is consolidated, and whether it was marked as that just now.
    """
    connection.execute(
        "UPDATE session_state SET consolidated_seq = max(consolidated_seq, ?) WHERE session_id = ?",
        (upper_seq, session),
    )
    row = connection.execute("SELECT last_seq FROM session_state WHERE session_id = ?", (session,)).fetchone()
    if row is None or upper_seq < int(str(row[0])):
        return False, False
    connection.execute(
        "UPDATE sessions SET consolidated_at = ? WHERE id = ? AND consolidated_at IS NULL", (now_ms, session)
    )
    return True, connection.changes() == 1


def is_read_up_to(connection: apsw.Connection, session: str, last_seq: int) -> bool:
    """Return whether a session was read up to a message; one without any was."""
    row = connection.execute(
        "SELECT t.consolidated_seq >= ?2 OR s.consolidated_at IS NOT NULL FROM sessions s JOIN session_state t"
        " ON t.session_id = s.id WHERE s.id = ?1",
        (session, last_seq),
    ).fetchone()
    return row is None or bool(row[0])


def _waiting(
    columns: str, agent: str | None, since_ms: int, limit: int, connection: apsw.Connection
) -> list[tuple[Any, ...]]:
    # A bare column beside max() is of the row that has the maximum (SQLite documents this).
    sql = (
        f"SELECT {columns} FROM sessions s JOIN session_state t ON t.session_id = s.id"
        " WHERE s.consolidated_at IS NULL AND s.forgotten_at IS NULL AND s.message_count > 0"
        " AND (:agent IS NULL OR s.agent = :agent)"
        " AND NOT (t.updated_at > :since AND s.id IN (SELECT id FROM (SELECT id, max(updated_at) FROM sessions"
        " WHERE forgotten_at IS NULL GROUP BY agent)))"
        " ORDER BY s.updated_at, s.rowid LIMIT :limit"
    )
    return connection.execute(sql, {"agent": agent, "since": since_ms, "limit": limit}).fetchall()
