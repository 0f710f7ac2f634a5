"""Protocol of chat models, and the absent one."""

from typing import Protocol

from app.llm.model import ChatAnswer, ChatRequest


class ChatModel(Protocol):
    """Answers conversations. Belongs to the engine's event loop."""

    @property
    def name(self) -> str:
        """Return the name of the main model for people, ``""`` where there is none."""

    @property
    def is_available(self) -> bool:
        """Return whether a model may be asked now; False over the spend cap."""

    async def prepare(self) -> None:
        """Load what the first request needs, before its time is counted."""

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request.

        Raises:
            ModelUnavailableError: There is no model, it cannot be reached, it refused, or the spend cap is reached.
            AccessDeniedError: The request has private text, and the settings keep that from a remote model.
        """
