"""SQL of proposals and the rules for them."""

import json
from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from app.core.clock import optional_datetime, to_datetime
from app.inbox.model import InboxRule, NewProposal, Proposal, ProposalPreview, ProposalState, RuleAction
from app.sentence import plain_text

_COLUMNS = (
    "id, agent, operation, arguments, kind, target, reason, created_at, expires_at, decided_at, decision, preview,"
    " result"
)


def insert(connection: apsw.Connection, proposal: NewProposal, proposal_id: int, now_ms: int, expires_ms: int) -> None:
    """Store a proposal."""
    connection.execute(
        "INSERT INTO inbox (id, agent, operation, arguments, kind, target, reason, created_at, expires_at, preview)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            proposal_id,
            proposal.agent,
            proposal.operation,
            _json(proposal.arguments),
            proposal.kind,
            proposal.target,
            proposal.reason,
            now_ms,
            expires_ms,
            _json(proposal.preview),
        ),
    )


def same_waiting(connection: apsw.Connection, proposal: NewProposal) -> Proposal | None:
    """Return the agent's waiting proposal that is the same word for word.

    The keys of turns count, others do not.
    """
    if proposal.is_turn and not proposal.arguments.get(proposal.key):
        return None
    path = "$." if proposal.is_turn else f"$.{proposal.key}"
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM inbox WHERE agent = ?1 AND operation = ?2 AND decided_at IS NULL"
        " AND CASE WHEN ?4 = '$.' THEN arguments = ?3 ELSE json_remove(arguments, ?4) = json_remove(?3, ?4) END",
        (proposal.agent, proposal.operation, _json(proposal.arguments), path),
    ).fetchone()
    return None if row is None else _proposal(row)


def key_holder(connection: apsw.Connection, proposal: NewProposal) -> Proposal | None:
    """Return the latest proposal of the agent and key that waits or was rejected."""
    key = proposal.arguments.get(proposal.key, "") if proposal.key else ""
    if not key:
        return None
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM inbox WHERE agent = ? AND (decided_at IS NULL OR decision = 'rejected')"
        " AND json_extract(arguments, ?) = ? ORDER BY id DESC LIMIT 1",
        (proposal.agent, f"$.{proposal.key}", key),
    ).fetchone()
    return None if row is None else _proposal(row)


def count_waiting(connection: apsw.Connection, agent: str) -> int:
    """Return how many proposals of an agent wait."""
    sql = "SELECT count(*) FROM inbox WHERE agent = ? AND decided_at IS NULL"
    return int(str(connection.execute(sql, (agent,)).get))


def is_taken(connection: apsw.Connection, proposal_id: int) -> bool:
    """Return whether a proposal has an id."""
    return connection.execute("SELECT 1 FROM inbox WHERE id = ?", (proposal_id,)).fetchone() is not None


def get(connection: apsw.Connection, proposal_id: int) -> Proposal | None:
    """Return a proposal."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM inbox WHERE id = ?", (proposal_id,)).fetchone()
    return None if row is None else _proposal(row)


def listed(
    connection: apsw.Connection,
    *,
    state: ProposalState | None = None,
    agent: str = "",
    kind: str = "",
    limit: int = 50,
    before: int | None = None,
) -> list[Proposal]:
    """Return proposals, newest first, older than ``before`` where given."""
    where, values = _where(state, agent, kind)
    if before is not None:
        where, values = f"{where} AND id < ?", [*values, before]
    rows = connection.execute(f"SELECT {_COLUMNS} FROM inbox WHERE {where} ORDER BY id DESC LIMIT ?", (*values, limit))
    return [_proposal(row) for row in rows]


def count(connection: apsw.Connection, state: ProposalState | None, agent: str, kind: str) -> int:
    """Return how many proposals there are."""
    where, values = _where(state, agent, kind)
    return int(str(connection.execute(f"SELECT count(*) FROM inbox WHERE {where}", values).get))


def decide(connection: apsw.Connection, proposal_id: int, decision: str, now_ms: int, result: dict[str, Any]) -> bool:
    """Decide a proposal that waits, and return whether it did."""
    connection.execute(
        "UPDATE inbox SET decision = ?, decided_at = ?, result = ? WHERE id = ? AND decided_at IS NULL",
        (decision, now_ms, _json(result), proposal_id),
    )
    return connection.changes() == 1


def wait_again(connection: apsw.Connection, proposal_id: int, expires_ms: int) -> None:
    """Let a decided proposal wait again."""
    connection.execute(
        "UPDATE inbox SET decision = NULL, decided_at = NULL, result = '{}', expires_at = ? WHERE id = ?",
        (expires_ms, proposal_id),
    )


def set_result(connection: apsw.Connection, proposal_id: int, result: dict[str, Any]) -> None:
    """Store what an accepted proposal led to."""
    connection.execute("UPDATE inbox SET result = ? WHERE id = ?", (_json(result), proposal_id))


def replace(connection: apsw.Connection, proposal_id: int, arguments: dict[str, Any], preview: ProposalPreview) -> bool:
    """Store other arguments of a proposal that waits, and return whether it did."""
    proposal = get(connection, proposal_id)
    if proposal is None or proposal.state != "waiting":
        return False
    reword(connection, proposal_id, arguments, preview)
    return True


def reword(connection: apsw.Connection, proposal_id: int, arguments: dict[str, Any], preview: ProposalPreview) -> None:
    """Store other arguments of a proposal, decided or not."""
    connection.execute(
        "UPDATE inbox SET arguments = ?, preview = ? WHERE id = ?", (_json(arguments), _json(preview), proposal_id)
    )


def expire(connection: apsw.Connection, now_ms: int) -> list[int]:
    """Let the proposals expire whose time has come, and return their ids."""
    rows = connection.execute(
        "UPDATE inbox SET decision = 'expired', decided_at = ?1 WHERE decided_at IS NULL AND expires_at <= ?1"
        " RETURNING id",
        (now_ms,),
    ).fetchall()
    return [int(str(row[0])) for row in rows]


def drop_decided(connection: apsw.Connection, before_ms: int) -> int:
    """Remove proposals decided before a time, and return how many."""
    rows = connection.execute("DELETE FROM inbox WHERE decided_at < ? RETURNING id", (before_ms,)).fetchall()
    return len(rows)


def withdraw(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Remove proposals that wait."""
    connection.execute(
        "DELETE FROM inbox WHERE id IN (SELECT value FROM json_each(?)) AND decided_at IS NULL",
        (json.dumps(list(ids)),),
    )


def rules(connection: apsw.Connection) -> list[InboxRule]:
    """Return the rules, those for one agent first."""
    rows = connection.execute("SELECT agent, kind, action, created_at FROM inbox_rules ORDER BY agent DESC, kind DESC")
    return [InboxRule(agent, kind, action, to_datetime(at)) for agent, kind, action, at in rows]


def rule(connection: apsw.Connection, agent: str, kind: str) -> InboxRule | None:
    """Return the rule for exactly this agent and kind, ``None`` where there is none."""
    return next((rule for rule in rules(connection) if (rule.agent, rule.kind) == (agent, kind)), None)


def set_rule(connection: apsw.Connection, agent: str, kind: str, action: RuleAction, now_ms: int) -> None:
    """Store a rule in place of the one for the same agent and kind."""
    connection.execute(
        "INSERT INTO inbox_rules (agent, kind, action, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (agent, kind) DO UPDATE SET action = excluded.action, created_at = excluded.created_at",
        (agent, kind, action, now_ms),
    )


def remove_rule(connection: apsw.Connection, agent: str, kind: str) -> None:
    """Remove a rule, if there is one."""
    connection.execute("DELETE FROM inbox_rules WHERE agent = ? AND kind = ?", (agent, kind))


def action_for(connection: apsw.Connection, agent: str, kind: str) -> RuleAction | None:
    """Return the action of the best fitting rule; the agent counts more than the kind."""
    row = connection.execute(
        "SELECT action FROM inbox_rules WHERE agent IN (?1, '') AND kind IN (?2, '')"
        " ORDER BY agent DESC, kind DESC LIMIT 1",
        (agent, kind),
    ).fetchone()
    return None if row is None else row[0]


def _where(state: ProposalState | None, agent: str, kind: str) -> tuple[str, list[Any]]:
    clauses = ["TRUE"]
    values: list[Any] = []
    if state == "waiting":
        clauses.append("decided_at IS NULL")
    elif state is not None:
        clauses.append("decision = ?")
        values.append(state)
    for column, value in (("agent", agent), ("kind", kind)):
        if value:
            clauses.append(f"{column} = ?")
            values.append(value)
    return " AND ".join(clauses), values


def _json(value: object) -> str:
    return json.dumps(
        msgspec.to_builtins(value, enc_hook=plain_text), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )


def _proposal(row: tuple[Any, ...]) -> Proposal:
    result = json.loads(row[12])
    return Proposal(
        id=row[0],
        agent=row[1],
        operation=row[2],
        arguments=json.loads(row[3]),
        kind=row[4],
        target=row[5],
        reason=row[6],
        state=row[10] or "waiting",
        created_at=to_datetime(row[7]),
        expires_at=optional_datetime(row[8]),
        decided_at=optional_datetime(row[9]),
        note=str(result.get("note", "")),
        preview=msgspec.convert(json.loads(row[11]), ProposalPreview),
        run_id=str(result.get("run", "")),
        ids=tuple(result.get("ids", ())),
        draft=dict(result.get("draft", {})) if row[10] is None else {},
    )
