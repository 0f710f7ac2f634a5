"""Authentication of agents: the caller that a token belongs to."""

from dataclasses import replace

from app.agents.service import AgentService, clean_name
from app.agents.tokens import token_hash
from app.api.caller import Caller, caller_of, ended_caller, replaced_caller
from app.errors import InputError


class Authentication:
    """Recognises agents by their tokens.

    Args:
        agents: The registered agents.
    """

    def __init__(self, agents: AgentService) -> None:
        self._agents = agents

    async def caller(self, token: str, name: str, version: str) -> Caller:
        """Return the agent that a token belongs to, else an unknown caller.

        The unknown caller has the name of the agent whose access ended, if the token was its own.

        Args:
            token: The token that was shown.
            name: The name that the program gives of itself.
            version: Its version.
        """
        client = f"{name} {version}".strip()
        agent = await self._agents.by_token(token)
        if agent is None:
            ended = await self._agents.ended_name(token)
            if ended is not None:
                return ended_caller(ended, client)
            return replace(unknown_caller(name, client), request=await self._agents.request_state(token) or "")
        await self._agents.note_seen(agent.id, client)
        return caller_of(agent, client, token_hash(token))

    def current(self, caller: Caller) -> Caller:
        """Return a caller as decided by now, unknown if its access or token ended."""
        agent = self._agents.decided(caller.agent_id)
        if agent is not None and agent.revoked_at is not None:
            return ended_caller(agent.name, caller.client)
        if self._agents.newest_token(caller.agent_id) not in {None, caller.token_hash}:
            return replaced_caller(caller)
        return caller if agent is None else caller_of(agent, caller.client, caller.token_hash)

    async def renewed(self, caller: Caller) -> Caller | None:
        """Return an agent's caller as it is now, ``None`` if its access or token ended."""
        agent = await self._agents.by_token_hash(caller.token_hash)
        return None if agent is None else caller_of(agent, caller.client, caller.token_hash)


def unknown_caller(name: str, client: str) -> Caller:
    """Return a caller that may only ask to be let in."""
    try:
        shown = clean_name(name)
    except InputError:
        shown = "a program"
    return Caller(shown, "public", (), client=client, state="unknown")
