"""Operations on agents: who is let in, with which trust."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec

from app.agents.model import AccessAnswer, AccessRequest, Agent, AgentToken, ConnectedAgent, Incognito, Trust
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine

CallRate = Annotated[float, msgspec.Meta(ge=0, le=10_000)]


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller's name, its trust and the stores it reads."""

    name: str
    trust: Trust
    stores: tuple[StoreName, ...]
    is_owner: bool
    review: bool
    state: str


@operation("agent.whoami", trust="public", open_to_unknown=True, sentence="Checked its own access")
async def whoami(engine: Engine, caller: Caller) -> Identity:
    """Return the caller's own name, trust and stores."""
    return Identity(caller.name, caller.trust, caller.stores, caller.is_owner, caller.review, caller.state)


@operation(
    "agent.request_access",
    access="write",
    trust="public",
    open_to_unknown=True,
    review="free",
    kind="agent",
    for_models=False,
    undo="needless",
    sentence="Requested access",
)
async def request_access(
    engine: Engine, caller: Caller, name: str, trust: Trust = "familiar", reason: str = ""
) -> Changed[AccessAnswer]:
    """Ask the person to let this program in.

    The answer holds a token. It is valid once the person has allowed the request; show it in every hello from then on.

    Args:
        name: The name of the program, as the person will see it.
        trust: The trust it asks for; the person may give another.
        reason: What it wants to use the memory for, in a sentence for the person.
    """
    return await engine.agents.request_access(name, caller.client, trust, reason)


@operation("agent.add", access="write", owner_only=True, undo="operation")
async def add(
    engine: Engine,
    caller: Caller,
    name: str,
    trust: Trust = "familiar",
    stores: list[StoreName] = [],  # noqa: B006
    review: bool = False,
    isolated: bool = False,
) -> Changed[AgentToken]:
    """Register an agent and return its token, which is shown once.

    The agent shows the token in the variable KEEPSAKE_TOKEN, or keeps it in the system's keyring.

    Args:
        name: Its name, the actor in history and ledger.
        trust: full reads private, shared and social memories; inner shared and social; familiar social; public none.
        stores: Narrows the stores that its trust reaches; none of them for all.
        review: Let its writes wait in the inbox until the person accepts them.
        isolated: Give it a vault of its own.
    """
    return await engine.agents.add(name, trust, stores, review=review, isolated=isolated, actor=caller.name)


@operation("agent.list", owner_only=True)
async def list_agents(engine: Engine, caller: Caller) -> list[Agent]:
    """Return every agent, by name, those whose access has ended among them."""
    return await engine.agents.listed()


@operation("agent.connected", owner_only=True)
async def connected(engine: Engine, caller: Caller) -> list[ConnectedAgent]:
    """Return the agents that are connected now, by name, with what each called last."""
    return list(engine.presence.connected())


@operation("agent.rotate", access="write", owner_only=True, undo="none")
async def rotate(engine: Engine, caller: Caller, name: str) -> Changed[AgentToken]:
    """Give an agent a new token; the one before ends, on open connections too.

    An agent that keeps its token itself, as ``keepsake mcp`` does, asks for access again at its next call; allow that
    with ``replace_token``.

    Args:
        name: Its name or id.
    """
    return await engine.agents.rotate(name, actor=caller.name)


@operation("agent.revoke", access="write", owner_only=True, destructive=True, undo="none")
async def revoke(engine: Engine, caller: Caller, name: str) -> Changed[Agent]:
    """End an agent's access at once, on open connections too; what it wrote stays.

    Args:
        name: Its name or id.
    """
    return await engine.agents.revoke(name, actor=caller.name)


@operation("agent.trust", access="write", owner_only=True, positional=("name", "trust"), undo="operation")
async def change_trust(
    engine: Engine,
    caller: Caller,
    name: str,
    trust: Trust | None = None,
    stores: list[StoreName] | None = None,
    review: bool | None = None,
    isolated: bool | None = None,
    paused: bool | None = None,
    rate: CallRate | None = None,
) -> Changed[Agent]:
    """Change what an agent may do; it holds at once, on open connections too.

    Args:
        name: Its name or id.
        trust: Its trust from now on.
        stores: Narrows the stores that its trust reaches; none of them for all.
        review: Whether its writes wait in the inbox.
        isolated: Whether it has a vault of its own.
        paused: Whether its calls are refused for now.
        rate: Calls a second that it may make; 0 for what the settings say.
    """
    return await engine.agents.change(
        name,
        trust=trust,
        stores=stores,
        review=review,
        isolated=isolated,
        paused=paused,
        rate=rate,
        actor=caller.name,
    )


@operation("agent.requests", owner_only=True)
async def requests(engine: Engine, caller: Caller) -> list[AccessRequest]:
    """Return the programs that wait to be let in, oldest first."""
    return await engine.agents.requests()


@operation("agent.allow", access="write", owner_only=True, undo="operation")
async def allow(
    engine: Engine,
    caller: Caller,
    request: str,
    trust: Trust | None = None,
    stores: list[StoreName] = [],  # noqa: B006
    review: bool = False,
    isolated: bool = False,
    replace_token: bool = False,
) -> Changed[Agent]:
    """Let a program in that asked; the token it was given becomes valid.

    Args:
        request: The id of its request, or the name that it asked for.
        trust: Its trust; what it asked for by default.
        stores: Narrows the stores that its trust reaches; none of them for all.
        review: Let its writes wait in the inbox until the person accepts them.
        isolated: Give it a vault of its own.
        replace_token: Let it take over the agent of that name that has access already, such as after
            ``agent.rotate``: trust and all else stay as they are, and the token so far ends, on open connections too.
    """
    return await engine.agents.allow(
        request,
        trust=trust,
        stores=stores,
        review=review,
        isolated=isolated,
        replace_token=replace_token,
        actor=caller.name,
    )


@operation("agent.refuse", access="write", owner_only=True, undo="operation")
async def refuse(engine: Engine, caller: Caller, request: str) -> Changed[AccessRequest]:
    """Refuse a program that asked to be let in.

    Args:
        request: The id of its request, or the name that it asked for.
    """
    return await engine.agents.refuse(request, actor=caller.name)


@operation("agent.incognito.get", owner_only=True)
async def incognito_state(engine: Engine, caller: Caller) -> Incognito:
    """Return whether incognito is on, and until when."""
    return await engine.incognito.state()


@operation("agent.incognito.set", access="write", owner_only=True, undo="operation")
async def set_incognito(
    engine: Engine, caller: Caller, on: bool = True, until: datetime | None = None
) -> Changed[Incognito]:
    """Turn incognito on or off: while it is on, no agent can read or record.

    It holds for every agent, those that are let in meanwhile among them, and for goals that a model pursues.
    Transcripts of coding agents are not followed, and what they say of this time is not taken in later either, unless
    you import them yourself. Your own window and command line go on as ever.

    Args:
        on: Whether it is on.
        until: When it ends by itself; only when you turn it off where there is none.
    """
    return await engine.incognito.switch(is_on=on, until=until, actor=caller.name)
