"""Values of near-duplicates: names to compare, and pairs that may be one entity."""

from dataclasses import dataclass
from typing import Literal

from app.entities.model import EntityType

DuplicateReason = Literal[
    "spelling", "title", "order", "ending", "middle name", "initial", "letters", "acronym", "short name"
]


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity to compare with others.

    Args:
        id: Its id.
        name: Its canonical name.
        type: What it is.
        mentions: How often it is mentioned.
        is_decided: Whether a person decided something about it.
        aliases: Its other names.
    """

    id: str
    name: str
    type: EntityType
    mentions: int
    is_decided: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpelledName:
    """One of the names of an entity.

    Args:
        entity_id: Whose it is.
        type: What that is.
        name: The name.
    """

    entity_id: str
    type: EntityType
    name: str


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two entities that may be one.

    Args:
        into: The entity that would remain.
        other: The entity that would be merged into it.
        reason: What their names have in common.
        score: How sure it is, 0 to 1.
        needs_context: Whether the names alone say too little: the two must be mentioned in one
            conversation.
    """

    into: NamedEntity
    other: NamedEntity
    reason: DuplicateReason
    score: float
    needs_context: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Return the ids of both, the smaller one first."""
        return min(self.into.id, self.other.id), max(self.into.id, self.other.id)

    @property
    def sentence(self) -> str:
        """Return why they may be one, in a sentence."""
        return f"“{self.other.name}” may be “{self.into.name}”: {_WORDS[self.reason]}."


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """A pair of near-duplicates as a list shows it.

    Args:
        into_id: The id of the entity that would remain.
        into_name: Its name.
        other_id: The id of the entity that would be merged into it.
        other_name: Its name.
        type: What both are.
        reason: Why they may be one, in a sentence.
        score: How sure it is, 0 to 1.
        proposal: The proposal in the inbox that waits for an answer, ``None`` for none.
    """

    into_id: str
    into_name: str
    other_id: str
    other_name: str
    type: EntityType
    reason: str
    score: float
    proposal: int | None = None


_WORDS: dict[DuplicateReason, str] = {
    "spelling": "the names differ only in accents, dots or hyphens",
    "title": "the names differ only in a title",
    "order": "the same words in another order",
    "ending": "the names differ only in words such as Inc. or The",
    "middle name": "one name has a middle name or initial more",
    "initial": "one name has an initial for the first name of the other",
    "letters": "the names differ in one letter",
    "acronym": "one name is made of the first letters of the other",
    "short name": "one name is part of the other, and both are mentioned in one conversation",
}
