"""What the settings say of a recipe; without a word from them it is as it was published."""

from dataclasses import replace
from types import MappingProxyType

from app.config.config import Config
from app.retrieval.recipes import Few, Recipe


def tuned(config: Config, recipe: Recipe) -> Recipe:
    """Return ``recipe`` with the weights, constant and depth that ``config`` sets."""
    recipe = replace(recipe, depth=config.whole("search.depth"))
    if recipe.name == "rrf":
        return replace(recipe, k=config.whole("search.rrf_k"))
    if recipe.name == "tri":
        return replace(recipe, few=_few(config))
    if recipe.name != "weighted":
        return recipe
    vector, words = config.number("search.vector_weight"), config.number("search.words_weight")
    # Two zeros would put nothing before anything: then the recipe's own shares count.
    if not vector and not words:
        return recipe
    return replace(recipe, weights=MappingProxyType({"vector": vector, "words": words}))


def _few(config: Config) -> Few:
    return Few(
        recent=config.whole("search.tri_recent"),
        salient=config.whole("search.tri_salient"),
        importance=config.number("search.tri_importance"),
        relevant=config.whole("search.tri_relevant"),
        similarity=config.number("search.tri_similarity"),
    )
