"""Decisions about proposals in the history, and their undo.

An entry has only what a decision changed. The texts of a proposal go out of the history with the proposal.
"""

import json
from collections.abc import Callable
from typing import Any, Final

import apsw
import msgspec

from app.core.clock import DAY_MS
from app.errors import StaleError
from app.history import history_repo
from app.history.model import Event
from app.history.undo import State
from app.inbox import repo
from app.inbox.model import Proposal, ProposalPreview
from app.receipts import repo as receipts
from app.sentence import plain_text

NOT_KEPT: Final = (
    "What was accepted changed nothing that the history keeps, but perhaps a setting or what was said in a"
    " conversation, so it cannot be undone here."
)
_MOST_IDS: Final = 500


class ProposalApplier:
    """Puts proposals back into an earlier state: waiting, accepted or rejected.

    Args:
        days: Returns for how many days a proposal waits that waits again.
    """

    def __init__(self, days: Callable[[], int]) -> None:
        self._days = days

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the state of a proposal now; ``None`` where it is gone."""
        proposal = _proposal(connection, target)
        return None if proposal is None else _decision(proposal) | _wording(proposal)

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a proposal, as far as it goes."""
        proposal = _proposal(connection, target)
        if state is None or proposal is None:
            return current
        if "arguments" in state:
            preview = msgspec.convert(state["preview"], ProposalPreview)
            repo.reword(connection, proposal.id, state["arguments"], preview)
        if "state" in state:
            self._decide(connection, proposal, state, at_ms)
        return self.current(connection, target)

    def _decide(self, connection: apsw.Connection, proposal: Proposal, state: State, at_ms: int) -> None:
        if state["state"] in ("waiting", "expired"):
            if proposal.state == "accepted" and not proposal.ids:
                raise StaleError(NOT_KEPT, id=proposal.id)
            # The key of its agent names a write that is not there any more.
            key = str(proposal.arguments.get("key") or "")
            receipts.remove(connection, proposal.agent, proposal.operation, key)
            repo.wait_again(connection, proposal.id, at_ms + self._days() * DAY_MS)
            return
        result: dict[str, Any] = {"note": state["note"]}
        if state["run"]:
            result = {"run": state["run"], "ids": _written(connection, state["run"])}
        repo.decide(connection, proposal.id, state["state"], at_ms, result)


def record_decision(
    connection: apsw.Connection, before: Proposal, actor: str, at_ms: int, run_id: str | None = None
) -> int:
    """Record that a proposal, which was ``before``, was decided; return the entry."""
    after = _proposal(connection, str(before.id)) or before
    event: Event = "ACCEPT" if after.state == "accepted" else "REJECT"
    return _record(connection, event, before, (_decision(before), _decision(after)), actor, at_ms, run_id)


def record_wording(connection: apsw.Connection, before: Proposal, actor: str, at_ms: int) -> int:
    """Record that a proposal, which was ``before``, has other arguments now; return the entry."""
    after = _proposal(connection, str(before.id)) or before
    return _record(connection, "UPDATE", before, (_wording(before), _wording(after)), actor, at_ms, None)


def _record(
    connection: apsw.Connection,
    event: Event,
    proposal: Proposal,
    states: tuple[State, State],
    actor: str,
    at_ms: int,
    run_id: str | None,
) -> int:
    return history_repo.record(
        connection,
        target_kind="proposal",
        target=str(proposal.id),
        event=event,
        before=states[0],
        after=states[1],
        actor=actor,
        at_ms=at_ms,
        run_id=run_id,
    )


def _proposal(connection: apsw.Connection, target: str) -> Proposal | None:
    return repo.get(connection, int(target)) if target.isdecimal() else None


def _decision(proposal: Proposal) -> State:
    return {"state": proposal.state, "note": proposal.note, "run": proposal.run_id}


def _wording(proposal: Proposal) -> State:
    return {
        "arguments": proposal.arguments,
        "preview": json.loads(msgspec.json.encode(proposal.preview, enc_hook=plain_text)),
    }


def _written(connection: apsw.Connection, run_id: str) -> list[str]:
    rows = connection.execute(
        "SELECT DISTINCT target FROM memory_history WHERE run_id = ? AND target_kind <> 'proposal' LIMIT ?",
        (run_id, _MOST_IDS),
    )
    return [str(row[0]) for row in rows]
