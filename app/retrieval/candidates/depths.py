"""Retrieval depths: how many chunks each retriever returns."""

from collections.abc import Mapping
from typing import Final

from app.retrieval.model import Leg
from app.retrieval.recipes import Recipe

WORDS_DEPTH: Final = 800
VECTOR_DEPTH: Final = 100
MAX_DEPTH: Final = 4_096  # most neighbours that sqlite-vec returns, so paging ends there
CANDIDATE_LIMIT: Final = 200
"""Number of candidates that are ranked by features."""


def retrieval_depths(recipe: Recipe, last: int, *, is_learned: bool) -> Mapping[Leg, int]:
    """Return the depth of each retriever of ``recipe`` for hits up to number ``last``.

    Args:
        recipe: The recipe.
        last: Number of the last hit to show.
        is_learned: Whether the results are ranked by features.
    """
    if not is_learned:
        depth = min(max(recipe.depth, last), MAX_DEPTH)
        limits = {} if recipe.few is None else {"salient": recipe.few.salient, "recent": recipe.few.recent}
        return {leg: limits.get(leg, depth) for leg in recipe.legs}
    vector = VECTOR_DEPTH if last <= CANDIDATE_LIMIT else min(last, MAX_DEPTH)
    return {"words": min(max(WORDS_DEPTH, 2 * last), MAX_DEPTH), "vector": vector, "entity": recipe.depth}
