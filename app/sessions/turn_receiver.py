"""Receiving of conversations and turns that other machines wrote.

A turn gets the next number here, in order of arrival; it keeps its lane and its number there.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from app.core.clock import to_datetime
from app.core.text_rules.token_estimate import estimate_tokens
from app.sessions import repo, session_transfer
from app.sessions.consolidation_queue import is_read_up_to, mark_in
from app.sessions.model import Message
from app.sessions.service import preview_of
from app.sessions.session_applier import MessageIndexer
from app.store import lanes
from app.sync.segments import turn_log
from app.sync.segments.turn_log import LaneTurn


class TurnReceiver:
    """Stores conversations and turns of other machines.

    Args:
        index: Indexes the turns.
    """

    def __init__(self, index: MessageIndexer) -> None:
        self._index = index

    def add_session(self, connection: apsw.Connection, begun: Mapping[str, Any], now_ms: int) -> bool:
        """Add a conversation and its other ids, and return whether it is new."""
        session = str(begun["id"])
        is_new = repo.head(connection, session) is None
        if is_new:
            repo.insert_session(
                connection,
                session,
                title=str(begun["title"]),
                agent=str(begun["agent"]),
                channel=str(begun["channel"]),
                created_ms=int(begun["created_at"]),
                now_ms=now_ms,
                attributes=dict(begun["attributes"]),
            )
        _begin(connection, begun, is_new=is_new)
        for alias, added_ms in begun["aliases"]:
            session_transfer.add_alias(connection, session, str(alias), int(added_ms))
        return is_new

    def add_turns(self, connection: apsw.Connection, session: str, turns: Sequence[LaneTurn], now_ms: int) -> int:
        """Add turns that are not here yet, and return how many there were."""
        last_seq, forgotten_ms = repo.head(connection, session) or (0, None)
        is_read = is_read_up_to(connection, session, last_seq)
        stored: list[Message] = []
        known = turn_log.known_names(connection, session)
        for turn in turns:
            if (turn.lane, turn.seq) not in known and not _is_same(connection, session, turn):
                known.add((turn.lane, turn.seq))
                last_seq += 1
                message = _message(turn, last_seq)
                repo.insert_received(connection, message, lanes.number_of(connection, turn.lane), turn.seq)
                stored.append(message)
        if stored:
            repo.note_appended(
                connection,
                session,
                last_seq=last_seq,
                count=len(stored),
                said_ms=max(int(turn.said["created_at"]) for turn in turns),
                now_ms=now_ms,
                preview=preview_of(stored),
            )
            if is_read:
                # Each machine draws facts from what was said on it; those of other machines come with their changes.
                mark_in(connection, session, last_seq, now_ms)
        index = self._index.messages_stored if forgotten_ms is None else self._index.messages_of_forgotten
        index(connection, stored)
        return len(stored)


def _begin(connection: apsw.Connection, begun: Mapping[str, Any], *, is_new: bool) -> None:
    """Store how a conversation began; of two machines the earlier counts."""
    names = ("created_at", "first_seen", "agent", "channel", "trust", "attributes")
    values = (*(begun[name] for name in names[:-1]), json.dumps(begun["attributes"]))
    here = connection.execute(f"SELECT {', '.join(names)} FROM sessions WHERE id = ?", (begun["id"],)).get
    if not is_new and values >= (*here[:-1], json.dumps(json.loads(here[-1]))):
        return
    changes = ", ".join(f"{name} = ?" for name in names)
    connection.execute(f"UPDATE sessions SET {changes} WHERE id = ?", (*values, begun["id"]))
    connection.execute(
        "UPDATE sessions SET title = ?1 WHERE id = ?2 AND NOT EXISTS"
        " (SELECT 1 FROM memory_history WHERE target_kind = 'session' AND target = ?2)",
        (begun["title"], begun["id"]),
    )


def _message(turn: LaneTurn, seq: int) -> Message:
    message = turn.said
    return Message(
        session_id=turn.session,
        seq=seq,
        role=message["role"],
        author=message["author"],
        content=message["content"],
        created_at=to_datetime(message["created_at"]),
        importance=message["importance"],
        tokens=estimate_tokens(message["content"]),
        tool_call_id=message["tool_call_id"],
        tool_name=message["tool_name"],
        tool_calls=message["tool_calls"],
        payload=message["payload"],
    )


def _is_same(connection: apsw.Connection, session: str, turn: LaneTurn) -> bool:
    """Return whether another machine read the same turn of the same transcript."""
    name = (turn.said["payload"] or {}).get("id")
    if name is None:
        return False
    # Few turns were said at the same time, but a conversation may have very many.
    row = connection.execute(
        "SELECT 1 FROM messages m JOIN lanes l ON l.number = m.origin WHERE m.created_at = ? AND +m.session_id = ?"
        " AND l.lane <> ? AND m.role = ? AND m.payload ->> 'id' = ?",
        (turn.said["created_at"], session, turn.lane, turn.said["role"], name),
    ).fetchone()
    return row is not None
