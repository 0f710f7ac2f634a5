"""Idempotent appends: a caller's key, so that repeating stores nothing twice."""

from collections.abc import Sequence
from typing import Final

import apsw
import msgspec

from app.core.text import storable
from app.errors import InputError, KeyConflictError
from app.receipts import repo as receipts
from app.sentence import Sentence
from app.sessions.model import Appended, NewMessage

_OPERATION: Final = "session.append"


class _Answer(msgspec.Struct):
    first_seq: int
    last_seq: int
    created: bool


def previous_append(
    connection: apsw.Connection, actor: str, key: str, session: str | None, messages: Sequence[NewMessage]
) -> Appended | None:
    """Return the result of an earlier append with the same key, ``None`` for none.

    Args:
        connection: The writer's connection.
        actor: Who appends; the keys of different callers have nothing to do with each other.
        key: The caller's key.
        session: The session named this time, if any.
        messages: The messages given this time.

    Raises:
        KeyConflictError: The key was used for other messages.
        InputError: The key was used for another session, or for one that was forgotten since.
    """
    earlier = receipts.find_same(connection, actor, _OPERATION, key)
    if earlier is None:
        return None
    landed, answer = str(earlier.session), msgspec.json.decode(earlier.answer, type=_Answer)
    if session is not None and session != landed:
        raise InputError(
            Sentence("The key was used before, for session {landed}.", landed=landed), field="key", session=landed
        )
    if connection.execute("SELECT forgotten_at FROM sessions WHERE id = ?", (landed,)).get is not None:
        raise InputError(
            Sentence("Session {landed} was forgotten. Undo that, or use another key.", landed=landed), session=landed
        )
    stored = connection.execute(
        "SELECT seq, role, content FROM messages WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq",
        (landed, answer.first_seq, answer.last_seq),
    ).fetchall()
    if [(role, text) for _, role, text in stored] != [
        (message.role, storable(message.content)[0]) for message in messages
    ]:
        raise KeyConflictError(
            "The key was used before, for other messages. Give every append a key of its own.",
            field="key",
            session=landed,
        )
    return Appended(landed, tuple(int(str(seq)) for seq, _, _ in stored), created=answer.created)


def note_append(connection: apsw.Connection, actor: str, key: str, done: Appended, now_ms: int) -> None:
    """Remember, in the transaction of an append, that ``key`` stands for it."""
    answer = msgspec.json.encode(_Answer(done.seqs[0], done.seqs[-1], done.created)).decode()
    receipt = receipts.StoredReceipt(_OPERATION, "", answer, now_ms, done.session_id)
    receipts.put(connection, actor, key, receipt)
