"""Named recipes: which legs a search gathers from, and how their answers become one list."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from app.errors import InputError
from app.retrieval.fusion import RRF_CONSTANT, Fused, K, rrf, weighted
from app.retrieval.model import Leg

Fusion = Literal["weighted", "rrf", "learned"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to search.

    Args:
        summary: One line for the person who chooses.
        legs: What is asked.
        fusion: How the legs' lists are made one; ``learned`` looks at more than their scores.
        weights: How much each leg counts; the same for all when empty.
        depth: How many candidates each leg gives.
        k: Constant of ``rrf``.
    """

    name: str
    summary: str
    legs: tuple[Leg, ...]
    fusion: Fusion = "weighted"
    weights: Mapping[Leg, float] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    depth: int = 200
    k: int = RRF_CONSTANT

    def fuse(
        self, lists: Mapping[Leg, Iterable[tuple[K, float]]], newer: Mapping[K, int] | None = None
    ) -> list[Fused[K]]:
        """Make ``lists`` one, best first.

        Args:
            lists: Pairs of id and score by leg, higher is better; a leg that could not run may be missing.
            newer: A number by id that is higher for the newer; decides between equals.
        """
        asked: dict[str, Iterable[tuple[K, float]]] = {leg: lists[leg] for leg in self.legs if leg in lists}
        weights: dict[str, float] = dict(self.weights.items())
        if self.fusion == "rrf":
            return rrf(asked, self.k, weights, newer)
        return weighted(asked, weights, newer)


DEFAULT: Final = "learned"

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe("words", "Only the words as written", ("words",)),
            Recipe("vector", "Only the meaning", ("vector",)),
            Recipe(
                "weighted",
                "Meaning before words, 7 to 3",
                ("words", "vector"),
                weights=MappingProxyType({"vector": 0.7, "words": 0.3}),
            ),
            Recipe("rrf", "Reciprocal rank fusion of words and meaning", ("words", "vector"), "rrf"),
            Recipe(
                "balanced",
                "Words and meaning alike",
                ("words", "vector"),
                weights=MappingProxyType({"vector": 0.5, "words": 0.5}),
            ),
            Recipe("learned", "Words, meaning and what stands around", ("words", "vector"), "learned"),
        )
    }
)


def recipe(name: str = DEFAULT) -> Recipe:
    """Return the recipe called ``name``.

    Raises:
        InputError: No recipe has that name; the message lists those there are.
    """
    found = RECIPES.get(name)
    if found is None:
        raise InputError(
            f"There is no search recipe “{name}”. Choose one of: {', '.join(RECIPES)}.", allowed=[*RECIPES]
        )
    return found
