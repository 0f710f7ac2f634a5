"""SQL of sessions and messages; rules live in the service."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import apsw

from app.core.clock import optional_datetime, to_datetime, to_ms
from app.sessions.model import Message, Role, Session
from app.store.lanes import OWN_NUMBER

SESSION_COLUMNS = (
    "id, title, agent, channel, created_at, updated_at, message_count, preview, consolidated_at, attributes"
)
MESSAGE_COLUMNS = (
    "session_id, seq, role, author, content, created_at, importance, tokens,"
    " tool_call_id, tool_name, tool_calls, payload"
)

PREVIEW_CHARACTERS = 140
_DIGITS = 16  # of a message's number
_OWNED_BY, _AFTER_OWNED_BY = "\x1f", "\x20"  # between an agent's own name of a session and the agent


def insert_session(
    connection: apsw.Connection,
    session_id: str,
    *,
    title: str,
    agent: str,
    channel: str,
    created_ms: int,
    now_ms: int,
    attributes: dict[str, Any],
) -> None:
    """Insert a session and its empty state."""
    connection.execute(
        "INSERT INTO sessions (id, title, agent, channel, created_at, updated_at, first_seen, attributes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (session_id, title, agent, channel, created_ms, created_ms, now_ms, json.dumps(attributes)),
    )
    connection.execute("INSERT INTO session_state (session_id, updated_at) VALUES (?, ?)", (session_id, now_ms))


def head(connection: apsw.Connection, session_id: str) -> tuple[int, int | None] | None:
    """Return a session's last number and when it was forgotten, ``None`` without it."""
    row = connection.execute(
        "SELECT t.last_seq, s.forgotten_at FROM sessions s JOIN session_state t ON t.session_id = s.id WHERE s.id = ?",
        (session_id,),
    ).fetchone()
    return cast("tuple[int, int | None] | None", row)


@dataclass(frozen=True, slots=True)
class LocatedSession:
    """A session looked up by name or channel, or none.

    Args:
        named: The id that the name given stands for, whether there is such a session or not; ``None`` without a name.
        session_id: The session's id, ``None`` where one is to be made.
        agent: Its agent.
        last_seq: The number of its last message.
        forgotten_ms: When it was forgotten, ``None`` if it was not.
        has_preview: Whether it has a preview.
    """

    named: str | None
    session_id: str | None = None
    agent: str = ""
    last_seq: int = 0
    forgotten_ms: int | None = None
    has_preview: bool = False


def locate(
    connection: apsw.Connection, session_id: str | None, channel: str, agent: str | None = None
) -> LocatedSession:
    """Return the session with an id or, without one, the latest of a channel.

    With ``agent``, only its sessions count.
    """
    if session_id is None or agent is None:
        named = None if session_id is None else resolved(connection, session_id)
    else:
        named = own_session(connection, session_id, agent) or agents_name(session_id, agent)
    located = None if named is None else _located(connection, named, named)
    if located is None and channel and (latest := session_of_channel(connection, channel, agent)) is not None:
        located = _located(connection, latest, named)
    return located or LocatedSession(named)


def _located(connection: apsw.Connection, session_id: str, named: str | None) -> LocatedSession | None:
    row: Any = connection.execute(
        "SELECT s.agent, t.last_seq, s.forgotten_at, s.preview <> '' FROM sessions s"
        " JOIN session_state t ON t.session_id = s.id WHERE s.id = ?",
        (session_id,),
    ).fetchone()
    return None if row is None else LocatedSession(named, session_id, row[0], row[1], row[2], bool(row[3]))


def agent_of(connection: apsw.Connection, session_id: str) -> str:
    """Return the agent of a session, forgotten or not, ``""`` without one."""
    row = connection.execute("SELECT agent FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return "" if row is None else str(row[0])


def resolved(connection: apsw.Connection, session_id: str) -> str:
    """Return the id of the session with an id or alias.

    An agent's own name of a session counts where nothing else has that id. It is the id given when there is no such
    session.
    """
    row = connection.execute(
        "SELECT coalesce((SELECT id FROM sessions WHERE id = ?1),"
        " (SELECT session_id FROM session_aliases WHERE alias = ?1),"
        " (SELECT session_id FROM session_aliases WHERE alias > ?2 AND alias < ?3 ORDER BY added_at DESC LIMIT 1), ?1)",
        (session_id, session_id + _OWNED_BY, session_id + _AFTER_OWNED_BY),
    ).fetchone()
    return session_id if row is None else str(row[0])


def agents_name(session_id: str, agent: str) -> str:
    """Return the alias that stands for an agent's own name of a session.

    Nothing else can have it, for no id that anybody gives holds a control character.
    """
    return f"{session_id}{_OWNED_BY}{agent}"


def own_session(connection: apsw.Connection, session_id: str, agent: str) -> str | None:
    """Return the id of an agent's own session, ``None`` where it has none."""
    row = connection.execute(
        "SELECT s.id FROM (SELECT ?1 AS id, 0 AS place"
        " UNION ALL SELECT session_id, 1 FROM session_aliases WHERE alias = ?2"
        " UNION ALL SELECT session_id, 2 FROM session_aliases WHERE alias = ?1) named"
        " CROSS JOIN sessions s ON s.id = named.id AND s.agent = ?3 ORDER BY place LIMIT 1",
        (session_id, agents_name(session_id, agent), agent),
    ).fetchone()
    return None if row is None else str(row[0])


def add_alias(connection: apsw.Connection, alias: str, session_id: str, now_ms: int) -> None:
    """Let a session be found by one more id."""
    connection.execute(
        "INSERT INTO session_aliases (alias, session_id, added_at) VALUES (?, ?, ?)"
        " ON CONFLICT (alias) DO UPDATE SET session_id = excluded.session_id, added_at = excluded.added_at",
        (alias, session_id, now_ms),
    )


def located(connection: apsw.Connection, session_id: str | None, channel: str, agent: str | None = None) -> str | None:
    """Return the session with an id or, without one, the latest of a channel.

    With ``agent``, only its sessions count. It is ``None`` for a new one.
    """
    return locate(connection, session_id, channel, agent).session_id


def session_of_channel(connection: apsw.Connection, channel: str, agent: str | None = None) -> str | None:
    """Return the latest session of a channel that is not forgotten.

    With ``agent``, the latest one with that agent.
    """
    row = connection.execute(
        "SELECT id FROM sessions WHERE channel = ?1 AND channel <> '' AND forgotten_at IS NULL"
        " AND (?2 IS NULL OR agent = ?2) ORDER BY updated_at DESC LIMIT 1",
        (channel, agent),
    ).fetchone()
    return None if row is None else str(row[0])


def insert_messages(connection: apsw.Connection, messages: Sequence[Message]) -> None:
    """Insert messages, as written in the vault's own lane."""
    connection.executemany(
        f"INSERT INTO messages ({MESSAGE_COLUMNS}, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {OWN_NUMBER})",
        [_message_values(message) for message in messages],
    )


def insert_received(connection: apsw.Connection, message: Message, origin: int, origin_seq: int) -> None:
    """Insert a message that another machine wrote.

    Args:
        connection: The writer's connection, inside a transaction.
        message: The message, with its number here.
        origin: The number of the lane that it was written in.
        origin_seq: Its number there.
    """
    connection.execute(
        f"INSERT INTO messages ({MESSAGE_COLUMNS}, origin, origin_seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*_message_values(message), origin, origin_seq),
    )


def _message_values(message: Message) -> tuple[Any, ...]:
    return (
        message.session_id,
        message.seq,
        message.role,
        message.author,
        message.content,
        to_ms(message.created_at),
        message.importance,
        message.tokens,
        message.tool_call_id,
        message.tool_name,
        None if message.tool_calls is None else json.dumps(message.tool_calls),
        None if message.payload is None else json.dumps(message.payload),
    )


def note_appended(
    connection: apsw.Connection, session_id: str, *, last_seq: int, count: int, said_ms: int, now_ms: int, preview: str
) -> None:
    """Update a session's row after messages were inserted.

    An empty preview takes the one given.
    """
    # Of a conversation that was consolidated, only what comes from now on is still to be read.
    connection.execute(
        "UPDATE session_state SET last_seq = ?1, updated_at = ?2, consolidated_seq = CASE WHEN EXISTS (SELECT 1"
        " FROM sessions WHERE id = ?3 AND consolidated_at IS NOT NULL) THEN last_seq ELSE consolidated_seq END"
        " WHERE session_id = ?3",
        (last_seq, now_ms, session_id),
    )
    connection.execute(
        "UPDATE sessions SET message_count = message_count + ?, updated_at = max(updated_at, ?),"
        " consolidated_at = NULL, preview = CASE WHEN preview = '' THEN ? ELSE preview END WHERE id = ?",
        (count, said_ms, preview, session_id),
    )


def set_times(
    connection: apsw.Connection, session_id: str, *, updated_ms: int | None, consolidated_ms: int | None
) -> None:
    """Set when a session was last updated, unless ``None``, and last consolidated."""
    connection.execute(
        "UPDATE sessions SET updated_at = coalesce(?, updated_at), consolidated_at = ? WHERE id = ?",
        (updated_ms, consolidated_ms, session_id),
    )


def get_session(connection: apsw.Connection, session_id: str) -> Session | None:
    """Return a session that is not forgotten."""
    row = connection.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ? AND forgotten_at IS NULL",
        (session_id,),
    ).fetchone()
    return None if row is None else session_of(row)


def update_session(connection: apsw.Connection, session_id: str, *, title: str, forgotten_ms: int | None) -> None:
    """Set what a person may change of a session."""
    connection.execute(
        "UPDATE sessions SET title = ?, forgotten_at = ? WHERE id = ?", (title, forgotten_ms, session_id)
    )


def state_of(connection: apsw.Connection, session_id: str) -> dict[str, Any] | None:
    """Return the part of a session that history keeps, forgotten ones included."""
    row = connection.execute("SELECT title, forgotten_at FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return None if row is None else {"title": row[0], "forgotten_at": row[1]}


def message_count(connection: apsw.Connection, session_id: str) -> int:
    """Return how many messages a session has."""
    return int(connection.execute("SELECT message_count FROM sessions WHERE id = ?", (session_id,)).get or 0)


def messages_between(
    connection: apsw.Connection, session_id: str, *, after: int, before: int, limit: int, newest: bool = False
) -> list[Message]:
    """Return messages with ``after < seq < before``, ascending; the last ones where ``newest``."""
    order = "DESC" if newest else "ASC"
    rows = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages"
        f" WHERE session_id = ? AND seq > ? AND seq < ? ORDER BY seq {order} LIMIT ?",
        (session_id, after, before, limit),
    ).fetchall()
    messages = [message_of(row) for row in rows]
    return messages[::-1] if newest else messages


def received_between(connection: apsw.Connection, session_id: str, after: int, upper: int) -> frozenset[int]:
    """Return the numbers ``after < seq <= upper`` of messages that came from another machine."""
    rows = connection.execute(
        "SELECT seq FROM messages WHERE session_id = ? AND seq > ? AND seq <= ? AND origin_seq IS NOT NULL",
        (session_id, after, upper),
    )
    return frozenset(int(str(row[0])) for row in rows)


def turn(connection: apsw.Connection, name: str, agent: str | None = None) -> Message | None:
    """Return the message named ``<session>#<number>``, ``None`` where there is none.

    The session must not be forgotten, and must be with ``agent`` if one is named.
    """
    session, _, number = name.rpartition("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        return None
    key = resolved(connection, session) if agent is None else own_session(connection, session, agent)
    owner_row = None if key is None else get_session(connection, key)
    if owner_row is None:
        return None
    seq = int(number)
    return next(iter(messages_between(connection, owner_row.id, after=seq - 1, before=seq + 1, limit=1)), None)


def find_in(connection: apsw.Connection, session_id: str, text: str, limit: int) -> list[int]:
    """Return numbers of the messages whose content holds ``text``, letters compared without case."""
    if text.isascii():
        # SQLite's lower() knows ASCII only, which is all there is here, and LIKE refuses long patterns.
        rows = connection.execute(
            "SELECT seq FROM messages WHERE session_id = ? AND instr(lower(content), lower(?)) ORDER BY seq LIMIT ?",
            (session_id, text, limit),
        )
        return [int(str(row[0])) for row in rows]
    folded = text.casefold()
    messages = connection.execute("SELECT seq, content FROM messages WHERE session_id = ? ORDER BY seq", (session_id,))
    seqs = (int(str(seq)) for seq, content in messages if folded in str(content).casefold())
    return list(islice(seqs, limit))


def seq_at(connection: apsw.Connection, session_id: str, at_ms: int) -> int | None:
    """Return the number of the first message said at ``at_ms`` or later."""
    row = connection.execute(
        "SELECT min(seq) FROM messages WHERE session_id = ? AND created_at >= ?", (session_id, at_ms)
    ).fetchone()
    return None if row is None else row[0]


def like(text: str) -> str:
    """Escape ``text`` for LIKE with a backslash as escape character."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def session_of(row: Sequence[Any]) -> Session:
    """Make a session of a row of ``SESSION_COLUMNS``."""
    return Session(
        id=row[0],
        title=row[1],
        agent=row[2],
        channel=row[3],
        created_at=to_datetime(row[4]),
        updated_at=to_datetime(row[5]),
        message_count=row[6],
        preview=row[7],
        consolidated_at=optional_datetime(row[8]),
        attributes=json.loads(row[9]),
    )


def message_of(row: Sequence[Any]) -> Message:
    """Make a message of a row of ``MESSAGE_COLUMNS``."""
    return Message(
        session_id=row[0],
        seq=row[1],
        role=cast("Role", row[2]),
        author=row[3],
        content=row[4],
        created_at=to_datetime(row[5]),
        importance=row[6],
        tokens=row[7],
        tool_call_id=row[8],
        tool_name=row[9],
        tool_calls=None if row[10] is None else json.loads(row[10]),
        payload=None if row[11] is None else json.loads(row[11]),
    )


def all_messages(connection: apsw.Connection, session_id: str) -> Iterable[Message]:
    """Yield every message of a session in order, forgotten or not."""
    rows = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY seq",
        (session_id,),
    )
    return (message_of(row) for row in rows)
