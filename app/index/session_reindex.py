"""Removal of sessions from the index, and their return, in steps.

The work continues after a restart.

The row in ``session_moves`` is written with the change itself, and from then on searches hide a session that leaves.
Removal waits for a grace period, in which undo only deletes the row.
"""

from collections.abc import Callable, Sequence

import apsw

from app.core.clock import DAY_MS
from app.index import repo
from app.sessions.model import Message
from app.sessions.repo import messages_between
from app.store import meta

AT_ONCE = 250  # messages that one transaction indexes or removes, in about 20 ms
GRACE_MS = 30 * DAY_MS
"""Grace period in milliseconds, during which a forgotten session is only hidden.

Hidden chunks take space, but no time of a search. To index 50,000 messages again takes over ten seconds.
"""
MOST_HIDDEN = 1_000
"""Maximum number of hidden short sessions; every search reads the ids of all of them."""
_BEGINNING = -(1 << 62)
_WHOLE = 1 << 62  # added to the time of forgetting: ``after_seq`` of a hidden session with all of its chunks

Store = Callable[[apsw.Connection, Sequence[Message]], None]


def is_moved_in_steps(connection: apsw.Connection, session_id: str) -> bool:
    """Return whether a session moves in steps, because it is long or is moving already."""
    if _is_moving(connection, session_id):
        return True
    sql = "SELECT count(*) FROM (SELECT 1 FROM messages WHERE session_id = ? LIMIT ?)"
    return int(connection.execute(sql, (session_id, AT_ONCE + 1)).get) > AT_ONCE


def can_hide(connection: apsw.Connection) -> bool:
    """Return whether another short session may be hidden."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM session_moves LIMIT {MOST_HIDDEN})"
    return int(connection.execute(sql).get) < MOST_HIDDEN


def _is_moving(connection: apsw.Connection, session_id: str) -> bool:
    return connection.execute("SELECT 1 FROM session_moves WHERE session_id = ?", (session_id,)).fetchone() is not None


def begin(connection: apsw.Connection, session_id: str, *, is_leaving: bool) -> None:
    """Record a session's move out of the index or back, replacing earlier ones."""
    connection.execute(
        "INSERT INTO session_moves (session_id, is_leaving, after_seq) VALUES (?, ?, ?)"
        " ON CONFLICT (session_id) DO UPDATE SET is_leaving = excluded.is_leaving, after_seq = excluded.after_seq",
        (session_id, is_leaving, _BEGINNING),
    )


def hide(connection: apsw.Connection, session_id: str) -> None:
    """Hide a session from searches; its chunks are removed after the grace period.

    One whose chunks are not complete leaves at once, because undo has to index it again anyway.
    """
    is_complete = not _is_moving(connection, session_id) and meta.read(connection, repo.REBUILD_KEY) is None
    begin(connection, session_id, is_leaving=True)
    if is_complete:
        # The time is kept here too, because every step of the worker asks which grace periods are over.
        connection.execute(
            "UPDATE session_moves SET after_seq = ?1 + coalesce((SELECT forgotten_at FROM sessions WHERE id = ?2), 0)"
            " WHERE session_id = ?2",
            (_WHOLE, session_id),
        )


def show(connection: apsw.Connection, session_id: str) -> bool:
    """Show a hidden session again; return False if chunks of it may be missing."""
    shown = connection.execute(
        "DELETE FROM session_moves WHERE session_id = ? AND is_leaving = 1 AND after_seq >= ? RETURNING 1",
        (session_id, _WHOLE),
    ).fetchall()
    return bool(shown)


def is_hidden(connection: apsw.Connection, session_id: str) -> bool:
    """Return whether a session is hidden and all of its chunks are there still."""
    sql = "SELECT 1 FROM session_moves WHERE session_id = ? AND is_leaving = 1 AND after_seq >= ?"
    return connection.execute(sql, (session_id, _WHOLE)).fetchone() is not None


def next_due(connection: apsw.Connection) -> int | None:
    """Return when the next grace period ends, in milliseconds UTC."""
    first = connection.execute("SELECT min(after_seq) FROM session_moves WHERE after_seq >= ?", (_WHOLE,)).get
    return None if first is None else int(first) - _WHOLE + GRACE_MS


def step(connection: apsw.Connection, store: Store, now_ms: int) -> bool:
    """Index or remove a few messages of a session; return whether any remained.

    Args:
        connection: The writer's connection, inside a transaction.
        store: Writes the chunks of messages.
        now_ms: Ends grace periods, in milliseconds UTC.
    """
    row = connection.execute(
        "SELECT session_id, is_leaving, after_seq FROM session_moves WHERE after_seq <= ? LIMIT 1",
        (_WHOLE + max(now_ms - GRACE_MS, 0),),
    ).fetchone()
    if row is None:
        return False
    session_id, is_leaving, after = row
    if after >= _WHOLE:
        begin(connection, session_id, is_leaving=True)  # undo has to index it again from now on
    # Passages are deleted in both cases; those of a returning session are built anew from its first message.
    if is_leaving:
        gone = repo.delete_of_session(connection, session_id, AT_ONCE)
    else:
        gone = repo.delete_chunks(connection, "session_id = ? AND kind = 'passage'", (session_id,), AT_ONCE)
    if gone:
        return True
    if is_leaving:
        repo.note_passages(connection, session_id, None)
    elif not _restore_some(connection, session_id, after, store):
        return True
    connection.execute("DELETE FROM session_moves WHERE session_id = ?", (session_id,))
    return True


def _restore_some(connection: apsw.Connection, session_id: str, after: int, store: Store) -> bool:
    """Index the next missing messages, and return whether the session is complete."""
    messages = messages_between(connection, session_id, after=after, before=-_BEGINNING, limit=AT_ONCE)
    if not messages:
        repo.reset_passages(connection, session_id)
        return True
    present = repo.indexed_messages(connection, session_id, messages[0].seq, messages[-1].seq)
    store(connection, [message for message in messages if message.seq not in present])
    connection.execute("UPDATE session_moves SET after_seq = ? WHERE session_id = ?", (messages[-1].seq, session_id))
    return False
