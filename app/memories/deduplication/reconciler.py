"""The reconciler of similar memories: its protocol, its request and its decision.

It decides what becomes of a new memory that resembles old ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from app.core.access import Access
from app.core.stores import StoreName
from app.errors import InputError
from app.memories.model import Kind, Memory
from app.sentence import Sentence

Action = Literal["ADD", "UPDATE", "DELETE", "NONE"]

MAX_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class SimilarCandidate:
    """An old memory that resembles the new one, without its id; ``index`` counts from 0."""

    index: int
    title: str
    content: str
    facts: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class ReconcileRequest:
    """A new memory and the similar old ones of its kind and store.

    Args:
        store: Where all of them lie; what is private may not go to every model.
    """

    kind: Kind
    store: StoreName
    title: str
    content: str
    facts: tuple[str, ...]
    type: str
    candidates: tuple[SimilarCandidate, ...]


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision on a new memory.

    Args:
        action: ``ADD`` it; ``UPDATE`` the candidate to say it; ``DELETE`` the candidate, which it replaces;
            ``NONE``: the candidate says it already.
        index: Which candidate; ``None`` for ``ADD``.
        content: Merged content for ``UPDATE``; the new memory's own when ``None``.
        title: Merged title, likewise.
        facts: Merged single statements; those of both when ``None``.
        reason: Why, in a sentence.
    """

    action: Action
    index: int | None = None
    content: str | None = None
    title: str | None = None
    facts: list[str] | None = None
    reason: str = ""


class Reconciler(Protocol):
    """Decides over a new memory and its candidates, such as a language model."""

    @property
    def is_resting(self) -> bool:
        """Return whether it is left alone for a while, as it did not answer."""

    def can_decide(self, store: StoreName) -> bool:
        """Return whether it may be asked about memories of a store now."""

    def rest(self) -> None:
        """Report that no answer came, so that it is not asked again at once."""

    async def prepare(self) -> None:
        """Load what an answer needs, before its time is counted."""

    async def decide(self, request: ReconcileRequest) -> str | Decision:
        """Return the decision, or the text of a JSON object of its fields."""


class CandidateFinder(Protocol):
    """Finds memories that resemble another one, such as by words and meaning together."""

    async def find(self, access: Access, text: str, *, kind: Kind, limit: int) -> list[str]:
        """Return the memory ids of similar candidates, the most similar first.

        Raises:
            KeepsakeError: They cannot be found now.
        """


def build_request(memory: Memory, candidates: Sequence[Memory]) -> ReconcileRequest:
    """Return what is asked about ``memory``."""
    return ReconcileRequest(
        kind=memory.kind,
        store=memory.store,
        title=memory.title,
        content=memory.content,
        facts=memory.facts,
        type=memory.type,
        candidates=tuple(
            SimilarCandidate(number, candidate.title, candidate.content, candidate.facts, candidate.type)
            for number, candidate in enumerate(candidates)
        ),
    )


def read_decision(answer: str | Decision, count: int) -> Decision:
    """Read a decision over ``count`` candidates.

    Raises:
        InputError: It is no JSON object of these fields, or names no candidate where it must; nothing is guessed.
    """
    if not isinstance(answer, Decision):
        try:
            answer = msgspec.json.decode(answer, type=Decision)
        except (msgspec.DecodeError, UnicodeEncodeError, TypeError, RecursionError) as error:
            raise InputError("The reconciler's answer is not a JSON object of the agreed form.") from error
    if answer.action != "ADD" and (answer.index is None or not 0 <= answer.index < count):
        raise absent_candidate(answer.index, count)
    return answer


def absent_candidate(index: int | None, count: int) -> InputError:
    """Return the failure that a decision names none of ``count`` candidates."""
    if index is None:
        return InputError("The reconciler named none of the candidates that it was shown.")
    return InputError(
        Sentence(
            "The reconciler named candidate {index}, which is none of the {count} it was shown, from 0 on.",
            index=index,
            count=count,
        )
    )
