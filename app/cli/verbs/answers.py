"""Answers of operations as a person or another program reads them."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from app.cli.terminal import bold, one_line, printable
from app.cli.verbs.tables import Screen, table_lines

# The columns of a table, by the type of its rows, with ``|`` before the field that stands in for an empty one; of
# other types those that ``_chosen`` finds.
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "AccessRequest": ("id", "name", "trust", "reason", "at", "decision"),
    "Agent": ("name", "trust", "stores", "review", "isolated", "paused", "last_seen_at", "revoked_at"),
    "ArchivedMemory": ("id", "kind", "archived_at", "title|preview", "reason"),
    "BackupInfo": ("name", "created_at", "reason", "bytes"),
    "EntityRow": ("id", "name", "type", "mentions", "protected"),
    "ErasureReceipt": ("id", "at", "by", "verified"),
    "Facet": ("name", "count"),
    "HistoryEntry": ("id", "event", "target", "at", "actor", "run_id", "undone_by"),
    "Judgement": ("id", "query", "good", "at"),
    "Link": ("memory_id", "title"),
    "Memory": ("id", "kind", "updated_at", "category", "key", "title|content"),
    "MemoryRow": ("id", "kind", "updated_at", "title|preview", "tags"),
    "Message": ("seq", "role", "created_at", "content"),
    "Person": ("id", "name", "mentions", "memories", "last_at"),
    "Proposal": ("id", "agent", "operation", "state", "arguments.content|arguments.title|target"),
    "Progress": ("job", "title", "state", "done", "total", "unit"),
    "SecretStatus": ("name", "place", "note"),
    "Session": ("id", "updated_at", "title|preview", "agent", "message_count"),
    "SessionSummary": ("session_id", "updated_at", "title", "summary"),
    "SettingValue": ("name", "value", "source"),
    "SourceText": ("id", "kind", "title|text"),
}
_FIRST: Final = ("id", "name", "seq", "job", "title")
_LONG: Final = frozenset({"content", "text", "summary", "preface", "sentence"})
_MOST_COLUMNS: Final = 7
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)\Z")


def answer_lines(value: Any, kind: str, screen: Screen) -> list[str]:
    """Return an answer line by line.

    Args:
        value: The answer, as JSON values.
        kind: The name of its type, after ``list`` for a list of them.
        screen: Where it is shown.
    """
    if isinstance(value, list):
        return _list_lines(value, kind.removeprefix("list "), screen)
    if isinstance(value, dict):
        return record_lines(value, screen)
    if value is None:
        return ["Nothing found."] if screen.is_terminal else []
    return [printable(cell(value, screen))]


def record_lines(value: Mapping[str, Any], screen: Screen) -> list[str]:
    """Return the fields of one thing, then its long text, then its tables."""
    plain = {name: item for name, item in value.items() if name not in _LONG and not _is_empty(item)}
    tables = {name: item for name, item in plain.items() if _is_table(item)}
    width = max((len(name) for name in plain if name not in tables), default=0)
    lines = []
    for name, item in plain.items():
        if name not in tables:
            label = f"{_label(name):<{width}}  " if screen.is_terminal else f"{name}\t"
            lines.append(bold(label, styled=screen.styled) + one_line(cell(item, screen)))
    for name in _LONG & value.keys():
        if value[name]:
            lines += [*_spaced(lines), *printable(str(value[name])).split("\n")]
    for name, item in tables.items():
        lines += [*_spaced(lines), bold(_label(name), styled=screen.styled), *_list_lines(item, "", screen)]
    return lines


def cell(value: Any, screen: Screen) -> str:
    """Return the text of a table cell."""
    if value is None or isinstance(value, bool | float | str):
        return _plain(value, screen)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict) and isinstance(value.get("id"), str) and screen.is_terminal:
        return " ".join(filter(None, (value["id"], str(value.get("title") or value.get("name") or ""))))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _plain(value: bool | float | str | None, screen: Screen) -> str:
    if isinstance(value, bool):
        return ("yes" if value else "no") if screen.is_terminal else ("true" if value else "false")
    if isinstance(value, float):
        return f"{value:.4g}"
    if value is not None and screen.is_terminal and _TIME.match(value):
        return datetime.fromisoformat(value).astimezone().strftime("%Y-%m-%d %H:%M")
    return str(value) if value is not None else ""


def _list_lines(items: Sequence[Any], kind: str, screen: Screen) -> list[str]:
    if not items:
        return ["There are none."] if screen.is_terminal else []
    rows = [item for item in items if isinstance(item, dict)]
    if len(rows) < len(items):
        return [one_line(cell(item, screen)) for item in items]
    names = _COLUMNS.get(kind) or _chosen(rows)
    if screen.is_terminal:
        names = tuple(name for name in names if any(not _is_empty(_of(row, name)) for row in rows))
    cells = [[cell(_of(row, name), screen) for name in names] for row in rows]
    return table_lines([_label(name.partition("|")[0].rpartition(".")[2]) for name in names], cells, screen)


def _of(row: Mapping[str, Any], column: str) -> Any:
    """Return a row's value in a column, or in the one after ``|``.

    ``a.b`` is the field ``b`` of the inner object ``a``.
    """
    first, _, second = column.partition("|")
    if second:
        return _of(row, first) or _of(row, second)
    outer, _, inner = first.partition(".")
    value = row.get(outer)
    return value.get(inner) if inner and isinstance(value, dict) else value


def _chosen(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return columns for rows of a type without declared ones, the name first."""
    names = [name for name, value in rows[0].items() if not isinstance(value, dict) and not _is_table(value)]
    names.sort(key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    return tuple(names[:_MOST_COLUMNS]) or tuple(rows[0])


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {}, ())


def _label(name: str) -> str:
    return name.removesuffix("_at").replace("_", " ") if name != "at" else name


def _spaced(lines: list[str]) -> list[str]:
    return [""] if lines else []
