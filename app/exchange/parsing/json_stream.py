"""Values in huge JSON objects, read one at a time with ijson."""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

import ijson
import ijson.common

from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, SourceEntry, read_some, utf8_stream
from app.exchange.model import Position
from app.exchange.parsing.item_places import after, numbered
from app.memories.foreign_record import Problem
from app.sentence import Sentence

MAX_DEPTH = 200
_EXTREME = re.compile(rb"-?\d{19,}(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\d+(?:\.\d+)?[eE][+-]?\d{3,}|-?(?:NaN|Infinity)\b")
_OF_NUMBERS = b"0123456789+-.eENaInfity"
_LONGEST_NUMBER = 100_000
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTE = re.compile(rb'(?<!\\)((?:\\\\)*")')
_EACH_POSITION = 200
_MAX_PASSED = 100
_STARTS = frozenset({"start_map", "start_array"})
_ENDS = frozenset({"end_map", "end_array"})


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value and its place, such as ``messages.item``."""

    place: str
    value: Any


def values(
    entry: SourceEntry, wanted: frozenset[str], cancelled: Callable[[], bool], noun: str = "message"
) -> Iterator[JsonValue | Problem | Position]:
    """Yield the values at the ``wanted`` places of a file, in file order.

    Where the JSON breaks off or is broken, a problem is the last thing; bytes that are not UTF-8 are replaced. Objects
    and lists count as items of the source, called ``noun``; so do, as one, the texts at other places.
    """
    with entry.open() as opened:
        source = RepairedJson(opened)
        passed: dict[str, Any] = {}
        number = 0
        try:
            for value in _values(ijson.basic_parse(cast("IO[bytes]", source), use_float=True), wanted, passed):
                number += 1
                if isinstance(value.value, dict | list):
                    read_item(numbered(entry.name, "value", number), value.value, noun)
                yield value
                if number % _EACH_POSITION == 0:
                    yield Position(source.done, entry.size, entry.name)
                    if cancelled():
                        return
        except (ijson.common.JSONError, ValueError, *DAMAGE) as error:
            line = str(error).splitlines()[0][:120]
            sentence = Sentence("Nothing could be read from here on, because it is broken ({line}).", line=line)
            if isinstance(error, ijson.common.IncompleteJSONError):
                sentence = Sentence(
                    "Nothing could be read from here on, because the file is cut off ({line}).", line=line
                )
            yield Problem(after(entry.name, "value", number), sentence)
        if passed:
            read_item(entry.name, passed, "field")
        if source.replaced:
            yield Problem(entry.name, Sentence("Some bytes were not UTF-8 text and were replaced with �."), lost=False)
        yield Position(entry.size, entry.size, entry.name)


def _values(events: Iterator[tuple[str, Any]], wanted: frozenset[str], passed: dict[str, Any]) -> Iterator[JsonValue]:
    """Yield the values at ``wanted`` places, and keep the texts elsewhere in ``passed``."""
    way: list[str] = []
    builder: ijson.common.ObjectBuilder | None = None
    start, place = 0, ""
    for event, value in events:
        if builder is not None:
            builder.event(event, value)  # type: ignore[no-untyped-call]
        elif event == "map_key":
            way[-1] = value
        elif event not in _ENDS and len(way) <= MAX_DEPTH and (place := ".".join(way)) in wanted:
            if event not in _STARTS:
                yield JsonValue(place, value)
            else:
                builder, start = ijson.common.ObjectBuilder(), len(way)  # type: ignore[no-untyped-call]
                builder.event(event, value)  # type: ignore[no-untyped-call]
        elif event == "string":
            _keep(passed, way, value)
        if event in _STARTS:
            _enter(way)
        elif event in _ENDS:
            way.pop()
            if builder is not None and len(way) == start:
                yield JsonValue(place, builder.value)
                builder = None


def _enter(way: list[str]) -> None:
    way.append("item")
    if len(way) > MAX_DEPTH:
        raise ValueError("it is nested too deeply")


def _keep(passed: dict[str, Any], way: list[str], value: str) -> None:
    """Keep a text under the fields that lead to it, some for each."""
    inner = passed
    for name in way:
        inner = inner.setdefault(name, {})
    words = inner.setdefault("", [])
    if len(words) < _MAX_PASSED:
        words.append(value)


class RepairedJson:
    """JSON as valid UTF-8, which ijson can parse, with ``done`` bytes of it read.

    Numbers that no computer number holds become texts, because the parser would end at them, or crash.

    Args:
        stream: Where the JSON is read from, in UTF-8 or UTF-16.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._held = utf8_stream(stream)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.done = len(self._held)
        self.replaced = False
        self._is_inside = False  # of a string
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Return the next bytes; none at the end."""
        if size == 0:
            return b""
        while True:
            read = read_some(self._stream, max(size, 1 << 16))
            self.done += len(read)
            data, self._held = self._held + read, b""
            text = self._decoder.decode(data, final=not read)
            self.replaced = self.replaced or text.count("\ufffd") > data.count(b"\xef\xbf\xbd")
            if (whole := self._without_extremes(text.encode(), is_last=not read)) or not read:
                return whole

    def _without_extremes(self, data: bytes, *, is_last: bool) -> bytes:
        """Return bytes with extreme numbers as strings, without an end that may go on."""
        data = self._rest + data
        cut = len(data.rstrip(b"\\")) if data.endswith(b"\\") else len(data.rstrip(_OF_NUMBERS))
        if is_last or len(data) - cut > _LONGEST_NUMBER:
            cut = len(data)
        data, self._rest = data[:cut], data[cut:]
        if not _EXTREME.search(data):
            self._is_inside ^= _ESCAPED.sub(b"", data).count(b'"') & 1 == 1
            return data
        parts = _QUOTE.split(data)
        for number, part in enumerate(parts):
            if number % 2 == 0 and not self._is_inside:
                parts[number] = _EXTREME.sub(rb'"\g<0>"', part)
            elif number % 2:
                self._is_inside = not self._is_inside
        return b"".join(parts)
