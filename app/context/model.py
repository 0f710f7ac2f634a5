"""Values of a context for agents, section by section."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SectionName = Literal["recent", "salient", "facts", "turns", "reflection", "index", "sessions"]

SECTIONS: tuple[SectionName, ...] = ("recent", "salient", "facts", "turns", "reflection", "index", "sessions")


@dataclass(frozen=True, slots=True)
class ContextItem:
    """An item of a context.

    Args:
        id: ``<session>#<number>`` of a turn, a memory's id, or a session's.
        kind: ``message``, ``session`` or the memory's kind.
        text: What is told of it, harmless but not yet quoted; ``""`` where the line of its facts says all.
        about: Date, kind and whence, as its line says them.
        at: When it was said, or last written.
        tokens: Estimate of its lines.
        store: Who may see it.
        score: How well it answers the prompt, comparable within one context only; ``None`` where nobody asked.
        mentions: How often it was said.
        type: Of a line of the index, the observation's type; ``""`` for none.
        is_cut: Only the beginning, or the part that answers, is told.
        whole_lines: Its lines are kept.
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
        mark: The fence's mark, by which the text is known again.
        tokens: Estimate of ``text``.
        max_tokens: What it might have taken.
        sections: The same, for programs.
        left_out: What there was no room for, the first hundred.
        left_out_count: How many there were.
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
        total: Tokens of the whole where the caller names no number.
        budgets: Tokens of each section at most.
        facts: Memories told in full at most.
        recent: Latest turns.
        salient: Important turns.
        importance: From which a turn is important.
        turns: Turns of other conversations.
        similarity: Above which such a turn is on the question.
        has_reflection: Whether the weekly insight is told.
        sessions: Summaries of conversations.
        index: Lines of the index, 0 for no index.
        recent_days: Days of which the index names everything first.
        recipe: How the prompt is searched for.
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
    index: int = 30
    recent_days: int = 3
    recipe: str = "learned"
