"""Narratives of sessions: a language model's account of what a conversation was about."""

from collections.abc import Sequence
from typing import Final

import msgspec

from app.core.text import storable
from app.errors import ModelUnavailableError
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest
from app.llm.prompts import load_prompt
from app.sessions.model import Message
from app.sessions.quoted_messages import quoted_messages, quoted_text

PURPOSE: Final = "session-summary"
MAX_MESSAGES: Final = 60  # the newest of those since the last account
MAX_CHARACTERS: Final = 4_000


class _Answer(msgspec.Struct):
    summary: str


class SessionNarrator:
    """Writes accounts of sessions by a language model.

    Args:
        model: The language model.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Return the model's name, ``""`` while it may not be asked."""
        return self._model.name if self._model.is_available else ""

    async def narrate(self, earlier: str, messages: Sequence[Message]) -> str:
        """Return an account of ``earlier`` and the messages after it.

        It is ``""`` where nothing was said.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its account is empty or too long.
            AccessDeniedError: Conversations may not go to this model.
        """
        quoted, before = quoted_messages(messages), quoted_text(earlier)
        if not quoted:
            return ""
        shown = f"The account so far:\n{before}\n\nThe turns:\n{quoted}" if before else f"The turns:\n{quoted}"
        request = ChatRequest(
            (ChatMessage("system", load_prompt("session-summary").text), ChatMessage("user", shown)),
            PURPOSE,
            ("private",),  # conversations are, whatever the trust of their agent
            "fast",
            max_output_tokens=1_200,
        )
        answer, _ = await ask_for_json(self._model, request, _Answer)
        text = storable(answer.summary.strip())[0]
        if not text or len(text) > MAX_CHARACTERS:
            raise ModelUnavailableError("The language model's account is empty or too long.", purpose=PURPOSE)
        return text
