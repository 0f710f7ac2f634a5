"""Operations on the inbox: agents' writes that wait for the person."""

from functools import partial
from typing import Any, Literal

from app.api.agent_writes import proposals
from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed, ChangeSet
from app.core.ids import new_id
from app.engine import Engine
from app.errors import InputError
from app.inbox.model import InboxRule, OwnProposal, Proposal, ProposalDecision, ProposalState, RuleAction
from app.inbox.service import changes
from app.sentence import Sentence

_decision = partial(operation, access="write", owner_only=True, sentence="Decided on proposals")

_MOST_IDS = 500
StateFilter = Literal["waiting", "accepted", "rejected", "expired", "all"]


@operation("inbox.list", owner_only=True, sentence="Looked at its proposals")
async def listed(
    engine: Engine,
    caller: Caller,
    state: StateFilter = "waiting",
    agent: str = "",
    kind: str = "",
    limit: Count = 50,
    before: int | None = None,
) -> list[Proposal]:
    """Return agents' writes that wait for you, newest first, each with what it would change.

    Args:
        state: ``waiting``, ``accepted``, ``rejected``, ``expired`` or ``all``.
        agent: Only those of an agent.
        kind: Only those about a kind, such as ``note``, ``fact``, ``session`` or ``entity``.
        limit: How many at most.
        before: Only those older than the one with this id.
    """
    return await engine.inbox.listed(_state(state), agent, kind, limit, before)


@operation("inbox.get", owner_only=True, sentence="Looked at its proposals")
async def get(engine: Engine, caller: Caller, id: int) -> Proposal:
    """Return one proposal with what it would change.

    Args:
        id: Its id.
    """
    return await engine.inbox.get(id)


@operation("inbox.count", owner_only=True, sentence="Looked at its proposals")
async def count(engine: Engine, caller: Caller, state: StateFilter = "waiting", agent: str = "", kind: str = "") -> int:
    """Return how many proposals there are.

    Args:
        state: ``waiting``, ``accepted``, ``rejected``, ``expired`` or ``all``.
        agent: Only those of an agent.
        kind: Only those about a kind.
    """
    return await engine.inbox.count(_state(state), agent, kind)


@_decision("inbox.accept", positional=("ids",), undo="history")
async def accept(
    engine: Engine,
    caller: Caller,
    id: int | None = None,
    ids: list[int] = [],  # noqa: B006  (never changed; the registry copies defaults)
    arguments: dict[str, Any] | None = None,
) -> Changed[list[ProposalDecision]]:
    """Accept proposals: each is done as its agent, all as one undoable run.

    The agent's trust counts as it is now. Where what would be changed was changed since, nothing is done: the answer
    says ``stale``, and accepting it once more does it. What fails stays in the inbox.

    Args:
        id: One proposal.
        ids: Several.
        arguments: Other arguments to do one with, in place of all that the agent gave.
    """
    wanted = _ids(id, ids)
    if arguments is not None:
        if len(wanted) != 1:
            raise InputError("Only one proposal at a time can be changed.", field="arguments")
        await proposals.edited(engine, await engine.inbox.get(wanted[0]), arguments, caller.name)
    run_id = f"inbox:{new_id('run')}"
    decisions: list[ProposalDecision] = []
    for identity in wanted:
        decision, changed = await proposals.accept(engine, await engine.inbox.get(identity), run_id, caller.name)
        decisions.append(decision)
        if changed is not None:
            engine.publish(changed)
    return Changed(decisions, changes(caller.name, *wanted))


@_decision("inbox.reject", undo="operation", positional=("ids",))
async def reject(
    engine: Engine,
    caller: Caller,
    id: int | None = None,
    ids: list[int] = [],  # noqa: B006
    reason: str = "",
) -> Changed[list[ProposalDecision]]:
    """Reject what agents proposed.

    Args:
        id: One proposal.
        ids: Several.
        reason: Why, for the agent.
    """
    return await engine.inbox.reject(_ids(id, ids), reason, caller.name)


@_decision("inbox.edit", undo="history")
async def edit(engine: Engine, caller: Caller, id: int, arguments: dict[str, Any]) -> Changed[Proposal]:
    """Change what an agent proposed before it is accepted; it goes on waiting.

    Args:
        id: The proposal.
        arguments: The arguments in place of those that the agent gave.
    """
    proposal = await proposals.edited(engine, await engine.inbox.get(id), arguments, caller.name)
    return Changed(proposal, changes(caller.name, id))


@_decision("inbox.draft", undo="needless")
async def draft(engine: Engine, caller: Caller, id: int, texts: dict[str, str]) -> Changed[bool]:
    """Keep what you have typed in place of a proposal's texts.

    It changes nothing before you accept it.

    Args:
        id: The proposal.
        texts: The texts by the names of the arguments; none to forget them.
    """
    return Changed(await engine.inbox.keep_draft(id, texts), ChangeSet(frozenset(), actor=caller.name))


@operation("inbox.mine", trust="public", sentence="Looked at its proposals")
async def mine(engine: Engine, caller: Caller, state: StateFilter = "all", limit: Count = 50) -> list[OwnProposal]:
    """Return the caller's own proposals, newest first, with state and the person's reason.

    Args:
        state: ``waiting``, ``accepted``, ``rejected``, ``expired`` or ``all``.
        limit: How many at most.
    """
    return await engine.inbox.of_agent("" if caller.is_owner else caller.name, _state(state), limit)


@operation("inbox.rules", owner_only=True, sentence="Looked at its proposals")
async def rules(engine: Engine, caller: Caller) -> list[InboxRule]:
    """Return the rules for agents' writes, those for one agent first."""
    return await engine.inbox.rules()


@_decision("inbox.rule.set", undo="history")
async def set_rule(
    engine: Engine, caller: Caller, action: RuleAction, agent: str = "", kind: str = ""
) -> Changed[list[InboxRule]]:
    """Decide once for all what happens to an agent's writes about a kind.

    The rule that names the agent counts for more than one that names only the kind. What changes something that you
    pinned or confirmed waits in the inbox whatever the rules say.

    Args:
        action: ``accept`` lets them through, ``review`` puts them into the inbox, ``reject`` refuses them.
        agent: The agent's name; any when empty.
        kind: Such as ``note``, ``fact``, ``session`` or ``entity``; any when empty.
    """
    return await engine.inbox.set_rule(agent, kind, action, caller.name)


@_decision("inbox.rule.remove", undo="history")
async def remove_rule(engine: Engine, caller: Caller, agent: str = "", kind: str = "") -> Changed[list[InboxRule]]:
    """Remove a rule for agents' writes.

    Args:
        agent: The agent that it names, empty for any.
        kind: The kind that it names, empty for any.
    """
    return await engine.inbox.remove_rule(agent, kind, caller.name)


def _ids(identity: int | None, several: list[int]) -> list[int]:
    wanted = list(dict.fromkeys([*([] if identity is None else [identity]), *several]))
    if not wanted:
        raise InputError("Name the proposals: 'id' for one, 'ids' for several.", field="ids")
    if len(wanted) > _MOST_IDS:
        raise InputError(Sentence("At most {most} proposals at once.", most=_MOST_IDS), field="ids", allowed=_MOST_IDS)
    return wanted


def _state(state: StateFilter) -> ProposalState | None:
    return None if state == "all" else state
