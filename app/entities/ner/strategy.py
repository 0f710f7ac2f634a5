"""Strategies: which providers read a text, and what stands of what they find."""

from collections.abc import Sequence

from app.entities.ner.name_provider import NameProvider
from app.entities.ner.overlap import resolve_overlaps
from app.entities.ner.provider import NOTHING_KNOWN, KnownNames, NameFinder, NameSpan
from app.entities.ner.regex_provider import RegexProvider


class NerStrategy:
    """Several providers as one.

    Args:
        name: What the strategy is called.
        providers: Who reads the text.
    """

    def __init__(self, name: str, providers: Sequence[NameFinder]) -> None:
        self.name = name
        self._providers = tuple(providers)

    def extract(self, text: str, known: KnownNames = NOTHING_KNOWN) -> list[NameSpan]:
        """Return the names in ``text`` in its order, none overlapping another."""
        return resolve_overlaps(span for provider in self._providers for span in provider.extract(text, known))


def fast_strategy() -> NerStrategy:
    """Return the strategy that reads every message and memory: patterns, then rules and small lists."""
    return NerStrategy("fast", (RegexProvider(), NameProvider()))
