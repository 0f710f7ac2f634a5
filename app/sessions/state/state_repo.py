"""SQL of session state: rolling summary, scratchpad and sizes of messages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from app.errors import NotFoundError
from app.history import history_repo
from app.sentence import Sentence
from app.sessions.compaction.compaction_plan import MessageSize, cost


@dataclass(frozen=True, slots=True)
class SummaryState:
    """Rolling summary of a session, which stands for its older messages.

    Args:
        summary: The text, ``""`` while there is none.
        epoch: Counts the writes; a write names the epoch it read.
        upper_seq: The last message it stands for, 0 for none; ``session.restore`` gives those after it.
        last_seq: The last message of the conversation.
    """

    session_id: str
    summary: str
    epoch: int
    upper_seq: int
    last_seq: int


def read_state(connection: apsw.Connection, session: str) -> SummaryState:
    """Return a conversation's summary as this connection sees it.

    Raises:
        NotFoundError: There is no such conversation, or it was forgotten.
    """
    row = connection.execute(
        "SELECT t.summary, t.summary_epoch, t.summary_upper_seq, t.last_seq"
        " FROM sessions s JOIN session_state t ON t.session_id = s.id WHERE s.id = ? AND s.forgotten_at IS NULL",
        (session,),
    ).fetchone()
    if row is None:
        raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
    return SummaryState(session, *row)


def write_state(
    connection: apsw.Connection, session: str, summary: str, upper_seq: int, expected_epoch: int, now_ms: int
) -> bool:
    """Write a summary if its epoch is still ``expected_epoch``, and return whether it was."""
    connection.execute(
        "UPDATE session_state SET summary = ?, summary_epoch = summary_epoch + 1, summary_upper_seq = ?,"
        " updated_at = ? WHERE session_id = ? AND summary_epoch = ?",
        (summary, upper_seq, now_ms, session, expected_epoch),
    )
    return connection.changes() == 1


def kept_summary(connection: apsw.Connection, session: str) -> dict[str, Any]:
    """Return the summary of a conversation, forgotten or not, as history keeps it."""
    row = connection.execute(
        "SELECT summary, summary_upper_seq FROM session_state WHERE session_id = ?", (session,)
    ).fetchone()
    return {} if row is None else {"summary": row[0], "summary_upper_seq": row[1]}


def summary_epoch(connection: apsw.Connection, session: str) -> int:
    """Return how often the summary of a conversation, forgotten or not, was written."""
    return int(connection.execute("SELECT summary_epoch FROM session_state WHERE session_id = ?", (session,)).get or 0)


def record_summary(
    connection: apsw.Connection, session: str, before: dict[str, Any], actor: str, now_ms: int
) -> tuple[int, ...]:
    """Record a changed summary in the history; return the entry, if any."""
    after = kept_summary(connection, session)
    if after == before:
        return ()
    return (
        history_repo.record(
            connection,
            target_kind="session",
            target=session,
            event="UPDATE",
            before=before,
            after=after,
            actor=actor,
            at_ms=now_ms,
        ),
    )


def weights_after(connection: apsw.Connection, session: str, after: int, limit: int = -1) -> list[MessageSize]:
    """Return message sizes after a number, ascending; the last ``limit`` where given."""
    rows = connection.execute(
        "SELECT seq, tokens, coalesce(length(tool_calls), 0), role = 'tool' FROM messages"
        " WHERE session_id = ? AND seq > ? ORDER BY seq DESC LIMIT ?",
        (session, after, limit),
    ).fetchall()
    return [MessageSize(seq, cost(tokens, calls), bool(answer)) for seq, tokens, calls, answer in reversed(rows)]


def count_after(connection: apsw.Connection, session: str, after: int) -> int:
    """Return how many messages follow a number."""
    return int(
        connection.execute("SELECT count(*) FROM messages WHERE session_id = ? AND seq > ?", (session, after)).get
    )


def read_items(connection: apsw.Connection, session: str) -> tuple[str, ...]:
    """Return a conversation's scratchpad.

    Raises:
        NotFoundError: There is no such conversation, or it was forgotten.
    """
    row = connection.execute(
        "SELECT t.scratchpad FROM sessions s JOIN session_state t ON t.session_id = s.id"
        " WHERE s.id = ? AND s.forgotten_at IS NULL",
        (session,),
    ).fetchone()
    if row is None:
        raise NotFoundError(Sentence("There is no session {session}.", session=session), session=session)
    return tuple(json.loads(str(row[0])))


def write_items(connection: apsw.Connection, session: str, items: Sequence[str], now_ms: int) -> None:
    """Replace a conversation's scratchpad."""
    connection.execute(
        "UPDATE session_state SET scratchpad = ?, updated_at = ? WHERE session_id = ?",
        (json.dumps(list(items), ensure_ascii=False), now_ms, session),
    )
