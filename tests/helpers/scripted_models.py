"""Chat models that answer by a script."""

from collections.abc import Callable

from app.errors import KeepsakeError
from app.llm.model import ChatAnswer, ChatRequest, Usage

Answer = str | KeepsakeError


class ScriptedModel:
    """Chat model that answers as a function of the request says.

    Args:
        answer: Returns the text of the answer, or an error to raise.
    """

    name = "scripted"

    def __init__(self, answer: Callable[[ChatRequest], Answer]) -> None:
        self._answer = answer
        self.is_available = True
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request by the script."""
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, KeepsakeError):
            raise answer
        return ChatAnswer(answer, usage=Usage(100, 10, 0.001))
