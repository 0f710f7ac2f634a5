"""Huge JSON arrays, or rows of objects, read one item at a time.

A broken item costs only itself.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec

from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, SourceEntry, entries, read_some, utf8_stream
from app.exchange.model import Position
from app.exchange.parsing.item_places import ItemNoun, after, numbered, renumbered
from app.memories.foreign_record import Problem
from app.sentence import Sentence

CHUNK = 1 << 20
MAX_ITEM = 256 << 20
# Everything up to the next bracket, whole strings included; a quote is a string that the buffer cuts, or the last one
# where no bracket follows. The outer repetition is not possessive: before Python 3.11.5 that one matches wrongly
# (https://github.com/python/cpython/issues/106052), and conversations were lost.
_TO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*(["{}\[\]])', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_MOST_DIGITS = 4_000
_WRAPPERS = ("conversations", "chats", "items", "data", "results", "memories")


@dataclass(frozen=True, slots=True)
class RawItem:
    """Bytes of one item, ``None`` when it is longer than ``MAX_ITEM``.

    ``stray`` is what lay before it.
    """

    data: bytes | None
    stray: bytes = b""


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A decoded item, and where it stands for a person: ``conversations.json, conversation 3``."""

    value: Any
    place: str


@dataclass(slots=True)
class ItemSplitter:
    """Splitter of JSON text into the items of its outer array, without decoding.

    Text without an array is split into its outer objects.
    """

    depth: int = 0
    base: int = 0
    inside_string: bool = False
    held: bytes = b""
    parts: list[bytes] = field(default_factory=list)
    length: int = 0
    stray: bytes = b""

    def feed(self, chunk: bytes) -> Iterator[RawItem]:
        """Take the next bytes and yield the items that end in them."""
        data = self.held + chunk
        self.held = b""
        start = position = 0
        while (value := self._advance(data, position)) is not None:
            position, bracket = value
            if bracket in b"{[":
                start = self._opened(data, start, position, bracket)
            elif self.depth > self.base:
                self.depth -= 1
                if self.depth == self.base:
                    self._keep(data[start:position])
                    start = position
                    yield self._taken()
            else:
                self._strayed(data[start : position - 1])
                self.depth = self.base = 0
                start = position
        rest = data[start : len(data) - len(self.held)]
        if self.depth > self.base:
            self._keep(rest)
        else:
            self._strayed(rest)

    def ending(self) -> str:
        """Say what is wrong with how the text ended, ``""`` when nothing is."""
        if self.depth > self.base:
            return Sentence(
                "The file ends in the middle of this conversation: it was cut off. Everything before it went in."
            )
        return Sentence("The file ends without its closing bracket: it was cut off here.") if self.depth else ""

    def _advance(self, data: bytes, position: int) -> tuple[int, bytes] | None:
        while True:
            if self.inside_string:
                end = _IN_STRING.match(data, position).end()  # type: ignore[union-attr]  # matches the empty text too
                if end == len(data) or data[end] != ord('"'):
                    self.held = data[end:]
                    return None
                position, self.inside_string = end + 1, False
            match = _TO_BRACKET.match(data, position)
            if match is None:
                return None
            position = match.end()
            if match[1] != b'"':
                return position, match[1]
            self.inside_string = True

    def _opened(self, data: bytes, start: int, position: int, bracket: bytes) -> int:
        if self.depth == self.base:
            self._strayed(data[start : position - 1])
            start = position - 1
            if bracket == b"[" and self.depth == 0:
                self.base, start = 1, position
        self.depth += 1
        return start

    def _keep(self, data: bytes) -> None:
        self.length += len(data)
        if self.length > MAX_ITEM:
            self.parts.clear()
        else:
            self.parts.append(data)

    def _strayed(self, data: bytes) -> None:
        if data.strip(b" \t\r\n,") and len(self.stray) < CHUNK:
            self.stray += data.strip(b" \t\r\n,")[:200]

    def _taken(self) -> RawItem:
        raw = RawItem(b"".join(self.parts) if self.length <= MAX_ITEM else None, self.stray)
        self.parts.clear()
        self.length, self.stray = 0, b""
        return raw


def decode(raw: bytes) -> tuple[Any, bool]:
    """Decode JSON, forgiving bytes that are not UTF-8, lone surrogates, raw line ends and NaN.

    Returns:
        The value, and whether bytes had to be replaced.

    Raises:
        ValueError: It is not JSON, or nested beyond reason.
    """
    try:
        return msgspec.json.decode(raw), False
    except (ValueError, RecursionError):
        text = raw.decode("utf-8", "replace")
    try:
        value = json.loads(text, strict=False, parse_constant=lambda _: None, parse_int=_whole)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"it goes wrong at character {error.pos + 1:,}") from error
    return value, text.count("\ufffd") > raw.count(b"\xef\xbf\xbd")


def _whole(digits: str) -> int | str:
    """Return a whole number, or its digits where they are too many."""
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def items(
    path: Path, cancelled: Callable[[], bool], noun: ItemNoun = "conversation", *, is_whole: bool = True
) -> Iterator[JsonItem | Problem | Position]:
    """Read every item of the files at ``path``: a file, folder or zip.

    Args:
        path: What holds the JSON.
        cancelled: Asked now and then; reading stops when it says so.
        noun: What an item is, for its place.
        is_whole: True where an item counts as one for the account; False where the reader itself tells of its parts.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with entries(path) as members:
        total = sum(entry.size for entry in members)
        done = 0
        for entry in members:
            for thing in entry_items(entry, cancelled, noun, is_whole=is_whole):
                yield Position(done + thing.done, total, entry.name) if isinstance(thing, Position) else thing
            done += entry.size


def entry_items(
    entry: SourceEntry, cancelled: Callable[[], bool], noun: ItemNoun = "conversation", *, is_whole: bool = True
) -> Iterator[JsonItem | Problem | Position]:
    """Read the items of one file; see ``items``."""
    splitter, number = ItemSplitter(), 0
    with entry.open() as opened:
        for chunk, done in _chunks(opened):
            if cancelled():
                return
            if isinstance(chunk, Problem):
                yield Problem(after(entry.name, noun, number), chunk.what)
                return
            for raw in splitter.feed(chunk):
                number += 1
                for thing in _decoded(raw, numbered(entry.name, noun, number)):
                    if is_whole and isinstance(thing, JsonItem):
                        read_item(thing.place, thing.value, noun)
                    yield thing
            yield Position(done, None)
    yield from _stray(splitter.stray, after(entry.name, noun, number))
    if ending := splitter.ending():
        yield Problem(numbered(entry.name, noun, number + 1), ending)


def _chunks(stream: IO[bytes]) -> Iterator[tuple[bytes | Problem, int]]:
    try:
        text, chunk = utf8_stream(stream)
        done = len(chunk)
        while read := read_some(text, CHUNK):
            chunk += read
            done += len(read)
            yield chunk, done
            chunk = b""
        yield chunk, done
    except DAMAGE as error:
        yield (
            Problem(
                "", Sentence("The zip file is damaged from here on ({error}). Download or copy it again.", error=error)
            ),
            0,
        )


def _decoded(raw: RawItem, place: str) -> Iterator[JsonItem | Problem]:
    if raw.stray:
        yield from _stray(raw.stray, Sentence("{whole}, just before it", whole=place))
    if raw.data is None:
        yield Problem(place, Sentence("It is longer than {most} MB and was left out.", most=MAX_ITEM >> 20))
        return
    try:
        value, replaced = decode(raw.data)
    except ValueError as error:
        yield Problem(place, Sentence("It is not valid JSON and was left out: {error}.", error=error))
        return
    if replaced:
        yield Problem(place, Sentence("Some bytes were not UTF-8 text and were replaced with �."), lost=False)
    yield from _unwrapped(value, place)


def _unwrapped(value: Any, place: str) -> Iterator[JsonItem]:
    """Open an object that only holds the list of conversations."""
    if isinstance(value, dict) and "mapping" not in value and "chat_messages" not in value:
        for name in _WRAPPERS:
            if isinstance(inner := value.get(name), list):
                for number, item in enumerate(inner, 1):
                    yield JsonItem(item, renumbered(place, number))
                if rest := {key: part for key, part in value.items() if part is not inner}:
                    read_item(place, rest, "field")
                return
    yield JsonItem(value, place)


def _stray(stray: bytes, place: str) -> Iterator[Problem]:
    if stray not in (b"", b"null"):
        yield Problem(
            place,
            Sentence(
                "Text that is no conversation was left out: {text}.",
                text=repr(stray[:60].decode("utf-8", "replace")),
            ),
        )
