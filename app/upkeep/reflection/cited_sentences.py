"""Sentences of a language model on a week, each with its sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from app.core.stores import STORES
from app.core.text import excerpt
from app.core.text_rules.recall_fence import entry, fence_text
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest, Usage
from app.llm.prompts import load_prompt
from app.memories.model import Source
from app.upkeep.reflection.citations import cited, quoted
from app.upkeep.reflection.model import WeekItem

PURPOSE: Final = "weekly-reflection"
LEAST: Final = 3  # sentences that make a reflection
_MOST: Final = 20
_ITEM: Final = 400  # characters shown of an item
_SENTENCE: Final = 400
_MOST_CITED: Final = 5  # sources of a sentence
_MAX_TOKENS: Final = 2_000


class _Sentence(msgspec.Struct):
    sentence: str
    sources: list[int] = []


class _Answer(msgspec.Struct):
    sentences: list[_Sentence]


@dataclass(frozen=True, slots=True)
class CitedText:
    """Text of a model, of which each sentence cites its sources.

    Args:
        content: The sentences, in Markdown; empty where too few cited anything that they were shown.
        sources: What they cite, each once.
        dropped: Sentences left out.
        usage: Tokens and cost.
        model: The name of the model.
    """

    content: str
    sources: tuple[Source, ...]
    dropped: int
    usage: Usage
    model: str


async def write(model: ChatModel, items: Sequence[WeekItem]) -> CitedText:
    """Ask a model for sentences on the items.

    Numbers that were not offered count as no source.

    Raises:
        ModelUnavailableError: See ``ask_for_json``.
        AccessDeniedError: The settings keep an item from the model.
    """
    answer, usage = await ask_for_json(model, _request(items), _Answer)
    lines: list[str] = []
    sources: dict[Source, None] = {}
    for sentence in answer.sentences[:_MOST]:
        numbers = [number for number in dict.fromkeys(sentence.sources) if 1 <= number <= len(items)][:_MOST_CITED]
        text = quoted(sentence.sentence, _SENTENCE)
        if not numbers or not text:
            continue
        cited_sources = [items[number - 1].source for number in numbers]
        sources.update(dict.fromkeys(cited_sources))
        places = {source: place for place, source in enumerate(sources, 1)}
        lines.append(
            f"{text} ({', '.join(cited(str(places[source]), source) for source in dict.fromkeys(cited_sources))})"
        )
    dropped = len(answer.sentences) - len(lines)
    if len(lines) < LEAST:
        return CitedText("", (), dropped, usage, model.name)
    return CitedText("\n\n".join(lines), tuple(sources), dropped, usage, model.name)


def _request(items: Sequence[WeekItem]) -> ChatRequest:
    body = "\n".join(
        entry(str(number), _about(item), excerpt(item.text, _ITEM)) for number, item in enumerate(items, 1)
    )
    named = {item.store for item in items}
    return ChatRequest(
        (ChatMessage("system", load_prompt(PURPOSE).text), ChatMessage("user", fence_text(body)[0])),
        PURPOSE,
        tuple(store for store in STORES if store in named),
        max_output_tokens=_MAX_TOKENS,
    )


def _about(item: WeekItem) -> str:
    dates = [f"{item.at:%Y-%m-%d}", *([f"for {item.event_time:%Y-%m-%d}"] if item.event_time else [])]
    return " ".join([*dates, item.family or item.kind])
