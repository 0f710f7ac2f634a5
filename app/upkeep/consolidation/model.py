"""Values of consolidation: pages of a conversation, found facts, and counts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from app.core.stores import StoreName

FactOutcome = Literal["added", "known", "replaced", "outdated", "proposed", "refused"]


@dataclass(frozen=True, slots=True)
class PageLine:
    """One message of a page as it may be read: without recalled text and secrets.

    Args:
        speaker: The speaker's name, ``""`` for the role alone.
    """

    seq: int
    role: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Messages of a conversation that were not read yet.

    Args:
        session_id: The conversation.
        store: The store of facts from it, ``None`` where nothing may be drawn from it.
        after: The last message read before this page.
        upper_seq: The last message of the page.
        last_seq: The last message of the conversation.
        count: Messages on the page, those without readable text included.
        lines: What can be read.
        context: A few messages before them.
        changed_ms: When the conversation was last added to, milliseconds UTC.
    """

    session_id: str
    store: StoreName | None
    after: int
    upper_seq: int
    last_seq: int
    count: int
    lines: tuple[PageLine, ...] = ()
    context: tuple[PageLine, ...] = ()
    changed_ms: int = 0

    @property
    def is_last(self) -> bool:
        """Return whether nothing follows this page."""
        return self.upper_seq >= self.last_seq


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact that was found on a page.

    Args:
        content: One sentence.
        seqs: Numbers of the messages that say it, at least one.
        source: Who found it: ``rules`` or ``consolidation``.
        contradicts: Ids of facts that it contradicts.
    """

    content: str
    seqs: tuple[int, ...]
    confidence: float
    source: str
    category: str = ""
    key: str = ""
    tags: tuple[str, ...] = ()
    event_time: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    contradicts: tuple[str, ...] = ()


@dataclass(slots=True)
class ConsolidationTally:
    """Counts of a run.

    Args:
        messages: Messages that were read.
        sessions: Conversations of which something was read.
        outcomes: How many facts had each outcome.
        cost: Cost of the language model.
        turns: Answers of the language model.
        waiting: Conversations that wait because the model could not be asked.
    """

    messages: int = 0
    sessions: int = 0
    outcomes: dict[FactOutcome, int] = field(default_factory=dict)
    cost: float = 0.0
    turns: int = 0
    waiting: int = 0

    def add(self, outcome: FactOutcome, count: int = 1) -> None:
        """Count an outcome."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + count


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that a run touched."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """The changes of one run of consolidation.

    Args:
        run_id: The run, which ``memory.undo`` undoes.
        summary: A sentence for a person.
        added: New facts.
        merged: Facts that were said before and are counted once more.
        superseded: Facts that a newer one contradicts.
        history_ids: Entries of the history that still stand, in the order they were written.
    """

    run_id: str
    summary: str
    added: tuple[FactChange, ...] = ()
    merged: tuple[FactChange, ...] = ()
    superseded: tuple[FactChange, ...] = ()
    history_ids: tuple[int, ...] = ()
