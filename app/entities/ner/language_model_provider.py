"""Provider of names by a language model.

An answer counts only where the text has the name.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from app.core.stores import StoreName
from app.core.text import collapse
from app.core.text_rules.recall_fence import entry, fence_text
from app.core.text_rules.stopwords import ENGLISH
from app.entities.model import EntityType
from app.entities.ner.provider import NameSpan
from app.llm.chat_model import ChatModel
from app.llm.json_answers import ask_for_json
from app.llm.model import ChatMessage, ChatRequest, Usage

MOST_CHARACTERS = 8_000  # of one text; what stands beyond is not sent
_MOST_NAMES = 100
_MOST_PLACES = 200  # of all names in one text
_LONGEST = 120
_CONFIDENCE = 0.9
_MAX_TOKENS = 1024
_TYPES: dict[str, EntityType] = {
    "person": "person",
    "organization": "organization",
    "organisation": "organization",
    "location": "location",
    "project": "project",
    "other": "other",
}


class _Name(msgspec.Struct):
    text: str
    type: str


class _Names(msgspec.Struct):
    names: list[_Name]


@dataclass(frozen=True, slots=True)
class ModelNames:
    """Names in a model's answer that the text has, and what the answer took."""

    spans: tuple[NameSpan, ...]
    usage: Usage


class LanguageModelProvider:
    """Asks a language model for the names in a text.

    Args:
        model: Who is asked.
        instructions: Returns the text of the prompt.
    """

    name = "llm"

    def __init__(self, model: ChatModel, instructions: Callable[[], str]) -> None:
        self._model = model
        self._instructions = instructions

    @property
    def is_available(self) -> bool:
        """Return whether the model may be asked now."""
        return self._model.is_available

    async def extract(self, text: str, stores: tuple[StoreName, ...]) -> ModelNames:
        """Return the names in ``text``, of which at most ``MOST_CHARACTERS`` are sent.

        Raises:
            ModelUnavailableError: The model cannot be asked, or its answer has not the agreed form.
            AccessDeniedError: The settings keep texts of these stores from a remote model.
        """
        read = text[:MOST_CHARACTERS]
        fenced, _ = fence_text(entry("text", "the text to search", read, whole_lines=True))
        request = ChatRequest(
            (ChatMessage("system", self._instructions()), ChatMessage("user", fenced)),
            purpose="enrichment",
            stores=stores,
            tier="fast",
            max_output_tokens=_MAX_TOKENS,
        )
        answer, usage = await ask_for_json(self._model, request, _Names)
        return ModelNames(tuple(self._located(read, answer.names)), usage)

    def _located(self, text: str, names: list[_Name]) -> Iterator[NameSpan]:
        """Yield the places of the names that the text has."""
        chosen: dict[str, EntityType] = {}
        for one in names:
            kind, name = _TYPES.get(one.type.casefold().strip()), collapse(one.text)
            if kind is not None and _may_be_name(name, kind):
                chosen.setdefault(name, kind)
            if len(chosen) >= _MOST_NAMES:
                break
        left = _MOST_PLACES
        for name, kind in chosen.items():
            for found in _occurrences(text, name):
                yield NameSpan(found.start(), found.end(), found[0], kind, _CONFIDENCE, self.name)
                left -= 1
                if not left:
                    return


def _may_be_name(name: str, kind: EntityType) -> bool:
    """Return whether letters may be a name, not a pronoun or an ordinary word."""
    if not name or len(name) > _LONGEST or not any(letter.isalpha() for letter in name):
        return False
    if name.casefold() in ENGLISH or (len(name) == 1 and name.isascii()):
        return False
    has_capital = any(letter.isupper() or not letter.islower() for letter in name if letter.isalpha())
    return has_capital or kind in {"person", "organization", "location"}


def _occurrences(text: str, name: str) -> Iterator[re.Match[str]]:
    """Yield where ``text`` has ``name`` as whole words, with any white space between them."""
    body = r"\s+".join(re.escape(word) for word in name.split(" "))
    before = r"(?<!\w)" if _ends_word(name[0]) else ""
    after = r"(?!\w)" if _ends_word(name[-1]) else ""
    return re.finditer(f"{before}{body}{after}", text)


def _ends_word(letter: str) -> bool:
    """Return whether a letter's script writes blanks between words."""
    return letter.isalnum() and (letter.lower() != letter.upper() or letter.isdigit())
