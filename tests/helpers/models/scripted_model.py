"""Chat model that answers from a script and remembers what it was asked."""

import json
from collections.abc import Callable
from typing import Any

from app.errors import KeepsakeError
from app.llm.model import ChatAnswer, ChatRequest, Usage

Answer = str | KeepsakeError | dict[str, Any]


class ScriptedModel:
    """A chat model for tests.

    Args:
        answers: Answers in order, or one function of the request; the last answer is repeated.
    """

    def __init__(self, *answers: Answer | Callable[[ChatRequest], Answer]) -> None:
        self.name = "scripted"
        self.is_available = True
        self.requests: list[ChatRequest] = []
        self._answers = list(answers)

    async def prepare(self) -> None:
        """See ``ChatModel``."""

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Answer as the script says."""
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, KeepsakeError):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return ChatAnswer(text, usage=Usage(100, 10, 0.01), model=self.name)

    @property
    def prompts(self) -> list[str]:
        """Return what the model was shown, apart from its instructions."""
        return [request.messages[1].content for request in self.requests]

    @property
    def purposes(self) -> list[str]:
        """Return what the answers were for."""
        return [request.purpose for request in self.requests]
