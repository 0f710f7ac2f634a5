"""SQL of appends that a caller gave a key of its own, so that asking again stores nothing twice."""

import apsw

from app.errors import InputError
from app.sessions.model import Appended


def appended_before(connection: apsw.Connection, actor: str, key: str, session: str | None) -> Appended | None:
    """Return where the turns of an earlier append with the same key landed, ``None`` when there was none.

    Args:
        connection: The writer's connection.
        actor: Who appends; the keys of different callers have nothing to do with each other.
        key: The caller's key.
        session: The session named this time, if any.

    Raises:
        InputError: The key was used for another session, or for one that was forgotten since.
    """
    row = connection.execute(
        "SELECT r.session_id, r.first_seq, r.last_seq, s.forgotten_at FROM append_receipts r"
        " JOIN sessions s ON s.id = r.session_id WHERE r.actor = ? AND r.key = ?",
        (actor, key),
    ).fetchone()
    if row is None:
        return None
    landed, first, last, forgotten = row
    if session is not None and session != landed:
        raise InputError(f"The key was used before, for session {landed}.", field="key", session=landed)
    if forgotten is not None:
        raise InputError(f"Session {landed} was forgotten. Undo that, or use another key.", session=landed)
    seqs = connection.execute(
        "SELECT seq FROM messages WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq", (landed, first, last)
    )
    return Appended(landed, tuple(int(str(seq)) for (seq,) in seqs), created=False)


def note_append(connection: apsw.Connection, actor: str, key: str, done: Appended, now_ms: int) -> None:
    """Remember, in the transaction of an append, that ``key`` stands for it."""
    connection.execute(
        "INSERT INTO append_receipts (actor, key, session_id, first_seq, last_seq, at) VALUES (?, ?, ?, ?, ?, ?)",
        (actor, key, done.session_id, done.seqs[0], done.seqs[-1], now_ms),
    )
