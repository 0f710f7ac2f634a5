"""Protocol of name providers: text in, spans out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from app.entities.model import EntityType, name_key
from app.entities.ner.word_tokens import addresses, words

MAX_CHARACTERS = 1_000_000  # of one text; what stands beyond is not read
MAX_SPANS = 5_000  # of one text and provider
KNOWN_CONFIDENCE = 0.95  # of a name that only the registry knows


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name found in a text.

    Args:
        start: Where it begins, in characters.
        end: Where it ends, not included.
        text: What stands there.
        type: What it names.
        confidence: 0 to 1.
        provider: Who found it.
    """

    start: int
    end: int
    text: str
    type: EntityType
    confidence: float
    provider: str = ""


class KnownNames:
    """Names the registry knows, by their key (see ``app.entities.model.name_key``), with what they name.

    Web and e-mail addresses are among ``addresses`` too.

    Args:
        types: The names.
    """

    __slots__ = ("addresses", "firsts", "longest", "types")

    def __init__(self, types: Mapping[str, EntityType]) -> None:
        split = [key.split(" ") for key in types]
        self.types = types
        self.addresses = {key: kind for key, kind in types.items() if (0, len(key)) in addresses(key)}
        self.firsts = frozenset(words[0] for words in split)
        self.longest = max(map(len, split), default=0)

    def holds(self, name: str) -> bool:
        """Return whether a name is one of these."""
        return name_key(name) in self.types

    def may_be_in(self, text: str) -> bool:
        """Return whether a text may hold one of these; which one costs far more."""
        if self.addresses and next(addresses(text), None) is not None:
            return True
        return bool(self.types) and not self.firsts.isdisjoint(word.key for word in words(text))


NOTHING_KNOWN = KnownNames({})


class StoreNames:
    """Names to look for in the texts of one store.

    Args:
        common: Names that rest on what every reader of the store sees; who may not read all stores finds
            no others.
        whole: Names that who may read all stores finds.
        reserved: Names that count for them where nothing else is found.
    """

    __slots__ = ("_more", "common", "reserved", "whole")

    def __init__(
        self,
        common: Mapping[str, EntityType],
        whole: Mapping[str, EntityType],
        reserved: Mapping[str, EntityType],
    ) -> None:
        more = {key: kind for key, kind in whole.items() if common.get(key) != kind}
        others = {key: kind for key, kind in reserved.items() if key not in whole}
        self.common, self.whole, self.reserved = KnownNames(common), KnownNames(whole), KnownNames(others)
        self._more = KnownNames({**others, **more})

    def may_tell_readers_apart(self, text: str) -> bool:
        """Return whether who may read every store may find other names in a text."""
        return self._more.may_be_in(text)


NO_NAMES = StoreNames({}, {}, {})


class NameFinder(Protocol):
    """Finds names in a text, in time linear in its length."""

    name: str

    def extract(self, text: str, known: KnownNames) -> list[NameSpan]:
        """Return the names in ``text``, of which at most ``MAX_CHARACTERS`` are read."""
