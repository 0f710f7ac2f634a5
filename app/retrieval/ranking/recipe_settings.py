"""Recipe settings: weights, constants and depths from the configuration or from one call."""

from dataclasses import replace
from types import MappingProxyType

from app.config.config import Config
from app.errors import InputError
from app.retrieval.recipes import Recipe, TriHybridLimits
from app.sentence import Sentence

MAX_WEIGHT = 1_000


def with_settings(config: Config, recipe: Recipe) -> Recipe:
    """Return ``recipe`` with the weights, constant and depth that ``config`` sets."""
    recipe = replace(recipe, depth=config.whole("search.depth"))
    if recipe.name == "rrf":
        return replace(recipe, k=config.whole("search.rrf_k"))
    if recipe.name == "tri":
        return replace(recipe, few=_few(config))
    if recipe.name != "weighted":
        return recipe
    vector, words = config.number("search.vector_weight"), config.number("search.lexical_weight")
    # Two zero weights give no order, so the recipe keeps its own.
    if not vector and not words:
        return recipe
    return replace(recipe, weights=MappingProxyType({"vector": vector, "words": words}))


def reweighted(recipe: Recipe, vector: float | None, words: float | None) -> Recipe:
    """Return ``recipe`` with the weights of one call; ``None`` keeps a weight.

    Raises:
        InputError: The recipe does not weigh meaning against words, or the weights make no order.
    """
    if recipe.fusion != "weighted" or not {"words", "vector"} <= {*recipe.legs}:
        raise InputError(
            Sentence(
                "The recipe {recipe} has no weights of words and meaning. Choose weighted, balanced or boosted.",
                recipe=recipe.name,
            ),
            field="recipe",
            allowed=["weighted", "balanced", "boosted"],
        )
    own = dict(recipe.weights)
    own |= {} if vector is None else {"vector": vector}
    own |= {} if words is None else {"words": words}
    pair = (own["vector"], own["words"])
    if not (all(0 <= weight <= MAX_WEIGHT for weight in pair) and any(pair)):
        raise InputError(
            Sentence("The weights of meaning and words must be 0 to {most}, and one of them above 0.", most=MAX_WEIGHT),
            field="vector_weight" if vector is not None else "fts_weight",
        )
    return replace(recipe, weights=MappingProxyType(own))


def _few(config: Config) -> TriHybridLimits:
    return TriHybridLimits(
        recent=config.whole("search.tri_recent"),
        salient=config.whole("search.tri_salient"),
        importance=config.number("search.tri_importance"),
        relevant=config.whole("search.tri_relevant"),
        similarity=config.number("search.tri_similarity"),
    )
