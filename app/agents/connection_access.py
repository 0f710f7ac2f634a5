"""Access of connected clients, granted and ended by the registration of agents."""

from typing import get_args

from app.agents.model import Trust
from app.agents.service import AgentService
from app.connections.model import GrantedAccess
from app.errors import InputError, NotFoundError
from app.sentence import Sentence


class ConnectionAccess:
    """Registration of connected clients as agents.

    Args:
        agents: The registered agents.
    """

    def __init__(self, agents: AgentService) -> None:
        self._agents = agents

    async def grant(self, name: str, trust: str, *, review: bool, actor: str) -> GrantedAccess:
        """See ``AccessGranter``."""
        levels: tuple[Trust, ...] = get_args(Trust)
        level = next((level for level in levels if level == trust), None)
        if level is None:
            raise InputError(
                Sentence("There is no trust '{trust}'. Use one of {names}.", trust=trust, names=", ".join(levels)),
                field="trust",
            )
        token = (await self._agents.add(name, level, review=review, actor=actor)).value
        return GrantedAccess(token.id, token.token)

    async def end(self, name: str, *, actor: str) -> str:
        """See ``AccessGranter``."""
        try:
            return (await self._agents.revoke(name, actor=actor)).value.id
        except NotFoundError:
            return ""  # the person ended it already
