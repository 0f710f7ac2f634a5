"""Rolling summaries by a language model, where the settings ask for one."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import ModelUnavailableError
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest
from app.llm.prompts import load_prompt
from app.sessions.compaction.extractive_summary import ExtractiveSummariser
from app.sessions.model import Message
from app.sessions.quoted_messages import quoted_messages, quoted_text

PURPOSE: Final = "rolling-summary"
_WORDS_PER_TOKEN: Final = 0.6
_MOST_MESSAGES: Final = 200  # at once; of more, a list is made


class _Answer(msgspec.Struct):
    summary: str


class ModelSummariser:
    """Summariser that asks a language model while the setting says so, and lists messages otherwise.

    Args:
        model: The language model.
        is_wanted: Whether the settings ask for it.
    """

    def __init__(self, model: ChatModel, is_wanted: Callable[[], bool]) -> None:
        self._model = model
        self._is_wanted = is_wanted
        self._plain = ExtractiveSummariser()

    @property
    def name(self) -> str:
        """Return who writes now."""
        return self._model.name if self._is_used else self._plain.name

    @property
    def _is_used(self) -> bool:
        return self._is_wanted() and self._model.is_available

    async def summarise(self, earlier: str, messages: Sequence[Message], max_tokens: int) -> str:
        """Return the new summary; see ``Summariser``.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its summary is empty or too long.
            AccessDeniedError: Conversations may not go to this model.
        """
        quoted = quoted_messages(messages) if self._is_used and len(messages) <= _MOST_MESSAGES else ""
        if not quoted:
            return await self._plain.summarise(earlier, messages, max_tokens)
        before = quoted_text(earlier)
        shown = f"The summary so far:\n{before}\n\nThe turns:\n{quoted}" if before else f"The turns:\n{quoted}"
        words = str(max(int(max_tokens * _WORDS_PER_TOKEN), 30))
        prompt = load_prompt("rolling-summary").text.replace("{words}", words)
        request = ChatRequest(
            (ChatMessage("system", prompt), ChatMessage("user", shown)),
            PURPOSE,
            ("private",),  # conversations are, whatever the trust of their agent
            "fast",
            max_output_tokens=max_tokens + 200,
        )
        answer, _ = await ask_for_json(self._model, request, _Answer)
        text = answer.summary.strip()
        if not text or estimate_tokens(text) > max_tokens:
            raise ModelUnavailableError("The language model's summary is empty or too long.", purpose=PURPOSE)
        return text
