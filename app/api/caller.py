"""Callers: the person, or an agent with its trust."""

from dataclasses import dataclass
from typing import Literal

from app.agents.model import Agent, Trust
from app.core.access import Access
from app.core.stores import STORES, StoreName

CallerState = Literal["active", "paused", "unknown"]

READABLE: dict[Trust, tuple[StoreName, ...]] = {
    "full": STORES,
    "inner": ("shared", "social"),
    "familiar": ("social",),
    "public": (),
}
TRUSTS: tuple[Trust, ...] = ("public", "familiar", "inner", "full")


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of an operation.

    Args:
        name: The actor in the history.
        trust: The operations and stores it reaches.
        granted: The stores it is narrowed to, ``None`` for all that its trust reaches.
        is_owner: Whether it is one of the person's own programs, such as the window.
        review: Whether its writes wait in the inbox.
        agent_id: The id of the agent, ``""`` for the person.
        client: The name and version that the program gave of itself.
        rate: Calls a second that the person allows it, ``None`` for what the settings say.
        state: ``paused`` while the person holds it up, ``unknown`` until the person has let it in.
        has_ended: Whether the person has ended the access that it had; its state is ``unknown``.
        token_hash: The hash of the token that it showed, ``""`` for none.
        has_old_token: Whether the person has given the agent another token since; its state is ``unknown``.
        has_confirmed: Whether Keepsake asked the person about this call through its client, which answered yes.
        request: What became of its request for access: ``waiting``, ``allowed``, ``refused`` or ``expired``; ``""``
            where it showed the token of none.
        operation: The operation that it calls, ``""`` before a call.
    """

    name: str
    trust: Trust = "full"
    granted: tuple[StoreName, ...] | None = None
    is_owner: bool = False
    review: bool = False
    agent_id: str = ""
    client: str = ""
    state: CallerState = "active"
    rate: float | None = None
    has_ended: bool = False
    token_hash: str = ""
    has_old_token: bool = False
    request: str = ""
    has_confirmed: bool = False
    operation: str = ""

    @property
    def stores(self) -> tuple[StoreName, ...]:
        """Return the stores this caller may read."""
        reached = READABLE[self.trust]
        return reached if self.granted is None else tuple(store for store in reached if store in self.granted)

    @property
    def access(self) -> Access:
        """Return what this call may see, and what its changes are recorded as."""
        return Access(self.name, self.stores, self.operation, None)

    def reaches(self, needed: Trust) -> bool:
        """Return whether this caller may call what needs some trust.

        Full trust is only reached by who reads every store: operations that need it work on all of the vault.
        """
        if needed == "full" and self.stores != STORES:
            return False
        return TRUSTS.index(self.trust) >= TRUSTS.index(needed)


def ended_caller(name: str, client: str = "") -> Caller:
    """Return the caller that an agent without access any more is."""
    return Caller(name, "public", (), client=client, state="unknown", has_ended=True)


def replaced_caller(caller: Caller) -> Caller:
    """Return the caller that an agent is whose token was replaced by a newer one."""
    return Caller(caller.name, "public", (), client=caller.client, state="unknown", has_old_token=True)


OWNER = Caller("person", is_owner=True)


def caller_of(agent: Agent, client: str = "", token_hash: str = "") -> Caller:
    """Return the caller that an agent with access is."""
    return Caller(
        agent.name,
        agent.trust,
        agent.stores or None,
        review=agent.review,
        agent_id=agent.id,
        client=client,
        state="paused" if agent.paused else "active",
        rate=agent.rate,
        token_hash=token_hash,
    )
