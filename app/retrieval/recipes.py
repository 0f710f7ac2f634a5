"""Search recipes: which retrievers run and how their results are ranked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from app.errors import InputError
from app.retrieval.model import Leg
from app.retrieval.ranking.fusion import (
    RRF_CONSTANT,
    FusedCandidate,
    K,
    ordered_union,
    reciprocal_rank_fusion,
    weighted_sum,
)

Fusion = Literal["weighted", "rrf", "union", "learned"]
MentionScope = Literal["all", "other_names"]
"""All mentions of an entity, or only those under other names than in the query, which lexical search misses."""


@dataclass(frozen=True, slots=True)
class TriHybridLimits:
    """Limits of the recipe ``tri``, whose retrievers are concatenated and not weighed.

    Args:
        recent: Number of latest messages.
        salient: Number of most important messages at most.
        importance: Minimum importance of a salient message, 0 to 1.
        relevant: Number of nearest messages at most.
        similarity: Cosine that a relevant message must exceed.
    """

    recent: int = 10
    salient: int = 5
    importance: float = 0.8
    relevant: int = 5
    similarity: float = 0.65


@dataclass(frozen=True, slots=True)
class Recipe:
    """A search recipe.

    Args:
        summary: One line of description.
        legs: Retrievers to run, for ``union`` in the order of their lists.
        fusion: How the lists are fused; ``learned`` uses features besides the scores.
        weights: Weight of each retriever; equal when empty.
        depth: Number of candidates of each retriever.
        k: Constant of ``rrf``.
        few: Limits of ``tri``; ``None`` for other recipes.
        mentions: Mentions that the entity retriever returns.
    """

    name: str
    summary: str
    legs: tuple[Leg, ...]
    fusion: Fusion = "weighted"
    weights: Mapping[Leg, float] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    depth: int = 200
    k: int = RRF_CONSTANT
    few: "TriHybridLimits | None" = None
    mentions: MentionScope = "other_names"

    def fuse(
        self, lists: Mapping[Leg, Iterable[tuple[K, float]]], newer: Mapping[K, int] | None = None
    ) -> list[FusedCandidate[K]]:
        """Fuse the retrievers' lists into one, best first.

        Args:
            lists: Pairs of id and score by retriever, higher is better; retrievers that did not run may be missing.
            newer: A number by id, higher for newer ones; breaks ties.
        """
        chosen: dict[str, Iterable[tuple[K, float]]] = {leg: lists[leg] for leg in self.legs if leg in lists}
        weights: dict[str, float] = dict(self.weights.items())
        if self.fusion == "rrf":
            return reciprocal_rank_fusion(chosen, self.k, weights, newer)
        if self.fusion == "union":
            return ordered_union(chosen, self.legs, newer)
        return weighted_sum(chosen, weights, newer)


DEFAULT: Final = "learned"

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe("words", "Only the words as written, and other names of what they name", ("words", "entity")),
            Recipe("vector", "Only the meaning", ("vector",)),
            Recipe(
                "weighted",
                "Meaning before words, 7 to 3",
                ("words", "vector"),
                weights=MappingProxyType({"vector": 0.7, "words": 0.3}),
            ),
            Recipe(
                "rrf",
                "Reciprocal rank fusion of words, meaning and mentions",
                ("words", "vector", "entity"),
                "rrf",
                mentions="all",
            ),
            Recipe(
                "balanced",
                "Words and meaning alike",
                ("words", "vector", "entity"),
                weights=MappingProxyType({"vector": 0.5, "words": 0.5}),
            ),
            Recipe(
                "tri",
                "The nearest by meaning, the important and the latest messages, a few of each",
                ("vector", "salient", "recent"),
                "union",
                few=TriHybridLimits(),
            ),
            Recipe(
                "boosted",
                "Words and meaning, and a little for what is new or was said often",
                ("words", "vector", "recent", "mentions"),
                weights=MappingProxyType({"words": 0.4, "vector": 0.4, "recent": 0.1, "mentions": 0.1}),
            ),
            Recipe("learned", "Words, meaning, names and what stands around", ("words", "vector", "entity"), "learned"),
        )
    }
)


def find_recipe(name: str = DEFAULT) -> Recipe:
    """Return the recipe with a name.

    Raises:
        InputError: No recipe has that name; the message lists those there are.
    """
    found = RECIPES.get(name)
    if found is None:
        raise InputError(
            f"There is no search recipe of that name. Choose one of: {', '.join(RECIPES)}.", allowed=[*RECIPES]
        )
    return found
