"""Strategies: which providers read a text, and what stands of what they find."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.core.stores import StoreName
from app.entities.ner.language_model_provider import LanguageModelProvider
from app.entities.ner.overlap import resolve_overlaps
from app.entities.ner.provider import NOTHING_KNOWN, KnownNames, NameFinder, NameSpan
from app.entities.ner.regex_provider import RegexProvider
from app.entities.ner.rules_provider import RulesProvider
from app.entities.ner.spacy_provider import SpacyProvider
from app.errors import AccessDeniedError, ModelUnavailableError
from app.llm.model import Usage
from app.sentence import Sentence


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
    return NerStrategy("fast", (RegexProvider(), RulesProvider()))


@dataclass(frozen=True, slots=True)
class Extraction:
    """Names that the accurate strategy found in a text.

    Args:
        spans: The names in the order of the text, none overlapping another.
        readers: The accurate providers that read it; empty where none could.
        usage: Tokens and cost of the language model.
        refusal: Why the language model was not asked or did not answer, empty where it did.
        is_withheld: Whether the settings keep the text from the model.
    """

    spans: tuple[NameSpan, ...] = ()
    readers: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    refusal: str = ""
    is_withheld: bool = False


class AccurateStrategy:
    """Accurate strategy: the fast providers, spaCy where installed, and the language model.

    Args:
        spacy: Reads with a spaCy pipeline.
        model: Asks the language model.
        is_allowed: Whether the settings allow either.
        fast: The fast strategy.
    """

    name = "accurate"

    def __init__(
        self,
        spacy: SpacyProvider,
        model: LanguageModelProvider,
        is_allowed: Callable[[], bool] = lambda: True,
        fast: NerStrategy | None = None,
    ) -> None:
        self.spacy = spacy
        self.model = model
        self._is_allowed = is_allowed
        self._fast = fast or fast_strategy()

    @property
    def is_available(self) -> bool:
        """Return whether it may find more than the fast strategy does."""
        return self._is_allowed() and (self.spacy.is_available or self.model.is_available)

    @property
    def absence(self) -> str:
        """Return why it is not available, in a sentence; empty where it is."""
        if self.is_available:
            return ""
        if not self._is_allowed():
            return Sentence("Finding names with a language model or spaCy is switched off in the settings.")
        return self.spacy.failure or Sentence("Neither spaCy nor a language model is there to find names with.")

    async def extract(
        self, text: str, stores: tuple[StoreName, ...], known: KnownNames = NOTHING_KNOWN, *, asks_model: bool = True
    ) -> Extraction:
        """Return the names in ``text``.

        Args:
            text: The text.
            stores: The stores that it comes from.
            known: Names of the registry.
            asks_model: False to leave the language model out.
        """
        found, readers = await asyncio.to_thread(self._fast.extract, text, known), list[str]()
        if self._is_allowed() and self.spacy.is_available:
            more = await asyncio.to_thread(self.spacy.extract, text, known)
            if self.spacy.is_available:
                found, readers = [*found, *more], [self.spacy.name]
        usage, refusal, is_withheld = Usage(), "", False
        if self._is_allowed() and asks_model and self.model.is_available:
            try:
                answer = await self.model.extract(text, stores)
                found, usage = [*found, *answer.spans], answer.usage
                readers.append(self.model.name)
            except AccessDeniedError as error:
                refusal, is_withheld = error.sentence, True
            except ModelUnavailableError as error:
                refusal = error.sentence
        return Extraction(tuple(resolve_overlaps(found)), tuple(readers), usage, refusal, is_withheld)
