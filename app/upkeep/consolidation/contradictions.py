"""Contradictions between new facts and those in the vault, judged by a language model."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import msgspec

from app.core.access import Access
from app.core.stores import StoreName
from app.core.text_rules.recall_fence import entry, fence_text
from app.errors import KeepsakeError
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest, Usage
from app.llm.prompts import load_prompt
from app.memories.model import Memory
from app.memories.queries.fact_queries import FactQueries
from app.upkeep.consolidation.model import FoundFact

_log = logging.getLogger(__name__)

PURPOSE: Final = "contradictions"
_MAX_RIVALS: Final = 4  # old facts that are compared with each new one
_MAX_SHOWN: Final = 500


class _Pair(msgspec.Struct):
    new: int
    old: int


class _Answer(msgspec.Struct):
    contradictions: list[_Pair]


class ContradictionJudge:
    """Finds the facts that new ones contradict.

    Args:
        model: The language model that judges.
        queries: Finds facts on the same matter.
    """

    def __init__(self, model: ChatModel, queries: FactQueries) -> None:
        self._model = model
        self._queries = queries

    async def judge(self, facts: Sequence[FoundFact], store: StoreName) -> tuple[list[FoundFact], Usage]:
        """Return ``facts`` with the ids of what they contradict, and what the answer took.

        Where the model cannot be asked, nothing contradicts anything.
        """
        olds: dict[str, Memory] = {}
        for fact in facts:
            for conflict in await self._queries.conflicts(
                Access(PURPOSE, (store,), PURPOSE, None), fact.content, limit=_MAX_RIVALS
            ):
                olds.setdefault(conflict.id, conflict)
        if not olds:
            return list(facts), Usage()
        known = list(olds.values())
        try:
            answer, usage = await ask_for_json(self._model, _request(facts, known), _Answer)
        except KeepsakeError as error:
            _log.info("no contradictions were looked for: %s", error.code)
            return list(facts), Usage()
        rivals: dict[int, list[str]] = {}
        for pair in answer.contradictions:
            if 1 <= pair.new <= len(facts) and 1 <= pair.old <= len(known):
                rivals.setdefault(pair.new - 1, []).append(known[pair.old - 1].id)
        return [
            replace(fact, contradicts=tuple(dict.fromkeys(rivals.get(number, ())))) for number, fact in enumerate(facts)
        ], usage


def _request(facts: Sequence[FoundFact], olds: Sequence[Memory]) -> ChatRequest:
    new = "\n".join(
        entry(f"new {number}", _speaker(fact.attributes.get("said_by")), fact.content)
        for number, fact in enumerate(facts, 1)
    )
    old = "\n".join(
        entry(f"old {number}", _speaker(old.said_by), old.content[:_MAX_SHOWN]) for number, old in enumerate(olds, 1)
    )
    shown = f"New facts:\n{fence_text(new)[0]}\n\nOld facts:\n{fence_text(old)[0]}"
    return ChatRequest(
        (ChatMessage("system", load_prompt("contradictions").text), ChatMessage("user", shown)),
        PURPOSE,
        ("private",),
        "fast",
    )


def _speaker(who: object) -> str:
    return f"said by {who}" if who else ""
