"""Values of the knowledge graph."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GraphEntity:
    """A named thing with its observations.

    Args:
        type: Its type in the caller's own words.
        observations: Single statements about it.
    """

    name: str
    type: str = ""
    observations: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GraphRelation:
    """A relation from one entity to another, both by name."""

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True)
class Observations:
    """Statements about an entity."""

    entity: str
    contents: list[str]


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """Entities and relations, in the order they were made."""

    entities: tuple[GraphEntity, ...]
    relations: tuple[GraphRelation, ...]
