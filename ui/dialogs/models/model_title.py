"""Names of search models for people."""

from ui.translation import translate

BUILT_IN = "static"


def model_title(name: str) -> str:
    """Return what a search model is called: its name, or what the built-in one is."""
    return translate("SearchModels", "Built-in model") if name == BUILT_IN else name
