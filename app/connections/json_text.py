"""JSON text with comments, changed in place; the rest stays as written.

json5 and commentjson were looked at: they read comments and lose them in writing. Only the place of a change is found
here; the caller parses the new text again.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from app.errors import FormatError
from app.sentence import Sentence

MAX_DEPTH: Final = 100
_BLANK: Final = re.compile(r"(?:\s+|//[^\n\r]*|/\*(?:(?!\*/)[\s\S])*\*/)*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass(slots=True)
class JsonEntry:
    """A member of an object or an item of an array.

    Args:
        start: Where its key, or the item, begins.
        node: Its value.
        key: Its key, ``None`` in an array.
        comma: Where the comma after it is, ``None`` without one.
    """

    start: int
    node: "Node"
    key: str | None = None
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """A value in the text: where it is, what it is, and its entries.

    ``tail`` is where a container's last entry, comma or comment ends.
    """

    start: int
    end: int
    value: Any
    entries: list[JsonEntry] = field(default_factory=list)
    tail: int = 0

    def member(self, key: str) -> JsonEntry | None:
        """Return the last member of a key, which is the one that counts."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)


def parse(text: str) -> Node:
    """Return the value in a text, which may have comments and commas before closing brackets.

    Raises:
        FormatError: It is not JSON; the message says where it breaks.
    """
    try:
        node = _value(text, _skip(text, 0), 0)
    except _BrokenError as error:
        raise _error(text, error.place) from None
    end = _skip(text, node.end)
    if end != len(text):
        raise _error(text, end)
    return node


def with_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return ``text`` with a value under a path of keys.

    Missing objects on the way are made.

    Raises:
        FormatError: The text is not JSON, or something on the way is no object.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        _require(node, dict, path[:depth])
        entry = node.member(key)
        if entry is None:
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return _inserted(text, node, key, value)
        if depth == len(path) - 1:
            indent = _indent_of(text, entry.start)
            return text[: entry.node.start] + _written(value, text, indent, _unit(text)) + text[entry.node.end :]
        node = entry.node
    raise FormatError("A value needs a name.")


def with_item(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return ``text`` with a value at the end of the array under a path.

    The array, and objects on the way, are made where they are missing.

    Raises:
        FormatError: The text is not JSON, or something on the way is of another kind.
    """
    entry = at(text, path)
    if entry is None:
        return with_member(text, path, [value])
    _require(entry.node, list, path)
    return _inserted(text, entry.node, None, value)


def without(text: str, path: tuple[str, ...], item: int | None = None) -> str:
    """Return ``text`` without the member, or an item of the array, at a path."""
    holder = parse(text) if len(path) == 1 and item is None else None
    if holder is None:
        place = at(text, path if item is not None else path[:-1])
        if place is None:
            return text
        holder = place.node
    if item is None:
        position = next((n for n, entry in enumerate(holder.entries) if entry.key == path[-1]), None)
    else:
        position = item if item < len(holder.entries) else None
    return text if position is None else _removed(text, holder, position)


def at(text: str, path: tuple[str, ...]) -> JsonEntry | None:
    """Return the entry at a path of keys, ``None`` where there is none."""
    node = parse(text)
    entry: JsonEntry | None = JsonEntry(node.start, node)
    for key in path:
        entry = node.member(key) if isinstance(node.value, dict) else None
        if entry is None:
            return None
        node = entry.node
    return entry


# Change -----------------------------------------------------------------------------------------------------------


def _inserted(text: str, node: Node, key: str | None, value: Any) -> str:
    newline, unit = _newline(text), _unit(text)
    is_compact = bool(node.entries) and "\n" not in text[node.start : node.end]
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    last = node.entries[-1] if node.entries else None
    comma_at = last.node.end if last is not None and last.comma is None else None
    if is_compact:
        member = f" {name}{json.dumps(value, ensure_ascii=False)}"
        return _with_comma(text, comma_at, node.tail, member, "")
    outer = _indent_of(text, node.start)
    inner = _indent_of(text, last.start) if last is not None else outer + unit
    member = f"{newline}{inner}{name}{_written(value, text, inner, unit)}"
    rest = text[node.tail : node.end - 1]
    return _with_comma(text, comma_at, node.tail, member, "" if "\n" in rest else newline + outer)


def _with_comma(text: str, comma_at: int | None, tail: int, piece: str, closing: str) -> str:
    head = text[:tail] if comma_at is None else f"{text[:comma_at]},{text[comma_at:tail]}"
    return head + piece + closing + text[tail:]


def _removed(text: str, node: Node, position: int) -> str:
    entry = node.entries[position]
    start = len(text[: entry.start].rstrip())
    end = entry.node.end if entry.comma is None else entry.comma + 1
    is_last = position == len(node.entries) - 1
    if (
        len(node.entries) == 1
        and not text[node.start + 1 : entry.start].strip()
        and not text[end : node.end - 1].strip()
    ):
        start, end = node.start + 1, node.end - 1
    head = text[:start]
    before = node.entries[position - 1] if position else None
    if is_last and entry.comma is None and before is not None and before.comma is not None:
        head = text[: before.comma] + text[before.comma + 1 : start]
    # A comment before it must not run on into what follows.
    rest = text[end:]
    is_joined = "\n" in text[start : entry.start] and not rest[:1].isspace() and "//" in head[head.rfind("\n") + 1 :]
    return head + (_newline(text) if is_joined else "") + rest


def _written(value: Any, text: str, indent: str, unit: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match is not None and len(match[1]) <= 8 else "  "  # noqa: PLR2004


def _indent_of(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _require(node: Node, kind: type, path: tuple[str, ...]) -> None:
    if not isinstance(node.value, kind):
        name = ".".join(path) or Sentence("The whole of it")
        if kind is dict:
            raise FormatError(Sentence("{name} is not an object, so nothing can be added to it.", name=name))
        raise FormatError(Sentence("{name} is not a list, so nothing can be added to it.", name=name))


# Parse ------------------------------------------------------------------------------------------------------------


class _BrokenError(Exception):
    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


def _error(text: str, place: int) -> FormatError:
    line = text.count("\n", 0, place) + 1
    return FormatError(Sentence("It is not valid JSON: line {line} cannot be read.", line=line), line=line)


def _skip(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return place if match is None else match.end()


def _value(text: str, place: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _BrokenError(place)
    opening = text[place : place + 1]
    if opening in ("{", "["):
        return _container(text, place, depth, is_object=opening == "{")
    match = _STRING.match(text, place) or _SCALAR.match(text, place)
    if match is None:
        raise _BrokenError(place)
    try:
        return Node(place, match.end(), json.loads(match[0]))
    except ValueError:
        raise _BrokenError(place) from None


def _container(text: str, start: int, depth: int, *, is_object: bool) -> Node:
    closing = "}" if is_object else "]"
    node = Node(start, start, {} if is_object else [])
    place = _skip(text, start + 1)
    while text[place : place + 1] != closing:
        if node.entries and node.entries[-1].comma is None:
            raise _BrokenError(place)
        entry = _entry(text, place, depth, is_object=is_object)
        node.entries.append(entry)
        place = _skip(text, entry.node.end)
        if text[place : place + 1] == ",":
            entry.comma = place
            place = _skip(text, place + 1)
    node.end = place + 1
    node.tail = len(text[:place].rstrip())
    if is_object:
        node.value = {entry.key: entry.node.value for entry in node.entries}
    else:
        node.value = [entry.node.value for entry in node.entries]
    return node


def _entry(text: str, place: int, depth: int, *, is_object: bool) -> JsonEntry:
    if not is_object:
        return JsonEntry(place, _value(text, place, depth + 1))
    key = _STRING.match(text, place)
    if key is None:
        raise _BrokenError(place)
    colon = _skip(text, key.end())
    if text[colon : colon + 1] != ":":
        raise _BrokenError(colon)
    return JsonEntry(place, _value(text, _skip(text, colon + 1), depth + 1), json.loads(key[0]))
