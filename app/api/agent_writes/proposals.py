"""Decisions about proposals: what an agent proposed is done as that agent, once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from app.api.agent_writes.write_review import json_arguments
from app.api.caller import Caller, caller_of
from app.api.goal_caller import caller_named
from app.api.operation import Operation
from app.api.registry import REGISTRY, check_arguments, require_access
from app.changes import MAX_NAMED, Changed, ChangeSet
from app.engine import Engine
from app.errors import AccessDeniedError, KeepsakeError, StaleError
from app.history import history_repo
from app.history.rehearsal import rehearse
from app.inbox.model import Proposal, ProposalDecision, ProposalPreview
from app.inbox.preview import preview_of
from app.inbox.service import KEEPSAKE, decided
from app.sentence import Sentence
from app.store.transaction_wrapper import DeliberateRollbackError, Work, wrapped_transactions

_STALE = "What it changes was changed since it was proposed. Look at it again, then accept it once more."


class _DecidedError(DeliberateRollbackError):
    """The proposal was decided in the meantime."""


class _ChangedError(DeliberateRollbackError):
    """The target of the proposal was changed since."""

    def __init__(self, preview: ProposalPreview) -> None:
        super().__init__("what the proposal changes was changed")
        self.preview = preview


class _Acceptance:
    """Transactions of an accepted proposal; the first one also marks it as accepted."""

    def __init__(self, engine: Engine, proposal: Proposal, run_id: str, actor: str, *, is_rehearsed: bool) -> None:
        self._engine = engine
        self._actor = actor
        self._proposal = proposal
        self._run_id = run_id
        self._is_rehearsed = is_rehearsed
        self.is_claimed = False
        self._written: list[str] = []

    def around(self, work: Work, connection: apsw.Connection) -> Any:
        """Run the work of a transaction, and make its history part of the run."""
        is_first = not self.is_claimed
        if is_first:
            self.claim(connection)
        mark = history_repo.last_id(connection)
        value = work(connection)
        entries = history_repo.entries_after(connection, mark)
        if is_first and self._is_rehearsed:
            self._require_same(entries)
        history_repo.put_in_run(connection, mark, self._run_id)
        written = [*self._written, *(entry.target for entry in entries)]
        ids = list(dict.fromkeys(written))[:MAX_NAMED]
        self._engine.inbox.note_written(connection, self._proposal.id, self._run_id, ids)
        self.is_claimed, self._written = True, ids
        return value

    def claim(self, connection: apsw.Connection) -> None:
        """Mark the proposal as accepted if it waits."""
        if not self._engine.inbox.claim(connection, self._proposal, self._run_id, self._actor):
            raise _DecidedError

    def _require_same(self, entries: list[history_repo.HistoryRow]) -> None:
        now = preview_of(entries, self._proposal.preview.why, is_stale=True)
        if now.basis != self._proposal.preview.basis:
            raise _ChangedError(now)


async def accept(
    engine: Engine, proposal: Proposal, run_id: str, actor: str
) -> tuple[ProposalDecision, ChangeSet | None]:
    """Do what an agent proposed, as that agent with the trust that it has now.

    Args:
        engine: The person's vault.
        proposal: What was proposed.
        run_id: The run that all of it belongs to.
        actor: Who accepts it.

    Returns:
        What became of it, and what it changed.
    """
    if proposal.state != "waiting":
        return decided(proposal), None
    is_rehearsed = REGISTRY.named(proposal.operation).review == "content"
    work = _Acceptance(engine, proposal, run_id, actor, is_rehearsed=is_rehearsed)
    try:
        call = await _call(engine, proposal.agent, proposal.operation, proposal.arguments)
        with wrapped_transactions(work.around):
            answer = await call()
        if not work.is_claimed:  # it had nothing to write
            await engine.store.write(work.claim)
    except _DecidedError:
        return decided(await engine.inbox.get(proposal.id)), None
    except _ChangedError as stale:
        await engine.inbox.replace(proposal.id, proposal.arguments, stale.preview, "")
        return ProposalDecision(proposal.id, "stale", _STALE), None
    except KeepsakeError as error:
        if work.is_claimed:
            return ProposalDecision(
                proposal.id, "accepted", Sentence("It was not finished: {why}", why=error.sentence), run_id
            ), None
        return await _failed(engine, proposal, error), None
    changes = answer.changes if isinstance(answer, Changed) else None
    ids = changes.ids if changes is not None else ()
    changed = None if changes is None else replace(changes, operation=proposal.operation)
    return ProposalDecision(proposal.id, "accepted", "", run_id, ids), changed


async def edited(engine: Engine, proposal: Proposal, arguments: Mapping[str, Any], actor: str) -> Proposal:
    """Store other arguments of a proposal, checked as the call of its agent.

    Raises:
        StaleError: It is decided already.
        KeepsakeError: The call would fail.
    """
    if proposal.state != "waiting":
        raise StaleError(decided(proposal).message, id=proposal.id)
    operation = REGISTRY.named(proposal.operation)
    checked = json_arguments(operation, check_arguments(operation, arguments))
    preview = await _preview(engine, proposal, checked, is_stale=False)
    return await engine.inbox.replace(proposal.id, checked, preview, actor)


async def _failed(engine: Engine, proposal: Proposal, error: KeepsakeError) -> ProposalDecision:
    """Return why a proposal cannot be accepted now.

    One about an older version is moved to the present one, for the person to look at again.
    """
    version = error.data.get("version")
    if not isinstance(error, StaleError) or version is None or "version" not in proposal.arguments:
        return ProposalDecision(proposal.id, "failed", error.sentence)
    arguments = {**proposal.arguments, "version": version}
    try:
        preview = await _preview(engine, proposal, arguments, is_stale=True)
    except KeepsakeError as again:
        return ProposalDecision(proposal.id, "failed", again.sentence)
    await engine.inbox.replace(proposal.id, arguments, preview, "")
    return ProposalDecision(proposal.id, "stale", _STALE)


async def _preview(
    engine: Engine, proposal: Proposal, arguments: Mapping[str, Any], *, is_stale: bool
) -> ProposalPreview:
    call = await _call(engine, proposal.agent, proposal.operation, arguments)
    if REGISTRY.named(proposal.operation).review != "content":
        return replace(proposal.preview, is_stale=is_stale)
    return preview_of(await rehearse(call), proposal.preview.why, is_stale=is_stale)


async def _call(engine: Engine, agent: str, operation: str, arguments: Mapping[str, Any]) -> Any:
    """Return a call as an agent with the trust that it has now.

    Raises:
        AccessDeniedError: The agent has no access any more, or its trust does not reach that far now.
        InputError: The arguments are not those of the operation.
    """
    declaration = REGISTRY.named(operation)
    caller = await _caller(engine, agent, declaration)
    require_access(declaration, caller)
    return declaration.bound(engine, caller, check_arguments(declaration, arguments))


async def _caller(engine: Engine, name: str, operation: Operation) -> Caller:
    if name == KEEPSAKE and operation.proposed:
        return Caller(KEEPSAKE)
    if (goal := await caller_named(engine, name)) is not None:
        return goal
    agent = await engine.agents.named(name)
    if agent.revoked_at is not None:
        raise AccessDeniedError(
            Sentence("{name} has no access any more. Reject what it proposed, or let it in again.", name=name)
        )
    return replace(caller_of(agent), review=False, state="active")
