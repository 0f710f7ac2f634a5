"""Extractor of memories that asks a language model."""

from collections.abc import Sequence
from typing import Final

import msgspec

from app.core.text import collapse, has_controls
from app.errors import AccessDeniedError
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest
from app.llm.prompts import load_prompt
from app.memories.model import NewMemory, Source
from app.sessions.model import Message, Session
from app.sessions.quoted_messages import quoted_messages

PURPOSE: Final = "auto-capture"
MAX_OBSERVATIONS: Final = 8
_MAX_TITLE: Final = 120
_MAX_NARRATIVE: Final = 2_000
_MAX_FACTS: Final = 12
_MAX_FACT: Final = 300
_TYPES: Final = frozenset(("decision", "preference", "plan", "event", "discovery", "problem", "change", "learning"))
_OTHER: Final = "note"
_MASKED: Final = "[secret:"


class _Observation(msgspec.Struct):
    title: str
    sources: list[int]
    type: str = _OTHER
    narrative: str = ""
    facts: list[str] = []


class _Answer(msgspec.Struct):
    observations: list[_Observation]


class ModelExtractor:
    """Finds observations in completed turns.

    Args:
        model: The language model.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Return the model's name, ``""`` while it may not be asked."""
        return self._model.name if self._model.is_available else ""

    async def extract(self, session: Session, messages: Sequence[Message]) -> Sequence[NewMemory]:
        """Return observations; none where conversations may not go to this model.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its answers do not fit.
        """
        quoted = quoted_messages(messages)
        if not quoted:
            return ()
        prompt = load_prompt("auto-capture")
        request = ChatRequest(
            (ChatMessage("system", prompt.text), ChatMessage("user", quoted)),
            PURPOSE,
            ("private",),  # conversations are, whatever the trust of their agent
            "fast",
            max_output_tokens=2_000,
        )
        try:
            answer, _ = await ask_for_json(self._model, request, _Answer)
        except AccessDeniedError:
            return ()
        origin = {"model": self._model.name, "prompt": f"{prompt.name} {prompt.version}"}
        known = {message.seq for message in messages}
        drafts = (
            _draft(observation, session.id, known, origin) for observation in answer.observations[:MAX_OBSERVATIONS]
        )
        return [draft for draft in drafts if draft is not None]


def _draft(observation: _Observation, session: str, known: set[int], origin: dict[str, str]) -> NewMemory | None:
    """Return an observation as a memory, ``None`` if it has another form."""
    title, narrative = collapse(observation.title), observation.narrative.strip()[:_MAX_NARRATIVE]
    facts = tuple(
        fact for text in observation.facts[:_MAX_FACTS] if (fact := collapse(text)) and len(fact) <= _MAX_FACT
    )
    seqs = sorted(known.intersection(observation.sources))
    text = " ".join((title, narrative, *facts))
    if not title or len(title) > _MAX_TITLE or has_controls(title) or _MASKED in text or not seqs:
        return None
    kind = collapse(observation.type).casefold()
    return NewMemory(
        narrative,
        title=title,
        kind="observation",
        type=kind if kind in _TYPES else _OTHER,
        facts=facts,
        attributes=dict(origin),
        sources=tuple(Source("message", f"{session}#{seq}") for seq in seqs),
    )
