"""Strategies: which providers read a text, and what stands of what they find."""

from collections.abc import Sequence

from app.entities.ner.names import NameProvider
from app.entities.ner.provider import NOTHING_KNOWN, Known, Provider, Span
from app.entities.ner.regex import RegexProvider
from app.entities.ner.resolve import resolve


class Strategy:
    """Several providers as one.

    Args:
        name: What the strategy is called.
        providers: Who reads the text.
    """

    def __init__(self, name: str, providers: Sequence[Provider]) -> None:
        self.name = name
        self._providers = tuple(providers)

    def extract(self, text: str, known: Known = NOTHING_KNOWN) -> list[Span]:
        """Return the names in ``text`` in its order, none overlapping another."""
        return resolve(span for provider in self._providers for span in provider.extract(text, known))


def fast() -> Strategy:
    """Return the strategy that reads every turn and memory: patterns, then rules and small lists."""
    return Strategy("fast", (RegexProvider(), NameProvider()))
