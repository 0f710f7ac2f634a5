"""SQL of agents and their requests for access."""

import json
from collections.abc import Sequence
from typing import Any

import apsw

from app.agents.model import AccessRequest, Agent
from app.core.clock import optional_datetime, to_datetime

_AGENT = (
    "SELECT id, name, trust, stores, review, isolated, enabled, created_at, revoked_at, last_seen_at, client, echoes,"
    " writes, rate"
    " FROM agents"
)
_REQUEST = (
    "SELECT id, name, client, trust, reason, at, decided_at, decision, EXISTS (SELECT 1 FROM agents a"
    " WHERE a.name = r.name AND a.revoked_at IS NULL) FROM access_requests r"
)


def all_agents(connection: apsw.Connection) -> list[Agent]:
    """Return every agent, by name, revoked ones among them."""
    return [_agent(row) for row in connection.execute(f"{_AGENT} ORDER BY name")]


def by_name(connection: apsw.Connection, name: str) -> Agent | None:
    """Return the agent of a name."""
    row = connection.execute(f"{_AGENT} WHERE name = ?", (name,)).fetchone()
    return None if row is None else _agent(row)


def by_id(connection: apsw.Connection, agent_id: str) -> Agent | None:
    """Return the agent of an id."""
    row = connection.execute(f"{_AGENT} WHERE id = ?", (agent_id,)).fetchone()
    return None if row is None else _agent(row)


def by_token(connection: apsw.Connection, hashed: str) -> Agent | None:
    """Return the agent with access whose token has a hash."""
    row = connection.execute(f"{_AGENT} WHERE token_hash = ? AND revoked_at IS NULL", (hashed,)).fetchone()
    return None if row is None else _agent(row)


def ended_name(connection: apsw.Connection, hashed: str) -> str | None:
    """Return the name of the agent whose access ended and whose token had a hash."""
    row = connection.execute(
        "SELECT name FROM agents WHERE token_hash = ? AND revoked_at IS NOT NULL", (hashed,)
    ).fetchone()
    return None if row is None else str(row[0])


def save(connection: apsw.Connection, agent: Agent, hashed: str, now_ms: int) -> None:
    """Insert an agent, or update the one with its id."""
    values = (agent.name, hashed, agent.trust, json.dumps(agent.stores), agent.isolated, agent.review)
    connection.execute(
        "INSERT INTO agents (id, name, token_hash, trust, stores, isolated, review, created_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO UPDATE SET name = ?2, token_hash = ?3,"
        " trust = ?4, stores = ?5, isolated = ?6, review = ?7, enabled = 1, revoked_at = NULL",
        (agent.id, *values, now_ms),
    )


def set_token(connection: apsw.Connection, agent_id: str, hashed: str) -> None:
    """Replace an agent's token."""
    connection.execute("UPDATE agents SET token_hash = ? WHERE id = ?", (hashed, agent_id))


def change(connection: apsw.Connection, agent: Agent) -> None:
    """Store an agent's trust, stores, review, isolation, pause and rate."""
    connection.execute(
        "UPDATE agents SET trust = ?, stores = ?, review = ?, isolated = ?, enabled = ?, rate = ? WHERE id = ?",
        (agent.trust, json.dumps(agent.stores), agent.review, agent.isolated, not agent.paused, agent.rate, agent.id),
    )


def revoke(connection: apsw.Connection, agent_id: str, now_ms: int) -> None:
    """End an agent's access."""
    connection.execute("UPDATE agents SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (now_ms, agent_id))


def note_seen(connection: apsw.Connection, seen: Sequence[tuple[int, str, str]]) -> None:
    """Store when agents were connected: time, client and id of each."""
    connection.executemany("UPDATE agents SET last_seen_at = ?, client = ? WHERE id = ?", seen)


def insert_request(connection: apsw.Connection, request: AccessRequest, hashed: str, now_ms: int) -> None:
    """Store a request for access."""
    connection.execute(
        "INSERT INTO access_requests (id, name, client, trust, reason, token_hash, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (request.id, request.name, request.client, request.trust, request.reason, hashed, now_ms),
    )


def open_requests(connection: apsw.Connection) -> list[AccessRequest]:
    """Return the requests that wait, oldest first."""
    return [_request(row) for row in connection.execute(f"{_REQUEST} WHERE decided_at IS NULL ORDER BY at, id")]


def request_by(connection: apsw.Connection, key: str) -> AccessRequest | None:
    """Return the request of an id, else the latest open one of a name."""
    row = connection.execute(
        f"{_REQUEST} WHERE id = ?1 OR (name = ?1 AND decided_at IS NULL) ORDER BY id = ?1 DESC, at DESC LIMIT 1", (key,)
    ).fetchone()
    return None if row is None else _request(row)


def request_hash(connection: apsw.Connection, request_id: str) -> str:
    """Return the hash of the token that a request was given."""
    return str(connection.execute("SELECT token_hash FROM access_requests WHERE id = ?", (request_id,)).get)


def state_of_request(connection: apsw.Connection, hashed: str) -> str | None:
    """Return the state of the request with a token, ``None`` for no request."""
    row = connection.execute(
        "SELECT coalesce(decision, 'waiting') FROM access_requests WHERE token_hash = ?", (hashed,)
    ).fetchone()
    return None if row is None else str(row[0])


def decide(connection: apsw.Connection, request_id: str, decision: str, now_ms: int) -> None:
    """Store what became of a request."""
    connection.execute(
        "UPDATE access_requests SET decision = ?, decided_at = ? WHERE id = ?", (decision, now_ms, request_id)
    )


def expire_requests(connection: apsw.Connection, before_ms: int, now_ms: int) -> None:
    """Let old requests expire."""
    connection.execute(
        "UPDATE access_requests SET decision = 'expired', decided_at = ? WHERE decided_at IS NULL AND at < ?",
        (now_ms, before_ms),
    )


def _agent(row: tuple[Any, ...]) -> Agent:
    return Agent(
        id=row[0],
        name=row[1],
        trust=row[2],
        stores=tuple(json.loads(row[3])),
        review=bool(row[4]),
        isolated=bool(row[5]),
        paused=not row[6],
        created_at=to_datetime(row[7]),
        revoked_at=optional_datetime(row[8]),
        last_seen_at=optional_datetime(row[9]),
        client=row[10],
        echoes=row[11],
        writes=row[12],
        rate=row[13],
        echo_rate=round(row[11] / row[12], 4) if row[12] else 0.0,
    )


def _request(row: tuple[Any, ...]) -> AccessRequest:
    return AccessRequest(
        id=row[0],
        name=row[1],
        client=row[2],
        trust=row[3],
        reason=row[4],
        at=to_datetime(row[5]),
        decided_at=optional_datetime(row[6]),
        decision=row[7],
        has_access=bool(row[8]),
    )
