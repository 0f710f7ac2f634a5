"""Ids of items in an answer: memories, conversations and entities. Pure functions.

Which fields of a type hold ids is found out once; texts are never looked at. A turn counts as its conversation.
"""

import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from app.core.ids import PREFIXES

MAX_ITEMS: Final = 200
_MAX_VISITED: Final = 5_000
_KINDS: Final = ("session", "note", "fact", "observation", "reflection", "digest", "entity")
_UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ITEM: Final = re.compile(rf"(?:{'|'.join(PREFIXES[kind] for kind in _KINDS)})-{_UUID}(?:#\d+)?")
_ID_FIELDS: Final = frozenset(
    {"id", "ids", "session_id", "memory_id", "entity_id", "owner_id", "subject_id", "object_id", "target"}
)
# What an answer says that it does not hold.
_ABSENT: Final = frozenset({"left_out", "missing", "last_shown", "sources"})
_TURN: Final = re.compile(r"#\d+$")


def items_of(value: object) -> tuple[tuple[str, ...], int]:
    """Return the ids of the items in an answer, and how many more it holds."""
    walk = _Walk()
    walk.visit(value)
    return tuple(walk.found), walk.more


def is_item(text: object) -> bool:
    """Return whether ``text`` is an id that Keepsake gives."""
    return isinstance(text, str) and _ITEM.fullmatch(text) is not None


def item_of(name: str) -> str:
    """Return the id of an item; of a turn, that of its conversation."""
    return _TURN.sub("", name)


class _Walk:
    """A walk over an answer that ends when enough was found."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self.more = 0
        self._visited = 0

    def visit(self, value: object) -> None:
        """Find the ids in ``value``."""
        if isinstance(value, str):
            if is_item(value):
                self._note(value)
        elif isinstance(value, Mapping):
            self._visit_mapping(value)
        elif isinstance(value, Sequence):
            self._visit_all(value)
        elif is_dataclass(value) and not isinstance(value, type):
            names, nested = _fields(type(value))
            for name in names:
                self._note_field(getattr(value, name))
            for name in nested:
                self.visit(getattr(value, name))

    def _visit_mapping(self, value: Mapping[Any, Any]) -> None:
        for name, item in value.items():
            if name in _ID_FIELDS:
                self._note_field(item)
            elif name not in _ABSENT and not isinstance(item, str):
                self.visit(item)

    def _visit_all(self, values: Sequence[Any]) -> None:
        if isinstance(values, bytes | bytearray):
            return
        for place, item in enumerate(values):
            if len(self.found) >= MAX_ITEMS:
                self.more += len(values) - place
                return
            if self._visited >= _MAX_VISITED:
                return
            self._visited += 1
            self.visit(item)

    def _note_field(self, value: object) -> None:
        if isinstance(value, str):
            self._note(value)
        elif isinstance(value, Sequence):
            self._visit_all(value)

    def _note(self, name: str) -> None:
        if name and len(self.found) < MAX_ITEMS:
            self.found[_TURN.sub("", name) if "#" in name else name] = None


@cache
def _fields(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the fields that hold ids, and of those that hold further values."""
    hints = typing.get_type_hints(kind)
    own = [field.name for field in fields(kind) if field.name not in _ABSENT]
    names = tuple(name for name in own if name in _ID_FIELDS and _is_text(hints[name]))
    return names, tuple(name for name in own if name not in names and _holds_values(hints[name]))


def _is_text(hint: Any) -> bool:
    return hint is str or any(map(_is_text, _parts(hint)))


def _holds_values(hint: Any) -> bool:
    return is_dataclass(hint) or any(map(_holds_values, _parts(hint)))


def _parts(hint: Any) -> tuple[Any, ...]:
    return () if typing.get_origin(hint) is typing.Literal else typing.get_args(hint)
