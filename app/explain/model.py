"""Values of an explanation: an item's place in a search, or why it is missing."""

from dataclasses import dataclass
from typing import Literal

from app.retrieval.model import Leg

Stage = Literal[
    "shown",
    "missing",
    "deleted",
    "archived",
    "forgotten",
    "unindexed",
    "filtered",
    "excluded",
    "unfound",
    "unpooled",
    "far",
    "below",
    "spread",
]


@dataclass(frozen=True, slots=True)
class LegPlace:
    """Place of an item in one retriever's results over the whole vault.

    Args:
        rank: From 1; ``None`` where the retriever does not find it.
        score: BM25 or cosine.
        of: Number of items that the retriever finds.
        depth: Number of these that a search uses.
    """

    leg: Leg
    rank: int | None
    score: float | None
    of: int
    depth: int


@dataclass(frozen=True, slots=True)
class FeatureGap:
    """Contribution of a feature to the item's score and to the last hit's."""

    name: str
    mine: float
    theirs: float


@dataclass(frozen=True, slots=True)
class Remedy:
    """Query that was tried and shows the item at ``place``, from 1."""

    query: str
    place: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of an item's place in a search, or of its absence.

    Args:
        id: The item's id; ``""`` where the caller may not see it.
        stage: ``shown``, or the stage that removed it.
        place: Rank from 1; ``None`` where it was not ranked.
        limit: Number of hits shown.
        recipe: The recipe used.
        sentence: What happened.
        suggestion: How to make it appear, or ``""``.
        failed: Operators that it fails, or words and phrases that rule it out, as typed.
        terms: Query words in its text.
        lacking: Query words not in its text.
        legs: Its place in each retriever.
        gaps: Features in which it differs from the last hit shown, the greatest difference first.
        last_shown: That hit's id.
        remedies: Queries that show it.
        notes: Notes of the search itself.
    """

    id: str
    stage: Stage
    sentence: str
    suggestion: str = ""
    place: int | None = None
    limit: int = 0
    recipe: str = ""
    failed: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    legs: tuple[LegPlace, ...] = ()
    gaps: tuple[FeatureGap, ...] = ()
    last_shown: str | None = None
    remedies: tuple[Remedy, ...] = ()
    notes: tuple[str, ...] = ()
