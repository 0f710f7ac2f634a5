"""TOML text, changed in place with tomlkit, which keeps comments and order."""

from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from app.connections.model import ServerEntry
from app.errors import FormatError
from app.sentence import Sentence

_ENTRY_KEYS: Final = frozenset({"type", "command", "args", "env"})


def parse(text: str) -> dict[str, Any]:
    """Return the values in a text.

    Raises:
        FormatError: It is not TOML.
    """
    try:
        return tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise FormatError(Sentence("It is not valid TOML: {reason}.", reason=error)) from error


def with_entry(text: str, path: tuple[str, ...], entry: ServerEntry) -> str:
    """Return ``text`` with an entry as a table at its end.

    Where an inline table holds such entries, it is added there.

    Raises:
        FormatError: Something on the way is no table.
    """
    document = tomlkit.parse(text)
    holder: Any = document
    for key in path[:-1]:
        if key not in holder:
            holder.add(key, tomlkit.table(is_super_table=True))
        holder = holder[key]
        if not isinstance(holder, dict):
            raise FormatError(Sentence("'{key}' is not a table, so nothing can be added to it.", key=key))
    if isinstance(holder, InlineTable):
        return _with_inline_entry(text, holder, path[-1], entry)
    table = tomlkit.table()
    for name, value in entry.value().items():
        table.add(name, value if not isinstance(value, dict) else _inline(value))
    holder.add(path[-1], table)
    return tomlkit.dumps(document)


def _with_inline_entry(text: str, holder: InlineTable, name: str, entry: ServerEntry) -> str:
    """Return ``text`` with an entry at the end of an inline table, spaced as before."""
    values = {key: value if not isinstance(value, dict) else _inline(value) for key, value in entry.value().items()}
    before = holder.as_string().strip()
    body = before[:-1].rstrip()
    after = f"{body}{_piece(name, _inline(values), is_first=not holder)}{before[len(body) :]}"
    if text.count(before) != 1:
        raise FormatError("Its inline table cannot be told from others, so nothing can be added to it.")
    return text.replace(before, after)


def _piece(name: str, value: Any, *, is_first: bool) -> str:
    return f"{' ' if is_first else ', '}{name} = {value.as_string().strip()}"


def _inline(values: dict[str, Any]) -> Any:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def without_entry(text: str, path: tuple[str, ...]) -> str:
    """Return ``text`` without a table."""
    document = tomlkit.parse(text)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    expected = _without(document.unwrap(), path)
    pieces = [_piece(path[-1], holder[path[-1]], is_first=is_first) for is_first in (False, True)]
    # tomlkit takes a comment after a table for a part of it and removes it too, so the text is tried first.
    for as_written in (_without_lines(text, path), *(text.replace(piece, "", 1) for piece in pieces)):
        if _is(as_written, expected):
            return as_written
    del holder[path[-1]]
    return tomlkit.dumps(document)


def _without(values: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    first, *rest = path
    if rest:
        return {**values, first: _without(values[first], tuple(rest))}
    return {name: value for name, value in values.items() if name != first}


def _is(text: str, expected: dict[str, Any]) -> bool:
    """Return whether a text holds the expected values; a missing table counts as empty."""
    try:
        values = tomlkit.parse(text).unwrap()
    except TOMLKitError:
        return False
    return values == expected or values == {name: value for name, value in expected.items() if value != {}}


def _without_lines(text: str, path: tuple[str, ...]) -> str:
    """Return TOML without the lines of a table as ``_with_table`` writes it."""
    lines = text.splitlines(keepends=True)
    header = f"[{'.'.join(path)}]"
    first = next((number for number, line in enumerate(lines) if line.strip() == header), None)
    if first is None:
        return text
    end = first + 1
    while end < len(lines) and lines[end].partition("=")[0].strip() in _ENTRY_KEYS:
        end += 1
    # A blank line before another table was there already.
    is_last = end == len(lines) or not lines[end].startswith("[")
    start = first - 1 if is_last and first and not lines[first - 1].strip() else first
    return "".join(lines[:start] + lines[end:])
