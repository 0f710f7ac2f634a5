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
    "below",
    "spread",
]


@dataclass(frozen=True, slots=True)
class LegPlace:
    """Place of an item in one retriever's results over the whole vault.

    Args:
        rank: From 1; ``None`` where the leg does not have it at all.
        score: BM25 or cosine.
        of: How many items the leg has.
        depth: How many of them a search looks at.
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
        id: The item's; ``""`` when there is none of that id for the caller.
        stage: ``shown``, or where it fell out.
        place: Its place among all that were ranked, from 1; ``None`` where it was not.
        limit: How many a search shows.
        recipe: The recipe used.
        sentence: What happened.
        suggestion: What would bring it in, or ``""``.
        failed: Operators of the query that it does not satisfy, as they would be typed.
        terms: Words of the query that it has.
        lacking: Words of the query that it does not have.
        legs: Its place in each leg.
        gaps: Features in which it differs from the last hit shown, the greatest difference first.
        last_shown: That hit's id.
        remedies: Queries that show it.
        notes: What the search itself said.
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
