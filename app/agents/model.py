"""Values of agents: registration, requests for access, and vaults of their own."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.core.stores import StoreName

Trust = Literal["full", "inner", "familiar", "public"]


@dataclass(frozen=True, slots=True)
class Agent:
    """A registered program.

    Args:
        id: Its id, which stays when its token is replaced.
        name: The actor in the history and in the ledger.
        trust: The stores and operations it reaches.
        stores: The stores it is narrowed to; empty for all that its trust reaches.
        review: Whether its writes wait in the inbox.
        isolated: Whether it has a vault of its own.
        paused: Whether its calls are refused for now.
        created_at: When it was added.
        revoked_at: When its access ended, ``None`` while it has access.
        last_seen_at: When it last connected.
        client: The name and version that the program gave of itself.
        echoes: Writes with which it tried to store recalled text again.
        writes: All its writes.
        echo_rate: The share of the echoes.
        rate: Calls a second that it may make, ``None`` for what the settings say.
    """

    id: str
    name: str
    trust: Trust
    stores: tuple[StoreName, ...]
    review: bool
    isolated: bool
    paused: bool
    created_at: datetime
    revoked_at: datetime | None = None
    last_seen_at: datetime | None = None
    client: str = ""
    echoes: int = 0
    writes: int = 0
    echo_rate: float = 0.0
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Incognito:
    """State of the incognito switch.

    Args:
        is_on: Whether every agent is held up.
        since: When it was turned on, ``None`` while it is off.
        until: When it ends by itself, ``None`` for when the person ends it.
    """

    is_on: bool = False
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class AgentToken:
    """An agent with its token, which is shown once and stored only as a hash."""

    id: str
    name: str
    token: str
    trust: Trust
    stores: tuple[StoreName, ...]
    review: bool
    isolated: bool


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """A request of an unknown program to be let in.

    Args:
        id: The id of the request.
        name: The name that the program asks for.
        client: The name and version that it gave of itself.
        trust: The trust that it asks for.
        reason: Its reason, in its own words.
        at: When it asked.
        decided_at: When the person decided.
        decision: ``allowed``, ``refused``, ``expired``; ``None`` while it waits.
        has_access: Whether an agent of that name has access already, which the program would take over.
    """

    id: str
    name: str
    client: str
    trust: Trust
    reason: str
    at: datetime
    decided_at: datetime | None = None
    decision: str | None = None
    has_access: bool = False


@dataclass(frozen=True, slots=True)
class AccessAnswer:
    """The answer to a request for access.

    Args:
        id: The id of the request.
        token: A token that becomes valid once the person allows the request.
        state: ``waiting`` until then.
        message: How the person can allow it, in words.
    """

    id: str
    token: str
    state: str
    message: str


@dataclass(frozen=True, slots=True)
class IsolatedVault:
    """The vault of one isolated agent.

    Args:
        agent: The agent's name, ``""`` when the folder does not say.
        path: Its folder, which can be opened as a vault while no Keepsake has it open.
        bytes: Size of its database and log.
        is_open: Whether this Keepsake has it open.
        is_isolated: Whether the agent is isolated now; otherwise it works on the person's vault again.
    """

    agent: str
    path: str
    bytes: int
    is_open: bool
    is_isolated: bool


@dataclass(frozen=True, slots=True)
class ConnectedAgent:
    """An agent that is connected now.

    Args:
        id: The agent.
        name: Its name.
        client: The name and version that the program gave of itself.
        since: When it connected.
        connections: How many connections it has.
        last_operation: What it called last, ``""`` for nothing so far.
        last_at: When it did.
    """

    id: str
    name: str
    client: str
    since: datetime
    connections: int = 1
    last_operation: str = ""
    last_at: datetime | None = None
