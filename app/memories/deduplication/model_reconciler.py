"""Reconciler that asks a language model.

Nothing is taken from its answer but an action, an index that was offered, and a merged text made of the words of both
memories.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from app.core.stores import StoreName
from app.core.text_rules.recall_fence import entry, fence_text
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest
from app.llm.prompts import load_prompt
from app.memories.deduplication.reconciler import Decision, ReconcileRequest, SimilarCandidate, absent_candidate
from app.memories.deduplication.word_sets import word_set

LONGEST: Final = 4_000
"""Characters of a memory that is judged; a longer one is not shown, as a part of it decides nothing."""

_REST_S: Final = 60.0
_MAX_TOKENS: Final = 1_500
_MOST_FOREIGN: Final = 0.1  # share of a merged text's words that neither memory has
_LEAST_KEPT: Final = 0.6  # share of the words of each memory that a merged text has
_REASONS: Final = {
    "ADD": "A language model found nothing that says it.",
    "NONE": "A language model found that it is stored already.",
    "UPDATE": "A language model joined it with a memory of the same thing.",
    "DELETE": "A language model found that it replaces an older memory.",
}


class ModelReconciler:
    """Decides over similar memories by a language model.

    Args:
        model: Who is asked.
        may_send: Tells whether the settings let texts of these stores go to the model.
        monotonic: A clock of seconds that never goes back.
    """

    def __init__(
        self,
        model: ChatModel,
        may_send: Callable[[Sequence[StoreName]], bool],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._may_send = may_send
        self._monotonic = monotonic
        self._rests_until = monotonic()

    @property
    def is_resting(self) -> bool:
        """Return whether it is left alone for a while, as it did not answer."""
        return self._monotonic() < self._rests_until

    def can_decide(self, store: StoreName) -> bool:
        """Return whether the model may be asked about memories of a store now."""
        return not self.is_resting and self._model.is_available and self._may_send((store,))

    def rest(self) -> None:
        """Ask nothing for a minute, so that the next writes need not wait."""
        self._rests_until = self._monotonic() + _REST_S

    async def prepare(self) -> None:
        """See ``Reconciler``."""
        await self._model.prepare()

    async def decide(self, request: ReconcileRequest) -> Decision:
        """Return the model's decision; ``ADD`` where what it answers goes beyond both memories.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its answer has not the agreed form.
            InputError: It names a memory that it was not shown.
            AccessDeniedError: The settings keep texts of this store from the model.
        """
        new = _text(request)
        shown = [candidate for candidate in request.candidates if len(_text(candidate)) <= LONGEST]
        if not shown or len(new) > LONGEST:
            return Decision("ADD", reason="It is too long for a language model to compare.")
        entries = [entry("new", "the new memory", new, whole_lines=True)]
        entries += [
            entry(str(candidate.index), "a stored memory", _text(candidate), whole_lines=True) for candidate in shown
        ]
        prompt = ChatRequest(
            (
                ChatMessage("system", load_prompt("reconcile").text),
                ChatMessage("user", fence_text("\n".join(entries))[0]),
            ),
            purpose="reconcile",
            stores=(request.store,),
            tier="fast",
            max_output_tokens=_MAX_TOKENS,
        )
        answer, _ = await ask_for_json(self._model, prompt, Decision)
        return _limited(answer, request, shown)


def _text(memory: ReconcileRequest | SimilarCandidate) -> str:
    return "\n".join(filter(None, (memory.title, memory.content, *memory.facts)))


def _limited(answer: Decision, request: ReconcileRequest, shown: Sequence[SimilarCandidate]) -> Decision:
    """Return a decision without anything that the two memories do not say themselves."""
    reason = _REASONS[answer.action]
    if answer.action == "ADD":
        return Decision("ADD", reason=reason)
    offered = {candidate.index: candidate for candidate in shown}
    if answer.index is None or answer.index not in offered:
        raise absent_candidate(answer.index, len(shown))
    if answer.action != "UPDATE":
        return Decision(answer.action, answer.index, reason=reason)
    old, new = word_set(_text(offered[answer.index])), word_set(_text(request))
    merged = word_set("\n".join((answer.title or "", answer.content or "", *(answer.facts or ()))))
    if answer.content is None or not _is_merged(merged, old, new):
        return Decision("ADD", reason="What a language model made of it says more, or less, than both memories do.")
    return Decision("UPDATE", answer.index, answer.content, answer.title, answer.facts, reason)


def _is_merged(merged: frozenset[str], old: frozenset[str], new: frozenset[str]) -> bool:
    """Return whether a text says what two memories say, by its words."""
    foreign = merged - old - new
    if any(any(map(str.isdigit, word)) for word in foreign):
        return False
    keeps = all(len(words & merged) >= _LEAST_KEPT * len(words) for words in (old, new))
    return keeps and len(foreign) <= _MOST_FOREIGN * len(merged)
