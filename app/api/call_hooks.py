"""Hooks around a call: the ledger, and the review of writes."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.api.caller import Caller
from app.api.operation import Operation
from app.changes import ChangeSet


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that has ended.

    Args:
        operation: The operation.
        caller: Who called.
        arguments: Its checked arguments; what was given where they were refused.
        value: Its answer, ``None`` when it failed.
        changes: What it changed.
        outcome: ``done``, ``proposed``, or the code of the failure.
        milliseconds: How long it took.
    """

    operation: Operation
    caller: Caller
    arguments: Mapping[str, Any]
    value: Any
    changes: ChangeSet | None
    outcome: str
    milliseconds: float


class CallRecorder(Protocol):
    """A receiver of finished calls, such as the ledger."""

    def record(self, call: FinishedCall) -> None:
        """Take note of a call; must return at once and raise nothing."""


@dataclass(frozen=True, slots=True)
class HeldWrite:
    """Answer to a write that waits for the person, and the inbox's change."""

    value: Any
    changes: ChangeSet


class WholeIds(Protocol):
    """A look-up of what short ids in arguments stand for."""

    async def __call__(self, engine: Any, arguments: Mapping[str, Any], caller: Caller) -> Mapping[str, Any]:
        """Return the arguments with whole ids in place of short ones.

        Raises:
            InputError: A short id may stand for several items.
        """


class AgentGate(Protocol):
    """A switch that holds up the calls of all agents at once."""

    @property
    def is_on(self) -> bool:
        """True while agents are held up, so that they learn of no changes either."""

    async def refuse_agents(self, operation: str) -> None:
        """Refuse an agent's call while the switch is on.

        Raises:
            AgentPausedError: It is on.
        """


class WriteReview(Protocol):
    """A reviewer of agents' writes."""

    async def perform(
        self, operation: Operation, caller: Caller, arguments: Mapping[str, Any], call: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the answer of ``call``, or a ``HeldWrite`` when nothing was written."""
