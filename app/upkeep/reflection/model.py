"""Values of the weekly reflection: a week's material, and the digest of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from app.core.stores import StoreName
from app.memories.model import Source


@dataclass(frozen=True, slots=True)
class ReflectionOptions:
    """Settings of the weekly reflection.

    Args:
        is_enabled: Whether it is written by itself.
        day: The day of the week, in English.
        time: The time of day, such as ``03:00``.
        min_facts: Facts of the past days without which none is written.
        min_days: Days since the last one without which none is written.
        days: Days it looks back.
        limit: Items it looks at.
    """

    is_enabled: bool = True
    day: str = "sunday"
    time: str = "03:00"
    min_facts: int = 3
    min_days: int = 6
    days: int = 7
    limit: int = 200


@dataclass(frozen=True, slots=True)
class WeekItem:
    """Something a conversation, fact, note or observation says.

    Args:
        text: Its words.
        source: The message or memory that it is cited by.
        at: When it was said.
        family: What sort of statement it is, such as ``commitment``; empty where unknown.
        event_time: When what it tells of happened or will happen.
        store: Who may see it.
        kind: ``message``, or the kind of the memory.
        title: The title of a note.
        said_by: The name or role of who said it word for word; empty for a memory in words of its writer.
        mentions: How often it was said.
    """

    text: str
    source: Source
    at: datetime
    family: str = ""
    event_time: datetime | None = None
    store: StoreName = "private"
    kind: str = "message"
    title: str = ""
    said_by: str = ""
    mentions: int = 1


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that another one took the place of.

    Args:
        was: The old fact.
        now: The new one.
    """

    was: WeekItem
    now: WeekItem


@dataclass(frozen=True, slots=True)
class Week:
    """The material of a week, without what earlier reflections told.

    Args:
        since: Its beginning.
        until: Its end.
        zone: The zone of its dates.
        fact_count: Facts of the week; see the setting ``reflection.min_facts``.
        message_count: Messages of the week.
        conversation_count: Conversations of the week.
        statements: Facts, notes and observations of the week, then statements of its messages; the latest first.
        ahead: Plans and decisions of earlier weeks whose date lies ahead.
        promises: Promises of earlier weeks.
        changes: Facts that others took the place of.
        faded: Facts that decay set aside.
        people: People mentioned this week, with the number of messages and memories that mention each.
        stores: The stores all this comes from.
    """

    since: datetime
    until: datetime
    zone: tzinfo
    fact_count: int = 0
    message_count: int = 0
    conversation_count: int = 0
    statements: tuple[WeekItem, ...] = ()
    ahead: tuple[WeekItem, ...] = ()
    promises: tuple[WeekItem, ...] = ()
    changes: tuple[ChangedFact, ...] = ()
    faded: tuple[WeekItem, ...] = ()
    people: Mapping[str, int] = field(default_factory=dict)
    stores: tuple[StoreName, ...] = ("private",)


@dataclass(frozen=True, slots=True)
class Digest:
    """The text of a reflection.

    Args:
        title: Its title.
        content: Its text, in Markdown.
        sources: What it cites, each once.
        store: The most private store that it draws from.
        attributes: How it was made.
    """

    title: str
    content: str
    sources: tuple[Source, ...]
    store: StoreName
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReflectionPreview:
    """A reflection as it would be written now; nothing is stored.

    Args:
        title: Its title.
        content: Its text by rules, in Markdown; a language model may write another one.
        sources: What it cites.
        is_due: Whether one would be written now.
        reason: Why none would be written, in a sentence.
    """

    title: str
    content: str
    sources: tuple[Source, ...]
    is_due: bool
    reason: str = ""
