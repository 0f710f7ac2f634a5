"""Digests by a language model: sentences that cite the observations they come from."""

from collections.abc import Callable, Sequence

import msgspec

from app.core.text_rules.recall_fence import entry, fence_text
from app.errors import AccessDeniedError, ModelUnavailableError
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest
from app.memories.model import Memory
from app.memories.text.digest_text import Statement, when

_MOST_SENTENCES = 12
_LONGEST = 600
_LONGEST_TEXT = 24_000
_MAX_TOKENS = 1_500


class _Sentence(msgspec.Struct):
    text: str
    sources: list[int]


class _Digest(msgspec.Struct):
    sentences: list[_Sentence]


class DigestWriter:
    """Asks a language model for the statements of a digest.

    Args:
        model: The model.
        prompt: Returns the instructions.
    """

    def __init__(self, model: ChatModel, prompt: Callable[[], str]) -> None:
        self._model = model
        self._prompt = prompt

    @property
    def is_available(self) -> bool:
        """Return whether the model may be asked now."""
        return self._model.is_available

    async def statements(self, observations: Sequence[Memory]) -> tuple[tuple[Statement, ...] | None, float]:
        """Return the statements of a digest and what they cost.

        There are none where the model has no usable answer.
        Sentences that cite no observation are dropped. Texts too long for the model, and private ones that must not
        reach it, are not sent.
        """
        body = "\n".join(
            entry(str(number), f"{when(memory):%Y-%m-%d} {memory.title}", _text(memory), whole_lines=True)
            for number, memory in enumerate(observations, 1)
        )
        if not self._model.is_available or len(body) > _LONGEST_TEXT:
            return None, 0.0
        request = ChatRequest(
            (ChatMessage("system", self._prompt()), ChatMessage("user", fence_text(body)[0])),
            purpose="compression",
            stores=tuple(dict.fromkeys(memory.store for memory in observations)),
            max_output_tokens=_MAX_TOKENS,
        )
        try:
            answer, usage = await ask_for_json(self._model, request, _Digest)
        except (ModelUnavailableError, AccessDeniedError):
            return None, 0.0  # the rules write it
        statements = [
            statement
            for sentence in answer.sentences[:_MOST_SENTENCES]
            if (statement := _cited(sentence, len(observations)))
        ]
        return (tuple(statements) or None), usage.cost


def _cited(sentence: _Sentence, count: int) -> Statement | None:
    """Return a sentence as a statement.

    Return ``None`` if it is empty or cites nothing that was asked about.
    """
    places = tuple(sorted({number - 1 for number in sentence.sources if 1 <= number <= count}))
    text = " ".join(sentence.text.split())[:_LONGEST]
    return Statement(text, places) if text and places else None


def _text(memory: Memory) -> str:
    return "\n".join(part for part in (memory.content, *memory.facts) if part.strip())
