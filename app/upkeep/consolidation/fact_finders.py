"""Finders of facts on a page: a language model, and rules where there is none."""

from dataclasses import replace
from typing import Final

import msgspec

from app.core.text import collapse, has_controls
from app.core.text_rules.recall_fence import entry, fence_text
from app.core.text_rules.tag_names import normalise_tags
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest, Usage
from app.llm.prompts import load_prompt
from app.upkeep.consolidation.model import ConversationPage, FoundFact, PageLine

PURPOSE: Final = "consolidation"
SOURCE: Final = "consolidation"
MAX_FACTS: Final = 40  # of one page
_MAX_CONTENT: Final = 500
_MAX_NAME: Final = 60
_MAX_TAGS: Final = 5
_MAX_TURN: Final = 4_000  # characters of a turn that a model is shown
_MAX_OUTPUT: Final = 4_000
_MASKED: Final = "[secret:"


class _Fact(msgspec.Struct):
    content: str
    sources: list[int]
    category: str = ""
    key: str = ""
    confidence: float = 0.7
    tags: list[str] = []


class _Answer(msgspec.Struct):
    facts: list[_Fact]


class ModelFactFinder:
    """Finds facts by a language model.

    Args:
        model: The model.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def is_configured(self) -> bool:
        """Return whether there is a model, even if it cannot be asked now."""
        return bool(self._model.name)

    @property
    def is_available(self) -> bool:
        """Return whether the model may be asked now."""
        return self._model.is_available

    async def find(self, page: ConversationPage) -> tuple[list[FoundFact], Usage]:
        """Return the facts of a page, and what the answer took.

        Of the answer, only numbers of the page count, and texts up to a length.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its answers do not fit.
            AccessDeniedError: Conversations may not go to this model.
        """
        prompt = load_prompt("consolidate")
        # Conversations are private, whatever the trust of their agent.
        request = ChatRequest(
            (ChatMessage("system", prompt.text), ChatMessage("user", _quoted(page))),
            PURPOSE,
            ("private",),
            "fast",
            max_output_tokens=_MAX_OUTPUT,
        )
        answer, usage = await ask_for_json(self._model, request, _Answer)
        origin = {"model": self._model.name, "prompt": f"{prompt.name} {prompt.version}"}
        known = {line.seq for line in page.lines}
        facts = (_checked(fact, known) for fact in answer.facts[:MAX_FACTS])
        return [replace(fact, attributes=dict(origin)) for fact in facts if fact is not None], usage


def _quoted(page: ConversationPage) -> str:
    body = "\n".join(map(_turn, page.lines))
    earlier = "\n".join(map(_turn, page.context))
    quoted = f"The turns to read:\n{fence_text(body)[0]}"
    return f"Earlier turns, for context only:\n{fence_text(earlier)[0]}\n\n{quoted}" if earlier else quoted


def _turn(line: PageLine) -> str:
    who = line.speaker or line.role
    return entry(str(line.seq), f"{line.at:%Y-%m-%d}, {who}", line.text[:_MAX_TURN], whole_lines=True)


def _checked(fact: _Fact, known: set[int]) -> FoundFact | None:
    """Return a fact of an answer, ``None`` if it does not fit."""
    content, seqs = collapse(fact.content), tuple(sorted(known.intersection(fact.sources)))
    if not content or len(content) > _MAX_CONTENT or has_controls(content) or _MASKED in content or not seqs:
        return None
    category, key = _name(fact.category), _name(fact.key)
    confidence = min(max(fact.confidence, 0.05), 0.95) if fact.confidence == fact.confidence else 0.5
    tags = normalise_tags(tag[:_MAX_NAME] for tag in fact.tags[:_MAX_TAGS] if not has_controls(tag))
    return FoundFact(content, seqs, confidence, SOURCE, category, key if category else "", tags)


def _name(name: str) -> str:
    clean = collapse(name).casefold()
    return "" if len(clean) > _MAX_NAME or has_controls(clean) else clean
