"""Session rows for exports and imports: state, aliases, summaries, forgotten sessions."""

import json
from typing import Any

import apsw

from app.sessions.model import Session
from app.sessions.repo import SESSION_COLUMNS, session_of

_STATE = (
    "SELECT t.last_seq, s.trust, s.first_seen, s.preview, s.updated_at, s.consolidated_at, t.summary, t.summary_epoch,"
    " t.summary_upper_seq, t.scratchpad, t.captured_seq, t.updated_at"
    " FROM sessions s JOIN session_state t ON t.session_id = s.id WHERE s.id = ?"
)
_STATE_FIELDS = (
    "last_seq",
    "trust",
    "first_seen",
    "preview",
    "updated_at",
    "consolidated_at",
    "summary",
    "summary_epoch",
    "summary_upper_seq",
    "scratchpad",
    "captured_seq",
    "state_updated_at",
)
_BLANK_STATE = {"summary_epoch": 0, "scratchpad": [], "captured_seq": 0}


def forgotten_sessions(connection: apsw.Connection) -> list[tuple[Session, int]]:
    """Return the forgotten sessions and when each was forgotten, oldest first."""
    rows = connection.execute(
        f"SELECT {SESSION_COLUMNS}, forgotten_at FROM sessions WHERE forgotten_at IS NOT NULL"
        " ORDER BY updated_at, rowid"
    )
    return [(session_of(row), int(str(row[-1]))) for row in rows]


def state(connection: apsw.Connection, session_id: str) -> dict[str, Any] | None:
    """Return what a session has beside its messages, ``None`` when there is no such session."""
    row = connection.execute(_STATE, (session_id,)).fetchone()
    if row is None:
        return None
    fields = dict(zip(_STATE_FIELDS, row, strict=True))
    return fields | {"scratchpad": json.loads(str(fields["scratchpad"]))}


def aliases(connection: apsw.Connection, session_id: str) -> list[dict[str, Any]]:
    """Return the other ids of a session."""
    rows = connection.execute(
        "SELECT alias, added_at FROM session_aliases WHERE session_id = ? ORDER BY alias", (session_id,)
    )
    return [{"alias": alias, "added_at": added} for alias, added in rows]


def summaries(connection: apsw.Connection, session_id: str) -> list[dict[str, Any]]:
    """Return the session summaries of a session, one for each agent."""
    rows = connection.execute(
        "SELECT agent, summary, created_at, updated_at FROM session_summaries WHERE session_id = ? ORDER BY agent",
        (session_id,),
    )
    return [dict(zip(("agent", "summary", "created_at", "updated_at"), row, strict=True)) for row in rows]


def apply_state(connection: apsw.Connection, session_id: str, imported: dict[str, Any]) -> None:
    """Give a session the state it was exported with; what is newer here stays.

    Args:
        connection: The writer's connection, inside the transaction.
        session_id: A session that is there.
        imported: What ``state`` gave in the other vault.
    """
    held = state(connection, session_id)
    if held is None:
        return
    if held["last_seq"] <= imported["last_seq"]:  # no message was added here since
        connection.execute(
            "UPDATE sessions SET trust = :trust, first_seen = min(first_seen, :first_seen), preview = :preview,"
            " updated_at = :updated_at, consolidated_at = nullif(max(coalesce(consolidated_at, 0),"
            " coalesce(:consolidated_at, 0)), 0) WHERE id = :id",
            imported | {"id": session_id},
        )
    is_blank = all(held[name] == value for name, value in _BLANK_STATE.items())
    if is_blank or held["state_updated_at"] < imported["state_updated_at"]:
        connection.execute(
            "UPDATE session_state SET last_seq = max(last_seq, :last_seq), summary = :summary,"
            " summary_epoch = max(summary_epoch, :summary_epoch), summary_upper_seq = :summary_upper_seq,"
            " scratchpad = :pad, captured_seq = max(captured_seq, :captured_seq), updated_at = :state_updated_at"
            " WHERE session_id = :id",
            imported | {"id": session_id, "pad": json.dumps(imported["scratchpad"], ensure_ascii=False)},
        )


def add_alias(connection: apsw.Connection, session_id: str, alias: str, added_ms: int) -> None:
    """Add another id of a session, unless it already means a session here."""
    connection.execute(
        "INSERT INTO session_aliases (alias, session_id, added_at) SELECT ?1, ?2, ?3"
        " WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?1) ON CONFLICT DO NOTHING",
        (alias, session_id, added_ms),
    )


def add_summary(connection: apsw.Connection, session_id: str, imported: dict[str, Any]) -> None:
    """Add a session summary, in place of an older one of the same agent."""
    connection.execute(
        "INSERT INTO session_summaries (agent, session_id, summary, created_at, updated_at)"
        " VALUES (:agent, :id, :summary, :created_at, :updated_at)"
        " ON CONFLICT (agent, session_id) DO UPDATE SET summary = excluded.summary, created_at = excluded.created_at,"
        " updated_at = excluded.updated_at WHERE excluded.updated_at > session_summaries.updated_at",
        imported | {"id": session_id},
    )
