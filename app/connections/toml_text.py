"""TOML text, changed in place with tomlkit, which keeps comments and order."""

from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from app.connections.model import ServerEntry
from app.errors import FormatError

_ENTRY_KEYS: Final = frozenset({"type", "command", "args", "env"})


def parse(text: str) -> dict[str, Any]:
    """Return the values in a text.

    Raises:
        FormatError: It is not TOML.
    """
    try:
        return tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise FormatError(f"It is not valid TOML: {error}.") from error


def with_entry(text: str, path: tuple[str, ...], entry: ServerEntry) -> str:
    """Return ``text`` with an entry as a table at its end.

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
            raise FormatError(f"'{key}' is not a table, so nothing can be added to it.")
    table = tomlkit.table()
    for name, value in entry.value().items():
        table.add(name, value if not isinstance(value, dict) else _inline(value))
    holder.add(path[-1], table)
    return tomlkit.dumps(document)


def _inline(values: dict[str, str]) -> Any:
    made = tomlkit.inline_table()
    made.update(values)
    return made


def without_entry(text: str, path: tuple[str, ...]) -> str:
    """Return ``text`` without a table."""
    document = tomlkit.parse(text)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    holder.remove(path[-1])
    after = tomlkit.dumps(document)
    # tomlkit takes a comment after a table for a part of it, and removes it too.
    as_written = _without_lines(text, path)
    return as_written if tomlkit.parse(as_written).unwrap() == tomlkit.parse(after).unwrap() else after


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
    start = first - 1 if first and not lines[first - 1].strip() else first
    return "".join(lines[:start] + lines[end:])
