"""Search recipes: which retrievers run and how their results are ranked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from app.errors import InputError
from app.retrieval.model import Leg
from app.sentence import Sentence

RRF_CONSTANT: Final = 60
WORDS_DEPTH: Final = 800
VECTOR_DEPTH: Final = 100
MAX_DEPTH: Final = 4_096  # most neighbours that sqlite-vec returns, so paging ends there
CANDIDATE_LIMIT: Final = 200
"""Number of candidates that are ranked by features."""

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

    @property
    def ends(self) -> bool:
        """Return whether its results end where they are far.

        A search by meaning alone gives the nearest texts, however far they are.
        """
        return self.fusion != "union" and "words" in self.legs

    def depths(self, last: int, *, is_learned: bool) -> Mapping[Leg, int]:
        """Return the depth of each retriever for hits up to number ``last``.

        Args:
            last: Number of the last hit to show.
            is_learned: Whether the results are ranked by features.
        """
        if not is_learned:
            depth = min(max(self.depth, last), MAX_DEPTH)
            limits = {} if self.few is None else {"salient": self.few.salient, "recent": self.few.recent}
            return {leg: limits.get(leg, depth) for leg in self.legs}
        vector = VECTOR_DEPTH if last <= CANDIDATE_LIMIT else min(last, MAX_DEPTH)
        return {"words": min(max(WORDS_DEPTH, 2 * last), MAX_DEPTH), "vector": vector, "entity": self.depth}


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
    recipe = RECIPES.get(name)
    if recipe is None:
        raise InputError(
            Sentence("There is no search recipe of that name. Choose one of: {names}.", names=", ".join(RECIPES)),
            allowed=[*RECIPES],
        )
    return recipe
