"""Values of the inbox: proposals of agents, rules, and what became of them."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

ProposalState = Literal["waiting", "accepted", "rejected", "expired"]
RuleAction = Literal["accept", "review", "reject"]
DecisionState = Literal["accepted", "rejected", "expired", "stale", "failed"]


RULE: Final = "rule:"
"""Before agent and kind: the id of a rule."""
HOW_TO_ASK: Final = "Ask 'inbox.mine' what became of it."
"""The end of the sentence that a write waits, for callers of operations."""


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One change that a proposal would make.

    Args:
        target_kind: ``memory``, ``session`` or ``entity``.
        target: Its id; of something new, not the one that it will have.
        event: What happens to it, such as ``ADD`` or ``DELETE``.
        kind: The kind of the memory, else as ``target_kind``.
        store: The store of a memory.
        title: Its title.
        before: The fields that would change, as they are now; none for something new.
        after: The same fields afterwards; none for something deleted.
    """

    target_kind: str
    target: str
    event: str
    kind: str
    store: str
    title: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ProposalPreview:
    """Preview of the changes of a proposal.

    Args:
        changes: The first changes, for a comparison of before and after.
        count: How many there are.
        why: ``review``; ``protected`` when it touches what the person pinned or confirmed; ``destructive`` when it
            removes what its agent did not write; ``contradiction`` when it contradicts what the person confirmed;
            ``upkeep`` when it concerns Keepsake's own jobs.
        is_stale: Whether what it changes was changed since it was proposed; it is to be looked at again.
        basis: Digests of what it changes, by id, by which that is noticed.
    """

    changes: tuple[ProposedChange, ...] = ()
    count: int = 0
    why: str = "review"
    is_stale: bool = False
    basis: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A write of an agent that waits for the person, or waited.

    Args:
        id: Its id.
        agent: The agent that proposed it.
        operation: The operation that it called.
        arguments: The arguments.
        kind: What it is about, such as ``note`` or ``fact``.
        target: The id of the first thing that it would change, ``""`` for something new.
        reason: The agent's reason, if it gave one.
        state: ``waiting``, ``accepted``, ``rejected`` or ``expired``.
        note: The person's reason.
        preview: What it would change.
        run_id: The run that undoes it, once accepted.
        ids: What it wrote, once accepted.
        draft: What the person has typed in place of its texts and not accepted yet, by the names of the arguments.
    """

    id: int
    agent: str
    operation: str
    arguments: dict[str, Any]
    kind: str
    target: str
    reason: str
    state: ProposalState
    created_at: datetime
    expires_at: datetime | None
    decided_at: datetime | None
    note: str
    preview: ProposalPreview
    run_id: str
    ids: tuple[str, ...]
    draft: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnProposal:
    """A proposal as its agent sees it; ``note`` is the person's reason."""

    id: int
    operation: str
    arguments: dict[str, Any]
    state: ProposalState
    created_at: datetime
    expires_at: datetime | None
    decided_at: datetime | None
    note: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The answer to a write that waits for the person.

    Args:
        proposed: The id of the proposal, for ``inbox.mine``.
        state: ``waiting``: nothing is stored yet.
        message: The same in words.
    """

    proposed: int
    state: ProposalState
    message: str


@dataclass(frozen=True, slots=True)
class ProposalDecision:
    """Decision about a proposal.

    Args:
        id: The proposal.
        state: ``stale`` and ``failed`` leave it waiting.
        message: Why, in words.
        run_id: The run that undoes what was accepted.
        ids: What was written.
    """

    id: int
    state: DecisionState
    message: str = ""
    run_id: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InboxRule:
    """Rule for an agent's writes; an empty agent or kind means any."""

    agent: str
    kind: str
    action: RuleAction
    created_at: datetime

    @property
    def id(self) -> str:
        """Its name in the history, the same on every machine."""
        return RULE + json.dumps([self.agent, self.kind])


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal to be stored.

    Args:
        arguments: As JSON values.
        key: The argument that names the call and is no part of what is proposed, ``""`` where there is none.
        is_turn: Whether the same words under another key are said once more, and no repetition.
    """

    agent: str
    operation: str
    arguments: dict[str, Any]
    kind: str
    target: str
    reason: str
    preview: ProposalPreview
    key: str = ""
    is_turn: bool = False
