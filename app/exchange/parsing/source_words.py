"""Words in items of a source, and whether a stored text holds them."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

MAX_DEPTH: Final = 60
_LONGEST: Final = 20_000  # characters of one value that are compared
_FEW: Final = 3
_OF_LINE, _OF_WORDS, _OF_PAIRS = 1 / 2, 3 / 4, 1 / 3
_TECHNICAL: Final = re.compile(
    r"(?:^|_)(?:id|ids|uuid|uid|guid|key|keys|ts|at|created|updated|modified|time|times|date|datetime|timestamp|timezone|tz|"
    r"tz_label|created_by|updated_by|modified_by|url|urls|uri|href|link"
    r"|path|paths|file|files|filename|cwd|dir|directory|directories|branch|version|model|type|kind|subtype|format|role"
    r"|status|state|hash|digest|checksum|signature|encrypted_content|mime|locale|lang|language|color|colour|icon|emoji"
    r"|slug|permalink|domain|host|ip|phone|email|cursor|token|tokens|sha|etag|code_challenge|user_agent)$"
)
_SPEAKING: Final = re.compile(
    r"text|content|body|message|caption|title|note|summary|question|answer|prompt|said|description|comment|part|memory|word"
)
_WRAPPERS: Final = frozenset({"value", "values", "data", "plain", "raw", "string", "item", "items", "v"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_URL: Final = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|mailto:|www\.)\S+", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:/?[A-Za-z]|[@#!])[^<>]*>")
_WITHOUT_SPACES: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2}")
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_ONE_WORD: Final = re.compile(r"[^\W\d_]{2,40}[.!?\u2026\u3002]{0,3}")
_LATIN: Final = re.compile(r"[\u0080-\u00ff]")


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A text in an item of a source.

    Args:
        way: The fields that lead to it: ``attachment.prompt``.
        text: The text.
    """

    way: str
    text: str


class Noise:
    """Fields, objects and texts of a format without words of a person or agent.

    Args:
        fields: Names of fields whose values are left alone, and ``name=value`` for whole objects with that field.
        texts: What a program writes itself in place of words, in small letters and without punctuation at its ends.
    """

    def __init__(self, fields: Iterable[str] = (), texts: frozenset[str] = frozenset()) -> None:
        self._texts = texts
        self._names: set[str] = set()
        self._objects: dict[str, set[str]] = {}
        for field in fields:
            name, sign, value = field.partition("=")
            if sign:
                self._objects.setdefault(name, set()).add(value)
            else:
                self._names.add(name)

    def has_field(self, name: str) -> bool:
        """Return whether a field holds no words of a person or agent."""
        return name in self._names or _is_technical(name)

    def has_text(self, value: str) -> bool:
        """Return whether a program wrote a text in place of words."""
        return value.strip(" .[]").casefold() in self._texts

    def has_object(self, value: dict[str, Any]) -> bool:
        """Return whether an object holds no words of a person or agent."""
        return any(isinstance(value.get(name), str) and value[name] in kinds for name, kinds in self._objects.items())


def spoken(value: Any, noise: Noise) -> Iterator[SpokenValue]:
    """Yield the texts in an item that a person or agent may have written.

    A text of one word counts only where words are expected.
    """
    return _walk(value, "", noise, 0)


def single_words(value: Any, noise: Noise) -> Iterator[SpokenValue]:
    """Yield the texts of one word that stand in the fields of an item itself."""
    if isinstance(value, dict) and not noise.has_object(value):
        for name, inner in value.items():
            words = inner[0] if isinstance(inner, list) and len(inner) == 1 else inner
            if isinstance(words, str) and not noise.has_field(str(name)) and _ONE_WORD.fullmatch(words):
                yield SpokenValue(str(name), words)


def texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield all texts in a value."""
    if isinstance(value, str):
        yield value
    elif depth < MAX_DEPTH and isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner, depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner, depth + 1)


def _walk(value: Any, way: str, noise: Noise, depth: int) -> Iterator[SpokenValue]:
    if isinstance(value, str):
        if inner := _decoded(value):
            yield from _walk(inner, way, noise, depth + 1)
        elif _is_speech(value, way) and not noise.has_text(value):
            yield SpokenValue(way, value)
    elif depth < MAX_DEPTH and isinstance(value, dict):
        if noise.has_object(value):
            return
        for name, inner in value.items():
            if isinstance(inner, str | dict | list) and not noise.has_field(name := str(name)):
                yield from _walk(inner, f"{way}.{name}" if way and name else way or name, noise, depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, list):
        for inner in value:
            yield from _walk(inner, way, noise, depth + 1)


def _decoded(value: str) -> Any:
    """Return the value in a string that is JSON itself, ``None`` for any other string."""
    if value[:1] not in ("{", "["):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


@lru_cache(4096)
def _is_technical(name: str) -> bool:
    return _TECHNICAL.search(_CAMEL.sub("_", name).lower().replace("-", "_")) is not None


def _is_speech(value: str, way: str) -> bool:
    """Return whether a text has two words, or one where words are expected."""
    words = _WORD.findall(_URL.sub(" ", value[:_LONGEST]))
    if not words:
        return False
    if len(words) > 1 and (len(value.split(None, 1)) > 1 or _WITHOUT_SPACES.search(value)):
        return True
    fields = [step for step in way.lower().split(".") if step not in _WRAPPERS]
    return not fields or _SPEAKING.search(fields[-1]) is not None


class StoredWords:
    """Words of texts that were stored, to look others up in."""

    def __init__(self) -> None:
        self._whole: set[int] = set()
        self._marks: set[int] = set()
        self._new: list[str] = []

    def add(self, text: str) -> None:
        """Take a text that was stored."""
        self._whole.add(hash(text.strip()))
        self._new.append(text)

    def holds(self, text: str, *, is_line: bool = False) -> bool:
        """Return whether most of a text is there, with this markup or another.

        Args:
            text: The text.
            is_line: It is a whole line, in which others stand beside what is said: its words count one by one.
        """
        if hash(text.strip()) in self._whole:
            return True
        while self._new:
            text_of = self._new.pop()
            for words in (_words(text_of), _WORD.findall(text_of[:_LONGEST].casefold())):
                self._marks.update(map(hash, words), map(hash, pairwise(words)))
        return any(self._has_most(_words(spelling), is_line=is_line) for spelling in (text, _repaired(text)))

    def _has_most(self, words: list[str], *, is_line: bool) -> bool:
        """Return whether all of a few words are there, or most of many."""
        if not words:
            return False
        share = sum(hash(word) in self._marks for word in words) / len(words)
        if is_line or len(words) <= _FEW:
            return share >= (_OF_LINE if is_line else 1)
        pairs = list(pairwise(words))
        return share >= _OF_WORDS and sum(hash(pair) in self._marks for pair in pairs) / len(pairs) >= _OF_PAIRS


def _words(text: str) -> list[str]:
    """Return the words of a text beside its markup, or else all."""
    plain = html.unescape(_TAG.sub(" ", _URL.sub(" ", text)))
    return _WORD.findall(plain[:_LONGEST].casefold()) or _WORD.findall(text[:_LONGEST].casefold())


def _repaired(text: str) -> str:
    """Return UTF-8 that was read as Latin-1 repaired, ``""`` for any other text."""
    if not _LATIN.search(text):
        return ""
    try:
        return text.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return ""
