"""Entity values: entities, list rows, profiles and the graph."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from app.core.text import collapse

EntityType = Literal[
    "person", "organization", "location", "project", "email", "url", "date", "hashtag", "mention", "other"
]
OwnerKind = Literal["message", "memory"]
EdgeKind = Literal["together", "stated", "link"]
EntityOrder = Literal["mentions", "name", "recent"]

TYPES: tuple[EntityType, ...] = (
    "person",
    "organization",
    "location",
    "project",
    "email",
    "url",
    "date",
    "hashtag",
    "mention",
    "other",
)
_TYPE_WORDS: dict[str, EntityType] = {
    "person": "person",
    "people": "person",
    "organization": "organization",
    "organisation": "organization",
    "company": "organization",
    "location": "location",
    "place": "location",
    "city": "location",
    "project": "project",
}


def registry_type(kind: str) -> EntityType:
    """Return the type that an entity of the caller's type has in the registry."""
    return _TYPE_WORDS.get(kind.strip().lower(), "other")


def name_key(name: str) -> str:
    """Return what equal names have in common: case, form and blanks aside."""
    return unicodedata.normalize("NFC", collapse(name).casefold())


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing in the registry.

    Args:
        name: Its canonical name.
        aliases: Other names it goes by.
        summary: What is known of it in a sentence, ``""`` for nothing.
        mentions: How often messages and memories name it, as far as the caller may see.
        protected: Never taken away by maintenance.
        touched: A person decided something about it; it outlives a rebuild.
        merged_into: The entity it was merged into, ``None`` while it stands for itself.
    """

    id: str
    name: str
    type: EntityType
    mentions: int
    created_at: datetime
    updated_at: datetime
    aliases: tuple[str, ...] = ()
    summary: str = ""
    protected: bool = False
    touched: bool = False
    merged_into: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity as a list shows it."""

    id: str
    name: str
    type: EntityType
    mentions: int
    protected: bool = False


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """Filter of entities; empty fields do not filter.

    Args:
        text: Letters that a name or alias contains, in any case.
        prefix: Letters that a name or alias begins with, in any case.
        name: A whole name or alias, in any case.
        types: Any of these types.
        protected: True for protected ones only.
        since: Mentioned at or after.
        until: Mentioned before.
    """

    text: str = ""
    prefix: str = ""
    name: str = ""
    types: tuple[EntityType, ...] = ()
    protected: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names an entity.

    Args:
        owner_kind: Whether a message or a memory.
        owner_id: ``session#seq`` of the message, or the memory's id.
        start: Where the name begins, in characters of the owner's text; -1 for the owner as a whole (its author).
        length: Characters of the name.
        provider: Who found it.
    """

    entity_id: str
    name: str
    type: EntityType
    owner_kind: OwnerKind
    owner_id: str
    start: int
    length: int
    confidence: float
    provider: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """An entity with the words that name it in a message or memory.

    Args:
        owner_id: ``session#seq`` of the message, or the memory's id.
        entity_id: The entity.
        name: Its canonical name.
        text: The words that name it there, in any case.
    """

    owner_id: str
    entity_id: str
    name: str
    type: EntityType
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge between two entities; ``source`` is who stated it."""

    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str
    weight: float
    source: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class KnownFact:
    """Memory that mentions an entity.

    ``at`` is when what it says happened, or when it was last changed.
    """

    id: str
    kind: str
    title: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation that mentions an entity, with the number of messages that do.

    ``at`` is when the last of them was said.
    """

    id: str
    title: str
    turns: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another entity mentioned in the same messages or memories, ``weight`` of them."""

    id: str
    name: str
    type: EntityType
    weight: float


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """Everything about an entity, as far as the caller may see.

    Args:
        first_at: When it was first mentioned, ``None`` when never.
        last_at: When it was last mentioned.
        facts: Memories that mention it, the latest first; ``facts_total`` of them in all.
        conversations: Conversations that mention it, the latest first; ``conversations_total`` in all.
        relations: Typed edges from and to it.
        people: Persons mentioned together with it, most often first.
        related: Other things mentioned together with it, most often first.
    """

    entity: Entity
    first_at: datetime | None
    last_at: datetime | None
    facts: tuple[KnownFact, ...] = ()
    facts_total: int = 0
    conversations: tuple[Conversation, ...] = ()
    conversations_total: int = 0
    relations: tuple[Relation, ...] = ()
    people: tuple[Neighbour, ...] = ()
    related: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphFilter:
    """Filter of the graph; empty fields do not filter.

    Args:
        types: Nodes of these types only (the centre is always there).
        since: Mentions at or after.
        until: Mentions, stated relations and notes before; counts are those of then.
        kinds: Edges of these kinds only: ``together`` (mentioned in the same message or memory), ``stated`` or
            ``link`` (a note about one links to a note about the other).
        text: Nodes that have these words in one of their names only (the centre is always there).
    """

    types: tuple[EntityType, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    kinds: tuple[EdgeKind, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """Node of the graph.

    Args:
        weight: Its number of mentions, within the filter's times.
        depth: Its steps from the centre.
        x, y: Its stored position in the graph around this centre, or in the one of all names; for the person and
            callers of full trust.
        pinned: A person put it there.
        first_at: When it was first mentioned, ``None`` when never.
    """

    id: str
    name: str
    type: EntityType
    weight: float
    depth: int = 0
    x: float | None = None
    y: float | None = None
    pinned: bool = False
    first_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """Edge between two nodes.

    Args:
        weight: Of one of kind ``together`` the messages and memories that mention both, of a ``link`` the notes about
            one that link to a note about the other.
        kind: ``together``, ``stated`` or ``link``.
        label: What a stated one says.
        first_at: When the first of those texts was written, or when the relation was stated.
        notes: Ids of the first notes that make a ``link``.
    """

    source: str
    target: str
    weight: float
    kind: EdgeKind = "together"
    label: str = ""
    first_at: datetime | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphView:
    """A part of the graph; ``left_out`` counts nodes that the limit kept away."""

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    left_out: int = 0
