"""Writers of turns, where a conversation names another agent than the one that wrote."""

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

MADE = 0
"""The number that stands for the making of a conversation; turns have greater ones."""


@dataclass(frozen=True, slots=True)
class OwnTurns:
    """Turns of one agent in a conversation.

    Args:
        seqs: Their numbers, ascending.
        others: How many turns others wrote.
        made: Whether it made the conversation.
    """

    seqs: tuple[int, ...]
    others: int
    made: bool


def note(connection: apsw.Connection, session: str, first: int, last: int, writer: str, now_ms: int) -> None:
    """Store that an agent wrote messages under another agent's name."""
    connection.execute(
        "INSERT INTO turn_writers (session_id, first_seq, last_seq, writer, at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (session, first, last, writer, now_ms),
    )


def sessions_with(connection: apsw.Connection, writer: str, since_ms: int, until_ms: int) -> list[str]:
    """Return conversations that name another agent and have messages of this one."""
    rows = connection.execute(
        "SELECT DISTINCT s.id FROM turn_writers w CROSS JOIN sessions s ON s.id = w.session_id"
        " WHERE w.writer = ?1 AND w.at BETWEEN ?2 AND ?3 AND s.agent <> ?1 AND s.forgotten_at IS NULL ORDER BY s.rowid",
        (writer, since_ms, until_ms),
    )
    return [str(row[0]) for row in rows]


def is_shared(connection: apsw.Connection, session: str) -> bool:
    """Return whether another agent wrote in a conversation than the one that it names."""
    return (
        connection.execute("SELECT 1 FROM turn_writers WHERE session_id = ? LIMIT 1", (session,)).fetchone() is not None
    )


def has_written(connection: apsw.Connection, writer: str) -> bool:
    """Return whether an agent wrote in a conversation that names another."""
    return connection.execute("SELECT 1 FROM turn_writers WHERE writer = ? LIMIT 1", (writer,)).fetchone() is not None


def stated(connection: apsw.Connection, session: str, writer: str, since_ms: int, until_ms: int) -> OwnTurns:
    """Return what an agent wrote within a time in a conversation that names another."""
    rows = connection.execute(
        "SELECT m.seq, EXISTS (SELECT 1 FROM turn_writers w WHERE w.session_id = ?1 AND w.writer = ?2"
        "  AND w.at BETWEEN ?3 AND ?4 AND m.seq BETWEEN w.first_seq AND w.last_seq)"
        " FROM messages m WHERE m.session_id = ?1 ORDER BY m.seq",
        (session, writer, since_ms, until_ms),
    ).fetchall()
    return _counted(rows, has_begun=_maker(connection, session, since_ms, until_ms) == writer)


def unstated(connection: apsw.Connection, session: str) -> OwnTurns:
    """Return the messages of the agent that a conversation names: the unclaimed rest."""
    rows = connection.execute(
        "SELECT m.seq, NOT EXISTS (SELECT 1 FROM turn_writers w WHERE w.session_id = ?1"
        "  AND m.seq BETWEEN w.first_seq AND w.last_seq) FROM messages m WHERE m.session_id = ?1 ORDER BY m.seq",
        (session,),
    ).fetchall()
    return _counted(rows, has_begun=_maker(connection, session, 0, 1 << 62) is None)


def _counted(rows: Sequence[tuple[object, ...]], *, has_begun: bool) -> OwnTurns:
    own = tuple(int(str(seq)) for seq, is_own in rows if is_own)
    return OwnTurns(own, len(rows) - len(own), has_begun)


def _maker(connection: apsw.Connection, session: str, since_ms: int, until_ms: int) -> str | None:
    row = connection.execute(
        "SELECT writer FROM turn_writers WHERE session_id = ? AND first_seq = ? AND at BETWEEN ? AND ?",
        (session, MADE, since_ms, until_ms),
    ).fetchone()
    return None if row is None else str(row[0])
