"""Values of a context for agents, section by section."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

SectionName = Literal["recent", "salient", "facts", "turns", "reflection", "index", "sessions"]

SECTIONS: tuple[SectionName, ...] = ("recent", "salient", "facts", "turns", "reflection", "index", "sessions")


@dataclass(frozen=True, slots=True)
class ContextItem:
    """An item of a context.

    Args:
        id: ``<session>#<number>`` of a turn, a memory's id, or a session's.
        kind: ``message``, ``session`` or the memory's kind.
        text: Its text, escaped but not yet quoted; ``""`` where its ``about`` line says all.
        about: Date, kind and source, as in its line.
        at: Time of the message or last update.
        tokens: Estimate of its lines.
        store: Its store.
        score: Search score, comparable within one context only; ``None`` where it was not searched.
        mentions: Mention count.
        type: Type of an observation in the index; ``""`` for none.
        is_cut: Whether the text is shortened.
        whole_lines: Whether line breaks are kept.
    """

    id: str
    kind: str
    text: str
    about: str
    at: datetime
    tokens: int = 0
    store: str = "private"
    score: float | None = None
    mentions: int = 1
    type: str = ""
    is_cut: bool = False
    whole_lines: bool = False


@dataclass(frozen=True, slots=True)
class ContextSection:
    """Section of a context with its items, and the tokens used and allowed."""

    name: SectionName
    heading: str
    items: tuple[ContextItem, ...]
    tokens: int
    budget: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Item without room in the context, which can be fetched by its id."""

    id: str
    section: SectionName
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """Context for an agent before a turn.

    Args:
        text: Markdown in a fence, ``""`` when there is nothing to tell.
        mark: The fence's mark, by which recalled text is recognised.
        tokens: Estimate of ``text``.
        max_tokens: Token budget.
        sections: The same content as values.
        left_out: The first hundred items without room.
        left_out_count: Number of items without room.
        notes: Sentences about parts that are missing, and why.
        milliseconds: Time spent on each part; parts run side by side.
    """

    text: str
    mark: str
    tokens: int
    max_tokens: int
    sections: tuple[ContextSection, ...]
    left_out: tuple[LeftOut, ...] = ()
    left_out_count: int = 0
    notes: tuple[str, ...] = ()
    milliseconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Options of a context.

    Args:
        total: Token budget by default.
        budgets: Tokens of each section at most.
        facts: Memories shown in full at most.
        recent: Number of latest messages.
        salient: Number of important messages.
        importance: Minimum importance of a salient message.
        turns: Number of messages from other sessions.
        similarity: Cosine above which such a message is relevant.
        has_reflection: Whether to include the weekly reflection.
        sessions: Number of session summaries.
        index: Number of index lines, 0 for no index.
        recent_days: Days whose memories the index lists after those that match the prompt.
        recipe: Recipe of the prompt search.
    """

    total: int = 6000
    budgets: dict[SectionName, int] = field(default_factory=dict)
    facts: int = 10
    recent: int = 10
    salient: int = 5
    importance: float = 0.8
    turns: int = 5
    similarity: float = 0.65
    has_reflection: bool = True
    sessions: int = 5
    index: int = 15
    recent_days: int = 3
    recipe: str = "learned"

    def only(self, sections: Sequence[SectionName]) -> "ContextOptions":
        """Return these options limited to ``sections``; unchanged where it is empty."""
        if not sections:
            return self
        numbers: dict[str, Any] = {name: 0 for name in SECTIONS if name not in (*sections, "reflection")}
        return replace(self, has_reflection=self.has_reflection and "reflection" in sections, **numbers)
