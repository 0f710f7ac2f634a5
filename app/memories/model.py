"""Values of durable items: a memory, how it is listed, its history and links."""

from dataclasses import dataclass, field
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

from app.core.stores import StoreName

Kind = Literal["note", "fact", "observation", "reflection", "digest"]
MemoryOrder = Literal["recent", "oldest", "title", "created"]
SourceKind = Literal["message", "memory"]
Outcome = Literal["ADD", "UPDATE", "DELETE", "NONE", "EXACT_DUP"]
FadingHold = Literal["", "pinned", "confirmed", "deleted"]
Decider = Literal["hash", "key", "words", "reconciler", "nobody"]

KINDS: tuple[Kind, ...] = ("note", "fact", "observation", "reflection", "digest")
SOURCE_KINDS: tuple[SourceKind, ...] = ("message", "memory")
SAID_AT: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*[+-][0-9][0-9]:[0-9][0-9]"
"""Glob pattern of when a fact was said, as consolidation writes it; anything else is foreign."""


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a memory: a message (``<session>#<seq>``) or another memory's id."""

    kind: SourceKind
    id: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A durable item.

    Args:
        title: Its name; for a note what ``[[wiki links]]`` resolve to.
        content: The Markdown source, exactly as written.
        facts: Single statements (observations).
        category: With ``key``, names a fact; unique among the active ones.
        type: An observation's type.
        source: Who stored it: ``person``, ``import:<format>`` or an agent's name.
        version: Counts its changes; an update names the version it read.
        pinned: Never fades and is shown first.
        attributes: What foreign formats had that has no field here (front matter, metadata).
        deleted_at: When it was deleted, ``None`` while active.
        files: Related files, by path or name.
        people: Related people, by name.
        sources: What it was drawn from.
        access_count: How often it was found or fetched; no part of what it says, nor is ``last_accessed``.
    """

    id: str
    kind: Kind
    title: str
    content: str
    store: StoreName
    source: str
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    category: str = ""
    key: str = ""
    type: str = ""
    session_id: str | None = None
    confidence: float = 1.0
    decay_rate: float = 0.0
    mention_count: int = 1
    tokens: int = 0
    version: int = 1
    pinned: bool = False
    event_time: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str | None = None
    deleted_at: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    access_count: int = field(default=0, compare=False)
    last_accessed: datetime | None = field(default=None, compare=False)

    @property
    def said_by(self) -> str:
        """Return the name or role of who said a fact, ``""`` where unknown."""
        value = self.attributes.get("said_by") if self.kind == "fact" else None
        return value if isinstance(value, str) else ""

    @property
    def said_at(self) -> datetime | None:
        """Return when a fact was said, ``None`` where that is not known."""
        value = self.attributes.get("said_at") if self.kind == "fact" else None
        if not isinstance(value, str) or not fnmatchcase(value, SAID_AT):
            return None
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class KeptText:
    """Text written to a memory elsewhere at the same time, or its deletion there.

    Args:
        id: Its id, of the text alone.
        memory_id: The memory.
        content: The whole text, ``""`` for a deletion.
        actor: Who wrote it, or deleted the memory.
        at: When.
        is_deletion: Whether the memory was deleted there: it is here, for it was edited at the same time.
    """

    id: str
    memory_id: str
    content: str
    actor: str
    at: datetime
    is_deletion: bool = False


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to store; empty fields get their defaults.

    Args:
        id: Its id where the caller brings one; must be new.
        created_at: When it came to be; now when ``None``.
        tags: Joined with the ``#tags`` in the content of a note.
        unfinished_tag: One of those at whose end somebody is still typing; it is none yet.
    """

    content: str
    title: str = ""
    kind: Kind = "note"
    tags: tuple[str, ...] = ()
    store: StoreName = "private"
    source: str = "person"
    id: str | None = None
    facts: tuple[str, ...] = ()
    category: str = ""
    key: str = ""
    type: str = ""
    session_id: str | None = None
    confidence: float = 1.0
    decay_rate: float = 0.0
    pinned: bool = False
    created_at: datetime | None = None
    updated_at: datetime | None = None
    event_time: datetime | None = None
    expires_at: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    unfinished_tag: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """Outcome of storing a memory.

    Args:
        outcome: ``ADD`` a new memory; ``UPDATE`` an old one now says it; ``DELETE`` an old one gave way to it;
            ``NONE`` an old one says it already; ``EXACT_DUP`` an old one has the very words.
        memory: The memory that holds it now.
        matched: Id of the old memory that decided, ``""`` for none.
        decided_by: Equal text, a fact's category and key, shared words, the reconciler, or nobody.
        reason: Why, in a sentence; what went wrong where a decision could not be used.
    """

    outcome: Outcome
    memory: Memory
    matched: str = ""
    decided_by: Decider = "nobody"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FactSet:
    """A fact as it stands, and the one it superseded, ``None`` for none."""

    fact: Memory
    superseded: Memory | None = None


@dataclass(frozen=True, slots=True)
class BatchWritten:
    """Outcomes of storing several facts, in the order given.

    ``run_id`` is the run that undoes them together.
    """

    run_id: str
    written: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source with its text, ``""`` where it is gone.

    ``title`` is the conversation's or the memory's.
    """

    kind: SourceKind
    id: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as a list shows it, with only the first words of its content.

    It is ``archived`` when it is no longer active; ``said_by`` and ``said_at`` tell of a fact who said it and when.
    """

    id: str
    kind: Kind
    title: str
    preview: str
    store: StoreName
    source: str
    tags: tuple[str, ...]
    updated_at: datetime
    created_at: datetime
    pinned: bool = False
    confidence: float = 1.0
    archived: bool = False
    said_by: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Filter for memories; empty fields do not filter.

    Args:
        text: Words that the title or content contain (substring, case-insensitive).
        kinds: Any of these kinds.
        tags: All of these tags; ``a`` also means ``a/b``.
        stores: Any of these stores.
        source: Exact source.
        types: Any of these types of observations, in any case.
        since: Updated at or after.
        until: Updated before.
        created_since: Made at or after.
        created_until: Made before.
        entities: All of these people and things, by id.
        pinned: True for pinned ones only.
        deleted: True for the deleted ones (the trash) instead of the active ones.
    """

    text: str = ""
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    stores: tuple[StoreName, ...] = ()
    source: str = ""
    types: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    created_since: datetime | None = None
    created_until: datetime | None = None
    entities: tuple[str, ...] = ()
    pinned: bool | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A wiki link between two memories.

    Args:
        memory_id: The other end's id, ``""`` when nothing has that title yet.
        title: The title at the other end.
        text: The words around the link.
    """

    memory_id: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Links:
    """Links from a memory and links to it."""

    outgoing: tuple[Link, ...] = ()
    backlinks: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class QuotedMessage:
    """A message that a memory was drawn from.

    Args:
        id: ``session#number``.
        seq: Its number in the conversation.
        text: Its first words, ``""`` where it is gone.
    """

    id: str
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """A memory of a conversation, with the messages of it that say so."""

    memory: Memory
    quotes: tuple[QuotedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A person or thing and how many memories name it."""

    id: str
    name: str
    type: str
    count: int


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day of the calendar and what it holds.

    Args:
        day: The day in the machine's zone.
        notes: Notes made on it.
        sessions: Conversations with messages of it, 0 for a caller that may not see conversations.
        daily_note: Id of the note called by its date, ``""`` for none.
    """

    day: date
    notes: int = 0
    sessions: int = 0
    daily_note: str = ""


@dataclass(frozen=True, slots=True)
class Clash:
    """A sentence that was written and a fact that it may contradict."""

    sentence: str
    fact: Memory


@dataclass(frozen=True, slots=True)
class Anniversary:
    """Something that was written on the day of an earlier month or year.

    Args:
        id: The id of the note or conversation.
        kind: ``note`` or ``session``.
        title: Its title, or its first words.
        at: When it was written.
        months: How many months ago that was; 12 for a year.
    """

    id: str
    kind: Literal["note", "session"]
    title: str
    at: datetime
    months: int


@dataclass(frozen=True, slots=True)
class ConfidencePoint:
    """One point of a decay curve."""

    at: datetime
    confidence: float


@dataclass(frozen=True, slots=True)
class FactConfidence:
    """Confidence of a fact now, and how it goes on without use.

    Args:
        confidence: At ``since``; from then on it falls to ``confidence * exp(-rate * days)``.
        current: What is left now.
        rate: Share of its confidence it loses in a day, 0 where it never fades.
        since: The last time it was read, changed or decayed.
        threshold: Confidence below which it is set aside.
        fades_at: When it falls below that, ``None`` where it never does.
        kept: Why it never fades: ``pinned``, ``confirmed`` or ``deleted``; ``""`` where it does.
        curve: Its confidence from ``since`` on, beyond the day it fades; two points where it never does.
    """

    confidence: float
    current: float
    rate: float
    since: datetime
    threshold: float
    fades_at: datetime | None = None
    kept: FadingHold = ""
    curve: tuple[ConfidencePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Belief:
    """One fact of a belief timeline: what was held true, and when.

    Args:
        until: When another fact took its place or it was deleted, ``None`` while it holds.
        is_current: Whether it holds now.
    """

    id: str
    content: str
    since: datetime
    until: datetime | None
    confidence: float
    source: str
    is_current: bool
