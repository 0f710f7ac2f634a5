"""Confirmation by the person, asked through the client where it can ask (MCP's elicitation)."""

from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from app.mcp.server_identity import MODERN_VERSION
from app.mcp.toolbox import Decision

_KEY: Final = "confirm"
_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""An empty form: to accept it is the consent."""


class ConfirmationNeeded(Exception):  # noqa: N818  (a signal, no failure)
    """Signal that the client must ask the person and then repeat the call."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question

    def request(self) -> dict[str, Any]:
        """Return the answer that has the client ask and repeat the call."""
        params = {"mode": "form", "message": self.question, "requestedSchema": _SCHEMA}
        requests = {_KEY: {"method": "elicitation/create", "params": params}}
        return {"resultType": "input_required", "inputRequests": requests}


class ClientConfirmer:
    """Asks through the client that made a request; see ``Confirmer``.

    Args:
        context: The request.
        responses: What the person said, where the client repeats a call with it.
        on_asking: Called before the person is waited for.
    """

    def __init__(self, context: ServerRequestContext[Any, Any], responses: Any, on_asking: Callable[[], None]) -> None:
        self._context = context
        self._on_asking = on_asking
        self._responses = responses or {}
        self._has_confirmed = False

    @property
    def has_confirmed(self) -> bool:
        """See ``Confirmer``."""
        return self._has_confirmed

    async def confirm(self, question: str) -> Decision:
        """See ``Confirmer``."""
        decision = await self._decide(question)
        self._has_confirmed = decision == "accepted"
        return decision

    async def _decide(self, question: str) -> Decision:
        session = self._context.session
        able = session.client_capabilities
        if able is None or able.elicitation is None:
            return "unavailable"
        if self._context.protocol_version == MODERN_VERSION:
            if _KEY not in self._responses:
                raise ConfirmationNeeded(question)
            return _decision(self._responses[_KEY])
        self._on_asking()
        try:
            return _decision(await session.elicit_form(question, _SCHEMA, self._context.request_id))
        except MCPError:
            # It said that it can ask, and cannot: the host's inbox is there for that.
            return "unavailable"


def _decision(answer: Any) -> Decision:
    given = answer.model_dump() if isinstance(answer, types.ElicitResult) else answer
    action = given.get("action") if isinstance(given, dict) else None
    if action == "accept":
        return "accepted"
    return "declined" if action == "decline" else "dismissed"
