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
    """

    text: str
    source: Source
    at: datetime
    family: str = ""
    event_time: datetime | None = None
    store: StoreName = "private"
    kind: str = "message"
    title: str = ""


@dataclass(frozen=True, slots=True)
class WeekSession:
    """A conversation of the week.

    Args:
        id: Its id.
        title: Its title.
        messages: Messages of this week.
        last: The source of its last message.
        last_at: When that was said.
        topics: What it is about, where it has no title.
    """

    id: str
    title: str
    messages: int
    last: Source
    last_at: datetime
    topics: tuple[str, ...] = ()


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
class MentionedName:
    """A person, place, organisation or project and when it was mentioned.

    Args:
        name: Its name.
        type: Its type.
        this_week: Messages and memories of this week that mention it.
        last_week: Those of the week before.
        weeks: Weeks in a row that mention it, this one counted.
        is_new: Whether nothing earlier mentions it.
        said: What was said about it this week, where it is new.
    """

    name: str
    type: str
    this_week: int
    last_week: int = 0
    weeks: int = 1
    is_new: bool = False
    said: WeekItem | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """A distinctive term of a week.

    Args:
        term: The word or pair of words.
        count: Messages and memories that have it.
        weight: How distinctive it is against earlier weeks.
        source: A source that has it.
        other_week: Messages and memories of the week it is compared with that have it.
    """

    term: str
    count: int
    weight: float
    source: Source
    other_week: int = 0


@dataclass(frozen=True, slots=True)
class Week:
    """The material of a week.

    Args:
        since: Its beginning.
        until: Its end.
        zone: The zone of its dates.
        fact_count: Facts of the week; see the setting ``reflection.min_facts``.
        message_count: Messages of the week.
        conversations: Conversations of the week, the busiest first.
        statements: Facts, notes and observations of the week, then statements of its messages; the latest first.
        ahead: Plans and decisions of earlier weeks whose date lies ahead.
        changes: Facts that others took the place of.
        names: Names mentioned this week or in the week before.
        faded: Facts that decay set aside.
        topics: Distinctive terms of this week, the strongest first.
        last_topics: Those of the week before.
        stores: The stores all this comes from.
    """

    since: datetime
    until: datetime
    zone: tzinfo
    fact_count: int = 0
    message_count: int = 0
    conversations: tuple[WeekSession, ...] = ()
    statements: tuple[WeekItem, ...] = ()
    ahead: tuple[WeekItem, ...] = ()
    changes: tuple[ChangedFact, ...] = ()
    names: tuple[MentionedName, ...] = ()
    faded: tuple[WeekItem, ...] = ()
    topics: tuple[Topic, ...] = ()
    last_topics: tuple[Topic, ...] = ()
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
