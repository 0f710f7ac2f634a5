"""Confirmation by the person, asked through the client where it can ask (MCP's elicitation)."""

import secrets
from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from app.mcp.host_link import HostLink
from app.mcp.server_identity import MODERN_VERSION
from app.mcp.tools.toolbox import Decision

_KEY: Final = "confirm"
_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""An empty form: to accept it is the consent."""
ANSWER_SECONDS: Final = 3_600.0
_MAX_OPEN: Final = 1_000


class ConfirmationNeeded(Exception):  # noqa: N818  (a signal, no failure)
    """Signal that the client must ask the person and then repeat the call."""

    def __init__(self, question: str, state: str) -> None:
        super().__init__(question)
        self.question = question
        self.state = state

    def request(self) -> dict[str, Any]:
        """Return the answer that has the client ask and repeat the call with the state."""
        params = {"mode": "form", "message": self.question, "requestedSchema": _SCHEMA}
        requests = {_KEY: {"method": "elicitation/create", "params": params}}
        return {"resultType": "input_required", "inputRequests": requests, "requestState": self.state}


class OpenQuestions:
    """Questions that clients were given to ask, each of which is answered once.

    To which tool and arguments a question belongs, and for how long, stands in the state that the library seals.
    """

    def __init__(self) -> None:
        self._questions: dict[str, tuple[HostLink, str]] = {}

    def add(self, link: HostLink, question: str) -> str:
        """Return the state of a question to a client.

        The oldest question gives way where too many are open.
        """
        state = secrets.token_urlsafe(16)
        self._questions[state] = (link, question)
        if len(self._questions) > _MAX_OPEN:
            del self._questions[next(iter(self._questions))]
        return state

    def close(self, state: str | None, link: HostLink, question: str) -> bool:
        """Close the question of a state.

        Returns whether it was open, this one, and put to this client.
        """
        return state is not None and self._questions.pop(state, None) == (link, question)


class ClientConfirmer:
    """Asks through the client that made a request; see ``Confirmer``.

    Args:
        context: The request.
        link: The client's link to the host.
        questions: The questions that are open.
        given: The call, which says what the person said where the client repeats it; ``None`` for a request of
            another kind.
        on_asking: Called before the person is waited for.
    """

    def __init__(
        self,
        context: ServerRequestContext[Any, Any],
        link: HostLink,
        questions: OpenQuestions,
        given: types.CallToolRequestParams | None,
        on_asking: Callable[[], None],
    ) -> None:
        self._context = context
        self._link = link
        self._questions = questions
        self._on_asking = on_asking
        self._responses = {} if given is None else given.input_responses or {}
        self._state = None if given is None else given.request_state
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
            is_open = self._questions.close(self._state, self._link, question)
            if not is_open or _KEY not in self._responses:
                raise ConfirmationNeeded(question, self._questions.add(self._link, question))
            return _decision(self._responses[_KEY])
        self._on_asking()
        try:
            return _decision(await session.elicit_form(question, _SCHEMA, self._context.request_id))
        except MCPError:
            # It said that it can ask, and cannot: the host's inbox is there for that.
            return "unavailable"


def _decision(answer: Any) -> Decision:
    content = answer.model_dump() if isinstance(answer, types.ElicitResult) else answer
    action = content.get("action") if isinstance(content, dict) else None
    if action == "accept":
        return "accepted"
    return "declined" if action == "decline" else "dismissed"
